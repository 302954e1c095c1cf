//! A reader of the cache gets the bytes of its piece or none.

use std::collections::BTreeSet;
use std::sync::Mutex;

use loom::sync::Arc;
use taflbase_loom::race;
use taflbase_loom::tablebase::Cache;

/// Returns the word of a piece.
fn word(number: u64) -> u64 {
    1000 + number
}

/// Fills a cache of one frame with piece 0. Then each list of pieces has a thread that inserts
/// them one after the other, while another thread reads piece `read`. Returns whether it may find
/// the piece, and whether it may not. At most `preemptions` times, a thread is interrupted in
/// favour of another one, which does not limit how old the values are that it loads.
fn explore(
    inserted: &'static [&'static [u64]],
    read: u64,
    preemptions: Option<usize>,
) -> [bool; 2] {
    let found = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let outcomes = std::sync::Arc::clone(&found);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let cache = Arc::new(Cache::new(1));
        cache.insert(0, word(0));
        let outcomes = std::sync::Arc::clone(&outcomes);
        let reader = move |cache: &Cache| {
            let seen = cache.word(read);
            assert!(seen.is_none_or(|seen| seen == word(read)), "piece {read} reads {seen:?}");
            outcomes.lock().unwrap().insert(seen.is_some());
        };
        let writers = inserted.iter().map(|&numbers| move |cache: &Cache| insert(cache, numbers));
        race(&cache, reader, writers);
    });
    [true, false].map(|is_found| found.lock().unwrap().contains(&is_found))
}

fn insert(cache: &Cache, numbers: &[u64]) {
    numbers.iter().for_each(|&number| cache.insert(number, word(number)));
}

/// The frame is given to another entry.
#[test]
fn a_piece_is_evicted_while_it_is_read() {
    for read in [0, 1] {
        assert_eq!(explore(&[&[1]], read, None), [true, true]);
    }
}

/// The entry is as before but for its generation, and its frame held another piece meanwhile.
#[test]
fn a_piece_is_evicted_and_cached_again_while_it_is_read() {
    assert_eq!(explore(&[&[1, 0]], 0, Some(2)), [true, true]);
}

/// Pieces 0, 5 and 10 have the same home: 10 gets the entry that 0 had.
#[test]
fn an_entry_gets_another_piece_while_it_is_read() {
    for read in [0, 5, 10] {
        assert_eq!(explore(&[&[5, 10]], read, Some(2)), [true, true]);
    }
}

#[test]
fn two_threads_cache_pieces_while_one_reads() {
    assert_eq!(explore(&[&[1], &[2]], 0, Some(2)), [true, true]);
}
