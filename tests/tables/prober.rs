//! The prober: the same value in every way of probing, within its memory limits, and a typed
//! error for everything that is wrong.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::thread;

use taflbase::Tablebase;
use taflbase::board::{Square, SquareSet};
use taflbase::build::{Build, BuildOptions, slices_up_to};
use taflbase::moves::legal_moves;
use taflbase::position::{Position, PositionError};
use taflbase::random::SeededRng;
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric, TableErrorKind};
use taflbase::tablebase::{BlockCache, ProbeError, Probed, TablebaseOptions};
use taflbase::unmoves::unmoves;
use taflbase::value::Value;

use crate::positions::{all_positions, random_position};

const SLICES: [&str; 2] = ["K1v3", "K2v2"];

/// The built slices, and positions of them with their values.
struct Tables {
    folder: tempfile::TempDir,
    rules: Ruleset,
    positions: Vec<Position>,
    values: Vec<Value>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices: Vec<Slice> = SLICES.map(|slice| slice.parse().unwrap()).to_vec();
    let options = BuildOptions::default();
    Build::new(&rules, folder.path(), &slices).options(&options).run().unwrap();
    let mut random = SeededRng::new(3);
    let positions: Vec<Position> = (0..20_000)
        .map(|i| random_position(&rules, slices[i % 2], i % 3 == 0, &mut random))
        .collect();
    // Directly from the tables, block by block.
    let base = Tablebase::open_files(rules.clone(), folder.path()).unwrap();
    let values = positions.iter().map(|position| by_hand(&base, position)).collect();
    Tables { folder, rules, positions, values }
});

fn by_hand(base: &Tablebase, position: &Position) -> Value {
    let rules = base.rules();
    if legal_moves(rules, position).iter().any(|played| played.ending.is_some()) {
        return Value::Win(1);
    }
    let slice = position.slice();
    let slot = base.index(slice).unwrap().rank(position).unwrap();
    let table = base.table(slice, Metric::Dtw).unwrap();
    let code = table.value(position.to_move, slot.lane.into(), slot.row).unwrap();
    taflbase::table::dtw_value(code).unwrap()
}

impl Tables {
    fn open(&self, access: Access, cache: BlockCache) -> Tablebase {
        let options = TablebaseOptions { access, cache, embedded: false };
        Tablebase::open_with(self.rules.clone(), self.folder.path(), options).unwrap()
    }

    /// Probes all positions, beginning with the given one, and compares.
    fn probe_all(&self, base: &Tablebase, first: usize) {
        let pairs = self.positions.iter().zip(&self.values);
        for (position, &value) in pairs.cycle().skip(first).take(self.positions.len()) {
            assert_eq!(base.probe_dtw(position).unwrap(), value);
            assert_eq!(base.probe_wdl(position).unwrap(), value.wdl());
        }
    }
}

/// The size of a frame of the cache.
const FRAME: usize = 1 << 12;

#[test]
fn every_way_of_probing_gives_the_same_value() {
    let tables = &*TABLES;
    for bytes in [0, FRAME, 4 * FRAME, 1 << 20, 1 << 28] {
        for access in [Access::Mapped, Access::Scanned, Access::Read] {
            let base = tables.open(access, BlockCache::new(bytes));
            tables.probe_all(&base, 0);
            let statistics = base.cache().statistics();
            assert!(statistics.bytes <= statistics.limit_bytes && statistics.limit_bytes <= bytes);
            assert!(statistics.misses > 0 && (statistics.hits > 0) == (bytes > 0));
            assert_eq!(base.tables_open(), 2 * SLICES.len());
        }
    }
}

#[test]
fn many_positions_have_the_values_of_single_probes() {
    let tables = &*TABLES;
    let mut positions = tables.positions.clone();
    // Invalid positions have their own errors, in their own places.
    positions[7].attackers.insert(tables.rules.board.centre());
    for bytes in [0, 1 << 20, 1 << 28] {
        let base = tables.open(Access::Mapped, BlockCache::new(bytes));
        for _ in 0..2 {
            let dtw = base.probe_many_dtw(&positions);
            let wdl = base.probe_many_wdl(&positions);
            assert_eq!((dtw.len(), wdl.len()), (positions.len(), positions.len()));
            for (i, &value) in tables.values.iter().enumerate() {
                if i == 7 {
                    assert!(matches!(dtw[i], Err(ProbeError::Position(_))));
                    assert!(matches!(wdl[i], Err(ProbeError::Position(_))));
                } else {
                    assert_eq!(*dtw[i].as_ref().unwrap(), value);
                    assert_eq!(*wdl[i].as_ref().unwrap(), value.wdl());
                }
            }
        }
    }
    let base = tables.open(Access::Mapped, BlockCache::default());
    assert!(base.probe_many_wdl(&[]).is_empty());
}

