//! A reader of the table of proof numbers never gets the entry of another position.

use loom::sync::Arc;
use loom::thread;
use taflbase_loom::proof::Table;

/// The numbers stored for a position.
fn numbers(position: u64) -> [u32; 2] {
    [1, 2].map(|number| 10 * position as u32 + number)
}

fn check(table: &Table, position: u64) {
    check_found(position, table.get(position));
}

fn check_found(position: u64, found: Option<u32>) {
    assert!(
        found.is_none_or(|found| numbers(position).contains(&found)),
        "position {position} has {found:?}"
    );
}

/// Two threads choose the same place for different positions.
#[test]
fn two_threads_store_while_one_reads() {
    loom::model(|| {
        let table = Arc::new(Table::default());
        let writers = [1, 2].map(|position| {
            let table = Arc::clone(&table);
            thread::spawn(move || table.put(position, numbers(position)[0]))
        });
        check(&table, 1);
        for writer in writers {
            writer.join().unwrap();
        }
        [1, 2].into_iter().for_each(|position| check(&table, position));
    });
}

/// A thread takes an entry that another one replaces.
#[test]
fn an_entry_is_taken_while_it_is_replaced() {
    loom::model(|| {
        let table = Arc::new(Table::default());
        table.put(1, numbers(1)[0]);
        let other = Arc::clone(&table);
        let writer = thread::spawn(move || {
            other.put(1, numbers(1)[1]);
            other.put(2, numbers(2)[0]);
        });
        check_found(1, table.take(1));
        check(&table, 1);
        check(&table, 2);
        writer.join().unwrap();
        [1, 2].into_iter().for_each(|position| check(&table, position));
    });
}
