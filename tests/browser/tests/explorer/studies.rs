//! How to play, and puzzles.

use browser::Page;
use serde_json::json;

#[tokio::test]
async fn the_rules_are_pictures_that_can_be_tried() {
    let page = Page::open("#brandubh").await;
    page.until("document.querySelectorAll('.lessons .mini').length > 10").await;
    page.reads("h1", "How to play Brandubh").await;
    page.reads(".terms", "the king and 2 defenders against 4 attackers").await;
    page.reads(".terms", "The game begins as K4v8.").await;
    // Moves are drawn as arrows, and what they capture is crossed out.
    let crossed = page.value("document.querySelectorAll('.lessons .taken').length").await;
    assert!(crossed.as_u64() >= Some(4), "{crossed}");
    assert_ne!(page.value("document.querySelectorAll('.lessons .dot').length").await, json!(0));
    page.click("a[aria-label='How the king moves: try it']").await;
    page.until("document.querySelector('.movable .piece-K')").await;
    page.close().await;
}

#[tokio::test]
async fn the_pictures_are_those_of_the_ruleset() {
    let page = Page::open("#ashton").await;
    page.reads("h1", "How to play Tablut (Ashton)").await;
    page.reads(".howto", "camps").await;
    page.until("document.querySelector('.mini .is-camp')").await;
    page.close().await;
}

/// The defenders to move win by one of three moves.
const FREE: &str = "#brandubh/puzzle/win/easy/7/4t2/7/7/2K4/7/2t4/_d";

#[tokio::test]
async fn a_puzzle_is_played_against_the_tables() {
    let page = Page::open(FREE).await;
    page.reads(".puzzle .title", "Defenders to move: win in 3 plies.").await;
    page.click("[data-square=c5]").await;
    page.click("[data-square=d5]").await;
    page.reads(".puzzle [role=status]", "later").await;
    page.until("document.querySelector('[data-square=c5] .piece-K')").await;
    page.click("[data-square=c5]").await;
    page.click("[data-square=c1]").await;
    page.until("document.querySelector('.puzzle .line-to').textContent.split(' ').length === 2")
        .await;
    page.click("[data-square=c1]").await;
    page.click("[data-square=a1]").await;
    page.reads(".puzzle [role=status]", "Solved after 1 wrong try.").await;
    page.press("Start again").await;
    page.press("Show the move").await;
    page.reads(".puzzle [role=status]", "The move is Kc5-").await;
    page.until("document.querySelector('.puzzle .shaft')").await;
    page.close().await;
}

/// Waits until the server has drawn the puzzles, in a thread of low priority.
async fn drawn(page: &Page, rules: &str) {
    let script = "const [path, done] = arguments; (async () => { \
        while ((await fetch(path)).status === 202) await new Promise(resolve => setTimeout(resolve, 500)); done(); })()";
    page.answer(script, vec![json!(format!("/api/v1/rulesets/{rules}/puzzles"))]).await;
}

#[tokio::test]
async fn puzzles_of_every_kind_and_level_are_offered() {
    let page = Page::open("").await;
    drawn(&page, "brandubh").await;
    page.go("#brandubh/puzzles").await;
    page.until("document.querySelectorAll('.kinds section').length === 5").await;
    assert_eq!(page.value("document.querySelectorAll('.kinds button').length").await, json!(15));
    page.click("[aria-label='Find the only move, hard']").await;
    page.reads(".puzzle .title", "find the only move that wins").await;
    page.press("Show the move").await;
    let before = page.value("location.hash").await;
    page.press("Next puzzle").await;
    page.until(&format!("location.hash !== {before}")).await;
    page.reads(".puzzle .title", "find the only move that wins").await;
    page.back().await;
    page.until(&format!("location.hash === {before}")).await;
    // In a zugzwang the tables move first.
    page.go("#brandubh/puzzles").await;
    page.click("[aria-label='Mutual zugzwang, easy']").await;
    page.reads(".puzzle .title", "have to move").await;
    page.until("document.querySelector('.puzzle .line-to').textContent").await;
    page.close().await;
}

#[tokio::test]
async fn a_game_beyond_the_tables_opens_with_a_puzzle() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    drawn(&page, "ashton").await;
    page.run("const games = document.querySelector('header select'); games.value = 'ashton'; games.dispatchEvent(new Event('change'))").await;
    page.until("location.hash.startsWith('#ashton/puzzle/')").await;
    page.reads(".puzzle h1", "Tablut (Ashton)").await;
    assert_eq!(page.value("document.querySelectorAll('.group.unknown').length").await, json!(0));
    page.close().await;
}
