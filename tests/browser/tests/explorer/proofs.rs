//! Positions that a certificate proves.

use browser::Page;
use serde_json::json;

use super::PROVED;

#[tokio::test]
async fn a_proved_position_says_so_and_shows_its_moves() {
    let page = Page::open(PROVED).await;
    page.reads(".verdict .title", "Proved: the defenders win").await;
    page.reads(".extra a", "Proof: won.cert").await;
    page.until("document.querySelector('.group.win .best')").await;
    // There is no line of best play without distances.
    assert_eq!(page.value("document.querySelector('.line .asks').disabled").await, json!(true));
    // The space bar plays the strategy's move, after which the attackers have lost.
    page.key(" ").await;
    page.reads(".verdict .title", "Proved: the defenders win").await;
    page.until("document.querySelector('.group.loss')").await;
    page.close().await;
}

#[tokio::test]
async fn the_badge_leads_to_the_certificates() {
    let page = Page::open(PROVED).await;
    page.click(".extra a").await;
    page.reads("h1", "Proofs Brandubh").await;
    page.reads(".index tbody", "defenders").await;
    page.click(".index a").await;
    page.reads(".verdict .title", "Proved: the defenders win").await;
    // Games without certificates have no such view in their menu.
    page.until("document.querySelectorAll('nav a').length === 5").await;
    page.go("#tablut").await;
    page.until("document.querySelectorAll('nav a').length === 4").await;
    page.close().await;
}
