use std::collections::BTreeSet;
use std::time::Instant;

use serde::{Serialize, Serializer};
use taflbase::draw::{Grid, Sheet};
use taflbase::short::picture::{Show, grid};
use taflbase::short::{Board, Cell, Game, Soldier, Solved, grundy_values, memory_bytes, outcomes};

use super::{Args, SMALLER, check_memory, counts_text};
use crate::cli::error::CliError;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, counted, size, time};

// The bound that serde would infer is not needed.
#[derive(Serialize)]
#[serde(bound = "")]
struct BoardJson<'a, V: Copy + Into<u16>> {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    p_positions: PPositions<'a, V>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grundy: Option<Values<'a, V>>,
}

/// Lists that are serialized item by item, because they may not fit into memory.
struct PPositions<'a, V>(&'a Selection<'a, V>);
struct Values<'a, V>(&'a Selection<'a, V>);

impl<V: Copy + Into<u16>> Serialize for PPositions<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.0.all().filter(|&(king, soldier)| self.0.solved.is_p(king, soldier));
        serializer.collect_seq(all.map(|(king, soldier)| coordinates(king, soldier)))
    }
}

impl<V: Copy + Into<u16>> Serialize for Values<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let solved = self.0.solved;
        serializer.collect_seq(self.0.all().map(|(king, soldier)| solved.value(king, soldier)))
    }
}

/// Returns a position as its four coordinates.
pub(super) fn coordinates(king: Cell, soldier: Cell) -> [usize; 4] {
    [king.row, king.column, soldier.row, soldier.column]
}

/// A solved game and the requested squares of the king; none: all.
struct Selection<'a, V> {
    solved: &'a Solved<V>,
    kings: BTreeSet<Cell>,
}

impl<V: Copy + Into<u16>> Selection<'_, V> {
    /// Returns the requested positions.
    fn all(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        let all_kings = self.solved.game().kings().cells();
        let kings = all_kings.filter(|king| self.kings.is_empty() || self.kings.contains(king));
        kings.flat_map(|king| self.solved.soldiers(king).map(move |soldier| (king, soldier)))
    }

    /// Returns the king's squares to draw.
    fn pictured(&self) -> Vec<Cell> {
        match self.kings.is_empty() {
            true => vec![self.solved.game().board().corner()],
            false => self.kings.iter().copied().collect(),
        }
    }
}

/// Restricts a game to the part that these squares of the king depend on.
pub(super) fn restricted(game: Game, kings: &BTreeSet<Cell>) -> Result<Game, CliError> {
    // Fails if a square is not on the board.
    for &king in kings {
        game.reached_from(king)?;
    }
    let row = kings.iter().map(|king| king.row).max();
    let column = kings.iter().map(|king| king.column).max();
    match row.zip(column) {
        Some((row, column)) => Ok(game.reached_from(Cell::new(row, column))?),
        None => Ok(game),
    }
}

/// Parses squares.
pub(super) fn cells(names: &[String]) -> Result<BTreeSet<Cell>, CliError> {
    names.iter().map(|text| Ok(text.parse()?)).collect()
}

/// Solves a board and prints or draws the P-positions.
pub(super) fn run(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), CliError> {
    let kings = cells(&args.king)?;
    let game = restricted(Game::new(board, rule), &kings)?;
    let needed = memory_bytes(game, args.grundy);
    let advice = format!("{SMALLER}, or --king for a part of it");
    check_memory(&format!("the board {board}"), needed, &advice)?;
    let (meter, begun) = (Meter::new("short tafl"), Instant::now());
    // The two kinds of values have different types.
    if args.grundy {
        let solved =
            args.threads.run(|| grundy_values(game, &|done, of| meter.update(done, of)))??;
        let took = format!("{}, {} of memory", time(begun.elapsed()), size(needed));
        drop(meter);
        return print(args, session, &Selection { solved: &solved, kings }, &took);
    }
    let solved = args.threads.run(|| outcomes(game, &|done, of| meter.update(done, of)))??;
    let took = format!("{}, {} of memory", time(begun.elapsed()), size(needed));
    drop(meter);
    print(args, session, &Selection { solved: &solved, kings }, &took)
}

fn print<V: Copy + Into<u16>>(
    args: &Args,
    session: &Session,
    selection: &Selection<'_, V>,
    took: &str,
) -> Result<(), CliError> {
    let game = selection.solved.game();
    let (board, rule) = (game.board(), game.rule());
    let title = format!("Short tafl {board}, soldier {rule}");
    if !args.pictures.write(|| Sheet::of_grids(title.clone(), grids(args, selection)))? {
        return Ok(());
    }
    if session.json() {
        return session.long_json_line(&BoardJson {
            rows: board.rows(),
            columns: board.columns(),
            soldier: rule.name(),
            p_positions: PPositions(selection),
            grundy: args.grundy.then_some(Values(selection)),
        });
    }
    let mut text = format!("{title}: {}\n", counts(args, selection));
    text.push_str(&format!("solved in {took}\n"));
    for (king, grid) in selection.pictured().into_iter().zip(grids(args, selection)) {
        let solved = selection.solved;
        let number = solved.soldiers(king).filter(|soldier| solved.is_p(king, *soldier)).count();
        let number = counted(number, ["P-position", "P-positions"]);
        text.push_str(&format!("\nking on {king}: {number}\n"));
        text.push_str(&grid.to_text(session.style()));
    }
    session.text(&text)
}

fn grids<V: Copy + Into<u16>>(args: &Args, selection: &Selection<'_, V>) -> Vec<Grid> {
    let kings = selection.pictured().into_iter();
    kings.map(|king| grid(selection.solved, king, args.show())).collect()
}

fn counts<V: Copy + Into<u16>>(args: &Args, selection: &Selection<'_, V>) -> String {
    let values = selection.all().map(|(king, soldier)| selection.solved.value(king, soldier));
    let (mut all, mut p_positions, mut largest) = (0, 0, 0);
    for value in values {
        all += 1;
        p_positions += usize::from(value == 0);
        largest = largest.max(value);
    }
    let counts = counts_text(all, p_positions);
    if args.grundy { format!("{counts}, values to {largest}") } else { counts }
}

impl Args {
    fn show(&self) -> Show {
        match (self.grundy, self.sets) {
            (true, _) => Show::Values,
            (false, true) => Show::Sets,
            (false, false) => Show::Outcomes,
        }
    }
}
