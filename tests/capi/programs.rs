//! C programs, linked with both libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use taflbase::Tablebase;
use taflbase::build::{Build, slices_up_to};
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::Ruleset;
use taflbase::value::Value;
use tempfile::TempDir;

use crate::alpha_beta::{Search, WON};
use crate::libraries::{Linking, Program, folder};
use crate::positions::{all_positions, random_position};

const BOTH: [Linking; 2] = [Linking::Shared, Linking::Static];

/// Builds a folder of tables of at most three men.
fn built(rules: &str) -> TempDir {
    let rules = Ruleset::builtin(rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(&rules, 3);
    Build::new(&rules, folder.path(), &slices).run().unwrap();
    folder
}

#[test]
fn the_example_plays_a_game_to_its_end() {
    for linking in BOTH {
        let example = Program::compile("examples/probe.c", linking);
        let out = example.run(&["brandubh", "/7/4t2/7/7/2K4/7/2t4/ d"], "");
        let expected = "win in 3 plies\nbest move: Kc5-c1\nline: Kc5-c1 e2-e1 Kc1-a1--\n";
        assert_eq!(out.unwrap(), expected);
        let out = example.run(&["brandubh", "/7/7/7/7/2K4/7/7/ a"], "");
        assert_eq!(out.unwrap(), "loss in 0 plies\nbest move: none\nline:\n");
        let refused = example.run(&["chess", "/7/4t2/7/7/2K4/7/2t4/ d"], "").unwrap_err();
        assert!(refused.contains("\"chess\" is neither a file nor a built-in"), "{refused}");
    }
}

/// Returns the folders that misuse.c expects.
fn folders_for_misuse() -> [TempDir; 4] {
    let [sound, damaged, foreign] =
        [built("brandubh"), built("brandubh"), built("brandubh-online")];
    let file = |folder: &TempDir, name: &str| -> PathBuf { folder.path().join(name) };
    for metric in ["wdl", "dtw"] {
        let path = file(&damaged, &format!("brandubh/K1v1.{metric}"));
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0x5a);
        fs::write(path, bytes).unwrap();
    }
    fs::rename(file(&foreign, "brandubh-online"), file(&foreign, "brandubh")).unwrap();
    let blocked = tempfile::tempdir().unwrap();
    fs::write(file(&blocked, "brandubh"), "no folder").unwrap();
    [sound, damaged, foreign, blocked]
}

#[test]
fn every_error_is_a_status_and_a_message() {
    let folders = folders_for_misuse();
    let paths: Vec<_> = folders.iter().map(TempDir::path).collect();
    for linking in BOTH {
        let misuse = Program::compile("tests/capi/misuse.c", linking);
        if let Err(complaint) = misuse.run(&paths, "") {
            panic!("{linking:?}: {complaint}");
        }
    }
}

/// Formats what agree.c prints for a position.
fn answer(tables: &Tablebase, position: &Position) -> String {
    let (outcome, plies) = match tables.probe_dtw(position).unwrap() {
        Value::Loss(plies) => ("loss", plies),
        Value::Draw => ("draw", 0),
        Value::Win(plies) => ("win", plies),
    };
    let best = tables.best_move(position).unwrap();
    let best = best.map(|best| best.display(tables.rules().board).to_string());
    format!("{outcome} {plies} {}", best.as_deref().unwrap_or("none"))
}

#[test]
fn answers_equal_the_librarys_on_all_threads() {
    for (name, random_slices) in
        [("brandubh", ["K1v3", "K2v2"]), ("alea-evangelii", ["K1v1", "K0v2"])]
    {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tablebase::open(Ruleset::builtin(name).unwrap(), folder.path()).unwrap();
        let rules = tables.rules();
        let mut positions = Vec::new();
        if rules.board.size() == 7 {
            all_positions(rules, "K0v1".parse().unwrap(), |position| positions.push(position));
        }
        let mut random = SeededRng::new(11);
        for slice in random_slices.map(|slice| slice.parse().unwrap()) {
            positions
                .extend((0..300).map(|i| random_position(rules, slice, i % 3 == 0, &mut random)));
        }
        let lines = |line: &dyn Fn(&Position) -> String| -> String {
            positions.iter().map(|position| line(position) + "\n").collect()
        };
        let input = lines(&|position| position.to_text(rules));
        let expected = lines(&|position| answer(&tables, position));
        for linking in BOTH {
            let agree = Program::compile("tests/capi/agree.c", linking);
            let folder = folder.path().to_str().unwrap();
            let out = agree.run(&[name, folder], &input).unwrap();
            assert!(out == expected, "{name}, {linking:?}");
        }
    }
}

#[test]
fn a_program_may_link_its_own_zstd() {
    let folder = built("brandubh");
    for linking in BOTH {
        let program = Program::compile("tests/capi/own_zstd.c", linking);
        // A win in 3; to probe it, a block is decoded.
        assert_eq!(program.run(&[folder.path()], "").unwrap(), "1 3 1\n", "{linking:?}");
    }
}

#[test]
fn a_program_needs_the_shared_library_of_its_version() {
    let program = Program::compile("examples/probe.c", Linking::Shared);
    let readelf = |file: &Path| {
        let out = Command::new("readelf").arg("-d").arg(file).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let soname = match (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")) {
        ("0", minor) => format!("libtaflbase.so.0.{minor}"),
        (major, _) => format!("libtaflbase.so.{major}"),
    };
    assert!(readelf(program.path()).contains(&format!("Shared library: [{soname}]")));
    let library = folder().join(format!("libtaflbase.so.{}", env!("CARGO_PKG_VERSION")));
    assert!(readelf(&library).contains(&format!("Library soname: [{soname}]")));
}

#[test]
fn the_search_in_c_equals_the_search_in_rust() {
    let tables = Tablebase::new(Ruleset::builtin("brandubh").unwrap());
    let (rules, mut random) = (tables.rules(), SeededRng::new(5));
    let slices = ["K2v3", "K1v5"].map(|slice| slice.parse().unwrap());
    let mut positions = Vec::new();
    for slice in slices {
        positions.extend((0..20).map(|i| random_position(rules, slice, i % 2 == 0, &mut random)));
    }
    let mut expected = String::new();
    for tables in [None, Some(&tables)] {
        let mut search = Search { rules, tables, most_men: 6, nodes: 0, answered: 0 };
        for position in &positions {
            search.value(position, (3, 0), (-WON, WON)).unwrap();
        }
        expected += &format!("{} {}\n", search.nodes, search.answered);
    }
    let input: String = positions.iter().map(|position| position.to_text(rules) + "\n").collect();
    for linking in BOTH {
        let program = Program::compile("examples/alpha_beta.c", linking);
        let out = program.run(&["brandubh", "3"], &input).unwrap();
        // "without tables  1852 nodes, 1.2 million a second, 0 answered by a table"
        let lines = out.lines().filter(|line| line.contains(" nodes, "));
        let numbers = lines.map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            format!("{} {}\n", words[2], words[8])
        });
        assert_eq!(numbers.collect::<String>(), expected, "{linking:?}");
    }
}
