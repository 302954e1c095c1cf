//! Whole games: read, written, linked, resigned and drawn.

use browser::Page;
use serde_json::{Value, json};

/// The king can reach a corner at once.
const FREE: &str = "#brandubh/7/4t2/7/7/2K4/7/2t4/_d";

/// The moves of the game, as they are listed.
const PLIES: &str = "[...document.querySelectorAll('.plies button')].map(node => node.textContent)";

#[tokio::test]
async fn a_link_holds_a_whole_game() {
    let page = Page::open(&format!("{FREE}!Kc5-c1!e2-e1")).await;
    page.reads(".verdict .title", "Defenders win in 1 ply").await;
    assert_eq!(page.value(PLIES).await, json!(["Kc5-c1", "e2-e1"]));
    page.click("[aria-label='To the start']").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.go(&format!("{FREE}!c5-c9")).await;
    page.reads(".lost .fault", "move 1: ").await;
    assert_eq!(page.log().await.len(), 1, "the refusal of the game");
    page.close().await;
}

#[tokio::test]
async fn games_are_read_from_records_and_lists() {
    let page = Page::open(FREE).await;
    page.until("document.querySelector('.movable')").await;
    for text in [
        "[taflbase-rules:brandubh]\n[position:/7/4t2/7/7/2K4/7/2t4/ d]\n\n1. Kc5-c1 e2-e1\n",
        "/7/4t2/7/7/2K4/7/2t4/ d\nc5-c1\ne2-e1",
    ] {
        page.go(FREE).await;
        page.until("document.querySelector('.movable')").await;
        page.press("Game…").await;
        page.until("document.querySelector('dialog')?.open").await;
        page.run_with(
            "document.querySelector('#game-text').value = arguments[0]",
            vec![json!(text)],
        )
        .await;
        page.press("Open").await;
        page.until("!document.querySelector('dialog')").await;
        page.reads(".verdict .title", "Defenders win in 1 ply").await;
        assert_eq!(page.value(PLIES).await, json!(["Kc5-c1", "e2-e1"]));
    }
    page.press("Game…").await;
    page.run("document.querySelector('#game-text').value = 'c1-c9'").await;
    page.press("Open").await;
    page.reads("dialog .fault", "move 1: ").await;
    assert_eq!(page.log().await.len(), 1, "the refusal of the game");
    page.press("Close").await;
    page.until("!document.querySelector('dialog')").await;
    page.close().await;
}

#[tokio::test]
async fn a_game_is_saved_as_a_record() {
    let page = Page::open(&format!("{FREE}!Kc5-c1!e2-e1")).await;
    page.reads(".verdict .title", "Defenders win in 1 ply").await;
    page.run("window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return 'blob:x'; }; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }").await;
    page.press("Game…").await;
    page.press("Save as .otg").await;
    page.until(
        "saved.includes('brandubh.otg') && saved.some(text => text.includes('1. Kc5-c1 e2-e1'))",
    )
    .await;
    page.press("Close").await;
    page.close().await;
}

/// Begins a game there against an engine with these replies.
async fn challenge(replies: Value) -> Page {
    let page = Page::open(FREE).await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.replies(replies).await;
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    page
}

#[tokio::test]
async fn a_game_can_be_resigned() {
    let page = challenge(json!([])).await;
    page.press("Hint").await;
    page.until("document.querySelector('.table .shaft')").await;
    page.press("Offer a draw").await;
    page.reads(".opponent [role=status]", "declines the draw").await;
    page.press("Resign").await;
    page.reads(".verdict .title", "Attackers have won").await;
    page.reads(".verdict .more", "The other side has resigned.").await;
    page.until("[...document.querySelectorAll('.opponent button')].find(button => button.textContent === 'Rematch').checkVisibility()").await;
    page.close().await;
}

#[tokio::test]
async fn every_move_of_a_line_can_be_played() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.press("Analyse").await;
    page.until("document.querySelectorAll('.thoughts .later').length > 1").await;
    page.press("Stop").await;
    let wanted = page.value("[...document.querySelector('.thoughts li').querySelectorAll('button')].slice(0, 3).map(node => node.textContent)").await;
    page.run("document.querySelectorAll('.thoughts .later')[1].click()").await;
    page.until("document.querySelectorAll('.plies li').length === 3").await;
    assert_eq!(page.value(PLIES).await, wanted);
    page.close().await;
}

#[tokio::test]
async fn captured_men_are_counted() {
    let page = Page::open("#brandubh/4K2/7/2t4/2T4/7/2t4/7/_a!c6-c5").await;
    page.reads(".captured", "Captured:").await;
    assert_eq!(
        page.value("document.querySelector('.captured span').textContent").await,
        json!("1 defender")
    );
    page.click("[aria-label=Back]").await;
    page.until("!document.querySelector('.captured')").await;
    page.close().await;
}

#[tokio::test]
async fn levels_are_explained() {
    let page = Page::open(FREE).await;
    page.reads(".opponent .note", "Looks at 15,000 positions for a move").await;
    page.run("const levels = document.querySelector('.opponent select'); levels.value = 'strongest'; levels.dispatchEvent(new Event('change'))").await;
    page.reads(".opponent .note", "knows the tables. Plays the best move it finds.").await;
    page.close().await;
}

#[tokio::test]
async fn the_board_is_saved_as_a_picture() {
    let page = Page::open(&format!("{FREE}!Kc5-c1!e2-e1!Kc1-a1--")).await;
    page.reads(".verdict .title", "Defenders have won").await;
    page.press("Game…").await;
    for (kind, magic) in [("SVG", "<svg "), ("PNG", "\u{fffd}PNG")] {
        let script = "const [kind, done] = arguments; \
            const link = [...document.querySelectorAll('dialog a')].find(link => link.textContent === `Board as ${kind}`); \
            fetch(link.href).then(response => response.text()).then(text => done([link.download, text.slice(0, 5)]))";
        let saved = page.answer(script, vec![json!(kind)]).await;
        assert_eq!(saved[0], json!(format!("brandubh.{}", kind.to_lowercase())));
        assert!(saved[1].as_str().is_some_and(|text| text.starts_with(magic)), "{saved}");
    }
    page.press("Close").await;
    page.close().await;
}
