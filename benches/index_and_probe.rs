//! The steps of a probe: moves and un-moves, rank and unrank, decoding a block, and whole probes.
//!
//! Every benchmark asserts its result.

use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use taflbase::Tablebase;
use taflbase::board::Symmetry;
use taflbase::build::{Build, slices_up_to};
use taflbase::index::{SliceIndex, Slot};
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{Ruleset, Side};
use taflbase::table::{Metric, Packing, dtw_code, encoded_bytes};
use taflbase::tablebase::{BlockCache, TablebaseOptions};
use taflbase::unmoves::unmoves;
use taflbase::value::{Value, Wdl};

const POSITION: &str = "/3t3/1t5/2K4/5T1/7/4t2/7/ a";

fn moves(c: &mut Criterion) {
    let rules = Ruleset::load("brandubh").unwrap();
    let position = Position::parse(POSITION, &rules).unwrap();
    c.bench_function("legal moves", |b| {
        b.iter(|| assert_eq!(legal_moves(&rules, black_box(&position)).len(), 33));
    });
    let taken_back = unmoves(&rules, &position);
    assert!(taken_back.iter().all(|unmove| {
        let before = position.before(unmove);
        legal_moves(&rules, &before).iter().any(|m| (m.from, m.to) == (unmove.from, unmove.to))
    }));
    c.bench_function("un-moves", |b| {
        b.iter(|| assert_eq!(unmoves(&rules, black_box(&position)), taken_back));
    });
}

fn index(c: &mut Criterion) {
    let rules = Ruleset::load("brandubh").unwrap();
    let position = Position::parse(POSITION, &rules).unwrap();
    let index = SliceIndex::new(&rules, position.slice()).unwrap();
    let slot = index.rank(&position).unwrap();
    c.bench_function("rank", |b| {
        b.iter(|| assert_eq!(index.rank(black_box(&position)), Some(slot)));
    });
    let canonical = index.canonical(&position);
    c.bench_function("unrank", |b| {
        b.iter(|| assert_eq!(index.unrank(black_box(slot), position.to_move), canonical));
    });
}

fn blocks(c: &mut Criterion) {
    let values: Vec<u16> =
        (0..16384_u32).map(|i| ((i / 37).wrapping_mul(2_654_435_761) >> 29) as u16).collect();
    let encoded = || encoded_bytes(Packing::Runs, black_box(&values)).unwrap();
    let bytes = encoded();
    c.bench_function("encode a block of 16384 values", |b| {
        b.iter(|| assert_eq!(encoded(), bytes));
    });
}

fn probe(c: &mut Criterion) {
    let rules = Ruleset::load("brandubh").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(&rules, 5);
    Build::new(&rules, folder.path(), &slices).run().unwrap();
    let position = Position::parse(POSITION, &rules).unwrap();
    let tables = Tablebase::open_files(rules, folder.path()).unwrap();
    let table = tables.table(position.slice(), Metric::Dtw).unwrap();
    let index = tables.index(position.slice()).unwrap();
    let slot = index.rank(&position).unwrap();
    let (block, offset) =
        table.header().grid.locate(position.to_move, slot.lane.into(), slot.row).unwrap();
    let code = dtw_code(Value::Loss(4)).unwrap();
    let mut values = Vec::new();
    c.bench_function("decode a block", |b| {
        b.iter(|| {
            table.read_block(black_box(block), &mut values).unwrap();
            assert_eq!(values[offset], code);
        });
    });
    c.bench_function("probe DTW, block not in the cache", |b| {
        b.iter(|| {
            let slot = index.rank(black_box(&position)).unwrap();
            let found = table.value(position.to_move, slot.lane.into(), slot.row).unwrap();
            assert_eq!(found, code);
        });
    });
}

/// Random positions of brandubh K2v4, with their values, that need a block read: no rule decides
/// them, and their blocks hold more than one value.
struct Sample {
    tables: Tablebase,
    positions: Vec<(Position, Wdl)>,
}

const SAMPLED: usize = 100_000;
/// Larger than all blocks of K2v4's WDL table, which take about 20 MiB.
const ALL_BLOCKS: usize = 512 << 20;

/// Returns the folder of K2v4's tables. They are built once, which takes a minute, and kept.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/bench-tables"))
}

