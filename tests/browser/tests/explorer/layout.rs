//! The layout on phones, laptops and large screens.

use browser::Page;
use serde_json::json;

use super::WELCOME;

const ALEA: &str = "#alea-evangelii/19/19/19/19/19/19/19/19/19/9K9/19/19/19/19/19/19/19/19/1t17/_d";

/// Windows of laptops and large screens.
const WIDE: [(u32, u32); 6] =
    [(1280, 800), (1366, 768), (1440, 900), (1600, 900), (1920, 1080), (2560, 1440)];

/// Returns one side of the boxes of elements, in the window.
async fn side(page: &Page, side: &str, selectors: &[&str]) -> Vec<f64> {
    let script = format!(
        "{}.map(selector => document.querySelector(selector).getBoundingClientRect().{side})",
        json!(selectors)
    );
    serde_json::from_value(page.value(&script).await).unwrap()
}

/// Whether numbers differ by at most a pixel.
fn alike(numbers: &[f64]) -> bool {
    numbers.iter().all(|one| (one - numbers[0]).abs() <= 1.0)
}

#[tokio::test]
async fn everything_is_aligned_on_every_screen() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    for (width, height) in WIDE {
        page.size(width, height).await;
        let board = [".frame", ".table > .tools", ".field"];
        let left = side(&page, "left", &[&board[..], &[".brand"]].concat()).await;
        assert!(alike(&left), "left at {width}: {left:?}");
        let right = side(&page, "right", &board).await;
        assert!(alike(&right), "the board at {width}: {right:?}");
        let right = side(&page, "right", &[".explorer > .more", ".controls"]).await;
        assert!(alike(&right), "right at {width}: {right:?}");
        let top = side(&page, "top", &[".table", ".answers", ".explorer > .more"]).await;
        assert!(alike(&top), "top at {width}: {top:?}");
        let bottom = side(&page, "bottom", &[".frame"]).await[0];
        assert!(bottom <= f64::from(height), "the board ends at {bottom} of {height}");
        assert!(bottom >= 0.72 * f64::from(height), "the board ends at {bottom} of {height}");
        // The 19 moves are not in a single column.
        let columns = "new Set([...document.querySelectorAll('.moves li')].map(move => move.offsetLeft)).size";
        assert!(page.value(columns).await.as_u64() >= Some(2), "at {width}");
    }
    page.close().await;
}

#[tokio::test]
async fn boards_of_puzzles_and_searches_are_whole() {
    let page = Page::open("").await;
    for (fragment, ready) in [
        ("#brandubh/puzzle/win/easy/7/4t2/7/7/2K4/7/2t4/_d", ".movable"),
        ("#brandubh/search", ".search [role=gridcell]"),
    ] {
        for (width, height) in WIDE {
            page.size(width, height).await;
            page.go(fragment).await;
            page.until(&format!("document.querySelector('{ready}')")).await;
            let bottom = side(&page, "bottom", &[".frame"]).await[0];
            assert!(bottom <= f64::from(height), "{fragment} ends at {bottom} of {height}");
            let frame = "document.querySelector('.frame')";
            let hidden = format!("{frame}.scrollWidth - {frame}.clientWidth");
            assert_eq!(page.value(&hidden).await, json!(0), "{fragment} at {width}");
        }
    }
    page.close().await;
}

#[tokio::test]
async fn panels_stay_in_their_place() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    let panels = [".moves", ".opponent", ".engine"];
    for (width, height) in WIDE {
        page.size(width, height).await;
        page.go(WELCOME).await;
        page.until("document.querySelector('.moves li')").await;
        let before = side(&page, "top", &panels).await;
        page.press("Best line").await;
        page.until("document.querySelectorAll('.strip .bar').length === 8").await;
        assert_eq!(side(&page, "top", &panels).await, before, "the line at {width}");
        page.key("ArrowRight").await;
        page.reads(".verdict .title", "Attackers win in 6 plies").await;
        page.until("document.querySelector('.moves li')").await;
        assert_eq!(side(&page, "top", &panels).await, before, "a step at {width}");
    }
    page.close().await;
}

/// The texts of the primary buttons that can be seen.
const PRIMARY: &str = "[...document.querySelectorAll('.primary')].filter(node => node.checkVisibility()).map(node => node.textContent)";

#[tokio::test]
async fn a_view_has_at_most_one_primary_button() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    assert_eq!(page.value(PRIMARY).await, json!(["New game"]));
    for (fragment, is_there, primary) in [
        ("#brandubh", "document.querySelector('.lessons .mini')", json!(["Play from here"])),
        ("#brandubh/tables", "document.querySelector('.index')", json!([])),
        ("#brandubh/K1v2", "document.querySelector('.heat')", json!([])),
    ] {
        page.go(fragment).await;
        page.until(is_there).await;
        assert_eq!(page.value(PRIMARY).await, primary, "{fragment}");
    }
    page.close().await;
}

