//! Compares each position of built tables, including mirror images, with the reference.

use taflbase::Tablebase;
use taflbase::board::SquareSet;
use taflbase::build::{Build, BuildOptions};
use taflbase::position::Position;
use taflbase::rules::{BySide, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::{Metric, SideSummary};
use taflbase::value::{Value, Wdl};

use crate::reference::{self, Game, Outcome, Solver};

/// Tables that the library has built.
struct Library {
    tables: Tablebase,
    _directory: tempfile::TempDir,
}

impl Library {
    fn build(rules: &Ruleset, slices: &[Slice]) -> Library {
        let directory = tempfile::tempdir().unwrap();
        let options = BuildOptions::default();
        Build::new(rules, directory.path(), slices).options(&options).run().unwrap();
        let tables = Tablebase::open_files(rules.clone(), directory.path()).unwrap();
        Library { tables, _directory: directory }
    }

    /// Returns the values in the DTW table and the WDL table.
    fn probe(&self, position: &reference::Position) -> (Outcome, Wdl) {
        let position = self.position(position);
        let outcome = match self.tables.probe_dtw(&position).unwrap() {
            Value::Win(plies) => Outcome::Win(plies),
            Value::Loss(plies) => Outcome::Loss(plies),
            Value::Draw => Outcome::Open,
        };
        (outcome, self.tables.probe_wdl(&position).unwrap())
    }

    /// Returns the library's form of a position, without the time that text takes: there are
    /// millions of them.
    fn position(&self, position: &reference::Position) -> Position {
        let rules = self.tables.rules();
        let (mut king, mut defenders, mut attackers) = (None, SquareSet::EMPTY, SquareSet::EMPTY);
        for (square, &piece) in rules.board.squares().zip(&position.cells) {
            match piece {
                reference::KING => king = Some(square),
                reference::DEFENDER => defenders.insert(square),
                reference::ATTACKER => attackers.insert(square),
                _ => {}
            }
        }
        Position::new(rules, king.unwrap(), defenders, attackers, side(position)).unwrap()
    }
}

/// Compares every position of these slices, and the tables' counts; returns the number of
/// positions.
pub(crate) fn compare(
    rules: &Ruleset,
    reference: &mut Solver<impl Game>,
    slices: &[(usize, usize)],
) -> usize {
    let slice = |&(defenders, attackers)| Slice { defenders, attackers };
    let library = Library::build(rules, &slices.iter().map(slice).collect::<Vec<Slice>>());
    let mut compared = 0;
    for &(defenders, attackers) in slices {
        reference.solve(defenders, attackers);
        let mut counts = BySide::<SideSummary>::default();
        for (position, outcome) in reference.positions(defenders, attackers) {
            let wdl = count(&mut counts[side(&position)], outcome);
            let text = || reference.rules().write(&position);
            assert_eq!(library.probe(&position), (outcome, wdl), "{} {}", rules.name, text());
            compared += 1;
        }
        let slice = Slice { defenders, attackers };
        let table = library.tables.table(slice, Metric::Dtw).unwrap();
        for (side, counted) in Side::ALL.into_iter().zip(counts) {
            assert!(counted.positions > 0, "{slice} has no positions");
            assert_eq!(*table.summary(side), counted, "{} {slice}", rules.name);
        }
    }
    compared
}

fn side(position: &reference::Position) -> Side {
    match position.to_move {
        reference::Side::Attackers => Side::Attackers,
        reference::Side::Defenders => Side::Defenders,
    }
}

/// Counts a position; returns its value without the distance.
fn count(counts: &mut SideSummary, outcome: Outcome) -> Wdl {
    counts.positions += 1;
    match outcome {
        Outcome::Win(plies) => {
            counts.wins += 1;
            counts.max_win = counts.max_win.max(plies);
            Wdl::Win
        }
        Outcome::Loss(plies) => {
            counts.losses += 1;
            counts.max_loss = counts.max_loss.max(plies);
            Wdl::Loss
        }
        Outcome::Open => {
            counts.draws += 1;
            Wdl::Draw
        }
    }
}
