//! The engine on the page.

use browser::Page;
use serde_json::{Value, json};

#[tokio::test]
async fn the_engine_shows_its_analysis_until_it_is_stopped() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.press("Analyse").await;
    page.until(
        "/^Depth ([4-9]|[1-9][0-9])/.test(document.querySelector('.engine .note').textContent)",
    )
    .await;
    page.until("document.querySelector('.thoughts .score').textContent").await;
    page.until("document.querySelectorAll('.thoughts .rest')[0].textContent.includes('-')").await;
    page.press("Stop").await;
    page.until("document.querySelector('.engine .runs').textContent === 'Analyse'").await;
    page.run("const lines = document.querySelector('.engine select'); lines.value = '3'").await;
    page.press("Analyse").await;
    page.until("document.querySelectorAll('.thoughts li').length === 3").await;
    page.run("document.querySelector('.thoughts button').click()").await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.until("document.querySelector('.engine .runs').textContent === 'Stop'").await;
    page.press("Stop").await;
    page.close().await;
}

#[tokio::test]
async fn a_game_is_played_against_the_engine_to_its_end() {
    // The king reaches a corner whatever the engine plays.
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.until("document.querySelector('.opponent select option')").await;
    page.choose("human", "d").await;
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    assert_eq!(
        page.value(
            "[document.querySelector('.moves').hidden, document.querySelector('.engine').hidden]"
        )
        .await,
        json!([true, true])
    );
    page.click("[data-square=c5]").await;
    page.until("document.querySelector('[data-square=c1].target')").await;
    page.click("[data-square=c1]").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.press("Take back").await;
    page.until(
        "document.querySelector('[data-square=c5] .piece-K') && document.querySelector('.movable')",
    )
    .await;
    page.click(".opponent .check").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.click("[data-move=Kc5-c1]").await;
    page.until("document.querySelector('[data-square=c1] .piece-K')").await;
    page.reads(".verdict .title", "Defenders win in 1 ply").await;
    page.click(".moves .best").await;
    page.reads(".verdict .title", "Defenders have won").await;
    page.reads(".opponent [role=status]", "The game is over.").await;
    // There is no game to end any more, but another one can begin from the same position.
    let offered = "[...document.querySelectorAll('.opponent button')].filter(button => button.checkVisibility()).map(button => button.textContent)";
    assert_eq!(page.value(offered).await, json!(["Take back", "New settings", "Rematch"]));
    page.press("Rematch").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    assert_eq!(page.value("document.querySelectorAll('.plies li').length").await, json!(0));
    assert_eq!(
        page.value(offered).await,
        json!(["Take back", "Hint", "Offer a draw", "Resign", "End the game"])
    );
    page.close().await;
}

#[tokio::test]
async fn the_engine_begins_where_its_side_does() {
    let page = Page::open("#brandubh").await;
    page.go("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.until("document.querySelector('.opponent select option')").await;
    page.choose("human", "d").await;
    page.press("New game").await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.press("End the game").await;
    page.reads(".verdict .title", "Unknown").await;
    page.close().await;
}

/// The king can reach a corner at once.
const FREE: &str = "#brandubh/7/4t2/7/7/2K4/7/2t4/_d";

/// Begins a game there against an engine with these replies, and waits for the first.
async fn challenge(replies: Value) -> Page {
    let page = Page::open(FREE).await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.replies(replies).await;
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    type_move(&page, "c5-d5").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.reads(".verdict .title", "Your turn").await;
    page
}

async fn type_move(page: &Page, text: &str) {
    page.run_with("document.querySelector('#position').value = arguments[0]", vec![json!(text)])
        .await;
    page.press("Go").await;
}

#[tokio::test]
async fn going_back_takes_back_a_move_and_its_reply() {
    let page = challenge(json!([{"move": "e2-e3", "over": null}])).await;
    let after = page.value("location.hash").await;
    page.back().await;
    page.until(&format!("location.hash === '{FREE}'")).await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.until("document.querySelector('.movable')").await;
    page.run("history.forward()").await;
    page.until(&format!("location.hash === {after}")).await;
    page.reads(".verdict .title", "Your turn").await;
    page.close().await;
}

#[tokio::test]
async fn an_earlier_turn_of_the_engine_says_so() {
    let page = challenge(json!([{"move": "e2-e3", "over": null}])).await;
    // The tables' values are also hidden in the strip of distances.
    assert_eq!(page.value("document.querySelector('.strip').hidden").await, json!(true));
    page.click("[aria-label=Back]").await;
    for words in [".verdict .title", ".opponent [role=status]"] {
        page.reads(words, "The engine has moved here: go forward").await;
    }
    page.press("Take back").await;
    page.reads(".verdict .title", "Your turn").await;
    page.until("document.querySelector('.movable')").await;
    page.click(".opponent .check").await;
    page.until("!document.querySelector('.strip').hidden").await;
    page.close().await;
}

#[tokio::test]
async fn the_engines_opening_is_not_taken_back() {
    let page = Page::open(FREE).await;
    page.until("document.querySelector('.movable')").await;
    page.replies(json!([{"move": "d2-c2", "over": null}])).await;
    page.press("New game").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    let before = page.value("location.hash").await;
    page.press("Take back").await;
    assert_eq!(page.value("location.hash").await, before);
    page.until("document.querySelector('.movable')").await;
    page.close().await;
}

#[tokio::test]
async fn a_game_that_is_over_is_not_played_on() {
    let draw = json!({"winner": null, "reason": "repetition"});
    let replies = json!([{"move": "e2-e3", "over": null}, {"move": "e3-e2", "over": draw}]);
    let page = challenge(replies).await;
    type_move(&page, "d5-c5").await;
    page.reads(".verdict .title", "The game is drawn").await;
    // Its moves are known: it is the position in which the game began.
    page.key(" ").await;
    type_move(&page, "c5-c1").await;
    page.reads(".field .fault", "c5-c1 is not a legal move or a position").await;
    page.run("document.activeElement.blur()").await;
    page.key("l").await;
    assert_eq!(page.value("asked.filter(path => path.includes('/line'))").await, json!([]));
    assert_eq!(page.value("document.querySelectorAll('.plies li').length").await, json!(4));
    page.close().await;
}

#[tokio::test]
async fn a_game_does_not_end_without_a_question() {
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.until("document.querySelector('.opponent select option')").await;
    page.choose("human", "d").await;
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    page.key("x").await;
    page.reads("dialog", "This ends your game against the engine.").await;
    page.press("Cancel").await;
    page.until("!document.querySelector('dialog')").await;
    page.reads(".verdict .title", "Your turn").await;
    for (name, value) in [("side", "a"), ("mode", "edit")] {
        page.choose(name, value).await;
        page.reads("dialog", "This ends your game against the engine.").await;
        page.key("Escape").await;
        page.until("!document.querySelector('dialog')").await;
        // The switch is back in its place.
        let chosen =
            format!("document.querySelector('input[name={name}]:checked').value !== '{value}'");
        page.until(&chosen).await;
        page.reads(".verdict .title", "Your turn").await;
    }
    page.run("document.querySelector('#position').value = '/7/4t2/7/7/2K4/7/2t4/ a'").await;
    page.press("Go").await;
    page.press("Cancel").await;
    page.reads(".verdict .title", "Your turn").await;
    page.key("x").await;
    page.press("End it").await;
    page.until("document.querySelector('input[name=side]:checked').value === 'a'").await;
    page.until("[...document.querySelectorAll('.opponent button')].some(button => button.textContent === 'New game')").await;
    page.close().await;
}
