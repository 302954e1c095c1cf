//! Distances of more than 255 plies, which take two bytes each in a table.

use crate::comparison;
use std::fs;

use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions};
use taflbase::index::SliceIndex;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{BySide, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::{
    Access, BlockShape, Code, DONT_CARE, Grid, Header, Metric, Packing, SideSummary, TableWriter,
    ValueHash, dtw_value, wdl_value,
};
use taflbase::tablebase::{BlockCache, CacheStatistics, TablebaseOptions};
use taflbase::value::{Value, Wdl};
use taflbase::verify::{Verdict, memory_bytes, verify_slice};

use crate::positions::random_position;
use crate::reference::{Custom, Solver};

const SERPENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rulesets/serpent.toml");

/// The rules force the king along a path of 161 squares.
#[test]
fn long_wins_are_built() {
    let rules = Ruleset::load(SERPENT).unwrap();
    let game = Custom::parse(&fs::read_to_string(SERPENT).unwrap());
    comparison::compare(&rules, &mut Solver::new(game), &[(0, 1), (0, 2)]);

    let folder = tempfile::tempdir().unwrap();
    let slice: Slice = "K0v2".parse().unwrap();
    let options = BuildOptions::default();
    Build::new(&rules, folder.path(), &[slice]).options(&options).run().unwrap();
    let base = Tablebase::open_files(rules, folder.path()).unwrap();
    for slice in ["K0v1".parse().unwrap(), slice] {
        let [wdl, dtw] = Metric::ALL.map(|metric| base.table(slice, metric).unwrap().header());
        assert_eq!((wdl.packing, dtw.packing), (Packing::Base3, Packing::Words));
        let verdict = verify_slice(&base, slice, &()).unwrap();
        assert!(matches!(verdict, Verdict::Proved { .. }), "{verdict:?}");
        let scores = 2 * dtw.grid.rows() * dtw.grid.lanes() as u64;
        assert!(memory_bytes(&base, slice).unwrap() >= 2 * scores, "two bytes each");
    }
    let start = Position::start(base.rules()).unwrap();
    assert_eq!(base.probe_dtw(&start).unwrap(), Value::Win(319));
    assert_eq!(base.line(&start).unwrap().len(), 319);
}

/// A table of invented values of two bytes each.
struct Forged {
    folder: tempfile::TempDir,
    rules: Ruleset,
    metric: Metric,
    slice: Slice,
    grid: Grid,
    /// The approximate number of consecutive rows with the same value.
    run: u64,
}

impl Forged {
    fn new(metric: Metric, run: u64, shape: impl Fn(usize, u64) -> BlockShape) -> Forged {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let slice: Slice = "K1v2".parse().unwrap();
        let index = SliceIndex::new(&rules, slice).unwrap();
        let (lanes, rows) = (index.lanes().count(), index.rows());
        let grid = Grid::new(lanes, rows, shape(lanes, rows)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let forged = Forged { folder, rules, metric, slice, grid, run };
        forged.write();
        forged
    }

    /// Returns the value in a slot; all codes occur, including those of one byte.
    fn code(&self, side: Side, lane: usize, row: u64) -> Code {
        let mut random = SeededRng::new((row / self.run) << 10 | (lane as u64) << 1 | side as u64);
        match (self.metric, random.below(4)) {
            (Metric::Wdl, _) => random.below(3) as Code,
            (Metric::Dtw, 0) => random.below(4) as Code,
            // Both bytes are equal.
            (Metric::Dtw, 1) => 0x0101 * random.below(255) as Code,
            (Metric::Dtw, _) => random.below(DONT_CARE.into()) as Code,
        }
    }

    fn write(&self) {
        let folder = self.folder.path().join(&self.rules.name);
        fs::create_dir(&folder).unwrap();
        let path = folder.join(self.metric.file_name(self.slice));
        let header = Header {
            metric: self.metric,
            packing: Packing::Words,
            fingerprint: self.rules.fingerprint(),
            slice: self.slice,
            grid: self.grid,
        };
        let mut writer = TableWriter::create(&path, header).unwrap();
        for block in 0..self.grid.blocks() {
            let extent = self.grid.block_extent(block).unwrap();
            let rows = extent.rows.clone();
            let slots =
                extent.lanes.clone().flat_map(|lane| rows.clone().map(move |row| (lane, row)));
            let codes: Vec<Code> =
                slots.map(|(lane, row)| self.code(extent.side, lane, row)).collect();
            writer.append(block, 1, &codes).unwrap();
        }
        // The counts are wrong, but nothing reads them.
        let summary = SideSummary {
            positions: 2,
            wins: 1,
            losses: 1,
            max_win: DONT_CARE - 2,
            max_loss: DONT_CARE - 3,
            ..SideSummary::default()
        };
        let summaries = BySide::from_fn(|_| self.metric.summary(summary));
        writer.finish(summaries, ValueHash([0; 32])).unwrap();
    }

    fn open(&self, access: Access, cache: BlockCache) -> Tablebase {
        let options = TablebaseOptions { access, cache, embedded: false };
        Tablebase::open_with(self.rules.clone(), self.folder.path(), options).unwrap()
    }

    /// Returns the value of a position as it was written.
    fn value(&self, index: &SliceIndex, position: &Position) -> (Option<Value>, Wdl) {
        let moves = legal_moves(&self.rules, position);
        if moves.iter().any(|played| played.ending.is_some()) {
            return (Some(Value::Win(1)), Wdl::Win);
        }
        let slot = index.rank(position).unwrap();
        let code = self.code(position.to_move, slot.lane.into(), slot.row);
        match self.metric {
            Metric::Wdl => (None, wdl_value(code).unwrap()),
            Metric::Dtw => {
                let value = dtw_value(code).unwrap();
                (Some(value), value.wdl())
            }
        }
    }

    /// Probes random positions in every way.
    fn is_read(&self) {
        let index = SliceIndex::new(&self.rules, self.slice).unwrap();
        let mut random = SeededRng::new(self.run);
        let positions: Vec<Position> = (0..2500)
            .map(|i| random_position(&self.rules, self.slice, i % 3 == 0, &mut random))
            .collect();
        let values: Vec<(Option<Value>, Wdl)> =
            positions.iter().map(|position| self.value(&index, position)).collect();
        for bytes in [0, 1 << 12, 1 << 16, 1 << 26] {
            for access in [Access::Mapped, Access::Read] {
                let base = self.open(access, BlockCache::new(bytes));
                self.are_probed(&base, &positions, &values);
                let CacheStatistics { hits, misses, .. } = base.cache().statistics();
                // Whole blocks do not fit into the smaller caches.
                assert!(misses > 0 && (hits > 0 || bytes < 1 << 26), "{hits}, {misses}");
                assert!(hits == 0 || bytes > 0, "{hits}");
            }
        }
    }

    fn are_probed(
        &self,
        base: &Tablebase,
        positions: &[Position],
        values: &[(Option<Value>, Wdl)],
    ) {
        let table = base.table(self.slice, self.metric).unwrap();
        assert_eq!(table.header().packing, Packing::Words);
        // Twice, so that some are in the cache.
        for _ in 0..2 {
            for (position, &(value, wdl)) in positions.iter().zip(values) {
                assert_eq!(base.probe_wdl(position).unwrap(), wdl);
                if let Some(value) = value.filter(|_| self.metric == Metric::Dtw) {
                    assert_eq!(base.probe_dtw(position).unwrap(), value);
                }
            }
            let many = base.probe_many_wdl(positions);
            let wdl = many.into_iter().map(|found| found.unwrap());
            assert!(wdl.eq(values.iter().map(|&(_, wdl)| wdl)));
            if self.metric == Metric::Dtw {
                let many = base.probe_many_dtw(positions);
                let found = many.into_iter().map(|found| Some(found.unwrap()));
                assert!(found.eq(values.iter().map(|&(value, _)| value)));
            }
        }
    }
}

fn blocks_of(values: usize) -> impl Fn(usize, u64) -> BlockShape {
    move |lanes, rows| BlockShape::holding(values, lanes, rows)
}

#[test]
fn distances_in_two_bytes_are_read() {
    for run in [1, 50, 4000] {
        Forged::new(Metric::Dtw, run, blocks_of(Packing::Words.default_block_values())).is_read();
        // An odd number of values, fewer than fit into a page of the cache.
        Forged::new(Metric::Dtw, run, blocks_of(333)).is_read();
    }
}

#[test]
fn outcomes_in_two_bytes_are_read() {
    Forged::new(Metric::Wdl, 7, blocks_of(Packing::Words.default_block_values())).is_read();
}
