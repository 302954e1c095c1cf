use std::num::NonZeroUsize;
use std::time::Duration;

use crate::arena::chance::Chance;
use crate::engine::{Iteration, Limits, Line, Score};
use crate::moves::Move;

/// How well the engine plays.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) name: &'static str,
    /// Positions that it looks at; without that it is the time that ends a search.
    nodes: Option<u64>,
    /// How many moves it chooses from,
    lines: NonZeroUsize,
    /// which are worse than the best by no more than so many hundredths of a soldier.
    margin: i32,
    /// Whether it asks the tables.
    pub(super) asks_tables: bool,
}

const fn level(name: &'static str, nodes: u64, lines: usize, margin: i32) -> Level {
    let lines = match NonZeroUsize::new(lines) {
        Some(lines) => lines,
        None => NonZeroUsize::MIN,
    };
    Level { name, nodes: Some(nodes), lines, margin, asks_tables: false }
}

/// From the weakest to the strongest.
pub(super) const LEVELS: &[Level] = &[
    level("beginner", 150, 8, 200),
    level("easy", 1_500, 5, 80),
    level("medium", 15_000, 3, 30),
    Level { asks_tables: true, ..level("hard", 150_000, 1, 0) },
    Level { asks_tables: true, nodes: None, ..level("strongest", 0, 1, 0) },
];

/// The most time for a move of the strongest.
const MOST: Duration = Duration::from_secs(4);

impl Level {
    pub(super) fn of(name: &str) -> Option<&'static Level> {
        LEVELS.iter().find(|level| level.name == name)
    }

    pub(super) fn lines(&self) -> NonZeroUsize {
        self.lines
    }

    /// How far it searches, where searches take no longer than that.
    pub(super) fn limits(&self, longest: Duration) -> Limits {
        Limits { nodes: self.nodes, time: Some(longest.min(MOST)), depth: None }
    }

    /// One of the moves that are good enough for it.
    pub(super) fn choose(&self, found: &Iteration, chance: &mut Chance) -> Option<Move> {
        let best = worth(found.lines.first()?);
        let good = found.lines.iter().filter(|line| worth(line) + self.margin >= best);
        let moves: Vec<Move> = good.filter_map(|line| line.moves.first().copied()).collect();
        chance.choose(&moves).copied()
    }
}

/// In hundredths of a soldier: wins are far from everything else, and near ones the best.
fn worth(line: &Line) -> i32 {
    const WON: i32 = 1_000_000;
    match line.score {
        Score::Win(plies) => WON + 1000 * (1000 - i32::from(plies.min(999))),
        Score::TableWin => WON,
        Score::Estimate(hundredths) => hundredths.clamp(-WON / 2, WON / 2),
        Score::TableLoss => -WON,
        Score::Loss(plies) => -WON - 1000 * (1000 - i32::from(plies.min(999))),
    }
}
