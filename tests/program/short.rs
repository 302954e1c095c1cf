//! Short tafl: JSON, pictures, and refusals.

use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, Run};

#[test]
fn p_positions_are_printed_as_json() {
    let place = Place::new();
    let tiny = place.run(&["short", "2x2", "--json"]).done();
    let line = r#"{"rows":2,"columns":2,"soldier":"se","p_positions":[[0,1,0,0],[1,0,0,0],[1,1,0,1],[1,1,1,0]]}"#;
    assert_eq!(tiny, format!("{line}\n"));
    let valued = place.run(&["short", "2x2", "--soldier", "se", "--grundy", "--json"]).done();
    assert_eq!(valued, format!("{},\"grundy\":[0,0,1,0,0]}}\n", line.strip_suffix('}').unwrap()));
    for (rule, positions) in [("se", 171), ("nw", 536), ("closer", 566), ("stationary", 232)] {
        let run = ["short", "8x9", "--soldier", rule, "--json"];
        let answer = &place.run(&run).json()[0];
        assert_eq!(answer["soldier"], rule);
        assert_eq!(answer["p_positions"].as_array().unwrap().len(), positions, "{rule}");
        let alone = &place.run(&[&run[..], &["--king", "5,7"]].concat()).json()[0];
        let all = answer["p_positions"].as_array().unwrap().iter();
        let of_king: Vec<&Value> = all.filter(|p| p[0] == 5 && p[1] == 7).collect();
        assert!(!of_king.is_empty());
        assert_eq!(alone["p_positions"], json!(of_king));
    }
    // Positions with the soldier out of play are not listed.
    let corner = &place.run(&["short", "1x1", "--soldier", "closer", "--json"]).json()[0];
    assert_eq!(corner["p_positions"], json!([]));
}

#[test]
fn boards_are_drawn_in_text() {
    let place = Place::new();
    let printed = place.run(&["short", "20x20", "--king", "8,13", "--sets"]).done();
    let drawn: Vec<&str> = printed.lines().collect();
    let first = "Short tafl 20x20, soldier se: 125 positions, 7 of them P-positions";
    assert_eq!(drawn[0], first);
    let board = concat!(
        "    0              5              10\n",
        " 0  .  .  .  .  .  P  .  .  . V2 V2 V2  . V1\n",
        " 1  .  .  .  .  .  .  P  .  . V2 V2 V2  . V1\n",
        " 2  .  .  .  .  .  .  .  P  . V2 V2 V2  . V1\n",
        " 3  .  .  .  .  .  .  .  .  P V2 V2 V2  . V1\n",
    );
    assert_eq!(drawn[4..9].join("\n") + "\n", board);
    assert!(drawn[9..].iter().all(|line| !line.ends_with(' ')));
    let values = place.run(&["short", "3x4", "--grundy"]).done();
    assert!(values.ends_with("\n 2 4 1 0 K\n"), "{values}");
    let coloured = place.run(&["short", "3x4", "--color", "always"]).done();
    assert!(coloured.contains("\u{1b}[1;31mP\u{1b}[0m"), "{coloured:?}");
}

#[test]
fn boards_are_drawn_as_pictures() {
    let place = Place::new();
    let short = ["short", "12x17", "--sets", "--king", "11,16", "--king", "7,12"];
    let printed = place.run(&[&short[..], &["--svg", "a.svg", "--png", "a.png"]].concat());
    assert!(printed.done().contains("king on 7,12: "));
    let svg = fs::read_to_string(place.path("a.svg")).unwrap();
    assert_eq!(svg.matches("<g ").count(), 2);
    for word in ["Short tafl 12x17, soldier se", ">king 11,16, soldier se<", ">V2<", ">R<", ">H<"] {
        assert!(svg.contains(word), "{word}");
    }
    let png = fs::File::open(place.path("a.png")).unwrap();
    let reader = png::Decoder::new(std::io::BufReader::new(png)).read_info().unwrap();
    // Two pictures side by side: 17 squares of 40 units and frames of 32; 2 pixels a unit.
    assert_eq!((reader.info().width, reader.info().height), (2 * 2 * 744, 2 * 574));
    let alone = place.run(&[&short[..], &["--svg", "-"]].concat()).done();
    assert_eq!(alone, svg);
}

#[test]
fn the_picture_in_the_docs_is_current() {
    let place = Place::new();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/short-tafl.svg");
    let drawn = place.run(&["short", "9x14", "--sets", "--svg", "-"]).done();
    assert_eq!(drawn, fs::read_to_string(page).unwrap());
}

#[test]
fn formulas_are_compared() {
    let place = Place::new();
    let answer = &place.run(&["short", "16x13", "--theorem", "--json"]).json()[0];
    let right = |said: u64| json!({"said": said, "wrong": 0, "examples": []});
    let positions = 136 * 91 - 16 * 13;
    assert_eq!(answer["positions"], positions);
    assert_eq!(answer["outcomes"], right(positions));
    assert_eq!(answer["clauses"], right(positions));
    assert_eq!(answer["sets"]["held"]["wrong"], 0);
    assert_eq!(answer["sets_as_printed"]["held"]["examples"][0], json!([2, 3, 0, 1]));
    let text = place.run(&["short", "16x13", "--theorem", "--soldier", "closer"]).done();
    assert!(text.contains("\noutcomes ") && !text.contains("clauses"), "{text}");
    let periods = ["short", "100x100", "--soldier", "nw", "--king", "2,5", "--periods"];
    let lines = place.run(&[&periods[..], &["--json"]].concat()).json();
    assert_eq!(lines.len(), 10);
    let expected = json!({"rows": 100, "columns": 100, "soldier": "nw", "king": [1, 2],
        "looked_at": 100, "period": 2, "from": 3, "offsets": [[-1], [1]]});
    assert_eq!(lines[1], expected);
    let table = place.run(&periods).done();
    let line = table.lines().find(|line| line.starts_with("1,2")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["1,2", "100", "2", "3", "-1", "+1"]);
    let none = ["short", "100x100", "--soldier", "closer", "--king", "1,7", "--periods"];
    let table = place.run(&none).done();
    let line = table.lines().find(|line| line.starts_with("1,7")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["1,7", "96", "none", "seen"]);
}

