//! Damaged files: every kind of probe gives a correct value or a typed error, and all other
//! files still give values.

use crate::forge;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use taflbase::Tablebase;
use taflbase::build::{Build, slices_up_to};
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::Ruleset;
use taflbase::table::{Access, Metric, Part, Table, TableErrorKind};
use taflbase::tablebase::{BlockCache, Probe, ProbeError, TablebaseOptions};
use taflbase::value::{Value, Wdl};

use crate::positions::random_position;

const MOST_MEN: usize = 4;

/// The tables of a ruleset of up to [`MOST_MEN`] men in their own folder.
struct Place {
    rules: Ruleset,
    folder: tempfile::TempDir,
}

/// The values of a position in the sound tables.
struct Known {
    position: Position,
    value: Value,
    probe: Probe,
    line: Vec<Move>,
}

impl Place {
    fn new(rules: &str) -> Place {
        let rules = Ruleset::builtin(rules).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let slices = slices_up_to(&rules, MOST_MEN);
        Build::new(&rules, folder.path(), &slices).run().unwrap();
        Place { rules, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(&self.rules.name).join(name)
    }

    fn open(&self, access: Access) -> Tablebase {
        let options = TablebaseOptions { access, cache: BlockCache::new(1 << 20), embedded: false };
        Tablebase::open_with(self.rules.clone(), self.folder.path(), options).unwrap()
    }

    /// Draws random positions of a slice.
    fn positions(&self, slice: &str, count: usize) -> Vec<Position> {
        let (slice, mut random) = (slice.parse().unwrap(), SeededRng::new(9));
        (0..count).map(|i| random_position(&self.rules, slice, i % 3 == 0, &mut random)).collect()
    }

    fn known(&self, slice: &str, count: usize) -> Vec<Known> {
        let base = self.open(Access::Read);
        let known = |position: Position| Known {
            position,
            value: base.probe_dtw(&position).unwrap(),
            probe: base.probe(&position).unwrap(),
            line: base.line(&position).unwrap(),
        };
        self.positions(slice, count).into_iter().map(known).collect()
    }
}

impl Known {
    /// Probes in every way and counts the errors.
    fn ask(&self, base: &Tablebase, file: &Path) -> usize {
        let Known { position, value, probe, line } = self;
        let best = probe.moves.first().map(|best| best.played);
        let many = |position| base.probe_many_dtw(&[position]).remove(0);
        [
            wrong(base.probe_wdl(position), &value.wdl(), file),
            wrong(base.probe_dtw(position), value, file),
            wrong(many(*position), value, file),
            wrong(base.probe(position), probe, file),
            wrong(base.best_move(position), &best, file),
            wrong(base.line(position), line, file),
        ]
        .into_iter()
        .filter(|&wrong| wrong)
        .count()
    }
}

/// Returns whether there is an error, which must name the file; a value must be correct.
fn wrong<T: PartialEq + std::fmt::Debug>(
    answer: Result<T, ProbeError>,
    right: &T,
    file: &Path,
) -> bool {
    match answer {
        Ok(answer) => {
            assert_eq!(answer, *right);
            false
        }
        // An error of another version, if the byte belongs to the version's number.
        Err(ProbeError::Corrupted(error) | ProbeError::Unsupported(error)) => {
            let text = error.to_string();
            assert!(error.path.as_deref() == Some(file) && !text.contains('\n'), "{text}");
            true
        }
        Err(error) => panic!("{error:?}"),
    }
}

/// Replaces the file by a new one: existing mappings keep their bytes.
fn replace(file: &Path, bytes: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

/// Damages a file in each of these ways, and probes positions that need it.
fn survive(
    place: &Place,
    slice: &str,
    metric: Metric,
    damages: impl Fn(&[u8]) -> Vec<(String, Vec<u8>)>,
) {
    let file = place.file(&format!("{slice}.{metric}"));
    let known = place.known(slice, 12);
    // Their captures lead to the file's slice.
    let others = place.known("K1v2", 4);
    let sound = fs::read(&file).unwrap();
    for (name, damaged) in damages(&sound) {
        replace(&file, &damaged);
        let errors = [Access::Mapped, Access::Read].map(|access| {
            let base = place.open(access);
            let refused = base.table(slice.parse().unwrap(), metric).is_err();
            let errors: usize = known.iter().map(|known| known.ask(&base, &file)).sum();
            // Half of the ways probe this metric first; a file that cannot be opened gives no
            // value, whatever the rules decide.
            let by_rule = known.iter().all(|known| known.value == Value::Win(1));
            assert!(by_rule || !refused || errors > 0, "{name}");
            for known in &others {
                wrong(base.probe_wdl(&known.position), &known.value.wdl(), &file);
                assert_eq!(base.probe_dtw(&known.position).unwrap(), known.value, "{name}");
            }
            errors
        });
        assert_eq!(errors[0], errors[1], "{name}");
        let checked = Table::open(&file, Access::Read).map_err(|error| vec![error]);
        let errors = checked.and_then(|table| table.check()).unwrap_err();
        assert!(!errors.is_empty(), "{name}");
    }
    replace(&file, &sound);
}

#[test]
fn every_byte_may_be_changed() {
    for (rules, slice, metric) in
        [("brandubh", "K0v1", Metric::Dtw), ("brandubh", "K0v2", Metric::Wdl)]
    {
        survive(&Place::new(rules), slice, metric, |sound| {
            (0..sound.len())
                .map(|at| {
                    let mut bytes = sound.to_vec();
                    bytes[at] ^= 1 << (at % 8);
                    (format!("{slice}.{metric}, byte {at}"), bytes)
                })
                .collect()
        });
    }
}

#[test]
fn a_file_may_be_truncated_anywhere() {
    survive(&Place::new("brandubh"), "K1v1", Metric::Dtw, |sound| {
        (0..sound.len())
            .map(|length| (format!("{length} bytes"), sound[..length].to_vec()))
            .collect()
    });
}

/// Another process may change the bytes of an open file after they were checked.
#[test]
fn bytes_may_change_while_a_file_is_open() {
    let place = Place::new("brandubh");
    let file = place.file("K1v1.dtw");
    let known = place.known("K1v1", 12);
    let sound = fs::read(&file).unwrap();
    let mut errors = 0;
    for access in [Access::Mapped, Access::Read] {
        for at in 0..sound.len() {
            let base = place.open(access);
            base.table("K1v1".parse().unwrap(), Metric::Dtw).unwrap();
            let mut damaged = sound.clone();
            damaged[at] ^= 0x80;
            // In place, and of the same length.
            fs::write(&file, &damaged).unwrap();
            errors += known.iter().map(|known| known.ask(&base, &file)).sum::<usize>();
            fs::write(&file, &sound).unwrap();
        }
    }
    assert!(errors > 0);
}

#[test]
fn check_names_the_damaged_blocks_and_no_others() {
    let place = Place::new("brandubh");
    let file = place.file("K2v1.dtw");
    let sound = fs::read(&file).unwrap();
    let payloads = forge::payloads(&sound);
    assert!(payloads.len() > 3);
    // All blocks have entries, so the numbers of entries are those of blocks.
    let table = Table::open(&file, Access::Read).unwrap();
    assert_eq!(forge::index(&sound).len() as u64 / 8, table.header().grid.blocks());
    let mut random = SeededRng::new(4);
    for _ in 0..100 {
        let (mut bytes, mut blocks) = (sound.clone(), Vec::new());
        for (entry, payload) in &payloads {
            if random.below(3) == 0 {
                bytes[payload.start + random.below(payload.len())] ^= 1 << random.below(8);
                blocks.push(*entry as u64);
            }
        }
        replace(&file, &bytes);
        let table = Table::open(&file, Access::Mapped).unwrap();
        let errors = table.check().err().unwrap_or_default();
        let named = errors.iter().filter_map(|error| match error.kind {
            TableErrorKind::Corrupted(Part::Block(block)) => Some(block),
            _ => None,
        });
        assert_eq!(named.collect::<Vec<u64>>(), blocks);
    }
}

/// `mcgill` has the rules of `tablut`, and thus its tables.
#[test]
fn damage_in_another_rulesets_folder_is_found() {
    let place = Place::new("tablut");
    let file = place.file("K0v2.dtw");
    let positions = place.positions("K0v2", 200);
    let mut bytes = fs::read(&file).unwrap();
    let footer = bytes.len() - forge::FOOTER;
    bytes[footer] ^= 1;
    replace(&file, &bytes);
    let rules = Ruleset::builtin("mcgill").unwrap();
    let base = Tablebase::open(rules, place.folder.path()).unwrap();
    let answers = base.probe_many_dtw(&positions);
    let damaged = |answer: &Result<Value, ProbeError>| matches!(answer, Err(ProbeError::Corrupted(error)) if error.path.as_ref() == Some(&file));
    assert!(answers.iter().any(damaged));
    assert!(answers.iter().all(|answer| damaged(answer) || matches!(answer, Ok(Value::Win(1)))));
}

#[test]
fn one_damaged_file_does_not_affect_the_others() {
    let place = Place::new("brandubh");
    let broken = ["K2v1.wdl", "K2v1.dtw", "K0v3.wdl", "K0v3.dtw"];
    let slices = ["K0v1", "K0v2", "K1v1", "K1v2", "K2v1", "K0v3"];
    let known = slices.map(|slice| place.known(slice, 40));
    for (i, name) in broken.iter().enumerate() {
        let mut bytes = fs::read(place.file(name)).unwrap();
        match i {
            0 => bytes.clear(),
            1 => bytes.truncate(100),
            2 => bytes[20] ^= 1,
            _ => {
                let payloads = forge::payloads(&bytes);
                assert!(!payloads.is_empty());
                for (_, payload) in payloads {
                    bytes[payload.start] ^= 1;
                }
            }
        }
        replace(&place.file(name), &bytes);
    }
    let base = place.open(Access::Mapped);
    let failed = AtomicBool::new(false);
    thread::scope(|scope| {
        for i in 0..4 {
            let (base, known, failed) = (&base, &known, &failed);
            scope.spawn(move || {
                for round in 0..20 {
                    // The threads begin with different slices, sound and damaged.
                    let number = (i + round) % slices.len();
                    let sound = !broken.iter().any(|name| name.starts_with(slices[number]));
                    for known in &known[number] {
                        let dtw = base.probe_dtw(&known.position);
                        let wdl: Result<Wdl, ProbeError> = base.probe_wdl(&known.position);
                        match (dtw, wdl) {
                            (Ok(dtw), Ok(wdl)) => {
                                assert_eq!((dtw, wdl), (known.value, known.value.wdl()));
                            }
                            (Err(_), _) | (_, Err(_)) => {
                                assert!(!sound);
                                failed.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                }
            });
        }
    });
    assert!(failed.into_inner());
}