#[test]
fn threads_share_a_cache_within_its_bound() {
    let tables = &*TABLES;
    // Counts the probes that read a block.
    let alone = tables.open(Access::Mapped, BlockCache::new(1 << 28));
    tables.probe_all(&alone, 0);
    let counted = alone.cache().statistics();
    let reads = counted.hits + counted.misses;
    assert!(reads > 1000);

    for frames in [1, 5, 20, 100] {
        let cache = BlockCache::new(frames * FRAME);
        let bases = [Access::Mapped, Access::Read].map(|access| tables.open(access, cache.clone()));
        thread::scope(|scope| {
            for i in 0..4 {
                let (base, cache) = (&bases[i % 2], &cache);
                scope.spawn(move || {
                    tables.probe_all(base, i * 777);
                    let statistics = cache.statistics();
                    assert!(statistics.bytes <= frames * FRAME, "{statistics:?}");
                });
            }
        });
        let statistics = cache.statistics();
        assert_eq!(statistics.hits + statistics.misses, 4 * reads);
        assert_eq!((statistics.bytes, statistics.limit_bytes), (frames * FRAME, frames * FRAME));

        // A closed tablebase leaves its share of the cache to the others.
        let [mapped, read] = bases;
        drop(mapped);
        tables.probe_all(&read, 0);
        drop(read);
        assert_eq!(cache.statistics().bytes, 0);
    }
}

#[test]
fn several_rulesets_can_be_open() {
    let tables = &*TABLES;
    let cache = BlockCache::default();
    let brandubh = tables.open(Access::Mapped, cache.clone());
    let rules = Ruleset::builtin("berkeley").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slice = "K1v1".parse().unwrap();
    Build::new(&rules, folder.path(), &[slice]).run().unwrap();
    let options =
        TablebaseOptions { cache: cache.clone(), embedded: false, ..TablebaseOptions::default() };
    let berkeley = Tablebase::open_with(rules.clone(), folder.path(), options).unwrap();

    let mut random = SeededRng::new(5);
    let mut positions: Vec<Position> =
        (0..500).map(|_| random_position(&rules, slice, true, &mut random)).collect();
    all_positions(&rules, "K0v1".parse().unwrap(), |position| positions.push(position));
    for _ in 0..2 {
        tables.probe_all(&brandubh, 0);
        for position in &positions {
            assert_eq!(berkeley.probe_dtw(position).unwrap(), by_hand(&berkeley, position));
        }
    }
    assert_eq!(cache.statistics(), brandubh.cache().statistics());
    // A position of one game is not valid in another.
    let king = rules.board.square(70).unwrap();
    let attackers = SquareSet::of(rules.board.square(60).unwrap());
    let position =
        Position::new(&rules, king, SquareSet::EMPTY, attackers, Side::Attackers).unwrap();
    let error = brandubh.probe_wdl(&position).unwrap_err();
    assert!(matches!(error, ProbeError::Position(PositionError::OtherRules { .. })), "{error}");
}

#[test]
fn tables_come_from_several_folders() {
    let tables = &*TABLES;
    let own = tables.folder.path().join("brandubh");
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (slice, folder) in SLICES.into_iter().zip(&folders) {
        let name = format!("{slice}.dtw");
        fs::copy(own.join(&name), folder.path().join(&name)).unwrap();
    }
    let mut base = without_tables(tables.rules.clone());
    assert_eq!(base.max_men(), 0);
    let error = base.probe_wdl(&tables.positions[0]).unwrap_err().to_string();
    assert_eq!(error, "there is no wdl table of K1v3; build the slice or add its folder");
    for folder in &folders {
        assert_eq!(base.add_directory(folder.path()).unwrap(), 1);
    }
    assert_eq!((base.max_men(), base.tables_open()), (5, 0));
    tables.probe_all(&base, 0);
    assert_eq!(base.tables_open(), 2);
}

/// Opens the tables of a folder; of the DTW tables only those that `keep` selects.
/// A folder of a ruleset's tables is mistaken for the folder above it: without an error, all of
/// them would seem to be missing.
#[test]
fn a_folder_of_tables_is_not_the_folder_above_it() {
    let Tables { folder, rules, .. } = &*TABLES;
    let own = folder.path().join("brandubh");
    for rules in [rules.clone(), Ruleset::builtin("ashton").unwrap()] {
        let name = rules.name.clone();
        let error = Tablebase::open(rules, &own).err().unwrap();
        assert!(matches!(&error, ProbeError::TablesWithoutFolder { path, .. } if *path == own));
        assert!(error.to_string().contains(&format!("in a folder named {name}")), "{error}");
    }
    // Files beside the ruleset's folder are nobody's.
    let (above, file) = (tempfile::tempdir().unwrap(), "K0v1.dtw");
    fs::create_dir(above.path().join("brandubh")).unwrap();
    fs::copy(own.join(file), above.path().join(file)).unwrap();
    let base = Tablebase::open_files(rules.clone(), above.path()).unwrap();
    assert!(base.slices(Metric::Dtw).is_empty());
}

