use std::cell::LazyCell;

use serde::Serialize;
use taflbase::draw::Sheet;
use taflbase::short::blocking::Blocked;
use taflbase::short::picture::blocked_grid;
use taflbase::short::{Board, Soldier};

use super::on_board::cells;
use super::{Args, SMALLER, check_memory};
use crate::cli::error::CliError;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, counted};

#[derive(Serialize)]
struct BlockingJson {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    at: Vec<[usize; 2]>,
    p_positions: Vec<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grundy: Option<Vec<Option<u16>>>,
}

/// Solves the game of a king among soldiers that never move.
pub(super) fn run(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), CliError> {
    if rule != Soldier::Stationary {
        return Err(CliError::new("--at requires --soldier stationary"));
    }
    let soldiers = cells(&args.at)?;
    check_memory(&format!("the board {board}"), Blocked::memory_bytes(board), SMALLER)?;
    let meter = Meter::new("short tafl");
    let blocked = Blocked::new(board, &soldiers, &|done, of| meter.update(done, of))?;
    drop(meter);
    let title = format!("Short tafl {board}, stationary soldiers");
    let grid = LazyCell::new(|| blocked_grid(&blocked, args.grundy));
    if !args.pictures.write(|| Sheet::of_grids(title.clone(), vec![(*grid).clone()]))? {
        return Ok(());
    }
    let p_positions: Vec<[usize; 2]> =
        blocked.p_squares().map(|cell| [cell.row, cell.column]).collect();
    if session.json() {
        return session.json_line(&BlockingJson {
            rows: board.rows(),
            columns: board.columns(),
            soldier: rule.name(),
            at: soldiers.iter().map(|cell| [cell.row, cell.column]).collect(),
            p_positions,
            grundy: args.grundy.then(|| board.cells().map(|king| blocked.value(king)).collect()),
        });
    }
    let (squares, lost) = (board.squares() - soldiers.len(), p_positions.len());
    let (squares, lost) =
        (counted(squares, ["square", "squares"]), counted(lost, ["loses", "lose"]));
    let board_text = grid.to_text(session.style());
    session.text(&format!("{title}: {squares} of the king, {lost}\n\n{board_text}"))
}
