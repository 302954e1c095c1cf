//! Playing on the board: by clicks, drags, touch and keys; and going back.

use browser::Page;
use serde_json::{Value, json};

use super::WELCOME;

/// Returns the selector of a square's cell.
fn cell(square: &str) -> String {
    format!("[data-square={square}]")
}

/// Waits until the address has this position.
async fn at(page: &Page, position: &str) {
    page.until(&format!("location.hash === '#brandubh{position}'")).await;
}

#[tokio::test]
async fn a_first_visit_shows_a_win() {
    let page = Page::open("").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.reads(".verdict .more", "One move wins.").await;
    page.until("document.querySelectorAll('.moves li').length === 19").await;
    page.reads("header", "Endgames of tafl games, solved exactly").await;
    page.close().await;
}

#[tokio::test]
async fn clicks_move_and_the_history_takes_back() {
    let page = Page::open(WELCOME).await;
    page.click(&cell("b4")).await;
    page.until("document.querySelectorAll('.target').length === 7").await;
    page.until("document.querySelector('[data-square=b3] .sign.win')").await;
    page.until("document.querySelector('[data-square=a4] .sign.loss')").await;
    page.click(&cell("b3")).await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.until("document.querySelectorAll('.cell.last').length === 2").await;
    page.back().await;
    at(&page, "/3t3/1K1T3/7/1t5/7/1t5/7/_a").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.run("history.forward()").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.until("document.querySelector('.plies [aria-current]').textContent === 'b4-b3'").await;
    page.close().await;
}

#[tokio::test]
async fn a_piece_is_dragged_where_it_may_go() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    let (piece, far, near) = (
        page.middle(&cell("b4")).await,
        page.middle(&cell("e6")).await,
        page.middle(&cell("b3")).await,
    );
    page.drag(piece, far).await;
    assert_eq!(
        page.value("[location.hash, document.querySelector('.ghost')]").await,
        json!([WELCOME, null])
    );
    page.drag(piece, near).await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.close().await;
}

#[tokio::test]
async fn a_piece_that_was_let_go_elsewhere_is_not_dragged() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    let (piece, off) = (page.middle(&cell("b4")).await, page.middle(".tagline").await);
    page.slip(piece, off).await;
    let (one, two) = (page.middle(&cell("d4")).await, page.middle(&cell("e5")).await);
    page.hover(one).await;
    page.hover(two).await;
    assert_eq!(page.value("document.querySelectorAll('.ghost, .lifted').length").await, json!(0));
    page.close().await;
}

#[tokio::test]
async fn a_finger_drags_pieces_and_scrolls_elsewhere() {
    let page = Page::open(WELCOME).await;
    page.size(400, 600).await;
    page.chromium("Emulation.setTouchEmulationEnabled", json!({"enabled": true})).await;
    page.until("document.querySelector('.movable')").await;
    let (piece, near) = (page.middle(&cell("b4")).await, page.middle(&cell("b3")).await);
    page.swipe(piece, near).await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    assert_eq!(page.value("scrollY").await, json!(0));
    let (empty, above) = (page.middle(&cell("e5")).await, page.middle(".brand").await);
    page.swipe(empty, (empty.0, above.1)).await;
    page.until("scrollY > 50").await;
    page.close().await;
}

#[tokio::test]
async fn the_board_is_played_by_keys() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    let focus = "document.activeElement.getAttribute('aria-label')";
    page.run("document.querySelector('[role=gridcell][tabindex=\"0\"]').focus()").await;
    assert_eq!(page.value(focus).await, json!("a1, empty, goal"));
    for key in ["ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp"] {
        page.key(key).await;
    }
    assert_eq!(page.value(focus).await, json!("b4, attacker"));
    page.key("Enter").await;
    page.until("document.querySelectorAll('.target').length === 7").await;
    page.key("Escape").await;
    page.until("document.querySelectorAll('.target').length === 0").await;
    page.key("Enter").await;
    page.key("ArrowDown").await;
    assert_eq!(page.value(focus).await, json!("b3, empty, wins, 6 plies after it"));
    page.key("Enter").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.close().await;
}

