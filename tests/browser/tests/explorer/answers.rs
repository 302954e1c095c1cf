//! What the page shows for a position: verdict, moves, lines, links.

use browser::Page;
use serde_json::json;

use super::WELCOME;

#[tokio::test]
async fn verdicts_are_words() {
    let page = Page::open("").await;
    for (fragment, title, more) in [
        ("#brandubh/7/4t2/7/7/2K4/7/2t4/_d", "Defenders win in 3 plies", "moves win."),
        (
            "#brandubh/7/4t2/7/7/t1K4/7/2t4/_a",
            "Defenders win in ",
            "Attackers to move cannot avoid it.",
        ),
        ("#tablut/9/9/9/9/9/9/4K4/1t1t1t1t1/9/_d", " win", "The distance is not in these tables."),
        ("#berkeley/9/9/9/4K4/9/9/t8/9/8t/_a", "Defenders win in at most 2 plies", ""),
        (
            "#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a",
            "Unknown: no table of K4v8 here",
            "Keep playing",
        ),
        (
            "#brandubh/7/4t2/7/2T4/1K5/T1ttt2/2t4/_a",
            "Unknown: no table of K2v5 here",
            "Keep playing",
        ),
    ] {
        page.go(fragment).await;
        page.reads(".verdict .title", title).await;
        page.reads(".verdict .more", more).await;
    }
    page.reads(".extra code", "taflbase build brandubh --slice K2v5").await;
    // Captures lead to positions of fewer men, which have tables.
    page.until("document.querySelector('.group.unknown')").await;
    page.close().await;
}

/// Playing on before a response has arrived aborts it, sometimes in the middle of its text.
#[tokio::test]
async fn an_aborted_response_is_requested_again() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.run(
        "const json = Response.prototype.json;
        Response.prototype.json = function () {
            Response.prototype.json = json;
            return Promise.reject(new DOMException('cut off', 'AbortError'));
        };",
    )
    .await;
    page.key(" ").await;
    page.reads(".verdict .title", "No answer").await;
    page.key("ArrowLeft").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.key("ArrowRight").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.close().await;
}

#[tokio::test]
async fn values_that_depend_on_the_history_are_undecided() {
    let page = Page::open("#strange/K0v2").await;
    page.until("document.querySelector('.random .undecided')").await;
    page.click(".random .undecided").await;
    page.reads(".verdict .title", "Undecided").await;
    page.reads(".verdict .more", "The result depends on the moves before.").await;
    page.until("document.querySelector('.group.undecided')").await;
    page.close().await;
}

#[tokio::test]
async fn moves_are_grouped_and_drawn() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    let groups = page.value("[...document.querySelectorAll('.group h3')].map(head => head.innerText.trim().split(/\\s+/).slice(0, 2).join(' '))").await;
    assert_eq!(groups, json!(["Winning 1", "Losing 18"]));
    assert_eq!(
        page.value("document.querySelector('.best').textContent").await,
        json!("b4-b3, wins,6 plies after it")
    );
    assert_eq!(page.value("document.querySelectorAll('.arrows path').length").await, json!(0));
    page.run("document.querySelector('.best').focus()").await;
    assert_eq!(page.value("document.querySelectorAll('.arrows path').length").await, json!(2));
    page.run("document.querySelector('.best').blur()").await;
    assert_eq!(page.value("document.querySelectorAll('.arrows path').length").await, json!(0));
    page.click("[data-move=b4-a4]").await;
    page.reads(".verdict .title", "Defenders win in 5 plies").await;
    page.until("document.querySelectorAll('.group.win li').length > 0").await;
    page.close().await;
}

