//! Clocks of games against the engine.

use browser::Page;
use serde_json::{Value, json};

/// The king can reach a corner at once.
const FREE: &str = "#brandubh/7/4t2/7/7/2K4/7/2t4/_d";

/// The clocks of the attackers and of the defenders.
const FACES: &str = "[...document.querySelectorAll('.clock')].map(face => face.textContent)";

/// The label of the clock that runs.
const RUNNING: &str = "document.querySelector('.clock.running')?.ariaLabel";

/// Begins a game there with clocks of 3 minutes and 2 seconds a move.
async fn challenge(replies: Value) -> Page {
    let page = Page::open(FREE).await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.replies(replies).await;
    page.run("document.querySelector('[aria-label=Clock]').value = '3 2'").await;
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    page
}

/// Moves the time that a side began to think into the past, in the stored game, and loads it again.
async fn pass(page: &Page, seconds: u32) {
    page.run(&format!(
        "const {{ game }} = history.state; game.clock.since -= {seconds}000; history.replaceState({{ game }}, ''); location.reload()"
    ))
    .await;
    page.until("document.querySelector('.clock')").await;
}

async fn type_move(page: &Page, text: &str) {
    page.run_with("document.querySelector('#position').value = arguments[0]", vec![json!(text)])
        .await;
    page.press("Go").await;
}

#[tokio::test]
async fn a_clock_runs_for_the_side_to_move() {
    let page = challenge(json!([{"move": "e2-e3", "over": null}])).await;
    page.until(&format!("{RUNNING} === 'Time of the defenders'")).await;
    page.until(&format!("{FACES}[0] === '3:00' && {FACES}[1] < '3:00'")).await;
    page.until("[...document.querySelectorAll('.opponent button')].every(button => button.textContent !== 'Take back' || !button.checkVisibility())").await;
    type_move(&page, "c5-d5").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    // Both have made a move, with two seconds for each.
    page.until(&format!("{FACES}.every(face => face >= '2:50' && face <= '3:02')")).await;
    page.until("history.state.game.clock.left.a > 180000").await;
    page.until(&format!("{RUNNING} === 'Time of the defenders'")).await;
    // A move cannot be taken back by making another one earlier.
    page.click("[aria-label=Back]").await;
    page.click("[aria-label=Back]").await;
    page.reads(".verdict .title", "The clock runs: go forward to the last move").await;
    assert_eq!(page.value("document.querySelectorAll('.movable').length").await, json!(0));
    page.close().await;
}

#[tokio::test]
async fn a_clock_goes_on_after_loading_and_ends_the_game() {
    let page = challenge(json!([])).await;
    pass(&page, 100).await;
    page.until(&format!("{FACES}[1] <= '1:20' && {FACES}[1] >= '1:00'")).await;
    pass(&page, 1000).await;
    page.reads(".verdict .title", "Attackers have won").await;
    page.reads(".verdict .more", "The other side has run out of time.").await;
    page.until(&format!("{FACES}[1] === '0:00.0' && !document.querySelector('.clock.running')"))
        .await;
    page.press("Rematch").await;
    page.until(&format!("{FACES}[0] === '3:00' && {RUNNING}")).await;
    page.press("End the game").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.until("history.state.game.clock === null").await;
    assert_eq!(
        page.value("document.querySelector('.clocks').checkVisibility()").await,
        json!(false)
    );
    page.close().await;
}

#[tokio::test]
async fn the_flag_of_the_engine_falls_too() {
    let page = challenge(json!([])).await;
    type_move(&page, "c5-d5").await;
    page.until(&format!("{RUNNING} === 'Time of the attackers'")).await;
    page.run("const { game } = history.state; game.clock.since -= 200000; history.replaceState({ game }, ''); dispatchEvent(new PopStateEvent('popstate'))").await;
    page.reads(".verdict .title", "Defenders have won").await;
    page.reads(".opponent [role=status]", "The game is over.").await;
    page.close().await;
}

/// With such a move the engine would wait for a legal one, and lose on time.
#[tokio::test]
async fn a_move_that_the_rules_bar_is_refused() {
    let page = Page::open("#copenhagen/11/11/2T8/11/5K5/11/11/11/8t2/8t2/11/_d").await;
    page.until("document.querySelector('.movable')").await;
    let replies = json!([{"move": "i9-h9", "over": null}, {"move": "h9-i9", "over": null}]);
    page.replies(replies).await;
    page.press("From this position").await;
    for (text, plies) in [("c3-c4", 2), ("c4-c3", 4)] {
        page.reads(".verdict .title", "Your turn").await;
        type_move(&page, text).await;
        page.until(&format!("document.querySelectorAll('.plies li').length === {plies}")).await;
    }
    page.reads(".verdict .title", "Your turn").await;
    page.until("document.querySelector('.movable')").await;
    type_move(&page, "c3-c4").await;
    page.reads(".table > .note", "c3-c4 repeats a position, which the defenders may not do.").await;
    assert_eq!(page.value("document.querySelectorAll('.plies li').length").await, json!(4));
    page.close().await;
}
