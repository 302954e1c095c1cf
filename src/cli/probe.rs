use std::path::PathBuf;

use taflbase::Tablebase;
use taflbase::draw::{BoardPicture, Sheet};
use taflbase::position::Position;
use taflbase::tablebase::{MoveAnswer, MoveProbe, Probe, ProbeAnswer, Probed};

use super::arguments::PositionArgs;
use super::batch;
use super::error::CliError;
use super::output::{Session, columns};
use super::pictures::Pictures;

/// Look up the value of a position and of its moves, or of many positions
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    at: PositionArgs,
    /// Probe the positions of this file, one per line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "svg", "png"])]
    batch: Option<PathBuf>,
    #[command(flatten)]
    pictures: Pictures,
}

const HELP: &str = r#"Values, including those of moves, are for the side to move in the probed position.
Distances are plies to the end of the game; those of moves count from after the move. A
move into a slice that is not built has the value "unknown". Rulesets without draws
(berkeley) have "undecided" positions, whose winner depends on the moves before; the
distances of wins and losses are then upper bounds.

Tables of few men are part of the program: the king and 4 soldiers of brandubh,
brandubh-online and berkeley, 3 of ashton and tablut, 2 of the larger games; brandubh,
tablut and large-hnefatafl also have win, draw or loss, without distances, with one
soldier more. Files take precedence over these tables.

A move with -- takes the king to a square where he wins, one with ++ captures him. A
conversion is a capture after which the game continues in a slice of fewer men.

--batch prints one line per line of the file, separated by tabs: the position, its value
("unknown" without a table, "invalid" if the line is not a position), and the plies or the
error; with --json, {"position":…,"category":…,"dtw":…}. The status is 1 if a line is
unknown or invalid.

With --svg or --png, the picture shows the board and the best move, if it is known.

Examples:
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase probe brandubh --batch positions.txt
  taflbase probe brandubh /7/7/5K1/7/3t3/4t2/7/ a --json
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d" --svg board.svg

JSON, one line (here with one of the moves); "position" of a move is the one after it;
"dtw" is null for draws and without a DTW table:
  {"rules":"brandubh","position":"/7/4t2/7/7/2K4/7/2t4/ d","to_move":"defenders","category":"win","dtw":3,"moves":[{"move":"Kc5-c1","category":"win","dtw":2,"conversion":false,"position":"/2K4/4t2/7/7/7/7/2t4/ a"}]}"#;

/// Probes one position.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_probe(&args.rules)?;
    let rules = base.rules();
    if let Some(path) = &args.batch {
        return batch::run(&base, path, session);
    }
    let position = args.at.position(rules)?;
    let probe =
        base.probe(&position).map_err(|error| session.probe_error(&base, &args.rules, error))?;
    let Probe { value, ref moves, .. } = probe;
    let answer = ProbeAnswer::new(&base, &position, Some(value), moves);
    let verdict = format!("{} to move: {}", answer.to_move, words(&base, value));
    let mut board = BoardPicture::new(rules, position.layout());
    // The best move is unknown if the choice depends on missing tables.
    if let Ok(Some(best)) = probe.best_move(&position) {
        board = board.with_move(&best);
    }
    let is_output_free = args.pictures.write(|| {
        let captioned = board.clone().with_caption(&verdict, Some(position.to_move));
        Sheet::new(format!("{}: {}", rules.title, answer.position), vec![captioned])
    })?;
    if !is_output_free {
        return Ok(());
    }
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&format!("{}\n{verdict}\n\n", board.to_text(session.style())))?;
    session.text(&move_table(&base, &position, moves))?;
    if value.is_exact() {
        return Ok(());
    }
    let slice = position.slice();
    let build = session.command("build", &args.rules, &format!("--slice {slice}"));
    session.text(&format!("\nNo distances: {slice} has only a WDL table; run `{build}`\n"))
}

/// Formats the moves in columns.
pub(super) fn move_table(base: &Tablebase, before: &Position, moves: &[MoveProbe]) -> String {
    let rows = moves.iter().map(|probed| row(MoveAnswer::new(base, before, probed)));
    let header = ["move", "value", "conversion", "plies after it"];
    columns(3, &header, &rows.collect::<Vec<_>>())
}

fn row(answer: MoveAnswer) -> Vec<String> {
    let conversion = if answer.conversion { "yes" } else { "" };
    let plies = answer.dtw.map_or(String::new(), |plies| plies.to_string());
    vec![answer.played, answer.category.to_owned(), conversion.to_owned(), plies]
}

/// Formats a value: `win in 3 plies`.
pub(super) fn words(base: &Tablebase, value: Probed) -> String {
    let category = base.category(value.wdl);
    match value.plies {
        Some(1) => format!("{category} in 1 ply"),
        Some(plies) => format!("{category} in {plies} plies"),
        None => category.to_owned(),
    }
}