#[tokio::test]
async fn draws_and_unknown_moves_differ() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    let looks = page
        .value("['draw', 'unknown'].map(outcome => { \
            const group = document.querySelector('.group.loss').cloneNode(true); group.className = `group ${outcome}`; \
            document.querySelector('.groups').append(group); \
            const style = getComputedStyle(group.querySelector('button')); \
            return [getComputedStyle(group.querySelector('h3')).color, style.borderTopColor, style.borderTopStyle]; })")
        .await;
    for part in 0..3 {
        assert_ne!(looks[0][part], looks[1][part], "{looks}");
    }
    page.close().await;
}

#[tokio::test]
async fn a_game_uses_the_column_beside_the_board() {
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.size(1366, 768).await;
    page.until("document.querySelector('.movable')").await;
    let before = side(&page, "left", &[".opponent", ".line"]).await;
    assert!(alike(&before), "{before:?}");
    page.press("From this position").await;
    page.reads(".verdict .title", "Your turn").await;
    let during = side(&page, "left", &[".opponent", ".verdict"]).await;
    assert!(alike(&during), "{during:?}");
    page.press("End the game").await;
    page.reads(".verdict .title", "Defenders win").await;
    assert_eq!(side(&page, "left", &[".opponent", ".line"]).await, before);
    page.close().await;
}

#[tokio::test]
async fn a_game_fits_on_a_phone() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.size(360, 740).await;
    page.until("document.querySelector('.movable')").await;
    page.choose("human", "a").await;
    page.run("document.querySelector('.opponent .primary').scrollIntoView()").await;
    page.press("New game").await;
    page.reads(".opponent [role=status]", "Your turn.").await;
    page.until("document.querySelector('.frame').getBoundingClientRect().top >= 0").await;
    let back = "[...document.querySelectorAll('.opponent button')].find(button => button.textContent === 'Take back')";
    page.until(&format!("{back}.getBoundingClientRect().bottom <= innerHeight")).await;
    page.close().await;
}

#[tokio::test]
async fn the_menu_of_games_is_not_cut() {
    let page = Page::open(ALEA).await;
    for width in [360, 412, 740, 1366] {
        page.size(width, 740).await;
        page.until("document.querySelector('.movable')").await;
        // A menu of only this game is as wide as the game's name.
        let needed = "(menu => { const copy = menu.cloneNode(); \
            copy.append(menu.selectedOptions[0].cloneNode(true)); copy.style.maxWidth = 'none'; copy.style.position = 'fixed'; \
            document.querySelector('.controls').append(copy); const width = copy.offsetWidth; copy.remove(); \
            return menu.offsetWidth - width; })(document.querySelector('.controls select'))";
        assert!(page.value(needed).await.as_i64() >= Some(0), "at {width}");
    }
    page.close().await;
}

#[tokio::test]
async fn a_large_board_shows_that_it_is_cut() {
    let page = Page::open(ALEA).await;
    page.size(360, 740).await;
    page.until("document.querySelector('.movable')").await;
    let cut = "['left', 'right'].filter(edge => document.querySelector('.frame').matches(`.more-${edge}`)).join()";
    page.until(&format!("{cut} === 'right'")).await;
    let mask = "getComputedStyle(document.querySelector('.frame')).maskImage";
    let masked = page.value(mask).await;
    page.run("document.querySelector('.frame').scrollLeft = 60").await;
    page.until(&format!("{cut} === 'left,right'")).await;
    assert_ne!(page.value(mask).await, masked);
    page.size(1600, 900).await;
    page.until(&format!("{cut} === ''")).await;
    page.close().await;
}

#[tokio::test]
async fn the_board_fits_on_a_phone_held_sideways() {
    let page = Page::open(WELCOME).await;
    for fragment in [WELCOME, "#ashton/9/9/9/2t1K4/9/9/9/9/9/_d"] {
        page.size(740, 360).await;
        page.go(fragment).await;
        page.until("document.querySelector('.movable')").await;
        let bottom = side(&page, "bottom", &[".frame"]).await[0];
        assert!(bottom <= 360.0, "{fragment}: {bottom}");
        let least = page.value("Math.min(...[...document.querySelectorAll('[role=gridcell]')].map(cell => cell.offsetWidth))").await;
        assert!(least.as_i64() >= Some(22), "{fragment}: {least}");
    }
    page.close().await;
}

#[tokio::test]
async fn the_theme_is_switched_and_kept() {
    let page = Page::open(WELCOME).await;
    page.prefer("prefers-color-scheme", "dark").await;
    page.until("document.querySelector('.moves li')").await;
    let look = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.board')).filter, document.querySelector('[aria-label=\"Dark theme\"]').ariaPressed]";
    let dark = page.value(look).await;
    assert_eq!(dark[2], json!("true"));
    page.click("[aria-label='Dark theme']").await;
    let light = page.value(look).await;
    assert_eq!(light[2], json!("false"));
    assert!((0..2).all(|part| dark[part] != light[part]), "{dark} {light}");
    // The choice is kept, against the system's theme.
    page.go(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    assert_eq!(page.value(look).await, light);
    page.click("[aria-label='Dark theme']").await;
    assert_eq!(page.value(look).await, dark);
    // It is the system's theme again, which is followed.
    page.prefer("prefers-color-scheme", "light").await;
    page.until("document.querySelector('[aria-label=\"Dark theme\"]').ariaPressed === 'false'")
        .await;
    assert_eq!(page.value(look).await, light);
    page.close().await;
}
