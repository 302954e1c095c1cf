//! The verifier proves correct tables and finds every kind of wrong value.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions, needed};
use taflbase::index::{SliceIndex, Slot};
use taflbase::moves::legal_moves;
use taflbase::progress::{Phase, Progress};
use taflbase::rules::{BySide, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::{
    Access, BlockShape, Code, Grid, Header, Metric, SideSummary, Table, TableWriter, ValueHash,
    dtw_value, wdl_value,
};
use taflbase::tablebase::ProbeError;
use taflbase::value::Value;
use taflbase::verify::{Finding, Sample, Verdict, VerifyError, verify_sample, verify_slice};
use tempfile::{TempDir, tempdir};

fn ruleset(name: &str) -> Ruleset {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rulesets/{name}.toml"));
    let name = if file.is_file() { file.to_str().unwrap() } else { name };
    Ruleset::load(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Tables of a ruleset in a temporary folder.
struct Tables {
    rules: Ruleset,
    folder: TempDir,
}

impl Tables {
    fn new(ruleset_name: &str, slices: &[&str]) -> Tables {
        let rules = ruleset(ruleset_name);
        let folder = tempdir().unwrap();
        let slices: Vec<Slice> = slices.iter().map(|text| text.parse().unwrap()).collect();
        let options = BuildOptions::default();
        Build::new(&rules, folder.path(), &slices).options(&options).run().unwrap();
        Tables { rules, folder }
    }

    fn path(&self, slice: Slice, metric: Metric) -> PathBuf {
        let folder = self.folder.path().join(&self.rules.name);
        folder.join(metric.file_name(slice))
    }

    fn verify(&self, slice: Slice) -> Result<Verdict, VerifyError> {
        let base = Tablebase::open_files(self.rules.clone(), self.folder.path()).unwrap();
        verify_slice(&base, slice, &())
    }

    fn verify_sample(&self, slice: Slice, sample: Sample) -> Result<Verdict, VerifyError> {
        let base = Tablebase::open_files(self.rules.clone(), self.folder.path()).unwrap();
        verify_sample(&base, slice, &sample, &())
    }

    /// Verifies a slice with wrong values.
    #[track_caller]
    fn findings(&self, slice: Slice) -> (u64, Vec<Finding>) {
        match self.verify(slice).unwrap() {
            Verdict::Wrong { findings, first } => (findings, first),
            other => panic!("{other:?}"),
        }
    }

    /// Rewrites a table with its values and summaries changed.
    fn rewrite(
        &self,
        slice: Slice,
        metric: Metric,
        change: impl Fn(Side, usize, u64, Code) -> Code,
        recount: impl Fn(&mut BySide<SideSummary>),
    ) {
        let path = self.path(slice, metric);
        let table = Table::open(&path, Access::Mapped).unwrap();
        let header = *table.header();
        let mut writer = TableWriter::create(&path, header).unwrap();
        let mut codes = Vec::new();
        for block in 0..header.grid.blocks() {
            table.read_block(block, &mut codes).unwrap();
            let extent = header.grid.block_extent(block).unwrap();
            let slots = extent.lanes.clone().flat_map(|lane| {
                let rows = extent.rows.clone();
                rows.map(move |row| (lane, row))
            });
            for (code, (lane, row)) in codes.iter_mut().zip(slots) {
                *code = change(extent.side, lane, row, *code);
            }
            writer.append(block, 1, &codes).unwrap();
        }
        let mut summaries = BySide::from_fn(|side| *table.summary(side));
        recount(&mut summaries);
        writer.finish(summaries, table.value_hash()).unwrap();
    }
}

#[test]
fn every_built_slice_is_proved() {
    let built = [
        ("mini-corner", &["K0v5", "K1v4", "K2v2", "K3v1"][..]),
        ("mini-edge", &["K0v5", "K1v4", "K2v3"]),
        ("mini-camps", &["K0v3", "K1v2", "K2v1"]),
        ("lopsided", &["K1v2", "K2v1"]),
        ("sieges", &["K1v4", "K2v3"]),
        ("walls", &["K4v4", "K3v5"]),
        ("plain-walls", &["K3v3"]),
        ("unarmed-walls", &["K3v3"]),
        ("unarmed", &["K1v2", "K2v1"]),
        ("steps", &["K2v2"]),
        ("forts", &["K4v2", "K5v1"]),
        ("rings", &["K1v6", "K2v7"]),
        ("great-corner", &["K0v2"]),
        ("huge-corner", &["K1v1"]),
        ("outposts-15", &["K1v2", "K2v1", "K0v3"]),
        ("outposts-17", &["K1v2", "K2v1", "K0v3"]),
        ("brandubh", &["K1v2", "K2v1"]),
        ("brandubh-online", &["K1v2"]),
        ("berkeley", &["K0v2", "K1v1"]),
        ("tablut", &["K1v1"]),
        ("ashton", &["K1v1"]),
        ("ashton-server", &["K0v2", "K1v1"]),
    ];
    for (name, slices) in built {
        let tables = Tables::new(name, slices);
        let slices: Vec<Slice> = slices.iter().map(|text| text.parse().unwrap()).collect();
        for slice in needed(&slices) {
            let verdict = tables.verify(slice).unwrap();
            assert!(
                matches!(verdict, Verdict::Proved { positions: 1.. }),
                "{name} {slice}: {verdict:?}"
            );
        }
    }
}

/// Builds a slice with draws, wins and losses.
const WITH_DRAWS: (&str, &str) = ("mini-corner", "K1v4");

fn with_draws() -> (Tables, Slice) {
    let (rules, slice) = WITH_DRAWS;
    (Tables::new(rules, &[slice]), slice.parse().unwrap())
}

/// Returns whether the table determines the value of the slot.
fn is_determined_by_table(rules: &Ruleset, index: &SliceIndex, slot: Slot, to_move: Side) -> bool {
    index.unrank(slot, to_move).is_some_and(|position| {
        let moves = legal_moves(rules, &position);
        index.rank(&position) == Some(slot) && moves.iter().all(|played| played.ending.is_none())
    })
}

/// Returns a slot of the DTW table with a value that satisfies the condition, and its position.
fn slot_with(
    tables: &Tables,
    slice: Slice,
    wanted: impl Fn(Value) -> bool,
) -> (Side, usize, u64, Value) {
    let base = Tablebase::open_files(tables.rules.clone(), tables.folder.path()).unwrap();
    let table = base.table(slice, Metric::Dtw).unwrap();
    let index = base.index(slice).unwrap();
    // Starting in the middle, so that the slots vary.
    let rows = index.rows() / 2..index.rows();
    for row in rows {
        for lane in 0..index.lanes().count() {
            for side in Side::ALL {
                if !is_determined_by_table(
                    &tables.rules,
                    index,
                    Slot { lane: lane as u16, row },
                    side,
                ) {
                    continue;
                }
                let value = dtw_value(table.value(side, lane, row).unwrap()).unwrap();
                if wanted(value) {
                    return (side, lane, row, value);
                }
            }
        }
    }
    panic!("no such value in {slice}");
}

/// Stores another code for one slot and expects the verifier to name it.
#[track_caller]
fn finds(wanted: impl Fn(Value) -> bool, wrong: impl Fn(Code) -> Code) {
    let (tables, slice) = with_draws();
    let (side, lane, row, right) = slot_with(&tables, slice, wanted);
    let change = |s, l, r, code| {
        if (s, l, r) == (side, lane, row) { wrong(code) } else { code }
    };
    tables.rewrite(slice, Metric::Dtw, change, |_| {});
    let (count, first) = tables.findings(slice);
    assert!(count >= first.len() as u64);
    let index = SliceIndex::new(&tables.rules, slice).unwrap();
    let (attackers, defenders) = index.unrank_row(row);
    let named = first.iter().any(|finding| match finding {
        Finding::Dtw { position, stored, found } => {
            position.attackers == attackers
                && position.defenders == defenders
                && position.king == index.lanes().squares()[lane]
                && position.to_move == side
                && *found == right
                && *stored != right
        }
        _ => false,
    });
    assert!(named, "{right:?} at {side:?} {lane} {row}: {first:?}");
    assert_eq!(tables.findings(slice), (count, first), "the same every time");
}

#[test]
fn a_wrong_win_is_found() {
    finds(|value| value == Value::Win(3), |_| 0);
    finds(|value| value == Value::Win(5), |_| 2);
}

#[test]
fn a_wrong_draw_is_found() {
    finds(|value| value == Value::Draw, |_| 5);
    finds(|value| value == Value::Draw, |_| 6);
}

#[test]
fn a_wrong_loss_is_found() {
    finds(|value| value == Value::Loss(4), |_| 0);
    finds(|value| value == Value::Loss(2), |_| 1);
}

#[test]
fn a_wrong_distance_is_found() {
    finds(|value| value == Value::Win(3), |code| code + 2);
    finds(|value| value == Value::Win(5), |code| code - 2);
    finds(|value| value == Value::Loss(2), |code| code + 2);
    finds(|value| value == Value::Loss(4), |code| code - 2);
}

#[test]
fn a_wrong_sign_is_found() {
    let (tables, slice) = with_draws();
    let (side, lane, row, _) = slot_with(&tables, slice, |value| value == Value::Draw);
    let change = |s, l, r, code| {
        if (s, l, r) == (side, lane, row) { 1 } else { code }
    };
    tables.rewrite(slice, Metric::Wdl, change, |_| {});
    let (count, first) = tables.findings(slice);
    assert_eq!(count, 2);
    let index = SliceIndex::new(&tables.rules, slice).unwrap();
    match first[..] {
        [Finding::Wdl { position, stored, found }, Finding::ValueHash { .. }] => {
            assert_eq!((position.attackers, position.defenders), index.unrank_row(row));
            assert_eq!(position.king, index.lanes().squares()[lane]);
            assert_eq!(position.to_move, side);
            assert_eq!((wdl_value(1), wdl_value(0)), (Some(stored), Some(found)));
        }
        _ => panic!("{first:?}"),
    }
}

#[test]
fn a_wrong_summary_is_found() {
    for metric in Metric::ALL {
        for side in Side::ALL {
            let (tables, slice) = with_draws();
            let recount = |summaries: &mut BySide<SideSummary>| {
                summaries[side].draws += 1;
                summaries[side].positions += 1;
            };
            tables.rewrite(slice, metric, |_, _, _, code| code, recount);
            let (count, first) = tables.findings(slice);
            assert_eq!(count, 1, "{first:?}");
            match first[..] {
                [Finding::Summary { metric: m, side: s, stored, found }] => {
                    assert_eq!((m, s), (metric, side));
                    assert_eq!(stored.draws, found.draws + 1);
                }
                _ => panic!("{first:?}"),
            }
        }
    }
}

#[test]
fn a_wrong_longest_win_or_loss_is_found() {
    let (tables, slice) = with_draws();
    let recount = |summaries: &mut BySide<SideSummary>| {
        summaries[Side::Attackers].max_win += 2;
        summaries[Side::Defenders].max_loss += 2;
    };
    tables.rewrite(slice, Metric::Dtw, |_, _, _, code| code, recount);
    // The summary of the WDL table is correct.
    assert_eq!(tables.findings(slice).0, 2);
}

#[test]
fn dont_cares_may_have_any_value() {
    let (tables, slice) = with_draws();
    let index = SliceIndex::new(&tables.rules, slice).unwrap();
    for metric in Metric::ALL {
        let change = |side, lane: usize, row, code: Code| {
            let slot = Slot { lane: lane as u16, row };
            if is_determined_by_table(&tables.rules, &index, slot, side) {
                code
            } else {
                2 - code.min(2)
            }
        };
        tables.rewrite(slice, metric, change, |_| {});
    }
    let verdict = tables.verify(slice).unwrap();
    assert!(matches!(verdict, Verdict::Proved { positions: 1.. }), "{verdict:?}");
}

#[test]
fn a_wrong_value_hash_is_found() {
    let (tables, slice) = with_draws();
    for metric in Metric::ALL {
        let path = tables.path(slice, metric);
        let right = std::fs::read(&path).unwrap();
        // The hash of another table.
        let other =
            Table::open(&tables.path("K0v4".parse().unwrap(), metric), Access::Mapped).unwrap();
        copy(&path, |header| header, other.value_hash());
        let (count, first) = tables.findings(slice);
        assert_eq!(count, 1);
        assert!(matches!(first[..], [Finding::ValueHash { metric: m, .. }] if m == metric));
        std::fs::write(&path, right).unwrap();
    }
}

#[test]
fn the_value_hash_does_not_depend_on_how_values_are_stored() {
    let (tables, slice) = with_draws();
    for metric in Metric::ALL {
        let path = tables.path(slice, metric);
        let hash = Table::open(&path, Access::Mapped).unwrap().value_hash();
        let cut = |header: Header| {
            let shape = BlockShape { lanes_per_block: 1, rows_per_block: 777 };
            let grid = Grid::new(header.grid.lanes(), header.grid.rows(), shape).unwrap();
            Header { grid, ..header }
        };
        copy(&path, cut, hash);
    }
    let verdict = tables.verify(slice).unwrap();
    assert!(matches!(verdict, Verdict::Proved { .. }), "{verdict:?}");
    let rebuilt = tempdir().unwrap();
    let options = BuildOptions { level: Some(1), ..BuildOptions::default() };
    Build::new(&tables.rules, rebuilt.path(), &[slice]).options(&options).run().unwrap();
    for metric in Metric::ALL {
        let path = rebuilt.path().join(&tables.rules.name).join(metric.file_name(slice));
        let [one, other] =
            [path, tables.path(slice, metric)].map(|p| Table::open(&p, Access::Mapped).unwrap());
        assert_eq!(one.value_hash(), other.value_hash());
        assert_ne!(one.size_bytes(), other.size_bytes());
    }
}

/// Rewrites a table with other blocks or another hash.
fn copy(path: &Path, change: impl Fn(Header) -> Header, hash: ValueHash) {
    let table = Table::open(path, Access::Read).unwrap();
    let old = table.header().grid;
    let mut lanes = BySide::from_fn(|_| vec![Vec::new(); old.lanes()]);
    let mut codes = Vec::new();
    for block in 0..old.blocks() {
        table.read_block(block, &mut codes).unwrap();
        let extent = old.block_extent(block).unwrap();
        let height = (extent.rows.end - extent.rows.start) as usize;
        for (lane, codes) in extent.lanes.zip(codes.chunks_exact(height)) {
            lanes[extent.side][lane].extend_from_slice(codes);
        }
    }
    let header = change(*table.header());
    let mut writer = TableWriter::create(path, header).unwrap();
    for block in 0..header.grid.blocks() {
        let extent = header.grid.block_extent(block).unwrap();
        let rows = extent.rows.start as usize..extent.rows.end as usize;
        let lanes = &lanes[extent.side][extent.lanes];
        let codes: Vec<Code> = lanes.iter().flat_map(|lane| &lane[rows.clone()]).copied().collect();
        writer.append(block, 1, &codes).unwrap();
    }
    writer.finish(BySide::from_fn(|side| *table.summary(side)), hash).unwrap();
}

/// A table that is consistent in itself is still wrong where its captures lead to a wrong one.
#[test]
fn a_wrong_table_is_found_in_those_that_depend_on_it() {
    let (tables, slice) = with_draws();
    let child: Slice = "K0v4".parse().unwrap();
    let draw_all = |_, _, _, _| 0;
    tables.rewrite(child, Metric::Dtw, draw_all, |_| {});
    assert!(tables.findings(child).0 > 0);
    assert!(tables.findings(slice).0 > 0);
}

#[test]
fn wdl_tables_alone_are_consistent_or_wrong() {
    let (tables, slice) = with_draws();
    let draw = slot_with(&tables, slice, |value| value == Value::Draw);
    std::fs::remove_file(tables.path(slice, Metric::Dtw)).unwrap();
    let verdict = tables.verify(slice).unwrap();
    assert!(matches!(verdict, Verdict::Consistent { positions: 1.. }), "{verdict:?}");
    // It reads the dependencies' WDL tables, or the outcomes of their DTW tables.
    for metric in Metric::ALL {
        let child: Slice = "K1v3".parse().unwrap();
        let path = tables.path(child, metric);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(tables.verify(slice).unwrap(), verdict);
        std::fs::write(&path, bytes).unwrap();
    }
    for wrong in [1, 2] {
        let change = |s, l, r, code| {
            if (s, l, r) == (draw.0, draw.1, draw.2) { wrong } else { code }
        };
        tables.rewrite(slice, Metric::Wdl, change, |_| {});
        let (_, first) = tables.findings(slice);
        assert!(first.iter().any(|finding| matches!(finding, Finding::Wdl { .. })), "{first:?}");
    }
}

const EVERYTHING: Sample =
    Sample { percent: 100.0, seed: 0, memory_bytes: u64::MAX, part: 0, parts: 1 };

/// About twice the memory that is needed to compare any block of a slice.
fn little_memory(tables: &Tables, slice: Slice) -> u64 {
    let mut memory_bytes = 1;
    loop {
        match tables.verify_sample(slice, Sample { memory_bytes, ..EVERYTHING }) {
            Err(VerifyError::BlockTooLarge { bytes, .. }) => memory_bytes = bytes,
            Err(error) => panic!("{error}"),
            Ok(_) => return 2 * memory_bytes,
        }
    }
}

#[test]
fn a_sample_of_everything_proves_what_is_proved_in_full() {
    let built = [
        ("mini-corner", &["K0v5", "K1v4", "K2v2", "K3v1"][..]),
        ("mini-edge", &["K1v4", "K2v3"]),
        ("mini-camps", &["K1v2"]),
        ("lopsided", &["K1v2", "K2v1"]),
        ("berkeley", &["K1v1"]),
    ];
    for (name, slices) in built {
        let tables = Tables::new(name, slices);
        for slice in slices.iter().map(|text| text.parse().unwrap()) {
            let Verdict::Proved { positions: all } = tables.verify(slice).unwrap() else {
                panic!("{name} {slice}");
            };
            let memory_bytes = little_memory(&tables, slice);
            for sample in [EVERYTHING, Sample { memory_bytes, ..EVERYTHING }] {
                let verdict = tables.verify_sample(slice, sample).unwrap();
                assert!(
                    matches!(verdict, Verdict::Sampled { positions, .. } if positions == all),
                    "{name} {slice}: {verdict:?}"
                );
            }
        }
    }
}

/// Returns tables with one wrong distance.
fn with_a_wrong_value() -> (Tables, Slice) {
    let (tables, slice) = with_draws();
    let (side, lane, row, _) = slot_with(&tables, slice, |value| value == Value::Win(5));
    let change = |s, l, r, code| if (s, l, r) == (side, lane, row) { code - 2 } else { code };
    tables.rewrite(slice, Metric::Dtw, change, |_| {});
    (tables, slice)
}

#[test]
fn a_sample_of_everything_finds_what_is_found_in_full() {
    let (tables, slice) = with_a_wrong_value();
    let (count, mut first) = tables.findings(slice);
    // The findings in the whole table.
    first.retain(|finding| !matches!(finding, Finding::ValueHash { .. }));
    match tables.verify_sample(slice, EVERYTHING).unwrap() {
        Verdict::Wrong { findings, first: found } => {
            assert_eq!(findings, count - 1);
            assert!(found.starts_with(&first), "{found:?} {first:?}");
        }
        other => panic!("{other:?}"),
    }
    let memory_bytes = little_memory(&tables, slice);
    let in_groups = tables.verify_sample(slice, Sample { memory_bytes, ..EVERYTHING });
    assert!(matches!(in_groups, Ok(Verdict::Wrong { findings, .. }) if findings == count - 1));
}

#[test]
fn a_wrong_value_is_found_if_its_block_is_in_the_sample() {
    let (tables, slice) = with_a_wrong_value();
    let verdict = |seed| {
        let sample = Sample { percent: 10.0, seed, ..EVERYTHING };
        tables.verify_sample(slice, sample).unwrap()
    };
    let verdicts: Vec<Verdict> = (0..40).map(verdict).collect();
    let wrong = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Wrong { .. })).count();
    assert!((1..40).contains(&wrong), "{wrong}");
    assert_eq!(verdicts, (0..40).map(verdict).collect::<Vec<_>>(), "the same every time");
}

#[test]
fn impossible_samples_are_refused() {
    let tables = Tables::new("brandubh", &["K0v1"]);
    let verify = |sample| tables.verify_sample("K0v1".parse().unwrap(), sample);
    assert!(verify(EVERYTHING).is_ok());
    for percent in [0.0, -1.0, 100.1, f64::NAN] {
        let refused = verify(Sample { percent, ..EVERYTHING });
        assert!(matches!(refused, Err(VerifyError::ImpossibleSample)), "{percent}");
    }
    for (part, parts) in [(0, 0), (1, 1), (5, 3)] {
        let refused = verify(Sample { part, parts, ..EVERYTHING });
        assert!(matches!(refused, Err(VerifyError::ImpossibleSample)), "{part} of {parts}");
    }
}

/// Several processes find together what one finds.
#[test]
fn the_parts_of_a_sample_add_up_to_it() {
    let (tables, slice) = with_a_wrong_value();
    let whole = Sample { percent: 50.0, ..EVERYTHING };
    let mut seen = Vec::new();
    for seed in 0..8 {
        let whole = Sample { seed, ..whole };
        let part = |part| tables.verify_sample(slice, Sample { part, parts: 3, ..whole }).unwrap();
        let parts: Vec<Verdict> = (0..3).map(part).collect();
        let sum = |count: fn(&Verdict) -> u64| parts.iter().map(count).sum::<u64>();
        let findings = |verdict: &Verdict| match verdict {
            Verdict::Wrong { findings, .. } => *findings,
            _ => 0,
        };
        let verdict = tables.verify_sample(slice, whole).unwrap();
        assert_eq!(sum(findings), findings(&verdict));
        if let Verdict::Sampled { blocks: all, positions: total, .. } = verdict {
            let blocks = sum(|part| match part {
                Verdict::Sampled { blocks, .. } => *blocks,
                _ => 0,
            });
            let positions = sum(|part| match part {
                Verdict::Sampled { positions, .. } => *positions,
                _ => 0,
            });
            assert_eq!((blocks, positions), (all, total));
        }
        seen.push(findings(&verdict) > 0);
    }
    assert!(seen.contains(&true) && seen.contains(&false), "{seen:?}");
}

#[test]
fn samples_do_not_depend_on_threads_or_memory() {
    let (tables, slice) = with_draws();
    let memory_bytes = little_memory(&tables, slice);
    for seed in 0..3 {
        let sample = Sample { percent: 20.0, seed, ..EVERYTHING };
        let verdict = tables.verify_sample(slice, sample).unwrap();
        assert!(matches!(verdict, Verdict::Sampled { blocks: 1.., positions: 1.., .. }));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let little = Sample { memory_bytes, ..sample };
            assert_eq!(pool.install(|| tables.verify_sample(slice, sample)).unwrap(), verdict);
            assert_eq!(pool.install(|| tables.verify_sample(slice, little)).unwrap(), verdict);
        }
    }
}