fn some_of(folder: &Path, keep: impl Fn(&str) -> bool) -> (tempfile::TempDir, Tablebase) {
    let some = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".wdl") || name.ends_with(".dtw") && keep(name) {
            fs::copy(&path, some.path().join(name)).unwrap();
        }
    }
    let mut base = without_tables(Ruleset::builtin("brandubh").unwrap());
    base.add_directory(some.path()).unwrap();
    (some, base)
}

/// Opens no tables, not even the embedded ones.
fn without_tables(rules: Ruleset) -> Tablebase {
    let options = TablebaseOptions { embedded: false, ..TablebaseOptions::default() };
    Tablebase::with_options(rules, options)
}

/// Whichever tables are missing, a best move is optimal, and otherwise there is an error.
#[test]
fn a_best_move_is_optimal_or_an_error() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(&rules, 4);
    Build::new(&rules, folder.path(), &slices).run().unwrap();
    let sound = Tablebase::open_files(rules.clone(), folder.path()).unwrap();
    let folder = folder.path().join("brandubh");
    type Keep = fn(&str) -> bool;
    let keeps: [(Keep, &str); 3] = [
        (|_| false, "no distances"),
        (|name| name == "K1v2.dtw", "only those of K1v2"),
        (|name| name != "K1v2.dtw", "all but those of K1v2"),
    ];
    for (keep, name) in keeps {
        let (_some, base) = some_of(&folder, keep);
        let mut random = SeededRng::new(7);
        let (mut found, mut missing, mut by_capture) = (0, 0, 0);
        for i in 0..4000 {
            // Captures in K1v2 lead to other slices; in most positions the men stand close.
            let slice = ["K1v2", "K0v3"][i % 2].parse().unwrap();
            let position = random_position(&rules, slice, i % 4 < 3, &mut random);
            let value = sound.probe_dtw(&position).unwrap();
            match base.best_move(&position) {
                Ok(None) => assert_eq!(value, Value::Loss(0)),
                Ok(Some(best)) => {
                    let after = match best.ending {
                        Some(_) => Value::Loss(0),
                        None => sound.probe_dtw(&position.after(&best)).unwrap(),
                    };
                    assert_eq!(after.before(), value, "{name}: {}", position.to_text(&rules));
                    found += 1;
                    by_capture += usize::from(best.is_conversion());
                }
                Err(ProbeError::MissingTable { metric: Metric::Dtw, .. }) => missing += 1,
                Err(error) => panic!("{name}: {error}"),
            }
            match base.line(&position) {
                Ok(line) => assert_eq!(line.len(), usize::from(value.plies().unwrap_or(0))),
                Err(ProbeError::MissingTable { metric: Metric::Dtw, .. }) => {}
                Err(error) => panic!("{name}: {error}"),
            }
        }
        assert!(found > 100 && missing > 100, "{name}: {found} found, {missing} missing");
        assert!(by_capture > 0 || name == "no distances", "{name}");
    }
}

#[test]
fn a_win_by_the_rules_needs_no_tables() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let base = Tablebase::new(rules.clone());
    let text = "/2K4/3t3/5T1/6t/t1tt1T1/4t1T/7/ d";
    let position = Position::parse(text, &rules).unwrap();
    assert!(base.probe(&position).unwrap().moves.iter().any(|played| played.value.is_none()));
    let best = base.best_move(&position).unwrap().unwrap();
    assert_eq!(best.display(rules.board).to_string(), "Kc1-a1--");
    assert_eq!(base.line(&position).unwrap(), [best]);
}

/// Truncates a file in place, as another process might.
fn cut(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() / 8).unwrap();
}

