//! Positions with their node counts, from `tests/data/perft.tsv`.

/// A row of the file.
pub(crate) struct Counted {
    pub(crate) rules: &'static str,
    /// The position as text, or `start`.
    pub(crate) position: &'static str,
    /// The counts from depth 1 on.
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
