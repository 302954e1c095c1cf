//! Tables that are damaged, foreign, or cannot be written.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::forge::uniform;
use crate::place::{Place, ruleset};

#[test]
fn tables_of_other_rules_are_refused_and_kept() {
    let place = Place::with("berkeley", "2");
    fs::rename(place.path("tables/berkeley"), place.path("tables/ashton")).unwrap();
    let file = place.path("tables/ashton/K0v1.dtw");
    let before = fs::read(&file).unwrap();
    let position = "/9/9/9/9/9/2K6/9/9/4t4/ a";
    for arguments in [
        &["probe", "ashton", position][..],
        &["line", "ashton", position],
        &["analyse", "ashton", "--depth", "1"],
        &["stats", "ashton"],
        &["find", "ashton"],
        &["build", "ashton", "--men", "2"],
        &["build", "ashton", "--men", "2", "--force"],
        &["plan", "ashton", "--men", "2"],
        &["verify", "ashton"],
        &["bound", "ashton"],
    ] {
        place.run(arguments).refused(2, &["another ruleset", "ashton"]);
    }
    let check = place.run(&["check", "ashton"]);
    check.refused(1, &["2 of 2 files"]);
    assert!(check.out.contains("another ruleset"), "{}", check.out);
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// Changes a file's bytes.
fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A position of K2v1, whose table has records.
const PROBED: &str = "/7/4t2/7/7/2K4/7/2T1T2/ d";

#[test]
fn damaged_files_are_refused_and_named() {
    let place = Place::with("brandubh", "4");
    let file = place.path("tables/brandubh/K2v1.dtw");
    let whole = fs::read(&file).unwrap();
    let length = whole.len();
    type Damage = fn(&mut Vec<u8>);
    let damages: [(Damage, &str); 5] = [
        (|bytes| bytes.truncate(bytes.len() / 2), "cut short"),
        (|bytes| bytes.clear(), "cut short"),
        (|bytes| bytes[40] ^= 1, "header"),
        (|bytes| *bytes = b"name = \"brandubh\"\n".to_vec(), "not a table file"),
        (|bytes| *bytes.last_mut().unwrap() ^= 1, "cut short"),
    ];
    for (damage, word) in damages {
        edit(&file, damage);
        place.run(&["probe", "brandubh", PROBED]).refused(2, &["K2v1.dtw", word]);
        place.run(&["stats", "brandubh"]).refused(2, &["K2v1.dtw", word]);
        place.run(&["find", "brandubh"]).refused(2, &["K2v1.dtw", word]);
        let check = place.run(&["check", "brandubh"]);
        check.refused(1, &["1 of 12 files"]);
        assert!(check.out.contains("K2v1.dtw") && check.out.contains(word), "{}", check.out);
        fs::write(&file, &whole).unwrap();
    }
    edit(&file, |bytes| bytes[length / 2] ^= 0x10);
    let check = place.run(&["check", "brandubh", "--slice", "K8v8", "--slice", "K2v1"]);
    check.refused(1, &["1 of 2 files"]);
    assert!(check.out.contains("K2v1.dtw") && check.out.contains("block "), "{}", check.out);
    place
        .run(&["check", "brandubh", "--slice", "K8v8", "--slice", "K1v1"])
        .refused(1, &["no table of K8v8"]);
    let check = place.run(&["check", "brandubh", "--json"]);
    check.refused(1, &["1 of 12 files"]);
    let line = check.out.lines().find(|line| line.contains("\"ok\":false")).unwrap();
    assert!(line.contains("K2v1.dtw") && line.contains("block "), "{line}");
    place.run(&["stats", "brandubh", "--slice", "K2v1"]).refused(2, &["K2v1.dtw", "block "]);
    place.run(&["find", "brandubh", "--slice", "K2v1"]).refused(2, &["K2v1.dtw", "block "]);
    let verify = place.run(&["verify", "brandubh", "--slice", "K2v1"]);
    verify.refused(1, &["1 of 1 slice is"]);
    assert!(verify.out.contains("K2v1.dtw"), "{}", verify.out);
}

#[test]
fn slices_that_need_a_damaged_one_are_not_called_damaged() {
    let place = Place::with("brandubh", "4");
    edit(&place.path("tables/brandubh/K0v2.dtw"), Vec::clear);
    let verify = place.run(&["verify", "brandubh"]);
    verify.refused(1, &["1 of 6 slices is wrong, 2 of 6 slices are not verified"]);
    assert!(verify.out.contains("K0v2: damaged, findings: 1"), "{}", verify.out);
    for slice in ["K1v2", "K0v3"] {
        let verify = place.run(&["verify", "brandubh", "--slice", slice, "--json"]);
        verify.refused(1, &["1 of 1 slice is not verified"]);
        let result: Value = serde_json::from_str(&verify.out).unwrap();
        assert_eq!((&result["verdict"], &result["findings"]), (&"not verified".into(), &0.into()));
        let message = result["messages"][0].as_str().unwrap();
        assert!(message.starts_with("needs K0v2: ") && message.contains("K0v2.dtw"), "{message}");
    }
}

#[test]
fn foreign_files_are_kept_and_damaged_ones_rebuilt() {
    let place = Place::with("brandubh", "2");
    let file = place.path("tables/brandubh/K0v1.dtw");
    let whole = fs::read(&file).unwrap();
    edit(&file, |bytes| bytes.truncate(100));
    place.run(&["build", "brandubh", "--men", "2"]).done();
    assert_eq!(fs::read(&file).unwrap(), whole);
    fs::write(&file, "my notes").unwrap();
    place.run(&["build", "brandubh", "--men", "2"]).refused(2, &["K0v1.dtw", "not a table file"]);
    assert_eq!(fs::read(&file).unwrap(), b"my notes");
}

#[test]
fn tables_that_cannot_be_written_are_an_error() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    fs::create_dir(place.path("tables")).unwrap();
    fs::write(place.path("tables/brandubh"), "").unwrap();
    for (tables, folder) in [("file", "file:"), ("tables", "tables/brandubh:")] {
        for command in [
            &["build", "brandubh", "--men", "2"][..],
            &["probe", "brandubh", PROBED],
            &["check", "brandubh"],
        ] {
            let run = place.run(&[command, &["--tables", tables]].concat());
            run.refused(2, &[folder, "cannot read the folder"]);
            assert_eq!(run.out, "");
        }
    }
}

