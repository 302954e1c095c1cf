//! Shieldwalls, forts and rings, on the board and in the rules.

use browser::Page;
use serde_json::json;

/// The attackers close a row of two at the edge.
const WALL: &str = "#copenhagen/3tTT5/4tt5/6t4/11/11/5K5/11/11/11/11/11/_a";

/// The defenders close the fort of their king.
const FORT: &str = "#copenhagen/3TK6/4TT5/6T4/11/11/11/11/8t2/11/11/11/_d";

/// The attackers close a ring around the king and a defender.
const RING: &str = "#copenhagen/11/11/11/5t5/4t1t4/3t1KTt3/4t1t4/11/5t5/11/11/_a";

/// The squares on which something is drawn inside a wall, as the centres of squares.
const INSIDE: &str = "[...document.querySelectorAll('.walls .inside')].map(rect => [Number(rect.getAttribute('x')) + .5, Number(rect.getAttribute('y')) + .5])";

/// Opens a position and makes a move by clicks.
async fn play(fragment: &str, from: &str, to: &str) -> Page {
    let page = Page::open(fragment).await;
    page.until(&format!("document.querySelector('[data-square={from}].movable')")).await;
    assert_eq!(page.value(INSIDE).await, json!([]));
    page.click(&format!("[data-square={from}]")).await;
    page.click(&format!("[data-square={to}]")).await;
    page
}

/// Returns the accessible names of squares.
async fn labels(page: &Page, squares: [&str; 2]) -> serde_json::Value {
    let script = format!(
        "{}.map(square => document.querySelector(`[data-square=${{square}}]`).ariaLabel)",
        json!(squares)
    );
    page.value(&script).await
}

#[tokio::test]
async fn a_shieldwall_is_drawn() {
    let page = play(WALL, "g3", "g1").await;
    page.until("document.querySelector('.walls path.wall')").await;
    // e1 and f1, seen from the attackers' side.
    assert_eq!(page.value(INSIDE).await, json!([[4.5, 10.5], [5.5, 10.5]]));
    // The line goes through d1, e2, f2 and g1.
    let line = page.value("document.querySelector('.walls path.wall').getAttribute('d')").await;
    for link in ["M3.5,10.5L4.5,9.5", "M6.5,10.5L5.5,9.5", "M4.5,9.5L5.5,9.5"] {
        assert!(line.as_str().unwrap().contains(link), "{line}");
    }
    page.reads(".legend", "shieldwall").await;
    page.reads(".table .note", "A shieldwall has closed in on e1, f1.").await;
    assert_eq!(
        labels(&page, ["d1", "e1"]).await,
        json!(["d1, attacker, part of the shieldwall", "e1, empty, inside the shieldwall"])
    );
    page.press("Flip").await;
    assert_eq!(page.value(INSIDE).await, json!([[6.5, 0.5], [5.5, 0.5]]));
    page.click("[aria-label=Back]").await;
    page.until("!document.querySelector('.walls path')").await;
    page.until("!document.querySelector('.legend').textContent.includes('shieldwall')").await;
    // From a link, and after loading the page again.
    page.go(&format!("{WALL}!g3-g1")).await;
    page.until("document.querySelectorAll('.walls .inside').length === 2").await;
    page.run("location.reload()").await;
    page.until("document.querySelectorAll('.walls .inside').length === 2").await;
    page.close().await;
}

#[tokio::test]
async fn a_fort_that_wins_is_drawn() {
    let page = play(FORT, "g3", "g1").await;
    page.reads(".verdict .title", "Defenders have won").await;
    page.reads(".verdict .more", "The king is in an exit fort.").await;
    page.until("document.querySelectorAll('.walls .inside').length === 2").await;
    page.reads(".legend", "fort of the king").await;
    assert_eq!(
        labels(&page, ["e1", "e2"]).await,
        json!([
            "e1, king, inside the fort of the king",
            "e2, defender, part of the fort of the king"
        ])
    );
    page.close().await;
}

#[tokio::test]
async fn a_king_who_enters_his_fort_has_not_escaped() {
    let fragment = "#copenhagen/3T1T5/3TKT5/3TT6/11/11/11/11/8t2/11/11/11/_d";
    let page = play(fragment, "e2", "e1").await;
    page.reads(".verdict .more", "The king is in an exit fort.").await;
    page.until("document.querySelectorAll('.walls .inside').length === 2").await;
    page.close().await;
}

#[tokio::test]
async fn a_ring_that_wins_is_drawn() {
    let page = play(RING, "f9", "f8").await;
    page.reads(".verdict .title", "Attackers have won").await;
    page.reads(".verdict .more", "The attackers have encircled all defenders.").await;
    page.until("document.querySelectorAll('.walls .inside').length === 5").await;
    // The king is not captured.
    assert_eq!(page.value("document.querySelectorAll('.fallen').length").await, json!(0));
    page.close().await;
}

#[tokio::test]
async fn the_rules_have_pictures_of_formations() {
    let page = Page::open("#copenhagen").await;
    for (title, inside) in [
        ("Capturing a row at the edge", 2),
        ("A fort at the edge", 2),
        ("All defenders encircled", 5),
    ] {
        let drawn = format!(
            "[...document.querySelectorAll('.lessons figure')].find(figure => figure.querySelector('h3').textContent === '{title}')?.querySelectorAll('.mini .inside').length"
        );
        page.until(&format!("{drawn} === {inside}")).await;
    }
    let label = "document.querySelector('.mini:has(.wall)').ariaLabel";
    assert!(page.value(label).await.as_str().unwrap().contains("part of the shieldwall"));
    page.go("#sea-battle-9").await;
    page.until("[...document.querySelectorAll('.lessons h3')].find(title => title.textContent === 'The king is unarmed')?.closest('figure').querySelector('.mini')").await;
    page.close().await;
}
