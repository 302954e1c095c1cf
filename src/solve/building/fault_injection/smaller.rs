//! Smaller slices replaced while a slice is in progress.

use crate::game::rules::BySide;
use crate::table::{Access, Code, Table, TableWriter, ValueHash};

use super::*;

/// Work based on another table of a smaller slice is not reused.
#[test]
fn work_depends_on_the_smaller_slices() {
    let case = Case::new("mini-corner", "K1v2");
    let smaller = "K1v1.dtw";
    for after in (0..1200).step_by(5) {
        let root = tempfile::tempdir().unwrap();
        for slice in ["K0v1", "K0v2", "K1v1"] {
            let smaller = Case {
                slice: slice.parse().unwrap(),
                whole: BTreeMap::new(),
                rules: case.rules.clone(),
            };
            smaller.build(&BuildEnv::default(), root.path()).unwrap();
        }
        let path = root.path().join(&case.rules.name).join(smaller);
        make_wrong(&path);
        let (env, _) = faulty(root.path(), (Fault::Kill, after, 0), &IN_MEMORY, Duration::MAX);
        let _ = case.build(&env, root.path());
        fs::write(&path, &case.whole[smaller]).unwrap();
        // The table that is written last.
        if case.files(root.path()).contains_key("K1v2.dtw") {
            // Checks the test itself: the wrong table leads to wrong values.
            assert!(after >= 100, "{after}");
            assert!(case.files(root.path()) != case.whole);
            return;
        }
        case.goes_on(&IN_MEMORY, root.path(), &format!("killed after {after} calls"));
    }
    panic!("no build was finished");
}

/// Replaces a table by a valid one with other values.
fn make_wrong(path: &Path) {
    let table = Table::open(path, Access::Read).unwrap();
    let header = *table.header();
    let blocks: Vec<Vec<Code>> = (0..header.grid.blocks())
        .map(|block| {
            let mut values = Vec::new();
            table.read_block(block, &mut values).unwrap();
            // Draws, which every table can have.
            values.fill(0);
            values
        })
        .collect();
    let summaries = BySide::from_fn(|side| *table.summary(side));
    drop(table);
    let mut writer = TableWriter::create(path, header).unwrap();
    for (number, values) in (0..).zip(&blocks) {
        writer.append(number, 1, values).unwrap();
    }
    writer.finish(summaries, ValueHash([7; 32])).unwrap();
}
