//! Responses that arrive when something else is shown change nothing there.

use browser::Page;
use serde_json::json;

use super::WELCOME;

/// Goes to another view without reloading the page.
async fn turn_to(page: &Page, fragment: &str, is_there: &str) {
    page.run_with("location.hash = arguments[0]", vec![json!(fragment)]).await;
    page.until(is_there).await;
}

#[tokio::test]
async fn a_late_random_position_is_discarded() {
    let page = Page::open(WELCOME).await;
    page.hold("/random").await;
    page.press("Similar position").await;
    page.reads(".verdict .more", "Looking…").await;
    page.until("held.length > 0").await;
    let tablut = "#tablut/9/9/9/9/9/9/4K4/1t1t1t1t1/9/_d";
    turn_to(&page, tablut, "document.querySelectorAll('[role=gridcell]').length === 81").await;
    page.let_go().await;
    assert_eq!(page.value("location.hash").await, json!(tablut));
    assert_eq!(page.value("document.querySelectorAll('[role=gridcell]').length").await, json!(81));

    page.go(WELCOME).await;
    page.hold("/random").await;
    page.press("Similar position").await;
    page.until("held.length > 0").await;
    turn_to(&page, "#brandubh/tables", "document.querySelector('.index')").await;
    page.let_go().await;
    assert_eq!(page.value("location.hash").await, json!("#brandubh/tables"));
    page.close().await;
}

#[tokio::test]
async fn a_late_line_does_not_change_the_address() {
    let page = Page::open(WELCOME).await;
    page.hold("/line").await;
    page.until("document.querySelector('[data-move=b4-b3]')").await;
    page.run("document.querySelector('[data-move=b4-b3]').click()").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.press("Best line").await;
    page.until("held.length > 0").await;
    turn_to(&page, "#brandubh/tables", "document.querySelector('.index')").await;
    page.let_go().await;
    assert_eq!(page.value("location.hash").await, json!("#brandubh/tables"));
    // The line was not added to the game, either.
    page.back().await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.close().await;
}

#[tokio::test]
async fn a_line_that_is_played_stops_at_an_error() {
    let page = Page::open(WELCOME).await;
    page.run(
        "window.ticking = new Set();
        window.setInterval = (does) => { ticking.add(does); return does; };
        window.clearInterval = (does) => ticking.delete(does);",
    )
    .await;
    page.press("Best line").await;
    page.press("Play").await;
    turn_to(&page, "#nonsense", "document.querySelector('.lost')").await;
    page.run("for (const does of ticking) does()").await;
    assert_eq!(page.value("location.hash").await, json!("#nonsense"));
    page.close().await;
}

#[tokio::test]
async fn a_verdict_is_dim_only_while_it_is_waited_for() {
    let page = Page::open(WELCOME).await;
    page.prefer("prefers-reduced-motion", "reduce").await;
    // The style changes in a frame after the response or the request.
    let strength = |opacity: &str| {
        format!("getComputedStyle(document.querySelector('.verdict')).opacity === '{opacity}'")
    };
    page.press("Best line").await;
    page.until("document.querySelectorAll('.plies li.future').length === 7").await;
    page.until(&strength("1")).await;
    page.hold("/probe").await;
    page.click("[aria-label=Forward]").await;
    page.until("held.length > 0").await;
    page.until(&strength("0.55")).await;
    page.click("[aria-label='To the end']").await;
    page.reads(".verdict .title", "Attackers have won").await;
    page.until(&strength("1")).await;
    page.close().await;
}

#[tokio::test]
async fn requests_to_a_busy_server_are_not_repeated_for_ever() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    // A proxy may give a date after which to retry.
    page.run(
        "const [real, wait] = [window.fetch, window.setTimeout];
        const headers = { 'Retry-After': 'Mon, 23 Nov 2026 08:00:00 GMT' };
        window.waits = [];
        window.setTimeout = (does, millis) => { waits.push(millis); return wait(does); };
        window.fetch = async (path, options) => path.includes('/probe')
            ? new Response('busy', { status: 503, headers }) : real(path, options);",
    )
    .await;
    page.key(" ").await;
    page.reads(".verdict .title", "No answer").await;
    // After 400 ms the page says that it waits.
    let waits = page.value("waits.filter(millis => millis !== 400)").await;
    assert_eq!(waits, json!(vec![1000; 29]));
    page.close().await;
}
