//! What a prober does, step by step: moves and un-moves, rank and unrank, a
//! block, a probe.
//!
//! Every benchmark asserts its answer.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use taflbase::Tablebase;
use taflbase::build::{BuildOptions, build, slices_up_to};
use taflbase::index::SliceIndex;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::table::{Metric, Packing, dtw_code, encode_block};
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
    let encoded = encode_block(Packing::Bytes, 9, &values).unwrap();
    c.bench_function("encode a block of 16384 values", |b| {
        b.iter(|| {
            assert_eq!(encode_block(Packing::Bytes, 9, black_box(&values)).unwrap(), encoded)
        });
    });
}

fn probe(c: &mut Criterion) {
    let rules = Ruleset::load("brandubh").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slices = slices_up_to(&rules, 5);
    build(&rules, folder.path(), &slices, &BuildOptions::default(), &(), &mut |_| {}).unwrap();
    let position = Position::parse(POSITION, &rules).unwrap();
    let tables = Tablebase::open(rules, folder.path()).unwrap();
    let table = tables.table(position.slice(), Metric::Dtw).unwrap();
    let index = tables.index(position.slice(), Metric::Dtw).unwrap();
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
    c.bench_function("probe DTW, block in the cache", |b| {
        b.iter(|| assert_eq!(tables.probe_dtw(black_box(&position)).unwrap(), Value::Loss(4)));
    });
    c.bench_function("probe WDL, block in the cache", |b| {
        b.iter(|| assert_eq!(tables.probe_wdl(black_box(&position)).unwrap(), Wdl::Loss));
    });
}

criterion_group!(benches, moves, index, blocks, probe);
criterion_main!(benches);
