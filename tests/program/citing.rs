//! What citations rely on: the file for the program, the licence and the origin of the data.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use taflbase::manifest::Manifest;
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the published manifests, with the rules that they are of.
fn published() -> Vec<(Ruleset, Manifest)> {
    let folders = fs::read_dir(source("tables")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.map(|folder| folder.join("MANIFEST.json")).filter(|file| file.exists());
    let manifests = files.map(|file| {
        let text: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let rules = Ruleset::builtin(text["rules"].as_str().unwrap()).unwrap();
        let manifest = Manifest::read(&file, &rules).unwrap();
        assert_eq!(manifest.to_string(), fs::read_to_string(&file).unwrap(), "{}", file.display());
        (rules, manifest)
    });
    manifests.collect()
}

#[test]
fn the_citation_names_this_version_and_these_licences() {
    let text = fs::read_to_string(source("CITATION.cff")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.contains(&concat!("version: ", env!("CARGO_PKG_VERSION"))), "{text}");
    let licences: Vec<String> =
        env!("CARGO_PKG_LICENSE").split(" OR ").map(|licence| format!("  - {licence}")).collect();
    let at = lines.iter().position(|&line| line == "license:").unwrap();
    assert_eq!(lines[at + 1..=at + licences.len()], licences);
    assert!(lines.contains(&"    license: CC0-1.0"), "{text}");
    assert!(
        fs::read_to_string(source("tables/LICENSE")).unwrap().contains("\nCC0 1.0 Universal\n")
    );
}

#[test]
fn published_manifests_have_a_licence_and_an_origin() {
    let all = published();
    assert!(all.len() >= 6);
    for (rules, manifest) in all {
        assert_eq!(manifest.license.as_deref(), Some("CC0-1.0"), "{}", rules.name);
        for entry in &manifest.slices {
            let listed = entry.listed.as_ref().unwrap();
            let commit = listed.commit.as_deref().unwrap();
            assert!(
                commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit()),
                "{commit}"
            );
            assert!(listed.date.len() == 10 && listed.date.starts_with("20"), "{}", listed.date);
        }
    }
}

#[test]
fn published_longest_wins_are_positions_of_their_slices() {
    let mut found = 0;
    for (rules, manifest) in published() {
        for entry in &manifest.slices {
            for win in &entry.longest {
                let text = win.position.as_deref().unwrap();
                let position = Position::parse(text, &rules).unwrap();
                assert_eq!((position.slice(), position.to_move), (entry.slice, win.to_move));
                let counts = &entry.sides[win.to_move];
                let is_won = win.winner == win.to_move;
                let plies = if is_won { counts.max_win } else { counts.max_loss };
                assert_eq!(plies, Some(win.plies), "{} {}", rules.name, entry.slice);
                found += 1;
            }
            for winner in Side::ALL {
                let wins = entry.longest.iter().filter(|win| win.winner == winner);
                assert!(wins.count() <= 1, "{} {}", rules.name, entry.slice);
            }
        }
    }
    assert!(found > 50, "{found}");
}
