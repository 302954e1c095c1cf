//! The views of tables: their index, and one slice in charts.

use browser::Page;
use serde_json::{Value, json};

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

/// The widths of the window at which charts are looked at.
const WIDTHS: [u32; 3] = [360, 1000, 1600];

#[tokio::test]
async fn a_histogram_is_whole_and_has_an_axis() {
    let page = Page::open("#brandubh/K1v3").await;
    for width in WIDTHS {
        page.size(width, 900).await;
        page.until("document.querySelectorAll('.histogram li').length > 4").await;
        // Every bar is within the chart, from the axis on.
        let cut = "[...document.querySelectorAll('.plot')].filter(plot => plot.scrollWidth > plot.clientWidth \
            || [...plot.querySelectorAll('li')].some(bar => bar.getBoundingClientRect().right > plot.getBoundingClientRect().right + 1))";
        assert_eq!(page.value(&format!("{cut}.length")).await, json!(0), "{width}");
        // The names under the bars do not run into each other.
        let names = page.value("[...document.querySelectorAll('.histogram')].map(chart => [...chart.querySelectorAll('.dtw:not(.unnamed)')].map(name => name.getBoundingClientRect()).map(box => [box.left, box.right]))").await;
        let names: Vec<Vec<(f64, f64)>> = serde_json::from_value(names).unwrap();
        for chart in names {
            assert!(
                chart.len() > 3 && chart.is_sorted_by(|one, two| one.1 <= two.0 + 1.0),
                "{width}: {chart:?}"
            );
        }
    }
    // A tick is as high as a bar of so many positions would be.
    let axis = page.value("[...document.querySelectorAll('.scale')].map(scale => [...scale.children].map(tick => [tick.textContent, Number(tick.style.getPropertyValue('--share'))]))").await;
    let most = page.value("[...document.querySelectorAll('.distances')].map(chart => Math.max(...[...chart.querySelectorAll('tbody td:last-child')].map(cell => Number(cell.textContent.replaceAll(',', '')))))").await;
    let axis: Vec<Vec<(String, f64)>> = serde_json::from_value(axis).unwrap();
    let most: Vec<f64> = serde_json::from_value(most).unwrap();
    for (ticks, most) in axis.iter().zip(most) {
        assert!(ticks.len() > 1);
        for (label, share) in ticks {
            let unit = [("K", 1e3), ("M", 1e6)].into_iter().find(|(unit, _)| label.ends_with(unit));
            let count = unit.map_or(1.0, |(_, size)| size)
                * label.trim_end_matches(['K', 'M']).parse::<f64>().unwrap();
            assert!((share - (count + 1.0).ln() / (most + 1.0).ln()).abs() < 1e-6, "{label}");
        }
    }
    page.close().await;
}

/// Draws the heat map of squares, each with its counts, and returns the figures, the caption and
/// the strengths of the colours.
async fn heat_map(page: &Page, squares: &Value) -> Value {
    let script = "const [squares, done] = arguments; import('/charts.js').then(({ heatMap }) => { \
        const map = heatMap({ size: 2 }, squares, 'attackers'); \
        done([[...map.querySelectorAll('text')].map(text => text.textContent), \
            map.querySelector('figcaption').textContent.split(' ')[0], \
            [...map.querySelectorAll('.heat')].map(rect => Number(rect.style.getPropertyValue('--share')).toFixed(2))]); })";
    page.answer(script, vec![squares.clone()]).await
}

fn square(name: &str, [win, draw, loss]: [u32; 3]) -> Value {
    json!({"square": name, "win": win, "draw": draw, "loss": loss})
}

#[tokio::test]
async fn a_heat_map_shows_what_varies_with_the_digits_that_matter() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    // Nearly all are won: the losses are shown.
    let squares = json!([
        square("a1", [9_996, 0, 4]),
        square("b1", [10_000, 0, 0]),
        square("a2", [9_998, 0, 2]),
        square("b2", [9_900, 0, 100]),
    ]);
    let shown = json!([[".02", "1.0", ".04", "0"], "Losses", ["0.02", "1.00", "0.04", "0.00"]]);
    assert_eq!(heat_map(&page, &squares).await, shown);
    // Draws vary more than losses, and wins are more than half.
    let squares = json!([
        square("a1", [60, 30, 10]),
        square("b1", [80, 10, 10]),
        square("a2", [90, 0, 10]),
        square("b2", [100_000, 50, 9_950]),
    ]);
    let shown = heat_map(&page, &squares).await;
    assert_eq!((&shown[0], &shown[1]), (&json!(["0", ".05", "30", "10"]), &json!("Draws")));
    // Only one outcome occurs.
    let squares = json!([square("a1", [5, 0, 0]), square("b2", [7, 0, 0])]);
    assert_eq!(heat_map(&page, &squares).await[0], json!(["100", "100"]));
    page.close().await;
}

