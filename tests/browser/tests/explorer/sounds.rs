//! Sounds of moves.

use browser::Page;
use serde_json::json;

/// Counts the tones that begin.
const LISTEN: &str = "window.tones = 0; const start = OscillatorNode.prototype.start; \
    OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when); }";

/// Turns the sounds on or off.
async fn switch(page: &Page) {
    page.click("[aria-label=Help]").await;
    page.until("document.querySelector('dialog')?.open").await;
    page.run("[...document.querySelectorAll('dialog .check')].find(label => label.textContent === 'Sounds of moves').click()").await;
    page.press("Close").await;
    page.until("!document.querySelector('dialog')").await;
}

#[tokio::test]
async fn moves_are_heard_once_sounds_are_on() {
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.run(LISTEN).await;
    page.click("[data-move=Kc5-d5]").await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    assert_eq!(page.value("tones").await, json!(0), "off at first");
    switch(&page).await;
    assert_eq!(page.value("tones").await, json!(1), "an example");
    page.click("[data-move=e2-e3]").await;
    page.until("tones === 2").await;
    switch(&page).await;
    page.click("[data-move]").await;
    page.until("document.querySelectorAll('.plies li').length === 3").await;
    assert_eq!(page.value("tones").await, json!(2));
    page.close().await;
}

#[tokio::test]
async fn the_choice_is_kept() {
    let page = Page::open("").await;
    page.until("document.querySelector('.movable')").await;
    switch(&page).await;
    page.run("location.reload()").await;
    page.click("[aria-label=Help]").await;
    page.until("[...document.querySelectorAll('dialog .check')].some(label => label.textContent === 'Sounds of moves' && label.querySelector('input').checked)").await;
    page.press("Close").await;
    page.close().await;
}
