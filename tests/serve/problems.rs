use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use taflbase::index::SliceIndex;
use taflbase::{Position, Ruleset, Slice};

use super::{WON, get, post, send, served};

#[tokio::test]
async fn every_problem_has_its_code() {
    let router = served();
    let rules = "/api/v1/rulesets";
    let won = format!("position={WON}");
    for (path, status, code) in [
        (format!("{rules}/brandubh/probe"), 400, "bad-parameter"),
        (format!("{rules}/brandubh/probe?position=x"), 400, "bad-position"),
        (format!("{rules}/brandubh/probe?position=/7/7/7/7/7/7/2t4/_a"), 400, "bad-position"),
        (format!("{rules}/brandubh/probe?position=/K6/7/7/7/7/7/2t4/_a"), 400, "game-over"),
        (format!("{rules}/brandubh/line?position=%ff"), 400, "bad-position"),
        (format!("{rules}/nix/probe?{won}"), 404, "unknown-ruleset"),
        (format!("{rules}/%2e%2e%2fbrandubh/probe?{won}"), 404, "unknown-ruleset"),
        (format!("{rules}/%ff/probe?{won}"), 404, "not-found"),
        (format!("{rules}/brandubh/slices/K9v9"), 404, "unknown-slice"),
        (format!("{rules}/brandubh/slices/..%2f..%2fetc"), 404, "unknown-slice"),
        (format!("{rules}/brandubh/slices/K1v2/random?dtw=x"), 400, "bad-parameter"),
        (format!("{rules}/brandubh/slices/K1v2/random?to_move=x"), 400, "bad-parameter"),
        (format!("{rules}/brandubh/slices/K1v2/random?category=x"), 400, "bad-parameter"),
        // Brandubh has draws, and no other outcome between win and loss.
        (format!("{rules}/brandubh/slices/K1v2/random?category=endless"), 400, "bad-parameter"),
        (format!("{rules}/brandubh/analysis?{won}&lines=0"), 400, "bad-parameter"),
        (format!("{rules}/brandubh/analysis?{won}&lines=11"), 400, "bad-parameter"),
        ("/".repeat(50), 404, "not-found"),
        ("/api".to_owned(), 404, "not-found"),
        ("/api/v1/".to_owned(), 404, "not-found"),
        ("/..%2f..%2fetc%2fpasswd".to_owned(), 404, "not-found"),
        ("/%ff".to_owned(), 404, "not-found"),
    ] {
        let got = get(&router, &path).await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{path}");
        assert_eq!(got.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn a_line_without_a_table_names_the_build_command() {
    let router = served();
    let start = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/_a";
    let got = get(&router, &format!("/api/v1/rulesets/brandubh/line?position={start}")).await;
    assert_eq!((got.status, got.code().as_str()), (404, "missing-table"));
    let problem = got.json();
    assert_eq!(problem["slice"], "K4v8");
    assert_eq!(problem["build"], "taflbase build brandubh --slice K4v8");
    // No machine could build the whole game on this board.
    let large = Ruleset::builtin("alea-evangelii").unwrap();
    let start = Position::start(&large).unwrap().to_text(&large).replace(' ', "_");
    let got = get(&router, &format!("/api/v1/rulesets/alea-evangelii/line?position={start}")).await;
    assert_eq!((got.code().as_str(), &got.json()["build"]), ("missing-table", &json!(null)));
}

#[tokio::test]
async fn a_slice_without_a_table_names_the_build_command_if_a_machine_can_run_it() {
    let router = served();
    let brandubh = Ruleset::builtin("brandubh").unwrap();
    let rules = "/api/v1/rulesets";
    let problem = get(&router, &format!("{rules}/brandubh/slices/K2v5")).await.json();
    assert_eq!(problem["build"], "taflbase build brandubh --slice K2v5");
    let index = SliceIndex::new(&brandubh, Slice { defenders: 2, attackers: 5 }).unwrap();
    assert_eq!(problem["slots"], index.slots());
    let problem = get(&router, &format!("{rules}/alea-evangelii/slices/K10v20")).await.json();
    assert_eq!(
        (problem["code"].as_str(), &problem["build"]),
        (Some("unknown-slice"), &json!(null))
    );
    assert!(problem.get("slots").is_none(), "{problem}");
    // Its rows can be counted in 64 bits, and its slots cannot.
    let problem = get(&router, &format!("{rules}/alea-evangelii/slices/K4v4")).await.json();
    assert_eq!((&problem["build"], problem.get("slots")), (&json!(null), None));
    let problem = get(&router, &format!("{rules}/brandubh/slices/K1v0")).await.json();
    assert!(problem.get("build").is_none(), "{problem}");
}

#[tokio::test]
async fn bodies_are_json_of_limited_length() {
    let router = served();
    let path = "/api/v1/rulesets/brandubh/probe";
    let sent = async |kind: &str, body: String| {
        let request = Request::post(path).header("content-type", kind);
        let got = send(&router, request.body(Body::from(body)).unwrap()).await;
        (got.status, got.code())
    };
    let expected = |status, code: &str| (status, code.to_owned());
    assert_eq!(sent("text/plain", "{}".to_owned()).await, expected(415, "unsupported-media-type"));
    for wrong in ["", "{", "{}", "[]", "{\"positions\":1}", "{\"positions\":[\"\u{0}\"]"] {
        assert_eq!(
            sent("application/json", wrong.to_owned()).await,
            expected(400, "bad-parameter")
        );
    }
    let long = " ".repeat(256 << 10) + "{\"positions\":[]}";
    assert_eq!(sent("application/json", long).await, expected(413, "too-large"));
    let deep = "[".repeat(200_000);
    assert_eq!(sent("application/json", deep).await, expected(400, "bad-parameter"));
    assert_eq!(post(&router, path, &json!({"positions": []})).await.status, 200);
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let router = served();
    let probe = format!("/api/v1/rulesets/brandubh/probe?position={WON}");
    for (method, path, status) in [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/nix", 404),
        ("GET", "/health", 200),
        ("GET", "/metrics", 200),
        ("GET", &probe, 200),
        ("DELETE", &probe, 405),
        ("POST", "/", 405),
        ("POST", "/app.js", 405),
        ("POST", "/nix", 404),
    ] {
        let request = Request::builder().method(method).uri(path);
        let got = send(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(got.status, status, "{method} {path}");
        let policy = got.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}");
        assert_eq!(got.header("x-content-type-options"), "nosniff");
        assert_eq!(got.header("referrer-policy"), "no-referrer");
        assert_eq!(got.header("access-control-allow-origin"), "*", "{path}");
        if status == 405 {
            assert_eq!(got.code(), "method-not-allowed");
        }
    }
    let request = Request::options(&probe)
        .header("origin", "https://example.org")
        .header("access-control-request-method", "POST");
    let got = send(&router, request.body(Body::empty()).unwrap()).await;
    assert_eq!((got.status, got.header("access-control-allow-origin")), (200, "*"));
    assert!(got.header("access-control-allow-credentials").is_empty());
}

#[tokio::test]
async fn requests_are_counted() {
    let router = served();
    for _ in 0..3 {
        get(&router, &format!("/api/v1/rulesets/brandubh/probe?position={WON}")).await;
    }
    get(&router, "/nix").await;
    let text = get(&router, "/metrics").await.text();
    for line in [
        "taflbase_http_requests_total{route=\"/api/v1/rulesets/{name}/probe\",status=\"200\"} 3",
        "taflbase_http_requests_total{route=\"/{file}\",status=\"404\"} 1",
        "taflbase_http_request_seconds_bucket{le=\"+Inf\"} 4",
        "taflbase_http_request_seconds_count 4",
        "taflbase_http_in_flight 1",
        "taflbase_http_shed_total 0",
        "taflbase_tables_open 1",
        "taflbase_stores_open 0",
        "taflbase_build_info{version=\"0.1.0\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Each has a line of help and one with its type.
    let names = text.lines().filter(|line| line.starts_with("# TYPE ")).count();
    assert_eq!(names, text.lines().filter(|line| line.starts_with("# HELP ")).count());
    assert_eq!(names, 11);
}