#[tokio::test]
async fn a_heat_map_has_the_colours_of_its_theme() {
    let page = Page::open("#brandubh/K1v3").await;
    let mut light = Vec::new();
    for theme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", theme).await;
        page.until("document.querySelector('.heat')").await;
        // Draw colours on a canvas to compare them.
        let brightness = page
            .value(
                "[...document.querySelectorAll('.heat')].map(rect => { \
            const context = document.createElement('canvas').getContext('2d'); \
            context.fillStyle = getComputedStyle(rect).fill; context.fillRect(0, 0, 1, 1); \
            const [r, g, b] = context.getImageData(0, 0, 1, 1).data; return (r + g + b) / 765; })",
            )
            .await;
        let brightness: Vec<f64> = serde_json::from_value(brightness).unwrap();
        let mean = brightness.iter().sum::<f64>() / brightness.len() as f64;
        // The squares are not all alike.
        let range = brightness
            .iter()
            .fold((1.0_f64, 0.0_f64), |(low, high), one| (low.min(*one), high.max(*one)));
        assert!(range.1 - range.0 > 0.1, "{theme}: {range:?}");
        light.push(mean);
    }
    assert!(light[0] > 0.7 && light[1] < 0.4, "{light:?}");
    page.close().await;
}

#[tokio::test]
async fn bars_in_the_list_have_a_legend() {
    let page = Page::open("#brandubh/tables").await;
    page.reads(".tables > .legend", "The side to move:winsdrawslosses").await;
    // Each swatch has the colour of its bars.
    for outcome in ["win", "draw", "loss"] {
        let same = format!(
            "getComputedStyle(document.querySelector('.legend .{outcome} .swatch')).backgroundColor === getComputedStyle(document.querySelector('.index .share.{outcome}')).fill"
        );
        page.until(&format!("document.querySelector('.index .share.{outcome}') && {same}")).await;
    }
    page.close().await;
}

#[tokio::test]
async fn percentages_keep_the_digits_that_matter() {
    let page = Page::open("").await;
    page.until("document.querySelector('.moves li')").await;
    for (part, whole, shown) in [
        (0, 7, "0 %"),
        (7, 7, "100 %"),
        (1, 8, "12.5 %"),
        (1, 1_000, "0.1 %"),
        (4, 10_000, "0.04 %"),
        (9_996, 10_000, "99.96 %"),
        (999_999, 1_000_000, "99.9999 %"),
    ] {
        let script = "const [part, whole, done] = arguments; import('/words.js').then(({ percent }) => done(percent(part, whole)))";
        let found = page.answer(script, vec![json!(part), json!(whole)]).await;
        assert_eq!(found, json!(shown), "{part} of {whole}");
    }
    page.close().await;
}

#[tokio::test]
async fn tables_can_be_downloaded_where_the_server_offers_them() {
    let page = Page::open("#brandubh/K0v2").await;
    page.until("document.querySelectorAll('.downloads a').length === 1").await;
    let links = page.value("[...document.querySelectorAll('.downloads a')].map(link => [link.download, link.getAttribute('href')])").await;
    assert_eq!(links[0], json!(["K0v2.dtw", "/api/v1/rulesets/brandubh/tables/K0v2.dtw"]));
    // The checksum is that of the entity, and a part can be requested.
    let script = "const done = arguments[0]; const [link] = document.querySelectorAll('.downloads a'); \
        fetch(link.href, { headers: { Range: 'bytes=10-' } }).then(async (response) => done([response.status, \
        response.headers.get('ETag'), link.closest('dt').nextElementSibling.textContent, (await response.arrayBuffer()).byteLength > 0]))";
    let found = page.answer(script, vec![]).await;
    assert_eq!(found[0], json!(206));
    assert_eq!(found[1].as_str().map(|tag| tag.trim_matches('"')), found[2].as_str());
    assert_eq!(found[3], json!(true));
    page.reads(".downloads .extra code", "taflbase pull http://").await;
    page.reads(".downloads .extra code", " brandubh --slice K0v2").await;
    // Another server may not offer any.
    page.run("const real = fetch; window.fetch = async (path, options) => { const response = await real(path, options); \
        if (!path.includes('/slices/') || response.status !== 200) return response; const { downloads, ...rest } = await response.json(); \
        return new Response(JSON.stringify(rest), { headers: { 'Content-Type': 'application/json' } }); }").await;
    page.run("location.hash = '#brandubh/K1v1'").await;
    page.reads("h1", "K1v1").await;
    page.until("document.querySelectorAll('.sides > section').length === 2").await;
    assert_eq!(page.value("document.querySelectorAll('.downloads').length").await, json!(0));
    page.close().await;
}
