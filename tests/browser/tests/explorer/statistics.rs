//! The views of tables: their index, and one slice in charts.

use browser::Page;
use serde_json::json;

#[tokio::test]
async fn the_index_leads_to_slices() {
    let page = Page::open("#brandubh/tables").await;
    page.until("document.querySelectorAll('.index tbody tr').length >= 10").await;
    let first = page.value("[...document.querySelectorAll('.index tbody tr')].slice(0, 3).map(row => row.querySelector('a').textContent)").await;
    assert_eq!(first, json!(["K0v1", "K1v1", "K0v2"]), "smallest first");
    page.click(".index a[href='#brandubh/K1v3']").await;
    page.reads("h1", "K1v3 the king and 1 defender against 3 attackers, 5 men").await;
    page.until("document.querySelectorAll('.sides > section').length === 2").await;
    page.close().await;
}

#[tokio::test]
async fn a_slice_is_shown_in_charts_and_tables() {
    // From a position of the slice, so that its distance is marked.
    let page = Page::open(super::WELCOME).await;
    page.click(".extra a").await;
    page.until("document.querySelectorAll('.histogram li').length > 4").await;
    assert_eq!(
        page.value("document.querySelector('.histogram .current .dtw').textContent").await,
        json!("7")
    );
    let shares =
        page.value("document.querySelector('.shares svg').getAttribute('aria-label')").await;
    assert!(
        shares.as_str().is_some_and(|words| words.contains("% wins") && words.contains("% losses")),
        "{shares}"
    );
    let heights = "[...document.querySelectorAll('.sides section:first-child .column')].map(bar => bar.offsetHeight).join()";
    let before = page.value(heights).await;
    page.click(".distances .check").await;
    assert_ne!(page.value(heights).await, before, "logarithmic or not");
    // The squares have figures, except the corners, where the king has won.
    assert_eq!(
        page.value("document.querySelectorAll('.sides section:first-child .heat').length").await,
        json!(45)
    );
    page.click(".distances summary").await;
    page.until("document.querySelectorAll('.distances tbody tr').length > 4 && document.querySelector('.distances table').checkVisibility()").await;
    // A bar opens an example with its distance.
    page.run("[...document.querySelectorAll('.histogram .win')].find(bar => bar.textContent === '5').firstChild.click()").await;
    page.reads(".verdict .title", "Attackers win in 5 plies").await;
    page.back().await;
    page.until("document.querySelector('.longest a')").await;
    page.click(".longest a").await;
    page.reads(".verdict .title", "Attackers win in ").await;
    page.close().await;
}

#[tokio::test]
async fn random_positions_have_the_value_asked_for() {
    let page = Page::open("#brandubh/K0v2").await;
    page.until("document.querySelector('.random .loss')").await;
    page.click(".random .loss").await;
    page.reads(".verdict .title", "Defenders win").await;
    page.reads(".verdict .extra", "K0v2").await;
    page.until("document.querySelector('input[name=side][value=a]').checked").await;
    page.close().await;
}

#[tokio::test]
async fn going_back_returns_to_the_same_place() {
    let page = Page::open("#brandubh/tables").await;
    page.size(400, 500).await;
    page.until("document.querySelector('.index a')").await;
    page.run("scrollTo(0, 300)").await;
    page.until("history.state?.scroll === 300").await;
    page.run("location.hash = '#brandubh/K1v2'").await;
    page.until("document.querySelector('.heat')").await;
    page.until("scrollY === 0").await;
    page.back().await;
    page.until("document.querySelector('.index a')").await;
    page.until("scrollY === 300").await;
    page.close().await;
}
