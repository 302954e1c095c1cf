//! Builds small tables and prints a line of best play.
//!
//! `cargo run --release --example probe`

use std::error::Error;
use std::path::Path;

use taflbase::Tablebase;
use taflbase::build::{Build, slices_up_to};
use taflbase::position::Position;
use taflbase::rules::Ruleset;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Ruleset::load("brandubh")?;
    let tables = Path::new("tables");
    let slices = slices_up_to(&rules, 4);
    Build::new(&rules, tables, &slices).run()?;

    let position = Position::parse("/1t5/7/2K4/7/4t2/7/4t2/ a", &rules)?;
    let board = rules.board;
    let tables = Tablebase::open(rules, tables)?;
    println!("{:?}", tables.probe_dtw(&position)?);
    for played in tables.line(&position)? {
        println!("{}", played.display(board));
    }
    Ok(())
}
