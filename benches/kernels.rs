//! The solver's inner loops: rows, transforms, the king's slides, and the moves of a
//! block, for rows of one and of two words.
//!
//! Every benchmark asserts its answer.

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

fn kernels(c: &mut Criterion) {
    slice::<1>(c, "brandubh", "K2v2");
    slice::<2>(c, "tablut", "K2v1");
}

criterion_group!(benches, kernels);
criterion_main!(benches);
