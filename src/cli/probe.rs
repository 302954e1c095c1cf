use serde::Serialize;
use taflbase::Tablebase;
use taflbase::tablebase::{MoveProbe, Probe, Probed};

use super::arguments::Asked;
use super::failure::Failure;
use super::output::{Session, columns};

/// Tell the value of a position and of each of its moves, best first
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
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

Examples:
  taflbase probe brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase probe brandubh /7/7/5K1/7/3t3/4t2/7/ a --json

JSON, one line (here with one of the moves); "dtw" is null for draws, and where
there are WDL tables only:
  {"rules":"brandubh","position":"/7/4t2/7/7/2K4/7/2t4/ d","to_move":"defenders","category":"win","dtw":3,"moves":[{"move":"Kc5-c1","category":"win","dtw":2,"conversion":false}]}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    position: String,
    to_move: &'static str,
    category: &'static str,
    dtw: Option<u16>,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct MoveAnswer {
    #[serde(rename = "move")]
    played: String,
    category: &'static str,
    dtw: Option<u16>,
    conversion: bool,
}

/// Probes one position.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open_to_probe(&args.asked.rules)?;
    let rules = base.rules();
    let position = args.asked.position(rules)?;
    let refusal = |error| session.refusal(&base, &args.asked.rules, error);
    let Probe { value, moves, .. } = base.probe(&position).map_err(refusal)?;
    let answer = Answer {
        rules: &rules.name,
        position: position.to_text(rules),
        to_move: position.to_move.name(),
        category: base.category(value.wdl),
        dtw: value.plies,
        moves: moves.iter().map(|probed| answer_move(&base, probed)).collect(),
    };
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&rules.board_drawing(&position.layout()))?;
    session.text(&format!("\n{} to move: {}\n\n", answer.to_move, words(&base, value)))?;
    let rows: Vec<Vec<String>> = answer.moves.into_iter().map(MoveAnswer::row).collect();
    let header = ["move", "value", "conversion", "plies after it"];
    session.text(&columns(3, &header, &rows))?;
    if value.is_exact() {
        return Ok(());
    }
    let slice = position.slice();
    let build = session.command("build", &args.asked.rules, &format!("--slice {slice}"));
    session
        .text(&format!("\nDistances are unknown: the tables of {slice} have none; run `{build}`\n"))
}

fn answer_move(base: &Tablebase, probed: &MoveProbe) -> MoveAnswer {
    MoveAnswer {
        played: probed.played.display(base.rules().board).to_string(),
        category: probed.category(base),
        dtw: probed.value.and_then(|value| value.plies),
        conversion: probed.played.is_conversion(),
    }
}

impl MoveAnswer {
    fn row(self) -> Vec<String> {
        let conversion = if self.conversion { "yes" } else { "" };
        let plies = self.dtw.map_or(String::new(), |plies| plies.to_string());
        vec![self.played, self.category.to_owned(), conversion.to_owned(), plies]
    }
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
