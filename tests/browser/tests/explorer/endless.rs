//! Positions that neither side can force, where the rules give endless play to the attackers.

use browser::Page;
use serde_json::json;

/// Neither side can force a win.
const DRAWN: &str = "#brandubh/1TK4/1t5/7/2t1t2/7/7/7/_a";

/// Makes the server's draws endless, in probes and statistics.
const ENDLESS: &str = r#"
const real = window.fetch;
window.fetch = async (path, options) => {
  const response = await real(path, options);
  if (!/probe|slices/.test(path) || !response.ok || response.status === 202) return response;
  const text = (await response.text()).replaceAll('"category":"draw"', '"category":"endless"')
    .replace(/"draw":(\d+),"undecided":0/g, '"draw":0,"undecided":0,"endless":$1');
  return new Response(text, { status: 200, headers: { "Content-Type": "application/json" } });
};"#;

/// Whether a colour of the page is told apart from others by 3 to 1 from its ground, and by its hue.
const CONTRAST: &str = r##"(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const node = document.createElement("i");
  document.querySelector(".panel").append(node);
  const rgb = (name) => {
    node.style.color = `var(--${name})`;
    canvas.fillStyle = getComputedStyle(node).color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, two) => {
    const [low, high] = [light(one), light(two)].sort((one, two) => one - two);
    return (high + 0.05) / (low + 0.05);
  };
  const own = rgb("endless");
  const others = ["draw", "undecided", "muted", "win", "loss"].map((name) => Math.hypot(...rgb(name).map((part, i) => part - own[i])));
  const found = [contrast(own, rgb("card")), Math.min(...others)];
  node.remove();
  return found;
})()"##;

#[tokio::test]
async fn endless_positions_have_a_word_and_a_colour_of_their_own() {
    let page = Page::open("#brandubh/tables").await;
    page.until("document.querySelector('.index a')").await;
    page.run(ENDLESS).await;
    page.run(&format!("location.hash = '{DRAWN}'")).await;
    page.reads(".verdict .title", "Endless: the attackers win").await;
    page.reads(".verdict .more", "Neither side can force the end").await;
    page.until("document.querySelector('.verdict .winner .piece-t')").await;
    page.reads(".moves .group.endless h3", "Endless").await;
    page.reads(".line .note", "neither side can force the end").await;
    page.until("document.querySelector('.gauge').style.getPropertyValue('--share') === '0'").await;
    page.run("document.querySelector('.group.endless button').focus()").await;
    page.until(
        "document.querySelector('.arrows').matches('.endless') && document.querySelector('.shaft')",
    )
    .await;
    let colour = page.value("[getComputedStyle(document.querySelector('.group.endless h3')).color, getComputedStyle(document.querySelector('.shaft')).stroke]").await;
    assert_eq!(colour[0], colour[1]);
    for theme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", theme).await;
        let found: [f64; 2] = serde_json::from_value(page.value(CONTRAST).await).unwrap();
        assert!(found[0] >= 4.5 && found[1] >= 60.0, "{theme}: {found:?}");
    }
    page.close().await;
}

#[tokio::test]
async fn endless_positions_are_counted_in_charts() {
    let page = Page::open("#brandubh/tables").await;
    page.until("document.querySelector('.index a')").await;
    page.run(ENDLESS).await;
    page.run("location.hash = '#brandubh/K1v3'").await;
    page.until("document.querySelector('.heat')").await;
    page.reads(".shares figcaption .endless", "endless").await;
    page.reads(".map table thead", "Endless").await;
    assert_eq!(
        page.value("document.querySelector('.map table thead').textContent").await,
        json!("KingWinsEndlessLosses")
    );
    page.until("document.querySelector('.random .endless')").await;
    // However few there are, the bar shows them beside the others.
    let bar = "[...document.querySelectorAll('.shares')[0].querySelectorAll('rect')].map(rect => Math.round(rect.getBoundingClientRect().left))";
    let lefts: Vec<i64> = serde_json::from_value(page.value(bar).await).unwrap();
    assert!(lefts.len() == 3 && lefts.is_sorted_by(|one, two| two - one > 1), "{lefts:?}");
    page.close().await;
}

#[tokio::test]
async fn tables_of_present_games_have_endless_positions() {
    let page = Page::open("#copenhagen/4Kt5/4t6/11/11/11/2t8/11/11/11/11/11/_a").await;
    page.reads(".verdict .title", "Endless: the attackers win").await;
    page.reads(".moves .group.endless h3", "Endless").await;
    page.close().await;
}