#[tokio::test]
async fn the_focus_stays_where_keys_are_used() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    // Every move shows another list.
    page.run("document.querySelector('.best').focus()").await;
    for expected in ["/3t3/1K1T3/1t5/7/7/1t5/7/_d", "/3t3/2KT3/1t5/7/7/1t5/7/_a"] {
        page.key("Enter").await;
        at(&page, expected).await;
        page.until("document.activeElement === document.querySelector('.moves .best')").await;
    }
    page.key("ArrowLeft").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.run("document.querySelector('.plies .future button').focus()").await;
    page.key("Enter").await;
    at(&page, "/3t3/2KT3/1t5/7/7/1t5/7/_a").await;
    page.until("document.activeElement === document.querySelector('.plies [aria-current]')").await;
    page.run("document.querySelector('[data-square=d5]').focus()").await;
    page.key("f").await;
    page.until("document.querySelector('[role=gridcell]').dataset.square === 'g1'").await;
    page.until("document.activeElement === document.querySelector('[data-square=d5]')").await;
    page.run("document.querySelector('.opponent .primary').focus()").await;
    page.key("Enter").await;
    page.until("document.activeElement.textContent === 'Take back'").await;
    page.close().await;
}

#[tokio::test]
async fn keys_work_off_the_board() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.key(" ").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.key("ArrowLeft").await;
    at(&page, "/3t3/1K1T3/7/1t5/7/1t5/7/_a").await;
    page.key("ArrowRight").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_d").await;
    page.key("x").await;
    at(&page, "/3t3/1K1T3/1t5/7/7/1t5/7/_a").await;
    page.key("f").await;
    page.until("document.querySelector('[role=gridcell]').dataset.square === 'g1'").await;
    page.key("e").await;
    page.until("document.querySelector('.edit').checkVisibility()").await;
    page.key("e").await;
    page.until("document.querySelector('.movable')").await;
    page.key("l").await;
    page.until("document.querySelectorAll('.plies li').length > 0").await;
    page.key("?").await;
    page.until("document.querySelector('dialog')?.open").await;
    page.click("dialog .check").await;
    page.press("Close").await;
    // While it is open, it handles the keys.
    page.until("!document.querySelector('dialog')").await;
    page.key("f").await;
    page.key("ArrowRight").await;
    page.until("document.querySelector('.plies [aria-current]')").await;
    assert_eq!(
        page.value("document.querySelector('[role=gridcell]').dataset.square").await,
        json!("g1")
    );
    // In a text field, keys enter text.
    page.click("#position").await;
    let before = page.value("location.hash").await;
    page.key("x").await;
    page.key("ArrowLeft").await;
    assert_eq!(page.value("location.hash").await, before);
    page.close().await;
}

#[tokio::test]
async fn boards_of_every_ruleset_are_shown() {
    let page = Page::open("").await;
    page.until("document.querySelector('.cell')").await;
    let all = page
        .value("[...document.querySelectorAll('header select option')].map(option => option.value)")
        .await;
    let all: Vec<Value> = all.as_array().cloned().unwrap_or_default();
    assert!(all.len() >= 9, "{all:?}");
    for name in all {
        page.run(&format!("location.hash = '#' + {name}")).await;
        page.until(&format!(
            "document.querySelector('.howto .primary')?.href.includes('#' + {name} + '/')"
        ))
        .await;
        page.click(".howto .primary").await;
        page.until("document.querySelector('.verdict .title')?.textContent && !document.querySelector('.waiting')").await;
        let size = page.value("[document.querySelectorAll('.explorer .cell:not(.swatch)').length, Math.min(...[...document.querySelectorAll('[role=gridcell]')].map(cell => cell.offsetWidth))]").await;
        let squares = size[0].as_f64().unwrap_or_default().sqrt();
        assert!(squares >= 5.0 && squares.fract() == 0.0, "{name}: {size}");
        assert!(size[1].as_f64() >= Some(22.0), "{name}: {size}");
    }
    page.close().await;
}
