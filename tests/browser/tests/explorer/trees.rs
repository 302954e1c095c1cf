//! The tree of a proof store.

use browser::Page;
use serde_json::{Value, json};

/// The store of `scripts/browser.sh`.
const STORE: &str = "#brandubh/stores/store";
/// The labels of the items that can be seen.
const SEEN: &str = "[...document.querySelectorAll('[role=treeitem]')].map(one => one.querySelector('.called > span').textContent)";
const FOCUSED: &str = "document.activeElement.querySelector('.called > span')?.textContent";

/// Counts the requests by what they ask for, in `asked`.
const COUNT: &str = "const real = window.fetch;
    window.asked = [];
    window.fetch = (path, options) => { asked.push(path.includes('position=') ? 'node' : path.includes('/stores/') ? 'store' : 'other'); return real(path, options); };";

/// Makes the store's responses those of a function of their JSON.
async fn change(page: &Page, body: &str) {
    page.run(&format!(
        "const real = window.fetch;
        window.unchanged ??= real;
        window.fetch = async (path, options) => {{
            if (!path.includes('/stores/')) return real(path, options);
            const answer = await (await unchanged(path, options)).json();
            return Response.json(...((answer, path) => {body})(answer, path));
        }};"
    ))
    .await;
}

async fn opened(page: &Page) {
    page.until("document.querySelectorAll('[role=treeitem]').length === 2").await;
}

async fn seen(page: &Page) -> Vec<String> {
    let seen = page.value(SEEN).await;
    seen.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Opens the second question with the mouse.
async fn open_defenders(page: &Page) {
    page.click(".branches > li:nth-child(2) .twist").await;
    page.until("document.querySelectorAll('[aria-level=\"2\"]').length > 1").await;
}

#[tokio::test]
async fn a_store_is_found_among_the_proofs() {
    let page = Page::open("#brandubh/proofs").await;
    page.click(".index a[href$='/stores/store']").await;
    opened(&page).await;
    assert_eq!(seen(&page).await, ["Attackers win?", "Defenders win?"]);
    page.reads("h1", "Proof tree store").await;
    page.until("document.querySelector('nav [aria-current]').textContent === 'Proofs'").await;
    page.go("#brandubh/stores/none").await;
    page.reads(".lost .fault", "no store \"none\"").await;
    // The browser logs the response with 404.
    assert_eq!(page.log().await.len(), 1);
    page.close().await;
}

#[tokio::test]
async fn a_branch_is_requested_when_it_is_opened() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    page.run(COUNT).await;
    open_defenders(&page).await;
    assert_eq!(page.value("asked").await, json!(["node"]));
    // The most promising move is the first of the next line, and has its numbers.
    let label = page.value("document.querySelector('[aria-level=\"2\"]').textContent").await;
    let label = label.as_str().unwrap_or_default();
    assert!(label.contains("proof and disproof number") && label.contains("nodes"), "{label}");
    page.click(".branches > li:nth-child(2) > .row .twist").await;
    page.until("document.querySelectorAll('[role=treeitem]').length === 2").await;
    assert_eq!(page.value("asked.length").await, json!(1));
    page.close().await;
}

#[tokio::test]
async fn a_click_shows_the_position_and_the_line_to_it() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    open_defenders(&page).await;
    page.click("[aria-level='2'] .called").await;
    let first = seen(&page).await[2].clone();
    page.reads(".line-to", &format!("Line: {first}")).await;
    page.reads(".facts", "Do the defenders win?").await;
    let (from, to) = first.trim_start_matches('K').split_once('-').unwrap();
    page.until(&format!("document.querySelector('[data-square={to}]').ariaLabel.includes('attacker') && document.querySelector('[data-square={from}]').ariaLabel.includes('empty')")).await;
    page.until("document.querySelectorAll('[aria-selected=true]').length === 1").await;
    page.close().await;
}

