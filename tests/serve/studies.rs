//! Lessons, puzzles, searches, pictures and game records.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use taflbase::history::Game;
use taflbase::record::Record;
use taflbase::rules::{Kind, Ruleset};

use super::{WON, awaited, get, post, printed, served};

const RULES: &str = "/api/v1/rulesets";

#[tokio::test]
async fn lessons_are_positions_of_the_ruleset() {
    let router = served();
    let got = get(&router, &format!("{RULES}/brandubh/lessons")).await;
    assert_eq!((got.status, got.header("cache-control")), (200, "no-cache"));
    let reply = got.json();
    assert_eq!(reply["rules"], "brandubh");
    let lessons = reply["lessons"].as_array().unwrap();
    assert!(lessons.len() > 10);
    let mut shown = 0;
    for lesson in lessons {
        let Some(played) = lesson["move"].as_str() else { continue };
        let position = lesson["position"].as_str().unwrap().replace(' ', "_");
        let probed = get(&router, &format!("{RULES}/brandubh/probe?position={position}")).await;
        let moves = probed.json()["moves"].as_array().unwrap().clone();
        assert!(moves.iter().any(|known| known["move"] == played), "{lesson}");
        shown += 1;
    }
    assert!(shown >= 8, "{reply}");
}

#[tokio::test]
async fn puzzles_are_drawn_once_and_follow_their_seed() {
    let router = served();
    let path = format!("{RULES}/brandubh/puzzles");
    let list = awaited(&router, &path).await.json();
    let kinds = list["kinds"].as_array().unwrap();
    let names: Vec<&str> = kinds.iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    assert_eq!(names, ["endgame", "only-move", "win", "longest", "zugzwang"]);
    for kind in kinds {
        let levels = kind["levels"].as_array().unwrap();
        assert!(levels.len() == 3 && levels.iter().all(|count| count.as_u64() > Some(0)), "{kind}");
    }
    let of = async |query: &str| get(&router, &format!("{path}?{query}")).await;
    let one = of("kind=only-move&level=hard&seed=7").await;
    assert_eq!(one.header("cache-control"), "no-cache");
    assert_eq!(one.json(), of("kind=only-move&level=hard&seed=7").await.json());
    assert_ne!(
        one.json()["position"],
        of("kind=only-move&level=hard&seed=8").await.json()["position"]
    );
    let puzzle = one.json();
    let position = puzzle["position"].as_str().unwrap().replace(' ', "_");
    let probed = get(&router, &format!("{RULES}/brandubh/probe?position={position}")).await.json();
    for member in ["category", "dtw", "to_move", "slice"] {
        assert_eq!(probed[member], puzzle[member], "{member}");
    }
    let moves = probed["moves"].as_array().unwrap();
    assert_eq!(moves.iter().filter(|known| known["category"] == "win").count(), 1);
    // Without a seed each is another, which the response names.
    let random = of("kind=win").await;
    assert_eq!(random.header("cache-control"), "no-store");
    let again = of(&format!("kind=win&seed={}", random.json()["seed"])).await;
    assert_eq!(again.json(), random.json());
}

#[tokio::test]
async fn invalid_studies_are_reported() {
    let router = served();
    awaited(&router, &format!("{RULES}/brandubh/puzzles")).await;
    for (path, status, code, detail) in [
        ("brandubh/puzzles?kind=x", 400, "bad-parameter", "only-move"),
        ("brandubh/puzzles?kind=win&level=x", 400, "bad-parameter", "easy, medium, hard"),
        ("brandubh/puzzles?kind=win&seed=-1", 400, "bad-parameter", "seed"),
        ("brandubh/slices/K9v9/find", 404, "unknown-slice", "K9v9"),
        ("brandubh/slices/K1v2/find?limit=0", 400, "bad-parameter", "1 to 200"),
        ("brandubh/slices/K1v2/find?limit=201", 400, "bad-parameter", "1 to 200"),
        (
            "brandubh/slices/K1v2/find?longest=true&count=true",
            400,
            "bad-parameter",
            "longest and count",
        ),
        ("brandubh/slices/K1v2/find?seed=1&longest=true", 400, "bad-parameter", "longest and seed"),
        ("brandubh/slices/K1v2/find?seed=1&skip=2", 400, "bad-parameter", "seed and skip"),
        ("brandubh/slices/K1v2/find?longest=true&skip=100001", 400, "bad-parameter", "0 to 100000"),
        ("brandubh/slices/K1v2/find?count=true&limit=9", 400, "bad-parameter", "count and limit"),
        ("brandubh/slices/K1v2/find?plies=x", 400, "bad-parameter", "9..21"),
        ("brandubh/slices/K1v2/find?category=x", 400, "bad-parameter", "write win"),
        ("brandubh/slices/K1v2/find?to_move=x", 400, "bad-parameter", "attackers or defenders"),
        ("brandubh/slices/K1v2/find?pattern=7", 400, "bad-parameter", "1 instead of 7 ranks"),
        ("brandubh/slices/K1v2/find?pattern=*/*/*/3t*/*/*/*", 400, "bad-parameter", "d4"),
        ("brandubh/picture?position=x", 400, "bad-position", ""),
        (
            &format!("brandubh/picture?position={WON}&format=gif"),
            400,
            "bad-parameter",
            "svg or png",
        ),
        (&format!("brandubh/picture?position={WON}&move=a1-a2"), 400, "bad-parameter", "a1"),
        ("nix/lessons", 404, "unknown-ruleset", "nix"),
    ] {
        let got = get(&router, &format!("{RULES}/{path}")).await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{path}: {}", got.text());
        assert!(got.json()["detail"].as_str().unwrap().contains(detail), "{}", got.text());
    }
}