#[test]
fn truncating_an_open_file_is_an_error() {
    let tables = &*TABLES;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("K2v2.dtw");
    fs::copy(tables.folder.path().join("brandubh/K2v2.dtw"), &path).unwrap();
    let options =
        TablebaseOptions { access: Access::Read, cache: BlockCache::new(0), embedded: false };
    let mut base = Tablebase::with_options(tables.rules.clone(), options);
    base.add_directory(folder.path()).unwrap();
    let positions: Vec<(Position, Value)> = tables
        .positions
        .iter()
        .copied()
        .zip(tables.values.iter().copied())
        .filter(|(position, _)| position.slice().attackers == 2)
        .collect();
    for (position, value) in &positions {
        assert_eq!(base.probe_dtw(position).unwrap(), *value);
    }
    cut(&path);
    let mut errors = 0;
    let only: Vec<Position> = positions.iter().map(|&(position, _)| position).collect();
    for ((position, value), many) in positions.iter().zip(base.probe_many_dtw(&only)) {
        match base.probe_dtw(position) {
            Ok(found) => assert_eq!((found, many.unwrap()), (*value, *value)),
            Err(error) => {
                let cut = matches!(&error, ProbeError::Corrupted(e) if matches!(e.kind, TableErrorKind::Truncated));
                assert!(cut && many.is_err(), "{error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 0);
}

#[test]
fn positions_can_be_made_without_text() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let square = |name: &str| rules.board.parse(name).unwrap();
    let attackers = SquareSet::from_words([1 << square("e2").index() | 1 << 44, 0, 0, 0, 0, 0]);
    let position =
        Position::new(&rules, square("c5"), SquareSet::EMPTY, attackers, Side::Defenders).unwrap();
    assert_eq!(position.to_text(&rules), "/7/4t2/7/7/2K4/7/2t4/ d");

    let none = SquareSet::EMPTY;
    let wrong = [
        (square("c5"), none, attackers.with(square("c5")), "two pieces stand on c5"),
        (square("a1"), none, attackers, "the game is over: the king on a1 has won"),
        (
            square("c5"),
            none,
            none,
            "the game is over: no attackers are left, so the defenders have won",
        ),
        (
            square("c5"),
            none,
            attackers.with(square("d4")),
            "an attacker cannot stand on d4 (throne): use any square except a1, g1, d4, a7 and g7",
        ),
        (
            Square::new(49),
            none,
            attackers,
            "the king is on square 49, but a 7x7 board has the squares 0 to 48",
        ),
        (
            square("c5"),
            SquareSet::of(Square::new(300)),
            attackers,
            "a defender is on square 300, but a 7x7 board has the squares 0 to 48",
        ),
    ];
    let base = Tablebase::new(rules.clone());
    for (king, defenders, attackers, message) in wrong {
        let error = Position::new(&rules, king, defenders, attackers, Side::Defenders).unwrap_err();
        assert_eq!(error.to_string(), message);
        // Made by hand: every probe refuses it, and it has some moves or none.
        let to_move = Side::Defenders;
        let position = Position { king, defenders, attackers, to_move, rules: rules.id() };
        assert_eq!(base.probe_wdl(&position).unwrap_err().to_string(), message);
        assert_eq!(base.best_move(&position).unwrap_err().to_string(), message);
        for side in Side::ALL {
            let position = Position { to_move: side, ..position };
            for played in legal_moves(&rules, &position) {
                legal_moves(&rules, &position.after(&played));
            }
            for unmove in &unmoves(&rules, &position) {
                legal_moves(&rules, &position.before(unmove));
            }
        }
    }
}

/// Of these positions there is no table.
#[test]
fn a_position_that_its_moves_decide_needs_no_table() {
    let cases = [
        // The last attacker is captured, blocked, or already blocked.
        ("brandubh", "/1t1T3/7/TT5/TT1K2T/7/5T1/7/ d", Value::Win(1)),
        ("brandubh", "/1tT4/2T4/4TTT/TT1K3/7/7/7/ d", Value::Win(1)),
        ("brandubh", "/1tT4/1T5/4TTT/TT1K3/7/7/7/ a", Value::Loss(0)),
        // An exit fort is completed, or complete.
        ("copenhagen", "/11/11/11/TT9/1TT8/K1T8/1T7T1/TT9/9t1/9t1/11/ d", Value::Win(1)),
        ("copenhagen", "/3TK1T4/4TT5/11/11/11/11/11/8t2/8t2/11/11/ a", Value::Loss(0)),
    ];
    for (name, text, value) in cases {
        let base = Tablebase::new(Ruleset::load(name).unwrap());
        let position = Position::parse(text, base.rules()).unwrap();
        let expected = Probed::from(value);
        assert_eq!(base.probe_dtw(&position).unwrap(), value, "{text}");
        assert_eq!(base.probe_wdl(&position).unwrap(), value.wdl(), "{text}");
        assert_eq!(base.probe_many(&[position])[0].as_ref().unwrap(), &expected, "{text}");
        assert_eq!(base.probe_many_dtw(&[position])[0].as_ref().unwrap(), &value, "{text}");
        assert_eq!(base.probe_many_wdl(&[position])[0].as_ref().unwrap(), &value.wdl(), "{text}");
        let probe = base.probe(&position).unwrap();
        assert_eq!(probe.value, expected, "{text}");
        let line = base.line(&position).unwrap();
        assert_eq!(line.len(), usize::from(value.plies().unwrap()), "{text}");
        let Some(best) = probe.best_move(&position).unwrap() else { continue };
        let after = position.after(&best);
        assert!(best.ending.is_some() || legal_moves(base.rules(), &after).is_empty(), "{text}");
    }
}
