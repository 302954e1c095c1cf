//! Replays the fuzzers' seeds, and the inputs that they have found, through the same checks.

mod checks;

use std::fs;
use std::path::Path;

/// Checks every file of a folder and its subfolders.
fn each_file(folder: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut checked = 0;
    for file in files.filter(|path| path.is_file()) {
        println!("{}", file.display());
        check(&fs::read(file).unwrap());
        checked += 1;
    }
    assert!(checked > 0, "{}", folder.display());
}

#[test]
fn tables() {
    each_file("tests/fuzz_seeds/table", checks::table);
    each_file("tests/data", checks::table);
}

#[test]
fn positions() {
    each_file("tests/fuzz_seeds/position", checks::position);
}

#[test]
fn moves() {
    each_file("tests/fuzz_seeds/moves", checks::moves);
}

#[test]
fn rulesets() {
    each_file("tests/fuzz_seeds/ruleset", checks::ruleset);
    each_file("tests/rulesets", checks::ruleset);
    each_file("src/game/rules/builtin", checks::ruleset);
}

#[test]
fn requests() {
    each_file("tests/fuzz_seeds/request", checks::request);
}

#[test]
fn servers() {
    each_file("tests/fuzz_seeds/server", checks::server);
}

#[test]
fn commands() {
    each_file("tests/fuzz_seeds/commands", checks::commands);
}

#[test]
fn rules_records() {
    each_file("tests/fuzz_seeds/otn", checks::otn);
}

#[test]
fn game_records() {
    each_file("tests/fuzz_seeds/record", checks::record);
}

#[test]
fn messages() {
    each_file("tests/fuzz_seeds/message", checks::message);
}

#[test]
fn hosts() {
    each_file("tests/fuzz_seeds/host", checks::host);
}

#[test]
fn htp_commands() {
    each_file("tests/fuzz_seeds/htp", checks::htp);
}
