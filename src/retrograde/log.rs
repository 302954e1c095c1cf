use crate::rules::Side;
use crate::table::{Code, dtw_code};
use crate::value::{Plies, Value};

use super::coded::CodedRows;
use super::row::Row;
use super::seeds::Event;

/// The solved rows of a chunk of blocks: for each outcome, the plies in order,
/// each with the rows and lanes that were set there. At odd plies the winner is
/// to move and wins in that many plies, at even ones the loser is to move.
#[derive(Clone, Debug, Default)]
pub struct ChunkLog<const N: usize> {
    /// By winner.
    plies: [Vec<(Plies, Vec<Event<N>>)>; 2],
}

impl<const N: usize> ChunkLog<N> {
    /// Adds a ply of an outcome.
    pub fn push(&mut self, winner: Side, ply: Plies, events: Vec<Event<N>>) {
        if !events.is_empty() {
            self.plies[winner as usize].push((ply, events));
        }
    }

    /// The values of all positions of the chunk for one side to move; `valid`
    /// are its rows' positions.
    pub fn coded_rows(&self, valid: &[Row<N>], to_move: Side) -> CodedRows<N> {
        let wins = self.plies[to_move as usize].iter().filter(|(ply, _)| ply % 2 == 1);
        let losses = self.plies[to_move.other() as usize].iter().filter(|(ply, _)| ply % 2 == 0);
        let plies: Vec<(Code, &[Event<N>])> =
            wins.chain(losses).map(|(ply, events)| (code(*ply), &events[..])).collect();
        CodedRows::from_plies(&plies, valid)
    }

    /// The greatest code of any position.
    pub fn greatest_code(&self) -> Code {
        self.plies.iter().flatten().map(|&(ply, _)| code(ply)).max().unwrap_or(0)
    }
}

/// Collects the rows with any lane; returns whether there are any.
pub fn note<const N: usize>(events: &mut Vec<Event<N>>, first: usize, rows: &[Row<N>]) -> bool {
    let before = events.len();
    let changed = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
    events.extend(changed.map(|(i, &lanes)| ((first + i) as u32, lanes)));
    events.len() > before
}

/// The code of the values found at a ply.
fn code(ply: Plies) -> Code {
    let value = if ply % 2 == 1 { Value::Win(ply) } else { Value::Loss(ply) };
    dtw_code(value).expect("wins are at odd plies, and no game is 32,000 plies long")
}
