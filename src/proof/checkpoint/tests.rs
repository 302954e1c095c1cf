//! Searches that continue, damaged and foreign files, and files on a disk with faults.

use std::cell::RefCell;
use std::fs;
use std::num::NonZeroUsize;

use super::*;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::proof::answer::ProvedValue;
use crate::proof::hashes::{HashKeys, Key};
use crate::proof::prover::{Proof, ProofError, ProofOptions, prove, prove_with_checkpoint};
use crate::proof::table::{Entry, ProofTable};
use crate::proof::tests::{assert_certified, rules};
use crate::system::filesystem::faulty::{Fault, FaultyFiles};
use crate::tablebase::Tablebase;

/// A game of some 13,000 nodes.
fn small_game() -> (Ruleset, Position) {
    let path = "examples/rulesets/5x5-corners-10v4.toml";
    let rules = Ruleset::load(&format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let start = Position::start(&rules).unwrap();
    (rules, start)
}

fn options(threads: usize, max_nodes: Option<u64>) -> ProofOptions<'static> {
    ProofOptions {
        max_nodes,
        table_bytes: 1 << 23,
        threads: NonZeroUsize::new(threads).unwrap(),
        certify: true,
        ..ProofOptions::default()
    }
}

#[test]
fn a_search_continues() {
    let (rules, start) = small_game();
    let tables = Tablebase::new(rules.clone());
    let whole = prove(&rules, &start, &options(1, None), &mut |_| true).unwrap();
    for threads in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let run = |max_nodes| -> Proof {
            let (checkpoint, options) = (Checkpoint::new(&path), options(threads, max_nodes));
            let mut report = |_: &_| true;
            prove_with_checkpoint(&rules, &start, &options, &checkpoint, &mut report).unwrap()
        };
        let mut nodes = 0;
        for part in 1..=3 {
            // A thread looks at the limit after every 64 nodes, and several threads may take more or
            // fewer nodes in all than one: three parts have to be far from the whole.
            let proof = run(Some(whole.nodes / 10));
            assert_eq!(proof.value(), ProvedValue::Open, "part {part} of {threads} threads");
            assert_eq!(proof.earlier.nodes, nodes, "part {part} of {threads} threads");
            nodes += proof.nodes;
        }
        let last = run(None);
        assert_eq!(last.value(), ProvedValue::Win(Side::Defenders));
        assert_certified(&last, &tables, &start, "continued");
        assert!(threads > 1 || last.nodes < whole.nodes, "{} of {}", last.nodes, whole.nodes);
        // What was proved is kept for its strategy.
        let again = run(None);
        assert_eq!((again.nodes, again.earlier.nodes), (0, nodes + last.nodes));
        assert_certified(&again, &tables, &start, "known");
    }
}

/// A table with entries, for brandubh.
fn table() -> (Ruleset, HashKeys, ProofTable) {
    let rules = rules("brandubh");
    let keys = HashKeys::new(&rules);
    let table = ProofTable::new(1 << 10).unwrap();
    (0..40).for_each(|number| table.put(key(number), entry(number)));
    (rules, keys, table)
}

fn key(number: u64) -> Key {
    Key { bucket: number.wrapping_mul(0x9e37_79b9_7f4a_7c15), check: number }
}

fn entry(number: u64) -> Entry {
    Entry { phi: number as u32, ..Entry::unpack(1 << 20) }
}

fn kept(table: &ProofTable) -> Vec<Option<Entry>> {
    (0..40).map(|number| table.get(key(number))).collect()
}

fn effort(nodes: u64) -> Effort {
    Effort { nodes, time: Duration::from_secs(nodes) }
}

#[test]
fn what_is_written_is_read() {
    let (rules, keys, table) = table();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::new(&folder.path().join("numbers"));
    let other = ProofTable::new(1 << 10).unwrap();
    assert_eq!(checkpoint.read((&rules, &keys), &other).unwrap(), Effort::default());
    checkpoint.write((&rules, &keys), &table, effort(7)).unwrap();
    assert_eq!(checkpoint.read((&rules, &keys), &other).unwrap(), effort(7));
    let kept =
        |table: &ProofTable| (0..40).map(|number| table.get(key(number))).collect::<Vec<_>>();
    assert!(kept(&table).iter().flatten().count() > 30);
    assert_eq!(kept(&other), kept(&table));
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let (brandubh, keys, table) = table();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers");
    let checkpoint = Checkpoint::new(&path);
    checkpoint.write((&brandubh, &keys), &table, effort(7)).unwrap();
    let whole = fs::read(&path).unwrap();
    let refusal = |rules: &Ruleset, keys: &HashKeys, bytes: usize| {
        let table = ProofTable::new(bytes).unwrap();
        checkpoint.read((rules, keys), &table).unwrap_err().to_string()
    };
    let refused = |bytes: &[u8], words: &[&str]| {
        fs::write(&path, bytes).unwrap();
        let message = refusal(&brandubh, &keys, 1 << 10);
        assert!(words.iter().any(|word| message.contains(word)), "{message}");
        assert!(message.contains("numbers: "), "{message}");
    };
    let mut harmless = 0;
    for length in 0..whole.len() {
        refused(&whole[..length], &["not a checkpoint", "damaged"]);
        let mut flipped = whole.clone();
        flipped[length] ^= 1 << (length % 8);
        // Some bits have no effect on what is read.
        fs::write(&path, &flipped).unwrap();
        let other = ProofTable::new(1 << 10).unwrap();
        match checkpoint.read((&brandubh, &keys), &other) {
            Ok(effort) => {
                assert_eq!((effort, kept(&other)), (self::effort(7), kept(&table)));
                harmless += 1;
            }
            Err(_) => refused(&flipped, &["not a checkpoint", "damaged"]),
        }
    }
    assert!(harmless < whole.len() / 20, "{harmless} of {}", whole.len());
    refused(&[&whole[..], &[0]].concat(), &["damaged: it has more bytes"]);
    refused(b"taflbase proof numbers 2\n", &["not a checkpoint of this version"]);
    fs::write(&path, &whole).unwrap();
    let message = refusal(&brandubh, &keys, 1 << 11);
    assert!(message.contains("a table of 1024 bytes"), "{message}");
    let other = rules("mini-edge");
    let message = refusal(&other, &HashKeys::new(&other), 1 << 10);
    assert!(message.contains("other rules") && message.contains("brandubh"), "{message}");
    let message = refusal(&brandubh, &HashKeys::new(&other), 1 << 10);
    assert!(message.contains("not a checkpoint of this version"), "{message}");
    let nowhere = Checkpoint::new(&folder.path().join("nowhere/numbers"));
    let error = nowhere.read((&brandubh, &keys), &table).unwrap_err().to_string();
    assert!(error.contains("nowhere/numbers: "), "{error}");
}

