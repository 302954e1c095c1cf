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

/// Tell the value of a position and of each of its moves, or the values of many positions
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    at: PositionArgs,
    /// Probe the positions of a file instead, one a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "svg", "png"])]
    batch: Option<PathBuf>,
    #[command(flatten)]
    pictures: Pictures,
}

const HELP: &str = r#"Values are for the side to move in the probed position, those of moves too.
Distances are plies to the end of the game; those of moves count from after the
move. A move into a slice that is not built has the value "unknown". Rulesets
without draws (berkeley) have "undecided" positions: who wins depends on what
was played before. Their distances are upper bounds.

Slices of few men need no files: they are part of the program, the king and 4
soldiers of brandubh, brandubh-online and berkeley, 3 of ashton and tablut, 2 of the
larger games. Of brandubh, tablut and large-hnefatafl there are also wins, draws and
losses, without distances, with one soldier more. Where there are files, these are
read.

A move that ends with -- takes the king to where he has won, one with ++ captures him.
A conversion is a capture after which the game goes on in a slice of fewer men.

With --batch, one line is printed for each line of the file: the position, its value
(or "unknown" without a table, "invalid" for what is no position, an empty line too) and
the plies or what is wrong, with tabs between; with --json, {"position":…,"category":…,"dtw":…}.
The status is 1 if a line is unknown or invalid.

A picture, of --svg or --png, shows the board and the best move, if it is known.

Examples:
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase probe brandubh --batch positions.txt
  taflbase probe brandubh /7/7/5K1/7/3t3/4t2/7/ a --json
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d" --svg board.svg

JSON, one line (here with one of the moves, and the position after it); "dtw" is null
for draws, and where there are WDL tables only:
  {"rules":"brandubh","position":"/7/4t2/7/7/2K4/7/2t4/ d","to_move":"defenders","category":"win","dtw":3,"moves":[{"move":"Kc5-c1","category":"win","dtw":2,"conversion":false,"position":"/2K4/4t2/7/7/7/7/2t4/ a"}]}"#;

/// Probes one position.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_probe(&args.rules)?;
    let rules = base.rules();
    if let Some(path) = &args.batch {
        return batch::run(&base, path, session);
    }
    let position = args.at.position(rules)?;
    let refusal = |error| session.probe_error(&base, &args.rules, error);
    let probe = base.probe(&position).map_err(refusal)?;
    let Probe { value, ref moves, .. } = probe;
    let answer = ProbeAnswer::new(&base, &position, Some(value), moves);
    let told = format!("{} to move: {}", answer.to_move, words(&base, value));
    let mut board = BoardPicture::new(rules, position.layout());
    // The best move is unknown if the choice depends on missing tables.
    if let Ok(Some(best)) = probe.best_move(&position) {
        board = board.with_move(&best);
    }
    let sheet = || {
        let board = board.clone().with_caption(&told, Some(position.to_move));
        Sheet::new(format!("{}: {}", rules.title, answer.position), vec![board])
    };
    if !args.pictures.write(sheet)? {
        return Ok(());
    }
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&format!("{}\n{told}\n\n", board.to_text(session.style())))?;
    session.text(&move_table(&base, &position, moves))?;
    if value.is_exact() {
        return Ok(());
    }
    let slice = position.slice();
    let build = session.command("build", &args.rules, &format!("--slice {slice}"));
    session
        .text(&format!("\nDistances are unknown: the tables of {slice} have none; run `{build}`\n"))
}

/// The moves in columns, in that order.
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

/// A value in words: `win in 3 plies`.
pub(super) fn words(base: &Tablebase, value: Probed) -> String {
    let category = base.category(value.wdl);
    match value.plies {
        Some(1) => format!("{category} in 1 ply"),
        Some(plies) => format!("{category} in {plies} plies"),
        None => category.to_owned(),
    }
}
