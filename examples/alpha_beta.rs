//! How an engine uses tables: an alpha-beta search that probes at every node.
//!
//! Searches random positions twice, without tables and with them, and tells how
//! many nodes that takes, how fast it is, and how often the verdict (won, lost, or
//! neither as far as the search sees) changes:
//!
//! `cargo run --release --example alpha_beta -- brandubh K3v4 4`
//!
//! searches positions of K3v4 4 plies deep. The tables are those in `tables` and
//! the ones that are part of the library.

use std::cmp::Reverse;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use taflbase::Tablebase;
use taflbase::moves::legal_moves;
use taflbase::position::Position;
use taflbase::rules::{Endless, Kind, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::tablebase::ProbeError;
use taflbase::value::Wdl;

const POSITIONS: usize = 100;
/// A win in n plies that the search sees is worth `WON - n`; one n plies ahead that
/// a table tells of, `TABLE_WON - n`.
const WON: i32 = 10_000;
const TABLE_WON: i32 = 9_000;

struct Search<'a> {
    rules: &'a Ruleset,
    tables: Option<&'a Tablebase>,
    /// The most men that the tables have, so as not to ask in vain.
    most_men: usize,
    nodes: u64,
    /// Nodes that a table has answered.
    answered: u64,
}

impl Search<'_> {
    /// What the tables tell, if they do.
    fn probe(&self, position: &Position) -> Result<Option<Wdl>, ProbeError> {
        let Some(tables) = self.tables.filter(|_| position.slice().men() <= self.most_men) else {
            return Ok(None);
        };
        match tables.probe_wdl(position) {
            // Undecided: who wins depends on what was played before. Search on.
            Ok(Wdl::Draw) if self.rules.endless == Endless::Undecided => Ok(None),
            Ok(wdl) => Ok(Some(wdl)),
            Err(ProbeError::MissingTable { .. }) => Ok(None),
            // Anything else is damage, which a user wants to know of.
            Err(error) => Err(error),
        }
    }

    /// The value for the side to move, `ply` plies from the root.
    fn value(
        &mut self,
        position: &Position,
        (depth, ply): (i32, i32),
        (mut alpha, beta): (i32, i32),
    ) -> Result<i32, ProbeError> {
        self.nodes += 1;
        // Not at the root, where a move is sought and not only a value.
        let known = if ply > 0 { self.probe(position)? } else { None };
        if let Some(wdl) = known {
            self.answered += 1;
            return Ok(match wdl {
                Wdl::Win => TABLE_WON - ply,
                Wdl::Draw => 0,
                Wdl::Loss => ply - TABLE_WON,
            });
        }
        let mut moves = legal_moves(self.rules, position);
        if moves.is_empty() {
            return Ok(ply - WON);
        }
        if depth == 0 {
            return Ok(material(position));
        }
        moves.sort_by_key(|m| (m.ending.is_none(), Reverse(m.captured.len())));
        let mut best = -WON;
        for played in moves {
            let value = match played.ending {
                Some(_) => WON - ply - 1,
                None => {
                    let after = position.after(&played);
                    -self.value(&after, (depth - 1, ply + 1), (-beta, -alpha))?
                }
            };
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

fn material(position: &Position) -> i32 {
    let balance = position.attackers.len() as i32 - 2 * position.defenders.len() as i32;
    if position.to_move == Side::Attackers { balance } else { -balance }
}

/// Random positions of a slice, the same ones every time.
fn positions(rules: &Ruleset, slice: Slice) -> Vec<Position> {
    let mut random = fastrand::Rng::with_seed(1);
    let squares = |kind| rules.places(kind).iter().collect::<Vec<_>>();
    let mut square = |kind| random.choice(squares(kind));
    let mut found = Vec::new();
    for attempt in 0.. {
        if found.len() == POSITIONS || attempt > 1000 * POSITIONS {
            break;
        }
        let Some(king) = square(Kind::King) else { break };
        let to_move = Side::ALL[attempt % 2];
        let attackers = (0..slice.attackers).filter_map(|_| square(Kind::Attacker)).collect();
        let defenders = (0..slice.defenders).filter_map(|_| square(Kind::Defender)).collect();
        let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
        if position.slice() == slice && position.check(rules).is_ok() {
            found.push(position);
        }
    }
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default| arguments.get(i).map_or(default, String::as_str);
    let rules = Ruleset::load(argument(0, "brandubh"))?;
    let slice: Slice = argument(1, "K2v3").parse()?;
    let depth: i32 = argument(2, "4").parse()?;

    let tables = Tablebase::open(rules.clone(), Path::new("tables"))?;
    let most_men = tables.max_men();
    let positions = positions(&rules, slice);
    let mut values = Vec::new();
    for tables in [None, Some(&tables)] {
        let mut search = Search { rules: &rules, tables, most_men, nodes: 0, answered: 0 };
        let begun = Instant::now();
        for position in &positions {
            values.push(search.value(position, (depth, 0), (-WON, WON))?);
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{:14} {:>12} nodes, {:5.2} million a second, {:>10} answered by a table",
            if tables.is_some() { "with tables" } else { "without tables" },
            search.nodes,
            search.nodes as f64 / seconds / 1e6,
            search.answered,
        );
    }
    // Won, lost or open.
    let verdict = |value: &i32| value.signum() * i32::from(value.abs() > TABLE_WON / 2);
    let (without, with) = values.split_at(positions.len());
    let changed = without.iter().zip(with).filter(|(a, b)| verdict(a) != verdict(b)).count();
    println!("tables change the verdict on {changed} of {} positions", positions.len());
    Ok(())
}
