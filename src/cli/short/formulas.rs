use serde::Serialize;
use taflbase::short::check::{
    Comparison, ProofReport, check_clauses, check_pattern, check_proof, check_values,
};
use taflbase::short::patterns::{Period, Tail, tail};
use taflbase::short::theorem::Print;
use taflbase::short::{Board, Cell, Game, Soldier, grundy_values, memory_bytes, outcomes};

use super::on_board::{cells, numbers, part_of};
use super::{Args, check_memory};
use crate::cli::failure::Failure;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, columns, grouped};

#[derive(Serialize)]
struct Compared {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    positions: u64,
    outcomes: Said,
    values: Said,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    slides: Option<Slides>,
}

/// What is on the slides beside the theorem itself.
#[derive(Serialize)]
struct Slides {
    clauses: Said,
    sets: Sets,
    sets_as_printed: Sets,
}

#[derive(Serialize)]
struct Sets {
    needed: Said,
    held: Said,
}

#[derive(Serialize)]
struct Said {
    said: u64,
    wrong: u64,
    examples: Vec<[usize; 4]>,
}

impl From<Comparison> for Said {
    fn from(Comparison { said, wrong, examples }: Comparison) -> Said {
        let examples = examples.into_iter().map(|(king, soldier)| numbers(king, soldier));
        Said { said, wrong, examples: examples.collect() }
    }
}

impl From<ProofReport> for Sets {
    fn from(report: ProofReport) -> Sets {
        Sets { needed: report.needed.into(), held: report.held.into() }
    }
}

/// Compares everything that is proved of a rule with all positions of a board.
pub(super) fn compare(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), Failure> {
    let game = Game::new(board, rule);
    check_memory(&format!("the board {board}"), memory_bytes(game, true))?;
    let meter = Meter::new("short tafl");
    let solved = args.threads.run(|| grundy_values(game, &|done, of| meter.go_on(done, of)))??;
    drop(meter);
    let compared = Compared {
        rows: board.rows(),
        columns: board.columns(),
        soldier: rule.name(),
        positions: solved.positions(),
        outcomes: check_pattern(&solved).into(),
        values: check_values(&solved).into(),
        slides: (rule == Soldier::SouthEast).then(|| Slides {
            clauses: check_clauses(&solved).into(),
            sets: check_proof(&solved, Print::Corrected).into(),
            sets_as_printed: check_proof(&solved, Print::AsPrinted).into(),
        }),
    };
    match session.json() {
        true => session.json_line(&compared)?,
        false => session.text(&compared.text())?,
    }
    match compared.first_wrong() {
        Some(what) => Err(Failure::Negative(format!("{what} are not what was computed"))),
        None => Ok(()),
    }
}

impl Compared {
    /// What ought to be right.
    fn stated(&self) -> Vec<(&'static str, &Said)> {
        let mut stated = vec![("outcomes", &self.outcomes), ("Grundy values", &self.values)];
        if let Some(Slides { clauses, sets, .. }) = &self.slides {
            stated.push(("clauses of the slides", clauses));
            stated.push(("needed for the proof", &sets.needed));
            stated.push(("in the proof's sets", &sets.held));
        }
        stated
    }

    fn first_wrong(&self) -> Option<&'static str> {
        self.stated().into_iter().find(|(_, said)| said.wrong > 0).map(|(what, _)| what)
    }

    fn text(&self) -> String {
        let Compared { rows, columns: wide, soldier, positions, .. } = self;
        let mut stated = self.stated();
        if let Some(Slides { sets_as_printed, .. }) = &self.slides {
            stated.push(("in the sets as printed", &sets_as_printed.held));
        }
        let rows_of_text = stated.into_iter().map(|(what, said)| {
            let examples = said.examples.iter();
            let examples = examples.map(|[a, b, c, d]| format!("{a},{b}/{c},{d}"));
            let examples: Vec<String> = examples.collect();
            let cells = [what.to_owned(), grouped(said.said), grouped(said.wrong)];
            [&cells[..], &[examples.join(" ")]].concat()
        });
        let header = ["statement", "positions", "wrong", "king/soldier"];
        let table = columns(1, &header, &rows_of_text.collect::<Vec<_>>());
        let positions = grouped(*positions);
        format!("Short tafl {rows}x{wide}, soldier {soldier}: {positions} positions\n{table}")
    }
}

#[derive(Serialize)]
struct JsonPeriod {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    king: [usize; 2],
    looked_at: usize,
    period: Option<usize>,
    from: Option<usize>,
    offsets: Option<Vec<Vec<i64>>>,
}

/// Tells the periods for all squares of the king as far as the one that was named.
pub(super) fn periods(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), Failure> {
    if rule.leaves_play() {
        return Err(Failure::error("--periods are for --soldier nw and --soldier closer"));
    }
    let kings = cells(&args.king)?;
    let game = part_of(Game::new(board, rule), &kings)?;
    if game.kings().rows() == 1 || game.kings().columns() == 1 {
        return Err(Failure::error(
            "--periods are of kings off the edge: write --king 1,1 or more",
        ));
    }
    check_memory(&format!("the board {board}"), memory_bytes(game, false))?;
    let meter = Meter::new("short tafl");
    let solved = args.threads.run(|| outcomes(game, &|done, of| meter.go_on(done, of)))??;
    drop(meter);
    let inner = game.kings().cells().filter(|king| king.row > 0 && king.column > 0);
    let mut table = Vec::new();
    for king in inner {
        let tail = tail(&solved, king);
        if session.json() {
            session.json_line(&period(game, king, tail))?;
        } else {
            table.push(row(king, tail));
        }
    }
    match session.json() {
        true => Ok(()),
        false => {
            let header = ["king", "rows", "period", "from row", "columns off"];
            session.text(&columns(1, &header, &table))
        }
    }
}

fn period(game: Game, king: Cell, Tail { rows, period }: Tail) -> JsonPeriod {
    JsonPeriod {
        rows: game.board().rows(),
        columns: game.board().columns(),
        soldier: game.rule().name(),
        king: [king.row, king.column],
        looked_at: rows,
        period: period.as_ref().map(|period| period.length),
        from: period.as_ref().map(|period| period.from),
        offsets: period.map(|period| period.offsets),
    }
}

fn row(king: Cell, Tail { rows, period }: Tail) -> Vec<String> {
    let Some(Period { length, from, offsets }) = period else {
        let none = "none seen".to_owned();
        return vec![king.to_string(), rows.to_string(), none, String::new(), String::new()];
    };
    let words = offsets
        .iter()
        .take(6)
        .map(|row| row.iter().map(|offset| format!("{offset:+}")).collect::<Vec<_>>().join("/"));
    let mut words: Vec<String> = words.collect();
    if offsets.len() > words.len() {
        words.push("…".to_owned());
    }
    let numbers = [rows, length, from].map(|number| number.to_string());
    [vec![king.to_string()], numbers.to_vec(), vec![words.join(" ")]].concat()
}
