//! The solver's inner loops: rows, transforms, the king's slides, the moves of a block, and the
//! loops for a bare king, for rows of one and of two words.
//!
//! Every benchmark asserts its result.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use taflbase::board::Symmetry;
use taflbase::kernels::Kernels;
use taflbase::rules::{Ruleset, Side};

fn slice<const N: usize>(c: &mut Criterion, rules: &str, slice: &str) {
    let rules = Ruleset::load(rules).unwrap();
    let kernels: Kernels<N> = Kernels::new(&rules, slice.parse().unwrap()).unwrap();
    let name = format!("{} {slice}", rules.name);
    let mut group = c.benchmark_group("all rows");
    group.throughput(Throughput::Elements(kernels.rows() as u64));
    let lanes = kernels.transform(Symmetry::IDENTITY);
    for symmetry in Symmetry::ALL {
        let id = BenchmarkId::new(format!("transform by {symmetry:?}"), &name);
        group.bench_function(id, |b| b.iter(|| assert_eq!(kernels.transform(symmetry), lanes)));
    }
    let origins = kernels.king_origins();
    assert!(origins > lanes);
    group.bench_function(BenchmarkId::new("king origins", &name), |b| {
        b.iter(|| assert_eq!(kernels.king_origins(), origins));
    });
    group.finish();
    let block = 5;
    for side in Side::ALL {
        let found = kernels.quiet_moves(side, block);
        assert!(found > 0);
        c.bench_function(&format!("moves of the {} in a block of {name}", side.name()), |b| {
            b.iter(|| assert_eq!(kernels.quiet_moves(side, block), found));
        });
    }
}

fn bare_king<const N: usize>(c: &mut Criterion, rules: &str, slice: &str) {
    let rules = Ruleset::load(rules).unwrap();
    let kernels: Kernels<N> = Kernels::new(&rules, slice.parse().unwrap()).unwrap();
    let bare = kernels.bare_king();
    let name = format!("{} {slice}", rules.name);
    let mut group = c.benchmark_group("all rows of a bare king");
    group.throughput(Throughput::Elements(kernels.rows() as u64));
    for side in Side::ALL {
        let decided = bare.decided(side);
        assert!(decided > 0);
        let id = BenchmarkId::new(format!("decided by the {}", side.name()), &name);
        group.bench_function(id, |b| b.iter(|| assert_eq!(bare.decided(side), decided)));
    }
    let left = bare.stars();
    assert!(left > 0);
    group.bench_function(BenchmarkId::new("stars", &name), |b| {
        b.iter(|| assert_eq!(bare.stars(), left));
    });
    let kings = bare.kings();
    assert!(kings > 0);
    group.bench_function(BenchmarkId::new("kings", &name), |b| {
        b.iter(|| assert_eq!(bare.kings(), kings));
    });
    group.finish();
}

fn kernels(c: &mut Criterion) {
    slice::<1>(c, "brandubh", "K2v2");
    slice::<2>(c, "tablut", "K2v1");
    bare_king::<1>(c, "brandubh", "K0v3");
    bare_king::<2>(c, "tablut", "K0v3");
}

criterion_group!(benches, kernels);
criterion_main!(benches);