#[tokio::test]
async fn a_whole_line_is_stepped_played_and_copied() {
    let page = Page::open(WELCOME).await;
    let origin = page.value("location.origin").await;
    let all =
        json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": origin});
    page.chromium("Browser.grantPermissions", all).await;
    page.press("Best line").await;
    page.until("document.querySelectorAll('.plies li.future').length === 7").await;
    // The chart has the values of all its positions, though only one was shown.
    page.until("document.querySelectorAll('.strip .bar').length === 8").await;
    let heights = page
        .value("[...document.querySelectorAll('.strip .bar')].map(bar => bar.height.baseVal.value)")
        .await;
    let heights: Vec<f64> = serde_json::from_value(heights).unwrap();
    assert!(heights.is_sorted_by(|one, two| one > two), "{heights:?}");
    page.run("document.querySelector('[aria-label=Forward]').click()").await;
    page.reads(".verdict .title", "Attackers win in 6 plies").await;
    page.until("document.querySelectorAll('.plies li.future').length === 6").await;
    page.press("Play").await;
    page.until("document.querySelectorAll('.plies li.future').length === 4").await;
    page.press("Pause").await;
    page.answer("setTimeout(arguments[0], 1200)", vec![]).await;
    assert_eq!(page.value("document.querySelectorAll('.plies li.future').length").await, json!(4));
    page.press("Copy").await;
    page.until("document.querySelector('.titled button').textContent === 'Copied'").await;
    let text = page
        .answer("navigator.clipboard.readText().then(arguments[0], arguments[0])", vec![])
        .await;
    let text = text.as_str().unwrap_or_default().to_owned();
    assert!(
        text.starts_with(
            "brandubh: /3t3/1K1T3/7/1t5/7/1t5/7/ a\n  1. attackers  b4-b3\n  2. defenders"
        ),
        "{text}"
    );
    assert_eq!(text.lines().count(), 8, "{text}");
    page.run("document.querySelector('[aria-label=\"To the end\"]').click()").await;
    page.reads(".verdict .title", "Attackers have won").await;
    page.reads(".verdict .more", "The king is captured.").await;
    page.until("document.querySelector('.fallen')").await;
    page.run("document.querySelector('[aria-label=\"To the start\"]').click()").await;
    page.until(&format!("location.hash === '{WELCOME}'")).await;
    page.close().await;
}

#[tokio::test]
async fn links_lead_to_every_view_and_back() {
    let page = Page::open("#brandubh").await;
    page.reads("h1", "Brandubh").await;
    page.reads(".words", "king wins on").await;
    page.run("[...document.querySelectorAll('a')].find(link => link.textContent === 'Play from here').click()").await;
    page.reads(".verdict .title", "Unknown").await;
    page.back().await;
    page.reads(".words", "king wins on").await;
    page.go("#nonsense").await;
    page.reads(".lost", "there is no ruleset nonsense here").await;
    page.go("#brandubh/7/_a").await;
    page.reads(".lost", "rank 1 has 7 squares instead of 1").await;
    page.close().await;
}

#[tokio::test]
async fn another_position_like_it_is_found() {
    let page = Page::open("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
    page.press("Similar position").await;
    page.until("location.hash !== '#brandubh/7/4t2/7/7/2K4/7/2t4/_d'").await;
    page.reads(".verdict .title", "Defenders win in 3 plies").await;
    page.reads(".verdict .extra", "K0v2").await;
    page.close().await;
}

#[tokio::test]
async fn no_move_of_an_unknown_position_looks_recommended() {
    let page = Page::open("#brandubh/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a").await;
    page.until("document.querySelector('.group.unknown')").await;
    assert_eq!(page.value("document.querySelectorAll('.best').length").await, json!(0));
    // The space bar and the key for the line say why they do nothing; so does the button.
    page.key(" ").await;
    page.reads(".table .note", "No best move: the value of this position is not known").await;
    page.key("l").await;
    page.reads(".table .note", "No best line: the value of this position is not known").await;
    page.reads(".line .note", "No best line: the value of this position is not known").await;
    assert_eq!(page.value("document.querySelectorAll('.plies li').length").await, json!(0));
    page.click("[data-move]").await;
    page.until("document.querySelectorAll('.plies li').length === 1").await;
    page.until("document.querySelector('.table .note').textContent === ''").await;
    // Where the value is known, the first move is the best.
    page.go(WELCOME).await;
    page.until("document.querySelector('.best')").await;
    page.until(
        "document.querySelector('.line .note').textContent === 'Moves you make are listed here, with a chart of their values.'",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_board_without_attackers_is_over() {
    let page = Page::open("#brandubh/7/3t3/7/7/2K4/7/7/_d").await;
    page.until("document.querySelector('.movable')").await;
    page.press("Analyse").await;
    page.until("document.querySelector('.thoughts li')").await;
    page.go("#brandubh/7/7/7/7/2K4/7/7/_a").await;
    page.reads(".verdict .title", "Defenders have won").await;
    page.reads(".verdict .more", "No attackers are left.").await;
    page.until("document.querySelector('.engine .runs').disabled").await;
    // There is no table of such positions, and no other one like this.
    assert_eq!(page.value("document.querySelector('.extra').children.length").await, json!(0));
    // With the defenders to move the game is over, too.
    page.go("#brandubh/7/7/7/7/2K4/7/7/_d").await;
    page.reads(".verdict .title", "The game is over here").await;
    page.until("document.querySelector('.engine .runs').disabled").await;
    // The browser logs the response with 400.
    assert_eq!(page.log().await.len(), 1);
    page.close().await;
}

#[tokio::test]
async fn a_verdict_stays_when_there_is_no_position_like_it() {
    let page = Page::open(WELCOME).await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.run("const real = window.fetch; window.fetch = async (path, options) => path.includes('/random') ? Response.json({ detail: 'none was found' }, { status: 404 }) : real(path, options);").await;
    page.press("Similar position").await;
    page.reads(".table .note", "No other position: none was found.").await;
    page.reads(".verdict .title", "Attackers win in 7 plies").await;
    page.reads(".verdict .more", "One move wins.").await;
    page.close().await;
}

#[tokio::test]
async fn a_text_that_cannot_be_copied_is_selected() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })").await;
    page.press("Copy link").await;
    page.until("document.activeElement.tagName === 'TEXTAREA'").await;
    page.until("document.activeElement.value === location.href").await;
    page.until("document.activeElement.selectionEnd === location.href.length").await;
    // Its keys are not the page's shortcuts.
    page.key("e").await;
    page.until("document.querySelector('.edit').hidden").await;
    page.run("document.activeElement.blur()").await;
    page.until("!document.querySelector('textarea')").await;
    page.close().await;
}

