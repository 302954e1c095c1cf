//! Analysis: the engine's arrows, who is ahead, the tree of lines, the review of a game.

use browser::Page;
use serde_json::json;

use super::WELCOME;

const START: &str = "#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a";

/// The king can reach a corner at once.
const FREE: &str = "#brandubh/7/4t2/7/7/2K4/7/2t4/_d";

const GAUGE: &str = "(document.querySelector('.gauge') ?? document.body)";

#[tokio::test]
async fn the_engine_draws_its_moves_on_the_board() {
    let page = Page::open(START).await;
    page.until("document.querySelector('.engine select')").await;
    page.run("document.querySelector('.engine select').value = '3'").await;
    page.press("Analyse").await;
    page.until("document.querySelectorAll('.ideas g').length === 3").await;
    // The best move is drawn last, over the others, and most strongly.
    let strengths = "[...document.querySelectorAll('.ideas g')].map(node => Number(node.getAttribute('opacity')))";
    let strengths: Vec<f64> = serde_json::from_value(page.value(strengths).await).unwrap();
    assert!(strengths.is_sorted_by(|one, two| one < two), "{strengths:?}");
    page.click(".engine .check").await;
    page.until("!document.querySelector('.ideas g')").await;
    page.click(".engine .check").await;
    page.until("document.querySelectorAll('.ideas g').length === 3").await;
    page.press("Stop").await;
    page.click("[data-move]").await;
    page.until("document.querySelectorAll('.plies li').length === 1 && !document.querySelector('.ideas g')").await;
    page.close().await;
}

#[tokio::test]
async fn a_bar_beside_the_board_shows_who_is_ahead() {
    let page = Page::open(WELCOME).await;
    let share = format!("{GAUGE}.style.getPropertyValue('--share')");
    page.until(&format!("{GAUGE}.ariaLabel === 'Attackers win in 7 plies'")).await;
    assert_eq!(page.value(&share).await, json!("0"));
    page.go(FREE).await;
    page.until(&format!("{GAUGE}.ariaLabel === 'Defenders win in 3 plies'")).await;
    assert_eq!(page.value(&share).await, json!("1"));
    page.go(START).await;
    page.until("document.querySelector('.group.unknown')").await;
    assert_eq!(page.value(&format!("{GAUGE}.hidden")).await, json!(true));
    page.press("Analyse").await;
    page.until(&format!("{GAUGE}.ariaLabel?.includes(' ahead by ')")).await;
    let between: f64 = page.value(&share).await.as_str().unwrap().parse().unwrap();
    assert!(between > 0.0 && between < 1.0, "{between}");
    page.press("Stop").await;
    // A game hides it.
    page.go(FREE).await;
    page.reads(".verdict .title", "Defenders win").await;
    page.press("From this position").await;
    page.until(&format!("{GAUGE}.hidden")).await;
    page.close().await;
}

/// The moves of the tree, with the branches in brackets.
const TREE: &str = "(function tree(list) { return [...list.children].map(item => item.matches('.branch') ? `(${tree(item.firstChild)})` : item.textContent).join(' '); })(document.querySelector('.plies'))";

#[tokio::test]
async fn other_moves_make_branches_and_no_line_is_lost() {
    let page = Page::open(&format!("{FREE}!Kc5-c1!e2-e1")).await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.click("[aria-label='To the start']").await;
    page.click("[data-move=Kc5-d5]").await;
    page.until(&format!("{TREE} === 'Kc5-c1 (Kc5-d5) e2-e1'")).await;
    page.click("[data-move=e2-e3]").await;
    page.until(&format!("{TREE} === 'Kc5-c1 (Kc5-d5 e2-e3) e2-e1'")).await;
    page.click("[aria-label=Back]").await;
    page.click("[data-move=e2-e4]").await;
    page.until(&format!("{TREE} === 'Kc5-c1 (Kc5-d5 e2-e3 (e2-e4)) e2-e1'")).await;
    // A move of the main line leads back to it, with its rest.
    page.click("[aria-label='To the start']").await;
    page.click("[data-move=Kc5-c1]").await;
    page.until("document.querySelectorAll('.plies li.future').length === 1").await;
    page.until("document.querySelectorAll('.plies li.aside').length === 3").await;
    // So does the tree, also after the page was loaded again.
    page.run("location.reload()").await;
    page.until(&format!(
        "document.querySelector('.plies li') && {TREE} === 'Kc5-c1 (Kc5-d5 e2-e3 (e2-e4)) e2-e1'"
    ))
    .await;
    page.click(".plies .branch .branch button").await;
    page.until("document.querySelector('[data-square=e4] .piece-t')").await;
    page.press("Make it the main line").await;
    page.until(&format!("{TREE} === 'Kc5-d5 (Kc5-c1 e2-e1) e2-e4 (e2-e3)'")).await;
    page.click(".plies .branch button").await;
    page.press("Remove this line").await;
    page.until(&format!("{TREE} === 'Kc5-d5 e2-e4 (e2-e3)'")).await;
    page.back().await;
    page.until(&format!("{TREE}.includes('Kc5-c1')")).await;
    page.close().await;
}

#[tokio::test]
async fn a_review_names_the_moves_that_changed_the_value() {
    // The attacker's move loses what b4-b3 wins.
    let page = Page::open(&format!("{WELCOME}!b4-a4")).await;
    page.reads(".verdict .title", "Defenders win in 5 plies").await;
    page.press("Review").await;
    page.reads(".review [role=status]", "1 move changed the value.").await;
    page.reads(".turns li", "1. b4-a4 loses instead of winning. Better: b4-b3").await;
    page.run("document.querySelectorAll('.turns button')[1].click()").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.until(&format!("{TREE} === 'b4-a4 (b4-b3)'")).await;
    page.until("document.querySelector('.turns li')").await;
    page.run("document.querySelector('.turns button').click()").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.go(FREE).await;
    page.until("document.querySelector('.movable') && !document.querySelector('.turns')").await;
    page.close().await;
}

#[tokio::test]
async fn where_no_table_helps_the_review_asks_the_engine() {
    // The king walks between two attackers.
    let page = Page::open("#brandubh/3tT2/3t3/3T3/ttT1K1t/3T1t1/6t/3t3/_a!f5-e5!Ke4-f4").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.press("Review").await;
    page.until("/^[0-9]+ moves? changed/.test(document.querySelector('.review [role=status]')?.textContent)").await;
    page.reads(".turns", "2. Ke4-f4 loses").await;
    page.reads(".turns", "drops the estimate by").await;
    page.close().await;
}

#[tokio::test]
async fn a_review_says_where_a_proved_win_was_let_go() {
    // A certificate knows a winning move, and nothing about this one.
    let page = Page::open(&format!("{}!c4-c3", super::PROVED)).await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.press("Review").await;
    page.reads(".turns", "1. c4-c3 lets the proved win go. Better: ").await;
    page.close().await;
}

#[tokio::test]
async fn a_start_that_no_table_knows_opens_with_the_engine_at_work() {
    let page = Page::open("#brandubh").await;
    page.click(".howto .primary").await;
    page.until("document.querySelector('.engine .runs').textContent === 'Stop'").await;
    page.until("document.querySelector('.thoughts li')").await;
    page.press("Stop").await;
    // Where a table knows the value, the engine rests.
    page.go("#brandubh/analyse/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    assert_eq!(
        page.value("document.querySelector('.engine .runs').textContent").await,
        json!("Analyse")
    );
    page.close().await;
}
