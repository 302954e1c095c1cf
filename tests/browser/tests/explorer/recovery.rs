//! A server that is slow, restarts or has a queue.

use browser::Page;
use serde_json::json;

use super::WELCOME;

/// Makes requests fail, as if the server did not run, until `up` is set.
const DOWN: &str = "const real = window.fetch; window.up = false;
    window.fetch = (path, options) => up ? real(path, options) : Promise.reject(new TypeError('Failed to fetch'));";

#[tokio::test]
async fn a_game_goes_on_after_the_server_has_restarted() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.until("document.querySelector('.movable')").await;
    page.choose("human", "a").await;
    page.press("New game").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.run(DOWN).await;
    page.click("[data-square=d1]").await;
    page.click("[data-square=c1]").await;
    page.reads(".opponent [role=status]", "The engine did not move: the server does not respond")
        .await;
    page.reads(".verdict .title", "No answer").await;
    // It is still down.
    page.click(".opponent .retry").await;
    page.reads(".opponent [role=status]", "The engine did not move").await;
    page.run("window.up = true").await;
    page.click(".opponent .retry").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.until("document.querySelector('.movable')").await;
    let retry = "[...document.querySelectorAll('button')].filter(button => button.textContent === 'Try again' && button.checkVisibility()).length";
    assert_eq!(page.value(retry).await, json!(0));
    page.close().await;
}

#[tokio::test]
async fn a_value_is_requested_again() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.run(DOWN).await;
    page.key(" ").await;
    page.reads(".verdict .title", "No answer").await;
    page.run("window.up = true").await;
    page.click(".verdict button").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.close().await;
}

#[tokio::test]
async fn a_view_is_requested_again() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.run(DOWN).await;
    for (fragment, is_there) in
        [("#tablut", ".lessons"), ("#brandubh/tables", ".index"), ("#brandubh/K1v2", ".heat")]
    {
        page.run("window.up = false").await;
        page.run_with("location.hash = arguments[0]", vec![json!(fragment)]).await;
        page.reads("main .fault", "the server does not respond").await;
        page.run("window.up = true").await;
        page.press("Try again").await;
        page.until(&format!("document.querySelector('{is_there}')")).await;
    }
    page.close().await;
}

#[tokio::test]
async fn a_slow_server_is_waited_for_in_words() {
    let page = Page::open(WELCOME).await;
    // What has been seen is there at once later.
    page.run("location.hash = '#brandubh'").await;
    page.until("document.querySelector('.lessons')").await;
    page.back().await;
    page.until("document.querySelector('.movable')").await;
    page.hold("/api/").await;
    page.key(" ").await;
    page.reads(".verdict .title", "Looking it up…").await;
    page.let_go().await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.run("location.hash = '#tablut'").await;
    page.reads("main [role=status]", "Loading…").await;
    page.let_go().await;
    page.let_go().await;
    page.reads("h1", "Tablut").await;
    // A fast answer is not announced.
    page.run("window.seen = []; new MutationObserver(() => seen.push(document.querySelector('main').textContent)).observe(document.querySelector('main'), { childList: true })").await;
    page.run("location.hash = '#brandubh'").await;
    page.reads("h1", "Brandubh").await;
    assert_eq!(
        page.value("seen.filter(text => text.startsWith('Loading')).length").await,
        json!(0)
    );
    page.close().await;
}

/// The first visit to a server whose responses are slow. The browser's cache is of no use: the
/// API's responses are only revalidated.
#[tokio::test]
async fn a_first_visit_to_a_slow_server_is_not_empty() {
    let page = Page::open("").await;
    page.until("document.querySelector('.movable')").await;
    page.chromium("Network.enable", json!({})).await;
    let slow = json!({"offline": false, "latency": 1500, "downloadThroughput": -1, "uploadThroughput": -1});
    page.chromium("Network.emulateNetworkConditions", slow).await;
    page.run("location.reload()").await;
    page.until("document.querySelector('main [role=status]')?.textContent === 'Loading…'").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.close().await;
}

/// An event source and a reply that report places in a queue.
const QUEUED: &str = r#"
const real = window.fetch;
window.sent = new TransformStream();
const writer = sent.writable.getWriter();
window.tell = (event, data) => writer.write(new TextEncoder().encode(`event: ${event}\nid: 1\ndata: ${JSON.stringify(data)}\n\n`));
window.fetch = (path, options) => path.endsWith("/reply")
  ? Promise.resolve(new Response(sent.readable, { headers: { "Content-Type": "text/event-stream" } })) : real(path, options);
window.EventSource = class extends EventTarget {
  constructor() { super(); window.source = this; }
  close() {}
};
window.tellAnalysis = (event, data) => source.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
"#;

#[tokio::test]
async fn who_waits_for_the_engine_is_told_the_place() {
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.run(QUEUED).await;
    page.press("Analyse").await;
    page.run("tellAnalysis('waiting', { place: 3 })").await;
    page.reads(".engine .note", "The engine is busy: you are number 3 in the queue.").await;
    page.run("tellAnalysis('waiting', { place: 1 })").await;
    page.reads(".engine .note", "The engine is busy: you are next.").await;
    page.run("tellAnalysis('iteration', { depth: 4, complete: true, nodes: 12, table_hits: 3, to_move: 'defenders', lines: [] })").await;
    page.reads(".engine .note", "Depth 4").await;
    page.press("From this position").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.click("[data-square=c5]").await;
    page.click("[data-square=d5]").await;
    page.reads(".opponent [role=status]", "The engine is thinking.").await;
    page.run("tell('waiting', { place: 2 })").await;
    page.reads(".opponent [role=status]", "The engine is busy: you are number 2 in the queue.")
        .await;
    page.run("tell('move', { move: 'e2-e3', over: null })").await;
    page.until("document.querySelectorAll('.plies li').length === 2").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.close().await;
}