#[tokio::test]
async fn the_arrow_keys_walk_through_the_tree() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    page.run("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()").await;
    let focused = |text: &str| format!("{FOCUSED} === {}", json!(text));
    page.until(&focused("Attackers win?")).await;
    page.key("ArrowDown").await;
    page.until(&focused("Defenders win?")).await;
    page.key("ArrowRight").await;
    page.until("document.activeElement.ariaExpanded === 'true'").await;
    page.key("ArrowRight").await;
    page.until("document.activeElement.ariaLevel === '2'").await;
    let all = seen(&page).await;
    page.until(&focused(&all[2])).await;
    page.key("End").await;
    page.until(&focused(all.last().unwrap())).await;
    page.until("document.activeElement.ariaSetSize === document.activeElement.ariaPosInSet").await;
    page.key("ArrowLeft").await;
    page.until(&focused("Defenders win?")).await;
    page.key("ArrowLeft").await;
    page.until("document.activeElement.ariaExpanded === 'false'").await;
    page.key("Enter").await;
    page.until("document.activeElement.ariaExpanded === 'true'").await;
    page.key("Home").await;
    page.until(&focused("Attackers win?")).await;
    // Only one item can be reached with Tab.
    page.until("document.querySelectorAll('.branches [tabindex=\"0\"]').length === 1").await;
    page.close().await;
}

#[tokio::test]
async fn the_line_to_the_next_job_is_opened() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    page.click(".branches > li:nth-child(2) .called").await;
    page.press("Show the next job").await;
    page.until("document.activeElement.ariaLevel > 2").await;
    let answer = page.answer("fetch('/api/v1/rulesets/brandubh/stores/store').then(answer => answer.json()).then(arguments[0])", vec![]).await;
    let line: Vec<&str> = answer["roots"][0]["defenders"]["line"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    page.reads(".line-to", &format!("Line: {}", line.join(" "))).await;
    page.close().await;
}

#[tokio::test]
async fn open_branches_are_requested_again_only_after_news() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    open_defenders(&page).await;
    page.click("[aria-level='2'] .called").await;
    page.run(COUNT).await;
    page.press("Read again").await;
    page.until("asked.length === 1").await;
    assert_eq!(page.value("asked").await, json!(["store"]));
    change(&page, "{ answer.certificates = 77; if (answer.moves) answer.moves.reverse()[0].nodes = 123456; return [answer]; }").await;
    page.press("Read again").await;
    page.reads(".tree .note", "77 certificates").await;
    page.reads("[aria-level='2'] .nodes", "123,456").await;
    // The branch stays open, and its selected move is the last one now.
    page.until(
        "document.querySelector('[aria-selected=true]').closest('li').matches(':last-child')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_store_that_vanishes_is_reported_and_its_tree_stays() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    open_defenders(&page).await;
    let before = seen(&page).await;
    let problem =
        r#"{"code": "damaged-store", "detail": "the store store is gone, damaged or unreadable"}"#;
    page.run(&format!("window.unchanged = window.fetch; window.fetch = async () => Response.json({problem}, {{ status: 500 }})")).await;
    page.press("Read again").await;
    page.reads(".tree .fault", "the store store is gone, damaged or unreadable.").await;
    page.click("[aria-level='2'] .twist").await;
    assert_eq!(seen(&page).await, before);
    page.run("window.fetch = window.unchanged").await;
    page.press("Read again").await;
    page.until("document.querySelector('.tree .fault').textContent === ''").await;
    page.close().await;
}

#[tokio::test]
async fn long_lists_of_moves_come_in_parts() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    change(&page, "{ if (answer.moves && !path.includes('from=2')) answer.moves = answer.moves.slice(0, 2); return [answer]; }").await;
    open_defenders(&page).await;
    let first = seen(&page).await;
    assert!(first.len() == 5 && first[4].ends_with(" more"), "{first:?}");
    page.key("End").await;
    page.key("Enter").await;
    page.until("document.querySelectorAll('[aria-level=\"2\"]').length > 3").await;
    let all = seen(&page).await;
    assert_eq!((&all[..4], all.iter().any(|one| one.ends_with(" more"))), (&first[..4], false));
    page.close().await;
}

#[tokio::test]
async fn a_position_of_the_tree_opens_in_the_explorer_and_back_returns() {
    let page = Page::open(STORE).await;
    opened(&page).await;
    open_defenders(&page).await;
    page.click("[aria-level='2'] .called").await;
    let before = seen(&page).await;
    page.click(".here a").await;
    page.until("document.querySelector('.plies [aria-current]')").await;
    page.reads(".plies [aria-current]", &before[2]).await;
    page.back().await;
    page.until("document.querySelector('.branches')").await;
    assert_eq!(seen(&page).await, before);
    page.close().await;
}
