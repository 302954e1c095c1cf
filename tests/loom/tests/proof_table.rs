//! A reader of the table of proof numbers never gets the entry of another position.

use std::collections::BTreeSet;
use std::sync::Mutex;

use loom::sync::Arc;
use loom::thread;
use taflbase_loom::proof::Table;

/// The numbers stored for a position.
fn numbers(position: u64) -> [u32; 2] {
    [1, 2].map(|number| 10 * position as u32 + number)
}

/// Fills the bucket of a table with positions 1, 3 and 4, so that position 2 takes the place of
/// position 1. Then each writer runs in a thread of its own, while another one reads position 1 by
/// `read`. Returns the numbers that it may find.
fn explore(
    read: fn(&Table, u64) -> Option<u32>,
    writers: &'static [fn(&Table)],
) -> Vec<Option<u32>> {
    let found = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let outcomes = std::sync::Arc::clone(&found);
    loom::model(move || {
        let table = Arc::new(Table::default());
        [1, 3, 4].into_iter().for_each(|position| table.put(position, numbers(position)[0]));
        // The reader is the first thread, and a writer runs in this one: see the cache's test.
        let reader = thread::spawn({
            let (table, outcomes) = (Arc::clone(&table), std::sync::Arc::clone(&outcomes));
            move || {
                let seen = check(1, read(&table, 1));
                outcomes.lock().unwrap().insert(seen);
            }
        });
        let (own, others) = writers.split_last().unwrap();
        let others: Vec<_> = others
            .iter()
            .map(|write| {
                let table = Arc::clone(&table);
                thread::spawn(move || write(&table))
            })
            .collect();
        own(&table);
        for thread in others.into_iter().chain([reader]) {
            thread.join().unwrap();
        }
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

/// Two threads choose the same place for different positions.
#[test]
fn two_threads_store_while_one_reads() {
    let found = explore(
        Table::get,
        &[|table| table.put(1, numbers(1)[1]), |table| table.put(2, numbers(2)[0])],
    );
    assert_eq!(found, [None, Some(11), Some(12)]);
}

/// A thread takes an entry that another one replaces.
#[test]
fn an_entry_is_taken_while_it_is_replaced() {
    let found = explore(
        Table::take,
        &[|table| {
            table.put(1, numbers(1)[1]);
            table.put(2, numbers(2)[0]);
        }],
    );
    assert_eq!(found, [None, Some(11), Some(12)]);
}