fn open(cache_bytes: usize) -> Tablebase {
    let options = TablebaseOptions {
        cache: BlockCache::new(cache_bytes),
        embedded: false,
        ..TablebaseOptions::default()
    };
    let rules = Ruleset::load("brandubh").unwrap();
    Tablebase::open_with(rules, folder(), options).unwrap()
}

impl Sample {
    fn draw() -> Sample {
        let rules = Ruleset::load("brandubh").unwrap();
        let slice = "K2v4".parse().unwrap();
        Build::new(&rules, folder(), &[slice]).run().unwrap();
        let tables = open(ALL_BLOCKS);
        let index = tables.index(slice).unwrap();
        let lanes = index.lanes().count();
        let mut random = SeededRng::new(0);
        let reads = || {
            let statistics = tables.cache().statistics();
            statistics.hits + statistics.misses
        };
        let mut positions = Vec::new();
        while positions.len() < SAMPLED {
            let lane = random.below(lanes) as u16;
            let slot = Slot { lane, row: random.below(index.rows() as usize) as u64 };
            let Some(position) = index.unrank(slot, Side::ALL[random.below(2)]) else {
                continue;
            };
            let position = position.image(&rules, Symmetry::ALL[random.below(8)]);
            let before = reads();
            let wdl = tables.probe_wdl(&position).unwrap();
            if reads() > before {
                positions.push((position, wdl));
            }
        }
        assert!(tables.cache().statistics().bytes < ALL_BLOCKS, "every block is in the cache");
        Sample { tables, positions }
    }

    /// Probes `probes` positions, starting at index `first`.
    fn probe(&self, tables: &Tablebase, first: usize, probes: u64) {
        let positions = self.positions.iter().cycle().skip(first).take(probes as usize);
        for (position, wdl) in positions {
            assert_eq!(tables.probe_wdl(black_box(position)).unwrap(), *wdl);
        }
    }
}

/// Each sample is the mean over many unrelated positions, probed one after another; criterion
/// reports the median of those means.
fn probe_k2v4(c: &mut Criterion) {
    let sample = Sample::draw();
    let mut group = c.benchmark_group("K2v4");
    for threads in [1, 2] {
        group.throughput(Throughput::Elements(threads));
        group.bench_function(format!("probe WDL, block in the cache, threads: {threads}"), |b| {
            b.iter_custom(|probes| {
                let begun = Instant::now();
                thread::scope(|scope| {
                    for i in 0..threads as usize {
                        let sample = &sample;
                        scope.spawn(move || {
                            sample.probe(&sample.tables, i * SAMPLED / 2, probes);
                        });
                    }
                });
                begun.elapsed()
            });
        });
    }
    group.throughput(Throughput::Elements(1));
    // The default cache holds all blocks, too, and is filled beforehand.
    let by_default = open(BlockCache::DEFAULT_BYTES);
    sample.probe(&by_default, 0, SAMPLED as u64);
    group.bench_function("probe WDL, cache as by default", |b| {
        b.iter_custom(|probes| {
            let begun = Instant::now();
            sample.probe(&by_default, 0, probes);
            begun.elapsed()
        });
    });
    // Without a cache every probe decodes its block, while the file stays in the system's cache.
    let cold = open(0);
    let mut positions = sample.positions.iter().cycle();
    group.bench_function("probe WDL, block not in the cache", |b| {
        b.iter(|| {
            let (position, wdl) = positions.next().unwrap();
            assert_eq!(cold.probe_wdl(black_box(position)).unwrap(), *wdl);
        });
    });
    group.sample_size(10).throughput(Throughput::Elements(SAMPLED as u64));
    let positions: Vec<Position> = sample.positions.iter().map(|&(position, _)| position).collect();
    group.bench_function("probe many WDL, no block in the cache", |b| {
        b.iter(|| {
            let answers = cold.probe_many_wdl(black_box(&positions));
            let wdl = answers.into_iter().map(Result::unwrap);
            assert!(wdl.eq(sample.positions.iter().map(|&(_, wdl)| wdl)));
        });
    });
}

criterion_group!(benches, moves, index, blocks, probe, probe_k2v4);
criterion_main!(benches);