#[test]
fn several_stationary_soldiers_are_solved() {
    let place = Place::new();
    let short = ["short", "2x2", "--soldier", "stationary", "--at", "0,0", "--grundy", "--json"];
    let expected = r#"{"rows":2,"columns":2,"soldier":"stationary","at":[[0,0]],"p_positions":[[0,1],[1,0]],"grundy":[null,0,0,1]}"#;
    assert_eq!(place.run(&short).done(), format!("{expected}\n"));
    let short = ["short", "4x5", "--soldier", "stationary", "--at", "0,2", "--at", "1,0"];
    let printed = place.run(&short).done();
    let drawn = "    0         5\n 0 P . S P .\n 1 S P . . .\n 2 P . . . .\n 3 . . P . .\n";
    assert!(printed.ends_with(&drawn.replace("    0         5", "   0")), "{printed}");
}

#[test]
fn graphs_are_played_on() {
    let place = Place::new();
    fs::write(place.path("edges"), "b a\nc b # a step\nc a\n").unwrap();
    let run = ["short", "--graph", "edges", "--grundy", "--json"];
    let answer = place.run(&run).done();
    let expected =
        r#"{"vertices":3,"edges":3,"soldier":"se","p_positions":[["b","a"]],"grundy":[0,1,2]}"#;
    assert_eq!(answer, format!("{expected}\n"));
    let text = place.run(&["short", "--graph", "edges", "--king", "b"]).done();
    assert!(text.ends_with("\nking  soldier\nb     a\n"), "{text}");
    let mut piped = place.command(&["short", "--graph", "-", "--exit", "a", "--soldier", "nw"]);
    piped.stdin(fs::File::open(place.path("edges")).unwrap());
    assert!(Run::of(piped).done().contains("3 vertices, 3 edges, soldier nw: 6 positions"));
}

#[test]
fn refusals_are_one_line() {
    let place = Place::new();
    fs::write(place.path("loop"), "a b\nb b\n").unwrap();
    fs::write(place.path("circle"), "a b\nb a\n").unwrap();
    fs::write(place.path("edges"), "a b\n").unwrap();
    fs::write(place.path("empty"), "").unwrap();
    fs::write(place.path("binary"), [0xff, 0xfe, 0x00]).unwrap();
    for (arguments, words) in [
        (&["short"][..], &["AxB", "--graph FILE"][..]),
        (&["short", "0x5"], &["0 rows", "no squares", "1x1"]),
        (&["short", "5x0"], &["no squares"]),
        (&["short", "5"], &["'5'", "like 8x9"]),
        (&["short", "ax5"], &["like 8x9"]),
        (&["short", "20000x2"], &["too large", "10000"]),
        (&["short", "9999x9999"], &["memory", "free", "--king"]),
        (&["short", "9999x9999", "--soldier", "closer", "--grundy"], &["memory", "free"]),
        (&["short", "8x9", "--soldier", "north"], &["'north'", "stationary"]),
        (&["short", "8x9", "--king", "8,0"], &["8,0", "0,0 to 7,8"]),
        (&["short", "8x9", "--king", "e5"], &["\"e5\"", "like 7,8"]),
        (&["short", "8x9", "--sets", "--soldier", "nw"], &["--sets", "--soldier se"]),
        (&["short", "8x9", "--sets", "--grundy"], &["cannot be used with"]),
        (&["short", "8x9", "--theorem", "--periods"], &["cannot be used with"]),
        (&["short", "8x9", "--periods", "--king", "2,2"], &["--periods", "nw"]),
        (&["short", "8x9", "--periods", "--soldier", "nw"], &["--king"]),
        (&["short", "8x9", "--periods", "--soldier", "nw", "--king", "0,8"], &["--king 1,1"]),
        (&["short", "8x9", "--at", "1,1"], &["--at", "--soldier stationary"]),
        (&["short", "8x9", "--soldier", "stationary", "--at", "8,1"], &["8,1", "7,8"]),
        (&["short", "8x9", "--exit", "a"], &["--exit", "AxB"]),
        (&["short", "8x9", "--graph", "edges"], &["cannot be used with"]),
        (&["short", "--graph", "nowhere"], &["nowhere", "No such file"]),
        (&["short", "--graph", "loop"], &["loop: line 2", "\"b\"", "loop"]),
        (&["short", "--graph", "circle"], &["circle", "a to b to a"]),
        (&["short", "--graph", "empty"], &["no vertices"]),
        (&["short", "--graph", "binary"], &["binary", "UTF-8"]),
        (&["short", "--graph", "edges", "--king", "c"], &["edges", "no vertex \"c\""]),
        (&["short", "--graph", "edges", "--exit", "c"], &["edges", "no vertex \"c\""]),
        (&["short", "8x9", "--svg", "-", "--png", "-"], &["--svg", "--png"]),
        (&["short", "8x9", "--svg", "nowhere/a"], &["nowhere/a", "cannot write"]),
    ] {
        let run = place.run(arguments);
        run.refused(2, words);
        assert_eq!(run.out, "", "{arguments:?}");
    }
}
