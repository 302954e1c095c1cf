//! The appearance and size of the page: in both themes, narrow and wide, for people with
//! impaired vision, in print.

use browser::{Page, environment};
use serde_json::json;

/// Every view, and an element that exists once it is complete.
const VIEWS: &[(&str, &str)] = &[
    (super::WELCOME, "document.querySelector('.moves li')"),
    ("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a", "document.querySelector('.group.unknown')"),
    ("#ashton/9/9/9/2t1K4/9/9/9/9/9/_d", "document.querySelector('.moves li')"),
    ("#brandubh/tables", "document.querySelector('.index a')"),
    ("#brandubh/K1v2", "document.querySelector('.heat')"),
    ("#brandubh/search", "document.querySelector('.search select option')"),
    ("#brandubh", "document.querySelector('.lessons .mini')"),
    ("#ashton", "document.querySelector('.lessons .mini')"),
    ("#copenhagen", "document.querySelector('.lessons .mini .wall')"),
    (
        "#copenhagen/3TK6/4TT5/6T4/11/11/11/11/8t2/11/11/11/_d!g3-g1",
        "document.querySelector('.walls .inside')",
    ),
    ("#ashton/puzzles", "document.querySelector('.kinds button')"),
    (
        "#brandubh/puzzle/win/easy/7/4t2/7/7/2K4/7/2t4/_d",
        "document.querySelector('.puzzle .movable')",
    ),
    ("#brandubh/proofs", "document.querySelector('.index a')"),
    ("#brandubh/stores/store", "document.querySelectorAll('[role=treeitem]').length === 2"),
    (super::PROVED, "document.querySelector('.group.win')"),
    ("#nonsense", "document.querySelector('.lost')"),
];

/// Returns the violations that axe-core finds on the page, one per line.
async fn violations(page: &Page) -> Vec<String> {
    // What appears has too little contrast at first.
    page.until("document.getAnimations().length === 0").await;
    let axe = std::fs::read_to_string(environment("AXE")).expect("axe-core");
    page.run(&axe).await;
    let script = "const done = arguments[0]; axe.run().then(found => done(found.violations.map(v => \
        `${v.id}: ${v.nodes.map(n => n.target + ' ' + n.failureSummary).join(' | ')}`)), error => done([String(error)]))";
    let found = page.answer(script, vec![]).await;
    found.as_array().into_iter().flatten().map(ToString::to_string).collect()
}

#[tokio::test]
async fn every_view_is_accessible_in_both_themes() {
    let page = Page::open("").await;
    for theme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", theme).await;
        for (fragment, is_there) in VIEWS {
            page.go(fragment).await;
            page.until(is_there).await;
            page.until("!document.querySelector('.waiting')").await;
            let found = violations(&page).await;
            assert!(found.is_empty(), "{theme} {fragment}: {found:#?}");
        }
        page.go("#brandubh/K4v8").await;
        page.until("document.querySelector('.slice .extra code')").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, no table");
        assert_eq!(page.log().await.len(), 1, "the slice that is not there");
        page.go("#brandubh/stores/store").await;
        page.press("Show the next job").await;
        page.until("document.activeElement.ariaLevel > 2").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, an open tree");
        page.go(super::WELCOME).await;
        page.until("document.querySelector('.movable')").await;
        page.click("[data-square=b4]").await;
        page.choose("mode", "edit").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, editing");
        page.go(&format!("{}!b4-a4", super::WELCOME)).await;
        page.reads(".verdict .title", "Defenders win").await;
        page.press("Review").await;
        page.until("document.querySelectorAll('.turns button').length === 2").await;
        page.run("document.querySelectorAll('.turns button')[1].click()").await;
        page.until("document.querySelector('.branch')").await;
        page.press("Analyse").await;
        page.until("document.querySelector('.ideas g')").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, a tree and a review");
        page.run("document.querySelector('[aria-label=Clock]').value = '3 2'").await;
        page.press("From this position").await;
        page.until("document.querySelector('.clock.running')").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, a game with clocks");
        page.press("End the game").await;
        page.press("Game…").await;
        page.until("document.querySelector('dialog')?.open").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, the game's dialog");
        page.press("Close").await;
        page.click("button[aria-label=Help]").await;
        page.until("document.querySelector('dialog')?.open").await;
        assert_eq!(violations(&page).await, Vec::<String>::new(), "{theme}, help");
    }
    page.close().await;
}

#[tokio::test]
async fn a_nameless_button_would_be_found() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    page.run("document.querySelector('main').append(document.createElement('button'))").await;
    let found = violations(&page).await;
    assert!(found.iter().any(|violation| violation.contains("button-name")), "{found:?}");
    page.close().await;
}

