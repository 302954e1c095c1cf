//! The engine in the page.

use browser::Page;
use serde_json::json;

#[tokio::test]
async fn the_engine_thinks_aloud_until_it_is_stopped() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.press("Analyse").await;
    page.until(
        "/^Depth ([4-9]|[1-9][0-9])/.test(document.querySelector('.engine .note').textContent)",
    )
    .await;
    page.until("document.querySelector('.thoughts .score').textContent").await;
    page.until("document.querySelectorAll('.thoughts .rest')[0].textContent.includes('-')").await;
    page.press("Stop").await;
    page.until("document.querySelector('.engine .primary').textContent === 'Analyse'").await;
    page.run("const lines = document.querySelector('.engine select'); lines.value = '3'").await;
    page.press("Analyse").await;
    page.until("document.querySelectorAll('.thoughts li').length === 3").await;
    page.run("document.querySelector('.thoughts button').click()").await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.until("document.querySelector('.engine .primary').textContent === 'Stop'").await;
    page.press("Stop").await;
    page.close().await;
}

#[tokio::test]
async fn a_game_is_played_against_the_engine_to_its_end() {
    // The king goes to a corner whatever the engine does.
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
    page.reads(".opponent [role=status]", "It is your turn.").await;
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
    page.reads(".opponent [role=status]", "It is your turn.").await;
    page.press("End the game").await;
    page.reads(".verdict .title", "Unknown").await;
    page.close().await;
}