#[test]
fn samples_of_wdl_tables_alone_are_of_that_metric() {
    let (tables, slice) = with_draws();
    std::fs::remove_file(tables.path(slice, Metric::Dtw)).unwrap();
    let verdict = tables.verify_sample(slice, Sample { percent: 5.0, ..EVERYTHING }).unwrap();
    assert!(matches!(verdict, Verdict::Sampled { metric: Metric::Wdl, .. }), "{verdict:?}");
}

#[test]
fn a_missing_table_is_named() {
    let (tables, slice) = with_draws();
    for missing in ["K0v4", "K1v3", "K1v2", "K1v1"] {
        let child: Slice = missing.parse().unwrap();
        let path = tables.path(child, Metric::Dtw);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let error = tables.verify(slice).unwrap_err();
        let expected =
            VerifyError::Table(ProbeError::MissingTable { slice: child, metric: Metric::Dtw });
        assert_eq!(error.to_string(), expected.to_string());
        assert!(error.to_string().contains(&format!("{missing}.dtw")), "{error}");
        std::fs::write(&path, bytes).unwrap();
    }
    let absent = tables.verify("K3v3".parse().unwrap()).unwrap_err();
    assert!(absent.to_string().contains("K3v3.dtw"), "{absent}");
}

#[test]
fn a_damaged_table_is_named() {
    let (tables, slice) = with_draws();
    for damaged in ["K1v4", "K0v4"] {
        let path = tables.path(damaged.parse().unwrap(), Metric::Dtw);
        let bytes = std::fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        // The end of the last record, which is before the index; the first number in the footer
        // is the position of the index.
        let footer = bytes.len() - 172;
        let index = u64::from_le_bytes(bytes[footer..footer + 8].try_into().unwrap());
        changed[index as usize - 1] ^= 1;
        std::fs::write(&path, changed).unwrap();
        let error = tables.verify(slice).unwrap_err();
        assert!(matches!(error, VerifyError::Table(ProbeError::Corrupted(_))), "{error}");
        assert!(error.to_string().contains(&format!("{damaged}.dtw")), "{error}");
        std::fs::write(&path, bytes).unwrap();
    }
}

/// Cancels a verification once its values have been read.
#[derive(Default)]
struct Hasty {
    is_cancelled: AtomicBool,
    rows: AtomicU64,
}

impl Progress for Hasty {
    fn phase(&self, _slice: Slice, phase: Phase, _rows: u64) {
        self.is_cancelled.fetch_or(phase == Phase::Verifying, Ordering::Relaxed);
    }

    fn advance(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

#[test]
fn a_verification_is_cancelled() {
    let tables = Tables::new("brandubh", &["K1v1"]);
    let base = Tablebase::open_files(tables.rules.clone(), tables.folder.path()).unwrap();
    let hasty = Hasty::default();
    let cancelled = verify_slice(&base, "K1v1".parse().unwrap(), &hasty);
    assert!(matches!(cancelled, Err(VerifyError::Cancelled)), "{cancelled:?}");
    assert_eq!(hasty.rows.into_inner(), 0);
}
