//! What certificates prove, as the explorer tells it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use taflbase::proof::{ProofOptions, prove};
use taflbase::serve::{AppState, ServeOptions, router};
use taflbase::{Position, Ruleset, Tablebase};

use super::{get, post, served};

/// The defenders win by a fork of the king; no table has so many men.
const FORK: &str = "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d";

/// Proves the position and writes its certificate.
fn certificate(path: &Path) {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let tables = Tablebase::new(rules.clone());
    let options = ProofOptions { tables: Some(&tables), certify: true, ..ProofOptions::default() };
    let position = Position::parse(FORK, &rules).unwrap();
    let proof = prove(&rules, &position, &options, &mut |_| true).unwrap();
    proof.certificate.unwrap().write(std::fs::File::create(path).unwrap()).unwrap();
}

fn open(more: Vec<Ruleset>, proofs: &[PathBuf]) -> Result<AppState, String> {
    let options = ServeOptions { proofs: proofs.to_vec(), ..ServeOptions::default() };
    AppState::open(more, None, options).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_position_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("won.cert");
    certificate(&file);
    let proving = router(Arc::new(open(Vec::new(), &[file]).unwrap()));
    let path = format!("/api/v1/rulesets/brandubh/probe?position={}", FORK.replace(' ', "_"));
    let unknown = get(&served(), &path).await.json();
    assert_eq!((&unknown["category"], unknown.get("proof")), (&json!("unknown"), None));
    let got = get(&proving, &path).await;
    assert_eq!(got.header("cache-control"), "no-cache");
    let answer = got.json();
    assert_eq!((&answer["category"], &answer["dtw"]), (&json!("win"), &json!(null)));
    let proof = &answer["proof"];
    assert_eq!((&proof["at_least"], &proof["at_most"]), (&json!("win"), &json!("win")));
    assert_eq!(
        (&proof["certificate"], &proof["move"]),
        (&json!("won.cert"), &answer["moves"][0]["move"])
    );
    assert_eq!(answer["moves"][0]["category"], "win");
    let bounds = json!({"at_least": "win", "at_most": "win"});
    assert_eq!(answer["moves"][0]["proof"], bounds);
    // A batch says the same.
    let body = json!({"positions": [FORK], "moves": true});
    let batch = post(&proving, "/api/v1/rulesets/brandubh/probe", &body).await.json();
    assert_eq!(batch["answers"][0], answer);
    let body = json!({"positions": [FORK]});
    let without = post(&proving, "/api/v1/rulesets/brandubh/probe", &body).await.json();
    assert_eq!(without["answers"][0]["proof"], answer["proof"]);
    // The engine plays the proved move.
    let body = json!({"position": FORK, "moves": [], "level": "hard"});
    let reply = post(&proving, "/api/v1/rulesets/brandubh/reply", &body).await.json();
    assert_eq!(reply["move"], answer["moves"][0]["move"]);
}

#[tokio::test]
async fn certificates_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    certificate(&folder.path().join("won.cert"));
    let proving = router(Arc::new(open(Vec::new(), &[folder.path().to_owned()]).unwrap()));
    let list = get(&proving, "/api/v1/rulesets/brandubh/proofs").await.json();
    let known = &list["certificates"][0];
    assert_eq!((&list["rules"], &known["name"]), (&json!("brandubh"), &json!("won.cert")));
    assert_eq!((&known["position"], &known["value"]), (&json!(FORK), &json!("defenders")));
    assert_eq!(list["positions"], known["moves"]);
    let none = get(&proving, "/api/v1/rulesets/tablut/proofs").await.json();
    assert_eq!((&none["certificates"], &none["positions"]), (&json!([]), &json!(0)));
    let rulesets = get(&proving, "/api/v1/rulesets").await.json();
    let proofs = |name: &str| {
        let all = rulesets["rulesets"].as_array().unwrap();
        all.iter().find(|entry| entry["name"] == name).unwrap().get("proofs").cloned()
    };
    assert_eq!((proofs("brandubh"), proofs("tablut")), (Some(json!(1)), None));
}

#[test]
fn certificates_of_no_ruleset_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("won.cert");
    let rules = format!("{}/examples/rulesets/5x5-corners-4v0.toml", env!("CARGO_MANIFEST_DIR"));
    let rules = Ruleset::load(&rules).unwrap();
    let start = Position::start(&rules).unwrap();
    let options = ProofOptions { certify: true, ..ProofOptions::default() };
    let proof = prove(&rules, &start, &options, &mut |_| true).unwrap();
    proof.certificate.unwrap().write(std::fs::File::create(&file).unwrap()).unwrap();
    let refused = open(Vec::new(), std::slice::from_ref(&file)).unwrap_err();
    assert!(refused.contains("won.cert") && refused.contains("other rules"), "{refused}");
    assert!(open(vec![rules], std::slice::from_ref(&file)).is_ok());
    // A folder may hold proofs of games that are not served.
    assert!(open(Vec::new(), &[folder.path().to_owned()]).is_ok());
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let damaged = open(Vec::new(), &[file]).map(drop);
    assert!(damaged.is_err());
}
