//! An alpha-beta search that probes tables at every node.
//!
//! Searches random positions twice, without and with tables, and prints the number of nodes,
//! the speed, and how often tables change the verdict (won, lost, or neither):
//!
//! `cargo run --release --example alpha_beta -- brandubh K3v4 4`
//!
//! searches positions of K3v4 4 plies deep. The tables are those in `tables` and those built
//! into the library. If a file name follows the depth, the positions are written to that file,
//! one per line: `examples/alpha_beta.c`, the same search in C, reads them.

mod search;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{Kind, Ruleset, Side};
use taflbase::slice::Slice;

use search::{Search, TABLE_WON, WON};

const POSITIONS: usize = 100;

/// Draws random positions of a slice, the same ones every time.
fn positions(rules: &Ruleset, slice: Slice) -> Vec<Position> {
    let mut random = SeededRng::new(1);
    let squares = |kind| rules.places(kind).iter().collect::<Vec<_>>();
    let mut square = |kind| random.choose(&squares(kind)).copied();
    let mut found = Vec::new();
    for attempt in 0.. {
        if found.len() == POSITIONS || attempt > 1000 * POSITIONS {
            break;
        }
        let Some(king) = square(Kind::King) else { break };
        let to_move = Side::ALL[attempt % 2];
        let attackers = (0..slice.attackers).filter_map(|_| square(Kind::Attacker)).collect();
        let defenders = (0..slice.defenders).filter_map(|_| square(Kind::Defender)).collect();
        let position = Position::new(rules, king, defenders, attackers, to_move);
        found.extend(position.ok().filter(|position| position.slice() == slice));
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
    if let Some(file) = arguments.get(3) {
        let lines = positions.iter().map(|position| position.to_text(&rules) + "\n");
        fs::write(file, lines.collect::<String>())?;
    }
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
    let (without, with) = values.split_at(positions.len());
    let changed = without.iter().zip(with).filter(|(a, b)| verdict(**a) != verdict(**b)).count();
    println!("tables change the verdict on {changed} of {} positions", positions.len());
    Ok(())
}

/// Returns 1 for won, -1 for lost, 0 for neither.
fn verdict(value: i32) -> i32 {
    value.signum() * i32::from(value.abs() > TABLE_WON / 2)
}
