//! Tables made to do harm.

use std::fs;

use taflbase::index::SliceIndex;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use crate::forge::{Hollow, claim, uniform};
use crate::place::Place;

/// A position of K2v1.
const PROBED: &str = "/7/4t2/7/7/2K4/7/2T1T2/ d";

/// The size of the hole in a hollow file.
const HOLE: u64 = 512 << 20;

/// More address space than the program and the whole mapped file take, but less than with a
/// copy of the file.
const LIMIT_KIB: u64 = (HOLE + (HOLE >> 1)) >> 10;

/// The file's grid is not that of its slice: its header is refused.
#[cfg(target_os = "linux")]
#[test]
fn a_sparse_file_takes_no_memory_in_any_command() {
    let place = Place::with("brandubh", "4");
    let file = place.path("tables/brandubh/K2v1.dtw");
    let sound = fs::read(&file).unwrap();
    // Entries for all lanes of both sides.
    let rows = HOLE / 8 / (2 * 45) * 512;
    let hollow = Hollow::new(&sound, rows, 512);
    assert!(hollow.hole_bytes <= HOLE && hollow.hole_bytes > HOLE - (1 << 10));
    fs::remove_file(&file).unwrap();
    hollow.write(&file);
    let words = ["K2v1.dtw", "does not match its slice"];
    for arguments in [
        &["probe", "brandubh", PROBED][..],
        &["line", "brandubh", PROBED],
        &["stats", "brandubh", "--slice", "K2v1"],
        &["verify", "brandubh", "--slice", "K2v1"],
        &["manifest", "brandubh"],
        &["plan", "brandubh", "--men", "4"],
        &["build", "brandubh", "--men", "4"],
        &["build", "brandubh", "--slice", "K2v2"],
    ] {
        place.run_within(LIMIT_KIB, arguments).refused(2, &words);
    }
    let check = place.run_within(LIMIT_KIB, &["check", "brandubh"]);
    check.refused(1, &["1 of 12 files"]);
    assert!(words.iter().all(|word| check.out.contains(word)), "{}", check.out);
}

/// The grid is that of the slice, and every slot is a block.
#[test]
fn a_table_cut_into_tiny_blocks_is_damaged() {
    let place = Place::with("brandubh", "4");
    let file = place.path("tables/brandubh/K2v1.dtw");
    let sound = fs::read(&file).unwrap();
    let rows = u64::from_le_bytes(sound[16..24].try_into().unwrap());
    fs::remove_file(&file).unwrap();
    Hollow::new(&sound, rows, 1).write(&file);
    place.run(&["probe", "brandubh", PROBED]).refused(2, &["K2v1.dtw", "header is damaged"]);
}

/// The numbering of the defenders of K8v1 takes more than ten gigabytes.
#[cfg(target_os = "linux")]
#[test]
fn a_sample_asks_for_the_memory_that_it_may_not_take() {
    let place = Place::with("brandubh", "2");
    let sound = fs::read(place.path("tables/brandubh/K0v1.dtw")).unwrap();
    let rules = Ruleset::builtin("brandubh").unwrap();
    for defenders in 5..=8 {
        let slice = Slice { defenders, attackers: 1 };
        let index = SliceIndex::new(&rules, slice).unwrap();
        let mut bytes = uniform(&sound, 0);
        let lanes = index.lanes().count() as u16;
        claim(&mut bytes, [defenders as u16, 1], lanes, index.rows());
        fs::write(place.path(&format!("tables/brandubh/{slice}.dtw")), bytes).unwrap();
    }
    let sample = ["verify", "brandubh", "--slice", "K8v1", "--sample", "1", "--memory"];
    let run = place.run_within(LIMIT_KIB, &[&sample[..], &["100MiB"]].concat());
    run.refused(2, &["K8v1", "GiB of memory, but 100.0 MiB are allowed: raise --memory"]);
}
