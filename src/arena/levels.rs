use std::num::NonZeroUsize;
use std::time::Duration;

use crate::engine::{Iteration, Limits, Line, Score};
use crate::game::moves::Move;
use crate::system::random::SeededRng;

/// A playing strength of the engine for games against people.
#[derive(PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Level {
    /// The name: `beginner`, `easy`, `medium`, `hard` or `strongest`.
    pub name: &'static str,
    /// The maximum number of nodes of a search; `None` if only time limits it.
    pub nodes: Option<u64>,
    /// The number of lines to search, from whose first moves it chooses.
    pub lines: NonZeroUsize,
    /// By how much a move may be worse than the best one, in hundredths of a soldier.
    pub margin: i32,
    /// Whether it probes the endgame tables.
    pub uses_tables: bool,
}

const fn level(name: &'static str, nodes: u64, lines: usize, margin: i32) -> Level {
    let Some(lines) = NonZeroUsize::new(lines) else { panic!("a level needs a line") };
    Level { name, nodes: Some(nodes), lines, margin, uses_tables: false }
}

const LEVELS: [Level; 5] = [
    level("beginner", 150, 8, 200),
    level("easy", 1_500, 5, 80),
    level("medium", 15_000, 3, 30),
    Level { uses_tables: true, ..level("hard", 150_000, 1, 0) },
    Level { uses_tables: true, nodes: None, ..level("strongest", 0, 1, 0) },
];

impl Level {
    /// All levels, from the weakest to the strongest.
    pub const ALL: &'static [Level] = &LEVELS;

    /// Returns the level of this name.
    pub fn of(name: &str) -> Option<&'static Level> {
        Level::ALL.iter().find(|level| level.name == name)
    }

    /// Returns the limits of a search that may take at most `longest`.
    pub fn limits(&self, longest: Duration) -> Limits {
        Limits { nodes: self.nodes, time: Some(longest), depth: None }
    }

    /// Chooses among the moves that are good enough, depending on the seed.
    pub fn choose(&self, found: &Iteration, seed: u64) -> Option<Move> {
        let best = worth(found.lines.first()?);
        let good = found.lines.iter().filter(|line| worth(line) + self.margin >= best);
        let moves: Vec<Move> = good.filter_map(|line| line.moves.first().copied()).collect();
        SeededRng::for_purpose(seed, b"level").choose(&moves).copied()
    }
}

/// Returns a line's value in hundredths of a soldier. Wins are far above all estimates, and the
/// shorter the better.
fn worth(line: &Line) -> i32 {
    const WON: i32 = 1_000_000;
    match line.score {
        Score::Win(plies) => WON + 1000 * (1000 - i32::from(plies.min(999))),
        Score::TableWin | Score::ProvedWin => WON,
        Score::Estimate(hundredths) => hundredths.clamp(-WON / 2, WON / 2),
        Score::TableLoss | Score::ProvedLoss => -WON,
        Score::Loss(plies) => -WON - 1000 * (1000 - i32::from(plies.min(999))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::history::Game;
    use crate::game::moves::legal_moves;
    use crate::game::rules::Ruleset;

    #[test]
    fn weaker_levels_choose_among_moves_that_are_not_much_worse() {
        let game = Game::new(Ruleset::builtin("brandubh").unwrap().into()).unwrap();
        let moves = legal_moves(game.rules(), game.position());
        let scores = [100, 90, 60, 15, -110].map(Score::Estimate);
        let lines = scores.iter().zip(&moves);
        let lines =
            lines.map(|(&score, &first)| Line { score, depth: 1, moves: vec![first] }).collect();
        let found = Iteration {
            depth: 1,
            is_complete: true,
            selective_depth: 1,
            lines,
            nodes: 1,
            table_hits: 0,
            time: Duration::ZERO,
        };
        for (name, candidates) in
            [("beginner", 4), ("easy", 3), ("medium", 2), ("hard", 1), ("strongest", 1)]
        {
            let level = Level::of(name).unwrap();
            let chosen =
                |&played: &Move| (0..200).any(|seed| level.choose(&found, seed) == Some(played));
            let expected: Vec<bool> = (0..5).map(|number| number < candidates).collect();
            let chosen: Vec<bool> = moves[..5].iter().map(chosen).collect();
            assert_eq!(chosen, expected, "{name}");
        }
    }
}