/// A pipe in the place of a table must not block every reader for ever.
#[cfg(unix)]
#[test]
fn non_files_named_like_tables_are_refused() {
    let place = Place::with("brandubh", "2");
    let file = place.path("tables/brandubh/K0v1.dtw");
    let position = "/7/4t2/7/7/2K4/7/7/ d";
    fs::remove_file(&file).unwrap();
    for make in ["mkdir", "mkfifo"] {
        assert!(Command::new(make).arg(&file).status().unwrap().success());
        let words = ["K0v1.dtw", "it is not a file"];
        place.run(&["probe", "brandubh", position]).refused(2, &words);
        let build = place.run(&["build", "brandubh", "--men", "2"]);
        build.refused(2, &words);
        assert_eq!(build.out, "");
        let check = place.run(&["check", "brandubh"]);
        check.refused(1, &["1 of 2 files"]);
        assert!(words.iter().all(|word| check.out.contains(word)), "{}", check.out);
        let removed = if file.is_dir() { fs::remove_dir(&file) } else { fs::remove_file(&file) };
        removed.unwrap();
    }
}

/// Puts a file in its place that not even root could read.
#[cfg(target_os = "linux")]
fn make_unreadable(file: &Path) {
    fs::remove_file(file).unwrap();
    std::os::unix::fs::symlink("/proc/sys/vm/drop_caches", file).unwrap();
}

