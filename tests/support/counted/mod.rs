//! Positions whose lines of moves were counted, as `tests/data/perft.tsv` has them.

/// A row of the file.
pub(crate) struct Counted {
    pub(crate) rules: &'static str,
    /// Its text, or `start`.
    pub(crate) position: &'static str,
    /// From depth 1 on.
    pub(crate) counts: Vec<u64>,
}

pub(crate) fn counted() -> Vec<Counted> {
    let lines = include_str!("../../data/perft.tsv").lines();
    let rows = lines.filter(|line| !line.starts_with('#')).map(|row| {
        let [rules, position, counts] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {row}");
        };
        let counts = counts.split(' ').map(|count| count.parse().unwrap()).collect();
        Counted { rules, position, counts }
    });
    let rows: Vec<Counted> = rows.collect();
    assert!(rows.len() >= 40);
    rows
}
