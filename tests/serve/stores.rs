//! The trees of proof stores: complete, in work, damaged, gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use taflbase::proof::ProofOptions;
use taflbase::proof::store::{StoreOptions, prove_in_store};
use taflbase::serve::{AppState, ServeOptions, router};
use taflbase::{Position, Ruleset};

use super::{Got, get, send};

/// Longer than the server keeps a tree without looking at the store again.
const STALE: Duration = Duration::from_millis(2100);
const RULES: &str = "5x5-corners-6v4";

fn rules_file() -> String {
    format!("{}/examples/rulesets/{RULES}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Works on the start position for some nodes.
fn work(folder: &Path, nodes: u64) {
    let (rules, text) =
        (Ruleset::load(&rules_file()).unwrap(), Ruleset::text(&rules_file()).unwrap());
    let start = Position::start(&rules).unwrap();
    let options =
        ProofOptions { max_nodes: Some(nodes), table_bytes: 1 << 20, ..ProofOptions::default() };
    let mut store = StoreOptions::new(folder, &text);
    store.job_nodes = Some(40);
    prove_in_store(&rules, &start, &options, &store, &mut |_| true).unwrap();
}

/// A store named `st` with some jobs done, and a router that serves it.
fn served() -> (tempfile::TempDir, PathBuf, Router) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("st");
    work(&store, 150);
    let router = serve(std::slice::from_ref(&store));
    (folder, store, router)
}

fn serve(proofs: &[PathBuf]) -> Router {
    let options = ServeOptions { proofs: proofs.to_vec(), ..ServeOptions::default() };
    let rules = Ruleset::load(&rules_file()).unwrap();
    router(Arc::new(AppState::open(vec![rules], None, options).unwrap()))
}

/// Requests a path below the store, and again while the store is read.
async fn ask(router: &Router, query: &str) -> Got {
    let path = format!("/api/v1/rulesets/{RULES}/stores/st{query}");
    loop {
        let got = get(router, &path).await;
        if got.status != 202 {
            return got;
        }
        assert_eq!(got.json(), json!({"store": "st", "status": "reading"}));
        assert_eq!((got.header("retry-after"), got.header("cache-control")), ("1", "no-store"));
    }
}

fn node_query(side: &str, position: &str) -> String {
    format!("?side={side}&position={}", position.replace(' ', "_"))
}

fn all_states(moves: &Value) -> Vec<&str> {
    moves.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_store_shows_its_questions_and_its_tree() {
    let (_folder, _, router) = served();
    let rulesets = get(&router, "/api/v1/rulesets").await.json();
    let all = rulesets["rulesets"].as_array().unwrap();
    let stores =
        |name: &str| all.iter().find(|rules| rules["name"] == name).unwrap().get("stores").cloned();
    assert_eq!((stores(RULES), stores("brandubh")), (Some(json!(["st"])), None));
    let got = ask(&router, "").await;
    let overview = got.json();
    assert_eq!((got.status, got.header("cache-control")), (200, "no-cache"));
    assert_eq!((&overview["store"], &overview["skipped"]), (&json!("st"), &json!(0)));
    let roots = overview["roots"].as_array().unwrap();
    let start = roots[0]["position"].as_str().unwrap();
    assert_eq!((roots.len(), start), (1, "/1t1t1/2T2/tTKTt/2T2/1t1t1/ a"));
    for side in ["attackers", "defenders"] {
        let question = &roots[0][side];
        assert_eq!(question["state"], "open");
        assert!(question["open"].as_u64() > Some(0) && question["jobs"].as_u64() > Some(0));
        let node = ask(&router, &node_query(side, start)).await.json();
        for key in ["state", "proof", "disproof", "positions", "decided", "jobs", "nodes"] {
            assert_eq!(node[key], question[key], "{side} {key}");
        }
        let moves = node["moves"].as_array().unwrap();
        assert_eq!((&node["side"], &node["position"]), (&json!(side), &json!(start)));
        assert_eq!((&node["count"], &node["from"]), (&json!(moves.len()), &json!(0)));
        // The line to work on next begins with the most promising move.
        assert_eq!(moves[0]["move"], question["line"][0]);
        let states = all_states(&node["moves"]);
        assert!(states.contains(&"waiting") || states.contains(&"open"), "{states:?}");
    }
}

#[tokio::test]
async fn an_answer_that_the_client_has_is_not_sent_again() {
    let (_folder, _, router) = served();
    let tag = ask(&router, "").await.header("etag").to_owned();
    let path = format!("/api/v1/rulesets/{RULES}/stores/st");
    let request = Request::get(path).header("if-none-match", &tag).body(Body::empty()).unwrap();
    let again = send(&router, request).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let metrics = get(&router, "/metrics").await.text();
    let route = "route=\"/api/v1/rulesets/{name}/stores/{store}\"";
    assert!(metrics.contains(&format!("{route},status=\"304\"")), "{metrics}");
    assert!(metrics.contains("taflbase_stores_open 1"), "{metrics}");
}

#[tokio::test]
async fn moves_beyond_the_first_hundred_come_on_request() {
    let (_folder, _, router) = served();
    let start = "/1t1t1/2T2/tTKTt/2T2/1t1t1/ a";
    let all = ask(&router, &node_query("defenders", start)).await.json();
    let rest = ask(&router, &format!("{}&from=2", node_query("defenders", start))).await.json();
    let moves = |node: &Value| node["moves"].as_array().unwrap().clone();
    assert!(moves(&all).len() > 2);
    assert_eq!((&rest["count"], &moves(&rest)[..]), (&all["count"], &moves(&all)[2..]));
    let query = format!("{}&from={}", node_query("defenders", start), usize::MAX);
    assert!(moves(&ask(&router, &query).await.json()).is_empty());
}

#[tokio::test]
async fn what_a_store_does_not_have_is_a_problem() {
    let (_folder, _, router) = served();
    let start = "/1t1t1/2T2/tTKTt/2T2/1t1t1/_a";
    let rulesets = "/api/v1/rulesets";
    for (path, status, code) in [
        (format!("{RULES}/stores/none"), 404, "unknown-store"),
        (format!("{RULES}/stores/%2e%2e%2fst"), 404, "unknown-store"),
        (format!("{RULES}/stores/%ff"), 404, "not-found"),
        ("brandubh/stores/st".to_owned(), 404, "unknown-store"),
        ("nix/stores/st".to_owned(), 404, "unknown-ruleset"),
        (format!("{RULES}/stores/st?side=white&position={start}"), 400, "bad-parameter"),
        (format!("{RULES}/stores/st?side=attackers"), 400, "bad-parameter"),
        (format!("{RULES}/stores/st?position={start}"), 400, "bad-parameter"),
        (
            format!("{RULES}/stores/st?side=attackers&position={start}&from=-1"),
            400,
            "bad-parameter",
        ),
        (format!("{RULES}/stores/st?side=attackers&position=x"), 400, "bad-position"),
        (format!("{RULES}/stores/st?side=attackers&position=/K4/5/5/5/2t2/_a"), 400, "game-over"),
        (
            format!("{RULES}/stores/st?side=attackers&position=/5/2t2/5/2K2/5/_a"),
            404,
            "not-in-store",
        ),
    ] {
        let got = get(&router, &format!("{rulesets}/{path}")).await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{path}: {}", got.text());
    }
}

#[tokio::test]
async fn the_tree_follows_the_workers() {
    let (_folder, store, router) = served();
    let before = ask(&router, "").await.json();
    assert_eq!(before["roots"][0]["defenders"]["state"], "open");
    work(&store, 200_000);
    tokio::time::sleep(STALE).await;
    let after = ask(&router, "").await.json();
    assert_eq!(after["roots"][0]["defenders"]["state"], "proved");
    assert_eq!(after["roots"][0]["attackers"]["state"], "disproved");
    assert!(after["certificates"].as_u64() > Some(0));
    let start = after["roots"][0]["position"].as_str().unwrap();
    let node = ask(&router, &node_query("defenders", start)).await.json();
    let states = all_states(&node["moves"]);
    assert!(states.len() > 2 && states.iter().all(|&state| state == "proved"), "{states:?}");
}

#[tokio::test]
async fn a_store_that_vanishes_is_one_clear_problem() {
    let (folder, store, router) = served();
    assert_eq!(ask(&router, "").await.status, 200);
    let aside = folder.path().join("aside");
    fs::rename(&store, &aside).unwrap();
    tokio::time::sleep(STALE).await;
    let start = "/1t1t1/2T2/tTKTt/2T2/1t1t1/ a";
    for query in [String::new(), node_query("attackers", start)] {
        let got = ask(&router, &query).await;
        assert_eq!((got.status, got.code().as_str()), (500, "damaged-store"), "{}", got.text());
        assert!(got.text().contains("the store st is gone"), "{}", got.text());
        let folder_name = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(!got.text().contains(folder_name), "{}", got.text());
    }
    assert!(get(&router, "/metrics").await.text().contains("taflbase_stores_open 0"));
    assert_eq!(get(&router, "/api/v1/rulesets").await.status, 200);
    fs::rename(&aside, &store).unwrap();
    assert_eq!(ask(&router, "").await.status, 200);
}

#[tokio::test]
async fn another_store_in_its_place_is_read_anew() {
    let (_folder, store, router) = served();
    let before = ask(&router, "").await.json();
    fs::remove_dir_all(&store).unwrap();
    work(&store, 60);
    tokio::time::sleep(STALE).await;
    let after = ask(&router, "").await.json();
    let jobs = |overview: &Value| overview["roots"][0]["attackers"]["jobs"].as_u64().unwrap();
    assert!(jobs(&after) < jobs(&before), "{after}");
}

#[tokio::test]
async fn damaged_parts_are_left_out_and_counted() {
    let (_folder, store, router) = served();
    let journal = fs::read_dir(store.join("journal")).unwrap().next().unwrap().unwrap().path();
    let sound = fs::read(&journal).unwrap();
    let lines = sound.iter().filter(|&&byte| byte == b'\n').count();
    let mut bytes = sound.clone();
    let last_line = sound[..sound.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    bytes[last_line + 30] ^= 1;
    fs::write(&journal, &bytes).unwrap();
    let overview = ask(&router, "").await.json();
    assert_eq!((&overview["skipped"], overview["roots"].as_array().unwrap().len()), (&json!(1), 1));
    fs::write(&journal, vec![b'\n'; lines]).unwrap();
    tokio::time::sleep(STALE).await;
    let overview = ask(&router, "").await.json();
    assert_eq!((&overview["skipped"], &overview["roots"]), (&json!(lines), &json!([])));
    fs::write(store.join("rules.toml"), "no rules").unwrap();
    fs::remove_file(&journal).unwrap();
    tokio::time::sleep(STALE).await;
    assert_eq!(ask(&router, "").await.code(), "damaged-store");
}

#[tokio::test]
async fn stores_of_the_same_name_get_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let stores = ["one/st", "two/st"].map(|name| folder.path().join(name));
    for store in &stores {
        work(store, 60);
    }
    let router = serve(&stores);
    let rulesets = get(&router, "/api/v1/rulesets").await.json();
    let all = rulesets["rulesets"].as_array().unwrap();
    let own = all.iter().find(|rules| rules["name"] == RULES).unwrap();
    assert_eq!(own["stores"], json!(["st", "st-2"]));
}
