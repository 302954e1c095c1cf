//! Tables do not depend on the number of threads that build them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;

fn load(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), fs::read(&path).unwrap())
    });
    files.collect()
}

/// Builds the slice and its dependencies with this many threads.
fn built(rules: &Ruleset, slice: Slice, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions { threads, ..BuildOptions::default() };
    Build::new(rules, folder.path(), &[slice]).options(&options).run().unwrap();
    let base = Tablebase::open_files(rules.clone(), folder.path()).unwrap();
    // Otherwise there would be only one chunk of work.
    let rows = base.index(slice).unwrap().rows();
    assert!(rows > 1 << 14, "{slice} has only {rows} rows");
    files(&folder.path().join(&rules.name))
}

#[test]
fn one_thread_and_two_write_the_same_files() {
    for (ruleset, slice) in [
        ("brandubh", "K2v2"),
        ("tablut", "K1v2"),
        ("ashton", "K2v1"),
        ("mini-edge", "K1v4"),
        ("strange-turns", "K2v2"),
    ] {
        let rules = load(ruleset);
        let slice: Slice = slice.parse().unwrap();
        let one = built(&rules, slice, 1);
        assert!(one.contains_key(&Metric::Dtw.file_name(slice)));
        let two = built(&rules, slice, 2);
        assert!(one.keys().eq(two.keys()));
        for (name, bytes) in &one {
            // Not `assert_eq`, which would print the bytes.
            assert!(two[name] == *bytes, "{ruleset} {name}");
        }
    }
}