#[test]
fn after_any_fault_the_file_has_the_old_content_or_the_new() {
    let (rules, keys, table) = table();
    let rules = (&rules, &keys);
    let cuts = (0..10).map(|seed| (Fault::PowerCut, seed));
    let others = [Fault::Fail, Fault::Full, Fault::Kill].map(|fault| (fault, 0));
    for (fault, seed) in others.into_iter().chain(cuts) {
        let mut seen = [0; 2];
        for after in 0.. {
            let what = format!("{fault:?} after {after} calls, seed {seed}");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("numbers");
            Checkpoint::new(&path).write(rules, &table, effort(1)).unwrap();
            let files = FaultyFiles::new(folder.path(), fault, after, seed);
            let mut checkpoint = Checkpoint::new(&path);
            checkpoint.files = Arc::new(files.clone());
            let written = checkpoint.write(rules, &table, effort(2));
            if !files.has_struck() {
                assert!(written.is_ok(), "{what}");
                break;
            }
            drop(checkpoint);
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            let kept = Checkpoint::new(&path).read(rules, &table).expect(&what);
            assert!(kept == effort(1) || kept == effort(2), "{what}: {kept:?}");
            assert!(written.is_err() || kept == effort(2), "{what}");
            seen[kept.nodes as usize - 1] += 1;
            let files = fs::read_dir(folder.path()).unwrap().count();
            assert!(files == 1 || fault == Fault::Kill || fault == Fault::PowerCut, "{what}");
        }
        assert!(seen[0] > 3, "{fault:?}: {seen:?}");
    }
}

#[test]
fn two_searches_do_not_share_a_file() {
    let rules = rules("brandubh");
    let start = Position::start(&rules).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::new(&folder.path().join("numbers"));
    let search = || {
        let mut is_locked = None;
        // The first report ends the search.
        let mut report = |_: &_| {
            is_locked = Some(matches!(checkpoint.lock(), Err(CheckpointError::Busy { .. })));
            false
        };
        let options = options(1, None);
        prove_with_checkpoint(&rules, &start, &options, &checkpoint, &mut report)?;
        Ok::<_, ProofError>(is_locked)
    };
    assert_eq!(search().unwrap(), Some(true));
    let lock = checkpoint.lock().unwrap();
    let error = search().unwrap_err().to_string();
    assert!(error.contains("numbers: another search"), "{error}");
    drop(lock);
    assert_eq!(search().unwrap(), Some(true));
}

/// The file is written while the search goes on. What fails is told, and tried again.
#[test]
fn a_running_search_is_kept() {
    let rules = rules("brandubh");
    let start = Position::start(&rules).unwrap();
    let options = options(2, Some(5_000_000));
    for fails in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let notices = RefCell::new(Vec::new());
        let notice = |text: &str| notices.borrow_mut().push(text.to_owned());
        // The first two calls create a file and delete it.
        let after = if fails { 3 } else { usize::MAX - 1 };
        let files = FaultyFiles::new(folder.path(), Fault::Full, after, 1);
        let mut checkpoint = Checkpoint::new(&path);
        (checkpoint.files, checkpoint.notice) = (Arc::new(files), &notice);
        checkpoint.every = Duration::ZERO;
        let mut is_kept = false;
        let mut report = |_: &_| {
            is_kept = path.exists();
            !is_kept
        };
        let proof =
            prove_with_checkpoint(&rules, &start, &options, &checkpoint, &mut report).unwrap();
        assert!(is_kept && proof.nodes < 5_000_000);
        assert_eq!(notices.borrow().len(), usize::from(fails), "{notices:?}");
        assert!(notices.borrow().iter().all(|text| text.contains("is not kept")), "{notices:?}");
    }
}
