//! Tables that are damaged or truncated while they are served.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use taflbase::serve::{AppState, Log, ServeOptions, router};
use taflbase::tablebase::BlockCache;

use super::{awaited, get, post};

const K1V2: &str = "/7/4t2/7/1T5/2K4/7/2t4/_d";
const K0V2: &str = super::WON;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns a folder with two slices of brandubh, served without a cache.
fn served(folder: &Path) -> (Router, Written) {
    let tables = folder.join("brandubh");
    fs::create_dir(&tables).unwrap();
    for name in ["K0v2.dtw", "K1v2.dtw"] {
        fs::copy(Path::new("tables/brandubh").join(name), tables.join(name)).unwrap();
    }
    let written = Written::default();
    let (cache, log) = (BlockCache::new(0), Log::to(written.clone()));
    let options = ServeOptions { cache, log, ..ServeOptions::default() };
    (router(Arc::new(AppState::open(Vec::new(), Some(folder), options).unwrap())), written)
}

/// Returns whether the log, which a thread writes, comes to have a line with these words.
async fn log_has(written: &Written, words: &[&str]) -> bool {
    for _ in 0..500 {
        let log = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        if log.lines().any(|line| words.iter().all(|word| line.contains(word))) {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    false
}

fn path(query: &str) -> String {
    format!("/api/v1/rulesets/brandubh/probe?position={query}")
}

#[tokio::test]
async fn a_damaged_table_is_reported_by_slice_and_affects_nothing_else() {
    for cut in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (router, written) = served(folder.path());
        assert_eq!(get(&router, &path(K1V2)).await.status, 200);
        let file = folder.path().join("brandubh/K1v2.dtw");
        let sound = fs::read(&file).unwrap();
        if cut {
            fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(400).unwrap();
        } else {
            let mut bytes = sound.clone();
            let middle = bytes.len() / 8..bytes.len() * 7 / 8;
            bytes[middle].iter_mut().for_each(|byte| *byte ^= 0x55);
            fs::write(&file, bytes).unwrap();
        }
        let folder_name = folder.path().file_name().unwrap().to_str().unwrap();
        for what in ["probe", "line"] {
            let asked = path(K1V2).replace("probe", what);
            let got = get(&router, &asked).await;
            assert_eq!((got.status, got.code().as_str()), (500, "damaged-table"), "{}", got.text());
            assert!(got.text().contains("the dtw table of K1v2"), "{}", got.text());
            assert!(!got.text().contains(folder_name));
        }
        let response = awaited(&router, "/api/v1/rulesets/brandubh/slices/K1v2").await;
        assert_eq!((response.status, response.code().as_str()), (500, "damaged-table"));
        assert!(!response.text().contains(folder_name));
        // The log has the file, the response does not; other slices are still served.
        assert!(log_has(&written, &["K1v2.dtw", "\"status\":500"]).await);
        assert_eq!(get(&router, &path(K0V2)).await.status, 200);
        // Once the file is restored, its slice is served again.
        fs::write(&file, sound).unwrap();
        assert_eq!(get(&router, &path(K1V2)).await.status, 200);
    }
}

/// Nobody who asks a server for a move can repair its tables.
#[tokio::test]
async fn the_engine_does_without_a_damaged_table() {
    let folder = tempfile::tempdir().unwrap();
    let (router, _) = served(folder.path());
    fs::write(folder.path().join("brandubh/K1v2.dtw"), "no table").unwrap();
    for position in [K1V2, K0V2] {
        let sent = serde_json::json!({"position": position, "level": "strongest"});
        let got = post(&router, "/api/v1/rulesets/brandubh/reply", &sent).await;
        assert_eq!(got.status, 200, "{}", got.text());
        assert!(got.json()["move"].is_string(), "{}", got.text());
    }
}

#[tokio::test]
async fn files_that_are_not_tables_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (router, written) = served(folder.path());
    fs::write(folder.path().join("brandubh/K1v2.dtw"), "no table").unwrap();
    let got = get(&router, "/api/v1/rulesets/brandubh/slices").await;
    let slices = got.json()["slices"].clone();
    let names: Vec<&str> =
        slices.as_array().unwrap().iter().map(|slice| slice["slice"].as_str().unwrap()).collect();
    assert!(names.contains(&"K0v2") && !names.contains(&"K1v2"), "{names:?}");
    assert_eq!(get(&router, &path(K1V2)).await.code(), "damaged-table");
    assert!(log_has(&written, &["/slices", "\"status\":200", "K1v2.dtw"]).await);
    // Once the file is replaced, it is listed.
    fs::copy("tables/brandubh/K1v2.dtw", folder.path().join("brandubh/K1v2.dtw")).unwrap();
    let got = get(&router, "/api/v1/rulesets/brandubh/slices").await;
    assert!(got.text().contains("\"K1v2\""), "{}", got.text());
}

#[tokio::test]
async fn puzzles_are_drawn_from_the_sound_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (router, written) = served(folder.path());
    let tables = folder.path().join("brandubh");
    // A table of another slice, and one with damaged blocks.
    let mut bytes = fs::read(tables.join("K1v2.dtw")).unwrap();
    fs::write(tables.join("K0v2.dtw"), &bytes).unwrap();
    let middle = bytes.len() / 8..bytes.len() * 7 / 8;
    bytes[middle].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(tables.join("K1v2.dtw"), bytes).unwrap();
    let got = awaited(&router, "/api/v1/rulesets/brandubh/puzzles").await;
    assert_eq!((got.status, &got.json()["complete"]), (200, &false.into()), "{}", got.text());
    let got = get(&router, "/api/v1/rulesets/brandubh/puzzles?kind=win").await;
    assert_eq!(got.status, 200, "{}", got.text());
    assert!(log_has(&written, &["/puzzles", "\"status\":200", "K1v2.dtw"]).await);
}
