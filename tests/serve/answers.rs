use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{Got, WON, get, post, printed, send, served};

/// Returns the object without these members.
fn without(mut value: Value, names: &[&str]) -> Value {
    for name in names {
        let removed = value.as_object_mut().unwrap().remove(*name);
        assert!(removed.is_some(), "{name}");
    }
    value
}

/// Repeats the request until the statistics are counted.
pub(super) async fn counted(router: &axum::Router, path: &str) -> Got {
    for _ in 0..600 {
        let got = get(router, path).await;
        if got.status != 202 {
            return got;
        }
        assert_eq!((got.header("retry-after"), got.header("cache-control")), ("1", "no-store"));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{path} is never counted");
}

#[tokio::test]
async fn responses_agree_with_the_program() {
    let router = served();
    for (rules, position) in [
        ("brandubh", "/7/4t2/7/7/2K4/7/2t4/ d"),
        ("brandubh", "/7/7/5K1/7/3t3/4t2/7/ a"),
        ("brandubh", "/7/4t2/7/1T5/2K4/7/2tt3/ d"),
        ("berkeley", "/9/4t4/9/9/2K6/9/2t6/9/9/ d"),
        ("tablut", "/9/4t4/9/1T7/4K4/9/2t6/9/9/ a"),
    ] {
        let query = position.replace(' ', "_");
        for (command, added) in [("probe", &["slice", "missing"][..]), ("line", &[])] {
            let path = format!("/api/v1/rulesets/{rules}/{command}?position={query}");
            let got = get(&router, &path).await;
            let expected = printed(&[command, rules, position, "--json"]);
            assert_eq!(vec![without(got.json(), added)], expected, "{rules} {position}");
        }
    }
    let rules = get(&router, "/api/v1/rulesets/ashton").await.json();
    assert!(rules["text"].as_str().unwrap().contains("Capture of the king"));
    assert_eq!(vec![without(rules, &["text"])], printed(&["rules", "ashton", "--json"]));
    let list = get(&router, "/api/v1/rulesets").await.json();
    assert_eq!(list["version"], env!("CARGO_PKG_VERSION"));
    let mut listed = printed(&["rules", "--json"]);
    listed.sort_by_key(|entry| entry["name"].as_str().unwrap().to_owned());
    let entries = list["rulesets"].as_array().unwrap().clone();
    let entries = entries.into_iter().map(|entry| without(entry, &["start", "max_men"]));
    assert_eq!(entries.collect::<Vec<_>>(), listed);
}

#[tokio::test]
async fn slices_agree_with_the_program() {
    let router = served();
    let manifest = get(&router, "/api/v1/rulesets/alea-evangelii/slices").await.json();
    assert_eq!(vec![manifest], printed(&["manifest", "alea-evangelii", "--json"]));
    let slice = counted(&router, "/api/v1/rulesets/brandubh/slices/K1v2").await.json();
    assert_eq!((&slice["rules"], &slice["slice"]), (&json!("brandubh"), &json!("K1v2")));
    let expected = printed(&["stats", "brandubh", "--slice", "K1v2", "--json"]);
    assert_eq!(slice["sides"].as_array().unwrap().len(), expected.len());
    for (side, expected) in slice["sides"].as_array().unwrap().iter().zip(expected) {
        let mut plain = without(side.clone(), &["king"]);
        let bars = plain["histogram"].as_array().unwrap().clone();
        plain["histogram"] = bars.iter().map(|bar| without(bar.clone(), &["example"])).collect();
        assert_eq!(plain, expected);
        for bar in bars {
            let example = bar["example"].as_str().unwrap().replace(' ', "_");
            let path = format!("/api/v1/rulesets/brandubh/probe?position={example}");
            let probed = get(&router, &path).await.json();
            assert_eq!((&probed["category"], &probed["dtw"]), (&bar["category"], &bar["dtw"]));
            assert_eq!(probed["to_move"], side["to_move"]);
        }
        // All squares but the corners; mirror images have equal counts.
        let king = side["king"].as_array().unwrap();
        assert_eq!(king.len(), 45);
        for outcome in ["win", "draw", "undecided", "loss"] {
            let sum: u64 = king.iter().map(|square| square[outcome].as_u64().unwrap()).sum();
            assert_eq!(side[outcome], sum, "{outcome}");
        }
        let of = |name: &str| {
            let square = king.iter().find(|square| square["square"] == name).unwrap().clone();
            without(square, &["square"])
        };
        assert!(of("b1") == of("a6") && of("b1") == of("g2") && of("b1") != of("d4"));
    }
}

/// Probes every placement of a small slice, one by one.
#[test]
fn the_kings_squares_are_counted_correctly() {
    use taflbase::board::SquareSet;
    use taflbase::rules::{Ruleset, Side};
    use taflbase::{Position, Tablebase, Wdl};
    let base = Tablebase::new(Ruleset::builtin("brandubh").unwrap());
    let (rules, slice) = (base.rules(), "K0v2".parse().unwrap());
    let table = base.best_table(slice).unwrap();
    let stats = taflbase::stats::count_values(rules, table).unwrap();
    let squares: Vec<_> = rules.board.squares().collect();
    for king in stats[Side::Attackers].king.iter().step_by(5) {
        for side in Side::ALL {
            let mut counts = [0; 3];
            for (at, &one) in squares.iter().enumerate() {
                for &other in &squares[at + 1..] {
                    let attackers: SquareSet = [one, other].into_iter().collect();
                    let position =
                        Position::new(rules, king.square, SquareSet::EMPTY, attackers, side);
                    let Ok(position) = position else { continue };
                    counts[match base.probe_wdl(&position).unwrap() {
                        Wdl::Win => 0,
                        Wdl::Draw => 1,
                        Wdl::Loss => 2,
                    }] += 1;
                }
            }
            let counted =
                stats[side].king.iter().find(|counted| counted.square == king.square).unwrap();
            assert_eq!([counted.wins, counted.draws, counted.losses], counts);
        }
    }
}

#[tokio::test]
async fn positions_without_a_table_are_unknown_with_all_moves() {
    let router = served();
    let start = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a";
    let got = get(&router, &format!("/api/v1/rulesets/brandubh/probe?position={start}")).await;
    assert_eq!((got.status, got.header("cache-control")), (200, "no-cache"));
    let answer = got.json();
    assert_eq!((&answer["category"], &answer["dtw"]), (&json!("unknown"), &Value::Null));
    assert_eq!((&answer["slice"], &answer["missing"]), (&json!("K4v8"), &json!(["K4v8"])));
    assert_eq!(answer["moves"].as_array().unwrap().len(), 40);
    // Captures in K1v4 lead to slices with tables.
    let edge = "/7/1Tt4/7/2t4/1t1K3/7/4t2/_a";
    let got = get(&router, &format!("/api/v1/rulesets/tablut/probe?position={edge}")).await;
    assert_eq!(got.code(), "bad-position");
    let edge = "/9/tT1t5/9/2t6/4K4/9/4t4/9/9/_a";
    let answer = get(&router, &format!("/api/v1/rulesets/tablut/probe?position={edge}")).await;
    let answer = answer.json();
    assert_eq!((&answer["category"], &answer["slice"]), (&json!("unknown"), &json!("K1v4")));
    let moves = answer["moves"].as_array().unwrap();
    let capture = moves.iter().find(|played| played["conversion"] == true).unwrap();
    assert_eq!((&capture["move"], &capture["dtw"]), (&json!("d2-c2xb2"), &Value::Null));
    assert_ne!(capture["category"], "unknown");
    assert_eq!(answer["missing"], json!(["K1v4"]));
}

#[tokio::test]
async fn many_positions_are_answered_in_order() {
    let router = served();
    let path = "/api/v1/rulesets/brandubh/probe";
    let won = WON.replace('_', " ");
    let over = "/K6/4t2/7/7/7/7/2t4/ d";
    let positions = json!([won, "nonsense", WON, over]);
    let got = post(&router, path, &json!({ "positions": positions })).await;
    let answers = got.json()["answers"].clone();
    let field = |at: usize, name: &str| answers[at][name].clone();
    assert_eq!((field(0, "category"), field(0, "dtw")), (json!("win"), json!(3)));
    assert_eq!((field(0, "moves"), field(0, "slice")), (json!([]), json!("K0v2")));
    assert_eq!((field(1, "code"), field(2, "dtw")), (json!("bad-position"), json!(3)));
    assert_eq!(field(3, "code"), "game-over");
    let one = get(&router, &format!("{path}?position={WON}")).await.json();
    let got = post(&router, path, &json!({ "positions": [WON], "moves": true })).await;
    assert_eq!(got.json()["answers"], json!([one]));
    for (count, moves, status) in
        [(1000, false, 200), (1001, false, 400), (100, true, 200), (101, true, 400)]
    {
        let lot = json!({ "positions": vec![WON; count], "moves": moves });
        assert_eq!(post(&router, path, &lot).await.status, status, "{count} {moves}");
    }
}

#[tokio::test]
async fn random_positions_match_the_filters() {
    let router = served();
    let slice = "/api/v1/rulesets/brandubh/slices/K1v2";
    // A single one of 1,668,744 placements: only the example of the bar will be found.
    let rare = "to_move=attackers&category=loss&dtw=8";
    for (query, category, dtw) in [
        ("", None, None),
        ("to_move=d", None, None),
        ("to_move=a&category=win", Some("win"), None),
        ("category=loss&dtw=4", Some("loss"), Some(4)),
        (rare, Some("loss"), Some(8)),
    ] {
        let got = counted(&router, &format!("{slice}/random?{query}")).await;
        assert_eq!((got.status, got.header("cache-control")), (200, "no-store"), "{query}");
        let position = got.json()["position"].as_str().unwrap().replace(' ', "_");
        let path = format!("/api/v1/rulesets/brandubh/probe?position={position}");
        let probed = get(&router, &path).await.json();
        assert_eq!(probed["slice"], "K1v2");
        assert!(category.is_none_or(|category| probed["category"] == category), "{query}");
        assert!(dtw.is_none_or(|dtw| probed["dtw"] == dtw), "{query}");
        if query.starts_with("to_move=d") {
            assert_eq!(probed["to_move"], "defenders");
        }
    }
    let none = counted(&router, &format!("{slice}/random?category=loss&dtw=999")).await;
    assert_eq!((none.status, none.code().as_str()), (404, "not-found"));
}

#[tokio::test]
async fn unchanged_responses_are_not_sent_again() {
    let router = served();
    let exact = format!("/api/v1/rulesets/brandubh/probe?position={WON}");
    let first = get(&router, &exact).await;
    assert_eq!(first.header("cache-control"), "public, max-age=86400");
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""));
    let strong = tag.trim_start_matches("W/");
    for (known, status) in [
        (tag.as_str(), 304),
        (&format!("\"x\", {tag}"), 304),
        (strong, 304),
        ("*", 304),
        ("\"x\"", 200),
    ] {
        let request = Request::get(&exact).header("if-none-match", known);
        let got = send(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!((got.status, got.body.is_empty()), (status, status == 304), "{known}");
        assert_eq!(got.header("etag"), tag);
        assert_eq!(got.header("cache-control"), "public, max-age=86400");
    }
    let picture = format!("/api/v1/rulesets/brandubh/picture?position={WON}");
    let tag = get(&router, &picture).await.header("etag").to_owned();
    let request = Request::get(&picture).header("if-none-match", tag);
    let got = send(&router, request.body(Body::empty()).unwrap()).await;
    assert_eq!((got.status, got.body.is_empty()), (304, true));
    // Errors are never cached.
    let request = Request::get("/nix").header("if-none-match", "*");
    let got = send(&router, request.body(Body::empty()).unwrap()).await;
    assert_eq!((got.status, got.header("cache-control")), (404, "no-store"));
}