#[tokio::test]
async fn searches_agree_with_the_program() {
    let router = served();
    let find = format!("{RULES}/brandubh/slices/K1v2/find");
    for (query, arguments) in [
        (
            "category=win&to_move=attackers&limit=200",
            &["--value", "win", "--to-move", "attackers"][..],
        ),
        ("plies=5..7&limit=200", &["--plies", "5..7"]),
        ("longest=true", &["--longest"]),
        ("seed=7&limit=9", &["--random", "9", "--seed", "7"]),
        ("pattern=*/*/*/3K*/*/*/*&category=loss&limit=200", &["--king", "d4", "--value", "loss"]),
        ("zugzwang=true", &["--zugzwang"]),
    ] {
        let got = get(&router, &format!("{find}?{query}")).await;
        let reply = got.json();
        let command = ["find", "brandubh", "--slice", "K1v2", "--json"];
        let expected = printed(&[&command[..], arguments].concat());
        let positions = reply["positions"].as_array().unwrap();
        assert_eq!(positions[..], expected[..positions.len()], "{query}");
        assert_eq!(reply["more"], expected.len() > positions.len(), "{query}");
        assert_eq!(reply["complete"], true);
        // The same response again is the one that was kept.
        assert_eq!(
            get(&router, &format!("{find}?{query}")).await.header("etag"),
            got.header("etag")
        );
    }
    let counts = get(&router, &format!("{find}?count=true&category=win")).await.json();
    let arguments = ["find", "brandubh", "--slice", "K1v2", "--json", "--count", "--value", "win"];
    assert_eq!(counts["counts"], Value::Array(printed(&arguments)));
    for wanted in ["category=win", "longest=true&category=loss&plies=2"] {
        let page = async |limit: usize, skip: usize| {
            let path = format!("{find}?{wanted}&limit={limit}&skip={skip}");
            let reply = get(&router, &path).await.json();
            assert_eq!(reply["more"], true, "{path}");
            reply["positions"].as_array().unwrap().clone()
        };
        let joined = [page(3, 0).await, page(3, 3).await].concat();
        assert_eq!(page(6, 0).await, joined, "{wanted}");
        assert_eq!(joined.len(), 6);
    }
}

#[tokio::test]
async fn pictures_are_svg_or_png() {
    let router = served();
    let path = format!("{RULES}/brandubh/picture?position={WON}");
    let got = get(&router, &format!("{path}&move=c5-c1")).await;
    assert_eq!((got.status, got.header("content-type")), (200, "image/svg+xml"));
    assert!(got.text().starts_with("<svg "));
    assert_ne!(get(&router, &format!("{path}&turned=true")).await.body, got.body);
    let png = get(&router, &format!("{path}&format=png")).await;
    assert_eq!(png.header("content-type"), "image/png");
    assert!(png.body.starts_with(b"\x89PNG\r\n"));
}

#[tokio::test]
async fn games_are_written_as_records_and_read_again() {
    let router = served();
    let (write, read) = (format!("{RULES}/brandubh/record"), format!("{RULES}/brandubh/game"));
    let moves = json!(["Kc5-c1", "e2-e1", "Kc1-a1--"]);
    let start = "/7/4t2/7/7/2K4/7/2t4/ d";
    let sent = json!({"position": start, "moves": moves});
    let record = post(&router, &write, &sent).await.json()["record"].clone();
    let text = record.as_str().unwrap();
    assert!(text.contains("3. ") || text.contains("2. Kc1-a1--"), "{text}");
    let escaped = json!({"winner": "defenders", "reason": "king-escaped"});
    let again = post(&router, &read, &json!({"text": text})).await.json();
    assert_eq!(
        again,
        json!({"rules": "brandubh", "position": start, "moves": moves, "over": escaped})
    );
    // A result that the rules did not bring about is kept, too.
    let resigned = json!({"moves": ["d1-c1"], "result": "defenders"});
    let text = post(&router, &write, &resigned).await.json()["record"].clone();
    let game = post(&router, &read, &json!({"text": text})).await.json();
    assert_eq!(game["over"], json!({"winner": "defenders", "reason": "resigned"}));
    // A record of another game says so, whatever the path.
    for rules in Ruleset::builtin_names() {
        let text = post(&router, &format!("{RULES}/{rules}/record"), &json!({"moves": []})).await;
        let other = post(&router, &read, &json!({"text": text.json()["record"]})).await.json();
        let [own, found] =
            [rules, other["rules"].as_str().unwrap()].map(|name| Ruleset::builtin(name).unwrap());
        assert!(found.is_same_game_as(&own), "{rules}: {other}");
    }
}

