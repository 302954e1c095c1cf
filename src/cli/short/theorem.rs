use serde::Serialize;
use taflbase::short::check::{
    Comparison, ProofReport, check_clauses, check_pattern, check_proof, check_values,
};
use taflbase::short::patterns::{Period, Tail, tail};
use taflbase::short::theorem::ProofText;
use taflbase::short::{Board, Cell, Game, Soldier, grundy_values, memory_bytes, outcomes};

use super::on_board::{cells, coordinates, restricted};
use super::{Args, SMALLER, check_memory};
use crate::cli::error::CliError;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, columns, counted, grouped};

#[derive(Serialize)]
struct TheoremCheck {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    positions: u64,
    outcomes: ClaimCheck,
    values: ClaimCheck,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    slides: Option<SlidesCheck>,
}

/// Checks of the slides' clauses and proof, besides the theorem itself.
#[derive(Serialize)]
struct SlidesCheck {
    clauses: ClaimCheck,
    sets: ProofSets,
    sets_as_printed: ProofSets,
}

#[derive(Serialize)]
struct ProofSets {
    needed: ClaimCheck,
    held: ClaimCheck,
}

#[derive(Serialize)]
struct ClaimCheck {
    said: u64,
    wrong: u64,
    examples: Vec<[usize; 4]>,
}

impl From<Comparison> for ClaimCheck {
    fn from(Comparison { said, wrong, examples }: Comparison) -> ClaimCheck {
        let pairs = examples.into_iter();
        ClaimCheck {
            said,
            wrong,
            examples: pairs.map(|(king, soldier)| coordinates(king, soldier)).collect(),
        }
    }
}

impl From<ProofReport> for ProofSets {
    fn from(report: ProofReport) -> ProofSets {
        ProofSets { needed: report.needed.into(), held: report.held.into() }
    }
}

/// Compares the theorems on a soldier's rule with all positions of a board.
pub(super) fn compare(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), CliError> {
    let game = Game::new(board, rule);
    check_memory(&format!("the board {board}"), memory_bytes(game, true), SMALLER)?;
    let meter = Meter::new("short tafl");
    let solved = args.threads.run(|| grundy_values(game, &|done, of| meter.update(done, of)))??;
    drop(meter);
    let compared = TheoremCheck {
        rows: board.rows(),
        columns: board.columns(),
        soldier: rule.name(),
        positions: solved.positions(),
        outcomes: check_pattern(&solved).into(),
        values: check_values(&solved).into(),
        slides: (rule == Soldier::SouthEast).then(|| SlidesCheck {
            clauses: check_clauses(&solved).into(),
            sets: check_proof(&solved, ProofText::Corrected).into(),
            sets_as_printed: check_proof(&solved, ProofText::AsPrinted).into(),
        }),
    };
    match session.json() {
        true => session.json_line(&compared)?,
        false => session.text(&compared.text())?,
    }
    match compared.first_wrong() {
        Some(what) => Err(CliError::Negative(format!("{what} differ from the computed ones"))),
        None => Ok(()),
    }
}

impl TheoremCheck {
    /// Returns the claims that must hold.
    fn claims(&self) -> Vec<(&'static str, &ClaimCheck)> {
        let mut claims = vec![("outcomes", &self.outcomes), ("Grundy values", &self.values)];
        if let Some(SlidesCheck { clauses, sets, .. }) = &self.slides {
            claims.push(("clauses of the slides", clauses));
            claims.push(("needed for the proof", &sets.needed));
            claims.push(("in the proof's sets", &sets.held));
        }
        claims
    }

    fn first_wrong(&self) -> Option<&'static str> {
        self.claims().into_iter().find(|(_, said)| said.wrong > 0).map(|(what, _)| what)
    }

    fn text(&self) -> String {
        let TheoremCheck { rows, columns: wide, soldier, positions, .. } = self;
        let mut claims = self.claims();
        if let Some(SlidesCheck { sets_as_printed, .. }) = &self.slides {
            claims.push(("in the sets as printed", &sets_as_printed.held));
        }
        let rows_of_text = claims.into_iter().map(|(what, said)| {
            let examples: Vec<String> =
                said.examples.iter().map(|[a, b, c, d]| format!("{a},{b}/{c},{d}")).collect();
            let cells = [what.to_owned(), grouped(said.said), grouped(said.wrong)];
            [&cells[..], &[examples.join(" ")]].concat()
        });
        let header = ["statement", "positions", "wrong", "king/soldier"];
        let table = columns(1, &header, &rows_of_text.collect::<Vec<_>>());
        let count = counted(*positions, ["position", "positions"]);
        format!("Short tafl {rows}x{wide}, soldier {soldier}: {count}\n{table}")
    }
}

#[derive(Serialize)]
struct PeriodJson {
    rows: usize,
    columns: usize,
    soldier: &'static str,
    king: [usize; 2],
    looked_at: usize,
    period: Option<usize>,
    from: Option<usize>,
    offsets: Option<Vec<Vec<i64>>>,
}

/// Prints the periods for all squares of the king up to the named one.
pub(super) fn periods(
    args: &Args,
    board: Board,
    rule: Soldier,
    session: &Session,
) -> Result<(), CliError> {
    if rule.leaves_play() {
        return Err(CliError::new("--periods requires --soldier nw or --soldier closer"));
    }
    let kings = cells(&args.king)?;
    let game = restricted(Game::new(board, rule), &kings)?;
    if game.kings().rows() == 1 || game.kings().columns() == 1 {
        return Err(CliError::new(
            "--periods requires a king off the edge: write --king 1,1 or more",
        ));
    }
    check_memory(&format!("the board {board}"), memory_bytes(game, false), SMALLER)?;
    let meter = Meter::new("short tafl");
    let solved = args.threads.run(|| outcomes(game, &|done, of| meter.update(done, of)))??;
    drop(meter);
    let inner = game.kings().cells().filter(|king| king.row > 0 && king.column > 0);
    let mut table = Vec::new();
    for king in inner {
        let found = tail(&solved, king);
        if session.json() {
            session.json_line(&period(game, king, found))?;
        } else {
            table.push(row(king, found));
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

fn period(game: Game, king: Cell, Tail { rows, period }: Tail) -> PeriodJson {
    PeriodJson {
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
        let cells = [king.to_string(), rows.to_string(), "none seen".to_owned()];
        return [&cells[..], &[String::new(), String::new()]].concat();
    };
    let mut words: Vec<String> = offsets
        .iter()
        .take(6)
        .map(|row| row.iter().map(|offset| format!("{offset:+}")).collect::<Vec<_>>().join("/"))
        .collect();
    if offsets.len() > words.len() {
        words.push("…".to_owned());
    }
    let numbers = [rows, length, from].map(|number| number.to_string());
    [vec![king.to_string()], numbers.to_vec(), vec![words.join(" ")]].concat()
}