#[tokio::test]
async fn files_of_the_page_are_compressed_if_accepted() {
    let router = served();
    let plain = get(&router, "/").await;
    assert_eq!(plain.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(plain.body, get(&router, "/index.html").await.body);
    assert!(plain.header("content-encoding").is_empty());
    let slices = "/api/v1/rulesets/brandubh/slices";
    for path in ["/robots.txt", slices] {
        let plain = get(&router, path).await;
        let request = Request::get(path).header("accept-encoding", "gzip, zstd");
        let packed = send(&router, request.body(Body::empty()).unwrap()).await;
        let varies = packed.headers.get_all("vary").iter();
        assert!(varies.into_iter().any(|value| value == "accept-encoding"), "{path}");
        let body = match packed.header("content-encoding") {
            "zstd" => zstd::decode_all(&packed.body[..]).unwrap(),
            _ => packed.body.clone(),
        };
        assert_eq!(body, plain.body, "{path}");
        assert_eq!(packed.header("etag"), plain.header("etag"));
        assert_eq!(packed.header("content-encoding") == "zstd", path == slices);
    }
    assert!(get(&router, "/robots.txt").await.text().contains("Disallow: /api/"));
}

#[tokio::test]
async fn moves_have_the_walls_forts_and_rings_that_they_complete() {
    let router = served();
    let move_of = async |position: &str, played: &str| {
        let path = format!("/api/v1/rulesets/copenhagen/probe?position={position}");
        let answer = get(&router, &path).await.json();
        let moves = answer["moves"].as_array().unwrap().clone();
        moves.into_iter().find(|known| known["move"] == played).unwrap()
    };
    let wall = "/3tTT5/4tt5/6t4/11/11/5K5/11/11/11/11/11/_a";
    let closing = move_of(wall, "g3-g1xe1/f1").await;
    let expected =
        json!([{"kind": "shieldwall", "inside": ["e1", "f1"], "wall": ["d1", "g1", "e2", "f2"]}]);
    assert_eq!(closing["formations"], expected);
    assert!(move_of(wall, "g3-h3").await.get("formations").is_none());
    let fort = move_of("/3TK6/4TT5/6T4/11/11/11/11/8t2/11/11/11/_d", "g3-g1--").await;
    assert_eq!(fort["formations"][0]["kind"], "exit-fort");
    let ring = "/11/11/11/5t5/4t1t4/3t1KTt3/4t1t4/11/5t5/11/11/_a";
    assert_eq!(move_of(ring, "f9-f8++").await["formations"][0]["kind"], "encirclement");
}
