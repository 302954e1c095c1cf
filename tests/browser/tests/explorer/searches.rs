//! Searches in the tables, and slices without a table.

use browser::Page;
use serde_json::json;

#[tokio::test]
async fn patterns_are_searched_and_stepped_through() {
    let page = Page::open("#brandubh/search/K1v2").await;
    page.until("document.querySelector('.search select')?.value === 'K1v2'").await;
    page.run("document.querySelector('[aria-label=Value]').value = 'win'").await;
    page.click("[data-square=d4]").await;
    page.until("document.querySelector('[data-square=d4] .piece-K')").await;
    page.press("Search").await;
    page.reads(".search [role=status]", "50 positions, and there are more.").await;
    page.until("document.querySelector('.found .mini').ariaLabel.includes('king d4')").await;
    page.click("[aria-label='Next position']").await;
    page.until("document.querySelectorAll('.hits li button')[1].ariaCurrent === 'true'").await;
    // More of the same search, whatever the form says by now.
    page.run("document.querySelector('[aria-label=Table]').value = 'K0v2'").await;
    page.press("More").await;
    page.reads(".search [role=status]", "51 to 100 positions").await;
    page.until("document.querySelector('.found a').hash.includes('T')").await;
    page.run("document.querySelector('[aria-label=Table]').value = 'K1v2'").await;
    page.press("Count").await;
    page.reads(".search [role=status]", "with mirror images").await;
    page.run("document.querySelector('[aria-label^=Plies]').value = 'x'").await;
    page.press("Longest").await;
    page.reads(".search .fault", "write plies like 21").await;
    page.run("document.querySelector('[aria-label^=Plies]').value = ''").await;
    page.press("Longest").await;
    page.click(".found a").await;
    page.reads(".verdict .title", "win in").await;
    assert_eq!(page.log().await.len(), 1, "the refusal of the plies");
    page.close().await;
}

#[tokio::test]
async fn squares_of_a_pattern_may_have_to_be_empty() {
    let page = Page::open("#brandubh/search/K0v1").await;
    page.until("document.querySelector('.search [role=gridcell]')").await;
    let counted = async || {
        page.press("Count").await;
        page.reads(".search [role=status]", "mirror images").await;
        page.value("document.querySelector('.search [role=status]').textContent").await
    };
    let all = counted().await;
    page.choose("pattern", "o").await;
    page.click("[data-square=d4]").await;
    page.until("document.querySelector('[data-square=d4]').ariaLabel.includes('must be empty')")
        .await;
    page.run("document.querySelector('.search [role=status]').textContent = ''").await;
    assert_ne!(counted().await, all);
    // What lies outside of the board is removed.
    let from = page.middle("[data-square=d4]").await;
    page.drag(from, (5.0, from.1)).await;
    page.until("!document.querySelector('.piece-o.icon:not(.choice *)')").await;
    page.close().await;
}

#[tokio::test]
async fn a_slice_without_a_table_says_how_to_build_it() {
    let page = Page::open("#brandubh/7/4t2/7/2T4/1K5/T1ttt2/2t4/_a").await;
    page.reads(".verdict .extra a", "K2v5, 8 men").await;
    page.click(".verdict .extra a").await;
    page.reads(".slice .extra code", "taflbase build brandubh --slice K2v5").await;
    page.reads(".slice section", "There is no table of K2v5 here.").await;
    page.go("#alea-evangelii/K10v20").await;
    page.reads(".slice section", "No machine can build it.").await;
    assert_eq!(page.log().await.len(), 2, "the slices that are not there");
    page.close().await;
}

#[tokio::test]
async fn the_list_of_tables_leads_to_the_search() {
    let page = Page::open("#brandubh/tables").await;
    page.click(".intro a").await;
    page.until("document.querySelector('.search select option')").await;
    page.until("document.querySelector('nav [aria-current]').textContent === 'Tables'").await;
    // Another game keeps the view.
    page.run("const games = document.querySelector('header select'); games.value = 'ashton'; games.dispatchEvent(new Event('change'))").await;
    page.until("location.hash === '#ashton/search'").await;
    assert_eq!(page.value("document.querySelectorAll('.search').length").await, json!(1));
    page.close().await;
}