/// Games of mcgill, unlike those of tablut, have a maximum length.
#[tokio::test]
async fn a_record_is_of_the_game_with_its_rules_of_repetition() {
    let router = served();
    let moves = ["e8-d8", "e6-d6", "d8-e8", "d6-e6"].repeat(25);
    let sent = json!({"moves": moves});
    let record = post(&router, &format!("{RULES}/mcgill/record"), &sent).await.json();
    let sent = json!({"text": record["record"]});
    for path in ["mcgill", "tablut"] {
        let game = post(&router, &format!("{RULES}/{path}/game"), &sent).await.json();
        assert_eq!(
            (&game["rules"], &game["over"]["reason"]),
            (&"mcgill".into(), &"ply-limit".into())
        );
    }
}

#[tokio::test]
async fn lists_of_moves_are_read() {
    let router = served();
    let path = format!("{RULES}/brandubh/game");
    let start = "/7/4t2/7/7/2K4/7/2t4/ d";
    for text in [
        format!("{start} c5-c1 e2-e1"),
        format!("brandubh: {start}\n  1. defenders  Kc5-c1\n  2. attackers  e2-e1"),
        format!("{start}, 1. Kc5-c1 e2-e1"),
        format!("{start} 1.c5-c1; e2-e1"),
    ] {
        let game = post(&router, &path, &json!({"text": text})).await.json();
        assert_eq!(game["moves"], json!(["Kc5-c1", "e2-e1"]), "{text}: {game}");
        assert_eq!((&game["position"], &game["over"]), (&json!(start), &Value::Null));
    }
    let from_start = post(&router, &path, &json!({"text": "d1-c1 d3-c3"})).await.json();
    assert_eq!(from_start["moves"], json!(["d1-c1", "d3-c3"]));
    for (text, code, detail) in [
        ("d1-d9", "bad-parameter", "move 1: "),
        ("d1-c1 nonsense", "bad-parameter", "move 2: "),
        ("/7/7/ a d1-c1", "bad-position", "2 instead of 7 ranks"),
        ("nix: d1-c1", "bad-parameter", "no ruleset \"nix\""),
        ("tablut: /7/4t2/7/7/2K4/7/2t4/ d c5-c1", "bad-position", "7 instead of 9 ranks"),
        ("[rules:dim:7", "bad-parameter", ""),
        ("[taflbase-rules:nix]\n1. d1-c1", "bad-parameter", "nix"),
        ("/7/4t2/7/7/2K4/7/2t4/ d c5-c1 e2-e1 c1-a1 e1-e2", "game-over", "before move 4"),
    ] {
        let got = post(&router, &path, &json!({"text": text})).await;
        assert_eq!((got.status, got.code().as_str()), (400, code), "{text}: {}", got.text());
        assert!(got.json()["detail"].as_str().unwrap().contains(detail), "{}", got.text());
    }
    let bad = json!({"moves": [], "result": "me"});
    let got = post(&router, &format!("{RULES}/brandubh/record"), &bad).await;
    assert_eq!((got.status, got.code().as_str()), (400, "bad-parameter"));
}

/// Plays moves without captures that repeat no position.
fn long_game(moves: usize) -> Game {
    let mut game = Game::new(Arc::new(Ruleset::builtin("brandubh").unwrap())).unwrap();
    let mut seen = HashSet::from([*game.position()]);
    for number in 0..moves {
        let mut quiet = game.playable_moves();
        quiet.retain(|played| {
            let is_new = !seen.contains(&game.position().after(played));
            is_new && played.is_quiet() && played.piece != Kind::King
        });
        game.play(&quiet[number * 31 % quiet.len()]).unwrap();
        seen.insert(*game.position());
    }
    assert_eq!(game.outcome(), None);
    game
}

#[tokio::test]
async fn games_that_are_too_long_are_refused() {
    let router = served();
    let path = format!("{RULES}/brandubh/game");
    for (moves, status) in [(2000, 200), (2001, 400)] {
        let game = long_game(moves);
        let board = game.rules().board;
        let list = game.moves().iter().map(|played| format!("{} ", played.display(board)));
        for text in [list.collect(), Record::new(game.clone()).to_text()] {
            let got = post(&router, &path, &json!({"text": text})).await;
            assert_eq!(got.status, status, "{}", got.text());
            assert_eq!(got.text().contains("2000 moves"), status == 400, "{}", got.text());
        }
    }
}
