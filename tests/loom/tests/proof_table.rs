//! A reader of the table of proof numbers never gets the entry of another position.

use std::collections::BTreeSet;
use std::sync::Mutex;

use loom::sync::Arc;
use taflbase_loom::proof::Table;
use taflbase_loom::race;

/// The numbers stored for a position.
fn numbers(position: u64) -> [u32; 2] {
    [1, 2].map(|number| 10 * position as u32 + number)
}

/// Fills the bucket of a table with positions 1, 3 and 4, so that position 2 takes the place of
/// position 1, and lets the reader and the writers race. Returns the numbers that the reader may find.
/// At most `preemptions` times, a thread is interrupted in favour of another one, which does not
/// limit how old the values are that it loads.
fn explore(
    read: fn(&Table) -> Option<u32>,
    writers: &'static [fn(&Table)],
    preemptions: Option<usize>,
) -> Vec<Option<u32>> {
    let found = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let outcomes = std::sync::Arc::clone(&found);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let table = Arc::new(Table::default());
        [1, 3, 4].into_iter().for_each(|position| table.put(position, numbers(position)[0]));
        let outcomes = std::sync::Arc::clone(&outcomes);
        let reader = move |table: &Table| {
            let seen = read(table);
            outcomes.lock().unwrap().insert(seen);
        };
        race(&table, reader, writers.iter().copied());
        for position in [1, 2] {
            check(position, table.get(position));
        }
    });
    found.lock().unwrap().iter().copied().collect()
}

fn check(position: u64, found: Option<u32>) -> Option<u32> {
    assert!(
        found.is_none_or(|found| numbers(position).contains(&found)),
        "position {position} has {found:?}"
    );
    found
}

/// Two threads choose the same place for different positions. Without a bound, the interleavings of
/// three threads take five times as long, and the reader finds nothing else.
#[test]
fn two_threads_store_while_one_reads() {
    let writers: &[fn(&Table)] =
        &[|table| table.put(1, numbers(1)[1]), |table| table.put(2, numbers(2)[0])];
    let found = explore(|table| check(1, table.get(1)), writers, Some(4));
    assert_eq!(found, [None, Some(11), Some(12)]);
    let found = explore(|table| check(2, table.get(2)), writers, Some(4));
    assert_eq!(found, [None, Some(21)]);
}

/// A thread takes an entry that another one replaces.
#[test]
fn an_entry_is_taken_while_it_is_replaced() {
    let found = explore(
        |table| {
            let taken = check(1, table.take(1));
            [1, 2].into_iter().for_each(|position| _ = check(position, table.get(position)));
            taken
        },
        &[|table| {
            table.put(1, numbers(1)[1]);
            table.put(2, numbers(2)[0]);
        }],
        None,
    );
    assert_eq!(found, [None, Some(11), Some(12)]);
}
