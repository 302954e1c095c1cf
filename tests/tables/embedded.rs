//! The embedded tables, and those committed with the source.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions, slices_up_to};
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::table::{Access, Metric, PUBLISHED_ZSTD, Table, zstd_version};
use taflbase::tablebase::ProbeError;
use taflbase::value::Value;

/// The rulesets with embedded tables, and up to how many men their distances and their outcomes are
/// embedded.
const SETS: [(&str, usize, usize); 19] = [
    ("brandubh", 5, 6),
    ("brandubh-online", 5, 5),
    ("berkeley", 5, 5),
    ("ashton", 4, 4),
    ("ashton-server", 4, 4),
    ("tablut", 4, 5),
    ("mcgill", 4, 5),
    ("large-hnefatafl", 3, 4),
    ("alea-evangelii", 3, 3),
    ("brandubh-1", 4, 5),
    ("magpie", 4, 4),
    ("saami-tablut", 4, 4),
    ("sea-battle-9", 4, 4),
    ("copenhagen", 4, 4),
    ("fetlar", 3, 4),
    ("tawlbwrdd-lewis", 4, 4),
    ("tawlbwrdd-bell", 4, 4),
    ("sea-battle-11", 4, 4),
    ("copenhagen-13", 3, 4),
];

fn embedded(rules: &str) -> Tablebase {
    Tablebase::new(Ruleset::builtin(rules).unwrap())
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tables")
}

#[test]
fn all_rulesets_have_complete_sets() {
    let mut bytes = HashMap::new();
    for (name, distances, outcomes) in SETS {
        let tables = embedded(name);
        assert_eq!((tables.max_men(), tables.max_men_dtw()), (outcomes, distances), "{name}");
        for slice in slices_up_to(tables.rules(), outcomes) {
            let table = tables.best_table(slice).unwrap();
            let is_dtw = table.header().metric == Metric::Dtw;
            assert_eq!(is_dtw, slice.men() <= distances, "{name} {slice}");
            bytes.insert(table.file_checksum(), table.size_bytes());
        }
    }
    for name in Ruleset::builtin_names() {
        assert!(SETS.iter().any(|(known, ..)| known == name), "{name} has no set in the list");
    }
    assert!(bytes.values().sum::<u64>() <= 2 << 20);
}

/// Builds the embedded tables of boards of these sizes, and the committed ones, and compares
/// them. A change to a build's output requires all of them to be rebuilt.
fn assert_reproducible(sizes: RangeInclusive<usize>) {
    let reason = "bytes are compared, which depend on the version of zstd";
    assert_eq!(zstd_version(), PUBLISHED_ZSTD, "{reason}");
    let mut seen = HashSet::new();
    for (name, distances, outcomes) in SETS {
        let rules = Ruleset::builtin(name).unwrap();
        // Rulesets with the same fingerprint share their tables.
        if !sizes.contains(&rules.board.size()) || !seen.insert(rules.fingerprint()) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let slices = slices_up_to(&rules, outcomes);
        // The largest slices have only outcomes, if no more is embedded.
        let metric = if outcomes > distances { Metric::Wdl } else { Metric::Dtw };
        let options = BuildOptions { metric, ..BuildOptions::default() };
        Build::new(&rules, folder.path(), &slices).options(&options).run().unwrap();
        let built = Tablebase::open_files(rules, folder.path()).unwrap();
        let tables = embedded(name);
        for slice in slices {
            let embedded = tables.best_table(slice).unwrap();
            let same = built.table(slice, embedded.header().metric).unwrap();
            assert_eq!(same.file_checksum(), embedded.file_checksum(), "{name} {slice}");
            let outcomes = committed().join(name).join(Metric::Wdl.file_name(slice));
            if outcomes.is_file() {
                let table = Table::open(&outcomes, Access::Mapped).unwrap();
                let same = built.table(slice, Metric::Wdl).unwrap();
                assert_eq!(same.file_checksum(), table.file_checksum(), "{name} {slice}");
            }
        }
    }
}