/// A file without permission to read may be sound.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_file_is_an_error_but_not_damage() {
    let place = Place::with("brandubh", "2");
    let file = place.path("tables/brandubh/K0v1.dtw");
    make_unreadable(&file);
    for command in ["check", "verify", "stats"] {
        let run = place.run(&[command, "brandubh"]);
        run.refused(2, &["K0v1.dtw", "Permission denied"]);
        // Only the checks of other files have results.
        let others = if command == "check" { "K0v1.wdl" } else { "" };
        assert!(run.out.contains(others) && !run.out.contains("K0v1.dtw"), "{}", run.out);
        assert_eq!(run.out.is_empty(), others.is_empty(), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_file_hides_no_damage() {
    let place = Place::with("brandubh", "3");
    let unreadable = place.path("tables/brandubh/K0v1.dtw");
    make_unreadable(&unreadable);
    edit(&place.path("tables/brandubh/K1v1.dtw"), |bytes| bytes.truncate(100));
    let words = ["K0v1.dtw", "Permission denied"];
    let check = place.run(&["check", "brandubh"]);
    check.refused(2, &words);
    assert!(check.out.contains("K1v1.dtw: ") && check.out.contains("cut short"), "{}", check.out);
    let check = place.run(&["check", "brandubh", "--json"]);
    check.refused(2, &words);
    assert_eq!(check.out.matches("\"ok\":true").count(), 4, "{}", check.out);
    assert_eq!(check.out.matches("\"ok\":false").count(), 1, "{}", check.out);
    let verify = place.run(&["verify", "brandubh"]);
    verify.refused(2, &words);
    assert!(verify.out.contains("K1v1: damaged, findings: 1"), "{}", verify.out);
}

/// All values win in 9 plies, for both sides: no move keeps one.
#[test]
fn contradictory_tables_are_an_error() {
    let place = Place::with("brandubh", "4");
    edit(&place.path("tables/brandubh/K2v1.dtw"), |bytes| *bytes = uniform(bytes, 9));
    let words = ["the values of K2v1 contradict each other", "taflbase verify"];
    for command in ["probe", "line"] {
        let run = place.run(&[command, "brandubh", PROBED]);
        run.refused(2, &words);
        assert_eq!(run.out, "", "{command}");
    }
}

/// An engine without a table that is there would play worse than its user thinks.
#[test]
fn searches_do_not_do_without_a_damaged_table() {
    let place = Place::new();
    for rules in ["brandubh", "copenhagen-13"] {
        fs::create_dir_all(place.path("tables").join(rules)).unwrap();
        fs::write(place.path("tables").join(rules).join("K0v1.dtw"), "my notes").unwrap();
    }
    fs::write(place.path("secret"), "word\n").unwrap();
    let joined =
        ["--name", "me", "--password-file", "secret", "--host", "127.0.0.1", "--port", "1"];
    let org =
        [&["hnefatafl-org", "attacker", "--join", "7", "--retry", "0.001"], &joined[..]].concat();
    for arguments in [
        &["analyse", "brandubh", "--depth", "1"][..],
        &["solve", "brandubh", "--nodes", "1"],
        &["solve", "brandubh", "--nodes", "1", "--checkpoint", "kept"],
        &["solve", "brandubh", "--nodes", "1", "--store", "store"],
        &["match", "brandubh", "engine", "random", "--games", "2", "--nodes", "1"],
        &["play", "brandubh"],
        // The tables of each board that a later game may have.
        &["htp"],
        &org,
    ] {
        let run = place.run(arguments);
        run.refused(2, &["K0v1.dtw", "not a table file"]);
        assert_eq!(run.out, "", "{arguments:?}");
    }
    let few = ["match", "brandubh", "engine:tables=none", "random", "--games", "2", "--nodes", "1"];
    place.run(&few).done();
}

/// A search that meets a damaged block has gone on without its values.
#[test]
fn a_search_says_what_it_could_not_read() {
    let rules = &*ruleset("mini-corner");
    let place = Place::with(rules, "4");
    let position = "/1t3/tT3/1K3/3t1/5/ a";
    let players = ["engine:hash=1", "engine:hash=1,tables=none"];
    let runs = || {
        [
            &["analyse", rules, position, "--depth", "8", "--threads", "1"][..],
            &["solve", rules, "/1t3/2tKT/1t3/5/5/ a", "--nodes", "2000", "--threads", "1"],
            &["play", rules, "--position", position, "--side", "none", "--nodes", "20000"],
            &["match", rules, players[0], players[1], "--games", "8", "--nodes", "2000"],
        ]
        .map(|arguments| place.run(arguments).err)
    };
    let words = "searches go on without what they cannot read";
    assert!(runs().iter().all(|notes| !notes.contains(words)));
    // Captures lead there.
    edit(&place.path("tables/mini-corner/K0v3.wdl"), |bytes| bytes[180] ^= 0x10);
    for notes in runs() {
        assert!(notes.contains("K0v3.wdl: the table's block 1 is damaged"), "{notes}");
        assert_eq!(notes.matches(words).count(), 1, "{notes}");
    }
}