#[tokio::test]
async fn the_field_takes_moves_as_the_terminal_does_and_copied_games() {
    let page = Page::open(WELCOME).await;
    let enter = async |text: &str| {
        page.run_with(
            "document.querySelector('#position').value = arguments[0]",
            vec![json!(text)],
        )
        .await;
        page.press("Go").await;
    };
    for text in ["b4b3", "B4-B3", "b4 b3", "b4-b3"] {
        page.go(WELCOME).await;
        page.until("document.querySelector('.movable')").await;
        enter(text).await;
        page.until("document.querySelector('.plies [aria-current]')?.textContent === 'b4-b3'")
            .await;
    }
    page.press("Best line").await;
    page.until("document.querySelectorAll('.plies li').length > 3").await;
    let script = "const { text } = await import('/game.js'); return text(history.state.game)";
    let copied =
        page.answer(&format!("(async () => {{ {script} }})().then(arguments[0])"), vec![]).await;
    let copied = copied.as_str().unwrap().to_owned();
    let plies = "[...document.querySelectorAll('.plies button')].map(button => button.textContent)";
    let all = page.value(plies).await;
    // With its line breaks, and as a text field keeps it.
    for text in [copied.clone(), copied.replace('\n', "")] {
        page.go("#brandubh/7/4t2/7/7/2K4/7/2t4/_d").await;
        page.until("document.querySelector('.movable')").await;
        enter(&text).await;
        page.until("document.querySelectorAll('.plies li').length > 3").await;
        assert_eq!(page.value(plies).await, all);
    }
    page.go(WELCOME).await;
    page.until("document.querySelector('.movable')").await;
    enter(&copied.replacen("b4-b3", "b4-b7", 1)).await;
    page.reads(".field .fault", "move 1: ").await;
    enter(&copied.replacen("brandubh", "tablut", 1)).await;
    page.reads(".field .fault", "7 instead of 9 ranks").await;
    assert_eq!(page.log().await.len(), 2, "the refusals of the games");
    page.close().await;
}

#[tokio::test]
async fn tables_without_distances_offer_no_line() {
    let page = Page::open("#tablut/9/9/9/9/9/9/4K4/1t1t1t1t1/9/_d").await;
    page.reads(".verdict .more", "The distance is not in these tables.").await;
    page.reads(".line .note", "No best line: these tables have no distances.").await;
    assert_eq!(page.value("document.querySelector('.line .asks').disabled").await, json!(true));
    page.key("l").await;
    page.reads(".table .note", "No best line: these tables have no distances.").await;
    page.close().await;
}

#[tokio::test]
async fn a_link_with_a_stray_percent_sign_says_what_is_wrong() {
    let page = Page::open("#brandubh/3t3/%zz/7_a").await;
    page.reads(".lost .fault", "% is not a piece").await;
    page.go("#%").await;
    page.reads(".lost .fault", "there is no ruleset % here; choose one above.").await;
    page.close().await;
}

#[tokio::test]
async fn an_arrow_has_the_colour_of_its_outcome() {
    let page = Page::open(WELCOME).await;
    page.until("document.querySelector('.moves li')").await;
    let shaft = "getComputedStyle(document.querySelector('.shaft')).stroke";
    let mut colours = Vec::new();
    for group in ["win", "loss"] {
        page.run(&format!("document.querySelector('.group.{group} button').focus()")).await;
        page.until("document.querySelector('.shaft')").await;
        page.until(&format!("document.querySelector('.arrows').matches('.{group}')")).await;
        colours.push(page.value(shaft).await);
    }
    assert_ne!(colours[0], colours[1]);
    page.close().await;
}