#[test]
fn tables_of_small_boards_are_reproducible() {
    assert_reproducible(0..=7);
}

#[test]
fn tables_of_nine_by_nine_are_reproducible() {
    assert_reproducible(8..=9);
}

#[test]
fn tables_of_large_boards_are_reproducible() {
    assert_reproducible(10..=19);
}

#[test]
fn committed_tables_agree_with_the_manifest() {
    for (name, metric, men) in [
        ("brandubh", Metric::Dtw, 5),
        ("brandubh", Metric::Wdl, 6),
        ("tablut", Metric::Wdl, 5),
        ("large-hnefatafl", Metric::Wdl, 4),
    ] {
        let folder = committed().join(name);
        let manifest = fs::read_to_string(folder.join("MANIFEST.json")).unwrap();
        for slice in slices_up_to(&Ruleset::builtin(name).unwrap(), men) {
            let path = folder.join(metric.file_name(slice));
            let table = Table::open(&path, Access::Mapped).unwrap();
            table.check().unwrap();
            let checksum = table.file_checksum().to_hex();
            assert!(manifest.contains(checksum.as_str()), "{name} {slice} {metric}");
        }
    }
}

/// Outcomes that are embedded without distances agree with forward moves.
#[test]
fn embedded_outcomes_agree_with_forward_moves() {
    for (name, text) in [
        ("brandubh", "/7/4t2/7/1tt4/2K1t2/7/2t4/ d"),
        ("tablut", "/9/9/4t4/9/3K5/9/3t5/8t/4t4/ d"),
        ("large-hnefatafl", "/13/13/13/13/3t9/13/13/4K8/13/13/7t5/13/2t10/ d"),
        ("copenhagen-13", "/13/13/13/13/3t9/13/13/4K8/13/13/7t5/13/2t10/ d"),
        ("fetlar", "/11/11/11/3t7/11/4K6/11/7t3/11/2t8/11/ d"),
        ("brandubh-1", "/7/4t2/7/1tt4/2K1t2/7/7/ d"),
    ] {
        let tables = embedded(name);
        let position = Position::parse(text, tables.rules()).unwrap();
        let probe = tables.probe(&position).unwrap();
        assert_eq!(probe.value.plies, None, "{name}");
        assert_eq!(Some(probe.value.wdl), probe.moves[0].value.map(|value| value.wdl), "{name}");
    }
}

#[test]
fn positions_are_probed_without_files() {
    let tables = embedded("mcgill");
    let rules = tables.rules();
    let position = Position::parse("/9/9/9/9/4K4/9/3t5/9/9/ d", rules).unwrap();
    assert!(matches!(tables.probe_dtw(&position).unwrap(), Value::Win(_)));
    assert!(!tables.line(&position).unwrap().is_empty());
}

#[test]
fn files_take_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("brandubh");
    fs::create_dir(&own).unwrap();
    fs::copy(committed().join("brandubh/K0v1.dtw"), own.join("K0v1.dtw")).unwrap();
    fs::write(own.join("K1v1.dtw"), b"nonsense").unwrap();
    let tables = Tablebase::open(Ruleset::builtin("brandubh").unwrap(), folder.path()).unwrap();
    let probe = |text: &str| {
        let position = Position::parse(text, tables.rules()).unwrap();
        tables.probe_dtw(&position)
    };
    assert!(probe("/7/7/4K2/7/7/2t4/7/ a").is_ok());
    assert!(probe("/7/7/4K2/7/7/2t4/4t2/ a").is_ok(), "K0v2 has no file");
    // A damaged file is an error, although its slice is embedded.
    let damaged = probe("/7/2T4/4K2/7/7/2t4/7/ a");
    assert!(matches!(damaged, Err(ProbeError::Corrupted(_))), "{damaged:?}");
}
