//! Setting up positions.

use browser::Page;
use serde_json::json;

use super::WELCOME;

/// Returns the board in the address.
async fn board(page: &Page) -> String {
    let hash = page.value("location.hash").await;
    hash.as_str().unwrap_or_default().trim_start_matches("#brandubh").to_owned()
}

#[tokio::test]
async fn pieces_are_put_taken_and_dragged_off() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.choose("mode", "edit").await;
    page.click("[data-square=g3]").await;
    assert_eq!(board(&page).await, "/3t3/1K1T3/6t/1t5/7/1t5/7/_a");
    page.choose("palette", "K").await;
    page.click("[data-square=e4]").await;
    assert_eq!(board(&page).await, "/3t3/3T3/6t/1t2K2/7/1t5/7/_a", "there is one king");
    page.choose("palette", "T").await;
    page.click("[data-square=e4]").await;
    page.reads(".verdict .title", "Not a position").await;
    page.reads(".verdict .more", "There is no king").await;
    page.back().await;
    page.until("document.querySelector('[data-square=e4] .piece-K')").await;
    page.choose("palette", "").await;
    page.click("[data-square=g3]").await;
    assert_eq!(board(&page).await, "/3t3/3T3/7/1t2K2/7/1t5/7/_a");
    let (piece, to, off) = (
        page.middle("[data-square=b6]").await,
        page.middle("[data-square=c5]").await,
        page.middle(".tagline").await,
    );
    page.drag(piece, to).await;
    assert_eq!(board(&page).await, "/3t3/3T3/7/1t2K2/2t4/7/7/_a");
    page.drag(to, off).await;
    assert_eq!(board(&page).await, "/3t3/3T3/7/1t2K2/7/7/7/_a");
    page.reads(".verdict .extra", "K1v2").await;
    page.close().await;
}

#[tokio::test]
async fn the_whole_board_is_cleared_set_turned_and_shifted() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.choose("mode", "edit").await;
    for (label, expected) in [
        ("Rotate", "/7/7/7/tT5/7/1K1t1t1/7/_a"),
        ("Mirror", "/7/7/7/5Tt/7/1t1t1K1/7/_a"),
        ("↓", "/7/7/5Tt/7/1t1t1K1/7/7/_a"),
        ("←", "/7/7/4Tt1/7/t1t1K2/7/7/_a"),
        ("←", "/7/7/4Tt1/7/t1t1K2/7/7/_a"),
        ("Start", "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a"),
        ("Clear", "/7/7/7/7/7/7/7/_a"),
    ] {
        page.press(label).await;
        assert_eq!(board(&page).await, expected, "{label}");
    }
    page.choose("side", "d").await;
    assert_eq!(board(&page).await, "/7/7/7/7/7/7/7/_d");
    page.press("Flip").await;
    page.until("document.querySelector('[role=gridcell]').dataset.square === 'g1'").await;
    page.close().await;
}

#[tokio::test]
async fn keys_put_pieces() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.choose("mode", "edit").await;
    page.run("document.querySelector('[data-square=d5]').focus()").await;
    for (key, expected) in [("t", "3t3"), ("d", "3T3"), ("Delete", "7")] {
        page.key(key).await;
        assert_eq!(board(&page).await, format!("/3t3/1K1T3/7/1t5/{expected}/1t5/7/_a"));
    }
    page.key("k").await;
    assert_eq!(board(&page).await, "/3t3/3T3/7/1t5/3K3/1t5/7/_a");
    page.close().await;
}

#[tokio::test]
async fn positions_and_moves_are_typed() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    for (text, expected) in [
        ("b4-b3", "/3t3/1K1T3/1t5/7/7/1t5/7/_d"),
        ("b2-c2", "/3t3/2KT3/1t5/7/7/1t5/7/_a"),
        ("/7/4t2/7/7/2K4/7/2t4/ d", "/7/4t2/7/7/2K4/7/2t4/_d"),
    ] {
        let field = json!(text);
        page.until("!document.querySelector('.waiting') && document.querySelector('.moves li')")
            .await;
        page.run(&format!("document.querySelector('#position').value = {field}")).await;
        page.press("Go").await;
        assert_eq!(board(&page).await, expected);
    }
    for (text, fault) in [
        ("hello", "hello is not a legal move or a position"),
        ("/7/7/ a", "rank 1 has 7 squares"),
        ("/9/9/9/9/9/9/9/9/9/ a", "this board has 7 ranks"),
        ("/x6/7/7/7/7/7/7/ a", "x is not a piece"),
    ] {
        let field = json!(text);
        page.run(&format!("document.querySelector('#position').value = {field}")).await;
        page.press("Go").await;
        page.reads(".field .fault", fault).await;
    }
    page.close().await;
}