/// Returns the elements that extend beyond the window, except those that scroll in their own
/// frame.
const CUT: &str = "[...document.querySelectorAll('main *')].filter(node => node.checkVisibility() \
    && node.getBoundingClientRect().right > innerWidth && !node.closest('.scroll, .frame, .unseen')) \
    .map(node => `${node.tagName} ${node.getAttribute('class')}`)";

#[tokio::test]
async fn no_view_scrolls_sideways() {
    let page = Page::open("").await;
    for width in [320, 720, 1240, 1600] {
        page.size(width, 900).await;
        let alea = "#alea-evangelii/19/19/19/19/19/19/19/19/19/9K9/19/19/19/19/19/19/19/19/1t17/_d";
        for (fragment, is_there) in
            VIEWS.iter().chain([&(alea, "document.querySelector('.moves li')")])
        {
            page.go(fragment).await;
            page.until(is_there).await;
            let beyond = page.value("document.documentElement.scrollWidth - innerWidth").await;
            assert!(beyond.as_i64() <= Some(0), "{fragment} at {width}: {beyond} pixels");
            // Elements clipped at the edge do not make the page scroll.
            let cut = page.value(CUT).await;
            assert_eq!(cut, json!([]), "{fragment} at {width}");
        }
    }
    page.close().await;
}

#[tokio::test]
async fn squares_are_large_enough_for_fingers() {
    let page = Page::open(
        "#alea-evangelii/19/19/19/19/19/19/19/19/19/9K9/19/19/19/19/19/19/19/19/1t17/_d",
    )
    .await;
    page.size(320, 700).await;
    page.until("document.querySelector('[role=gridcell]')").await;
    let least = page.value("document.querySelector('.squares').offsetWidth / 19").await;
    assert!(least.as_f64() >= Some(24.0), "{least}");
    page.until("document.querySelector('.frame').scrollWidth > document.querySelector('.frame').clientWidth").await;
    page.close().await;
}

#[tokio::test]
async fn colours_and_motion_follow_the_visitor() {
    let page = Page::open("").await;
    page.until("document.querySelector('.verdict')").await;
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = page.value(ground).await;
    page.prefer("prefers-color-scheme", "dark").await;
    assert_ne!(page.value(ground).await, light);
    let motion = "getComputedStyle(document.querySelector('.verdict')).transitionDuration";
    page.prefer("prefers-reduced-motion", "no-preference").await;
    assert_ne!(page.value(motion).await, json!("0s"));
    page.prefer("prefers-reduced-motion", "reduce").await;
    assert_eq!(page.value(motion).await, json!("0s"));
    page.prefer("forced-colors", "active").await;
    let kept = page
        .value("getComputedStyle(document.querySelector('.cell .icon')).forcedColorAdjust")
        .await;
    assert_eq!(kept, json!("none"), "pieces keep their colours");
    page.close().await;
}

#[tokio::test]
async fn the_board_is_printed_without_buttons() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    page.chromium("Emulation.setEmulatedMedia", json!({"media": "print"})).await;
    assert_eq!(page.value("[...document.querySelectorAll('.controls, .tools, .engine, .board')].filter(node => node.checkVisibility()).map(node => node.className)").await, json!(["board"]));
    let paper = page.chromium("Page.printToPDF", json!({})).await;
    assert!(paper["data"].as_str().is_some_and(|data| data.starts_with("JVBERi0")), "a PDF");
    page.close().await;
}

#[tokio::test]
async fn moves_and_the_line_are_printed() {
    let page = Page::open("").await;
    page.press("Best line").await;
    page.until("document.querySelectorAll('.plies li').length > 3").await;
    page.chromium("Emulation.setEmulatedMedia", json!({"media": "print"})).await;
    let printed = "[...document.querySelectorAll('button, summary')].filter(node => node.checkVisibility()).map(node => node.closest('.groups, .plies')?.className ?? node.textContent)";
    assert_eq!(page.value(&format!("[...new Set({printed})]")).await, json!(["groups", "plies"]));
    // A long list is printed whole.
    page.chromium("Emulation.setEmulatedMedia", json!({"media": ""})).await;
    page.go("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.until("document.querySelector('.groups details')").await;
    page.chromium("Emulation.setEmulatedMedia", json!({"media": "print"})).await;
    page.until(
        "document.querySelector('.groups details button').getBoundingClientRect().height > 0",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_first_visit_fetches_little() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    let files = page.value("[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].filter(entry => !entry.name.includes('/api/')).map(entry => [entry.encodedBodySize, entry.decodedBodySize])").await;
    let sum = |which: usize| {
        files.as_array().into_iter().flatten().filter_map(|file| file[which].as_u64()).sum::<u64>()
    };
    let (sent, unpacked) = (sum(0), sum(1));
    assert!(sent > 10_000 && sent <= 60 << 10, "{sent} bytes sent for {unpacked}");
    page.close().await;
}
