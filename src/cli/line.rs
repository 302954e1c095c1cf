use serde::Serialize;

use super::arguments::parse_position;
use super::failure::Failure;
use super::output::Session;
use super::probe::words;

/// Play one line of best play to the end
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// The position: board and side to move, quoted or as two arguments
    #[arg(value_name = "POS", required = true, num_args = 1..=2)]
    position: Vec<String>,
}

const HELP: &str = r#"The winner hurries and the loser delays. Of a draw, or an undecided position,
only the value is printed. Needs the DTW tables of the slice and of those that
captures lead to; those of few men are part of the program, as for `probe`.

Examples:
  taflbase line brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase line brandubh /7/7/5K1/7/3t3/4t2/7/ a --json

JSON, one line; positions are the first and those after each move (here the first one):
  {"rules":"brandubh","position":"/7/7/5K1/7/3t3/4t2/7/ a","to_move":"attackers","category":"loss","dtw":4,"moves":["d5-d1","Kf3-a3","d1-b1","Ka3-a1--"],"positions":["/7/7/5K1/7/3t3/4t2/7/ a"]}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    position: String,
    to_move: &'static str,
    category: &'static str,
    dtw: Option<u16>,
    moves: Vec<String>,
    positions: Vec<String>,
}

/// Plays the line.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open_to_probe(&args.rules)?;
    let rules = base.rules();
    let position = parse_position(&args.position, rules)?;
    let refusal = |error| session.refusal(&base, &args.rules, error);
    let value = base.probe_dtw(&position).map_err(refusal)?;
    let line = base.line(&position).map_err(refusal)?;
    let moves = line.iter().map(|played| played.display(rules.board).to_string());
    let mut positions = vec![position];
    positions.extend(line.iter().scan(position, |now, played| {
        *now = now.after(played);
        Some(*now)
    }));
    let answer = Answer {
        rules: &rules.name,
        position: position.to_text(rules),
        to_move: position.to_move.name(),
        category: base.category(value.wdl()),
        dtw: value.plies(),
        moves: moves.collect(),
        positions: positions.iter().map(|position| position.to_text(rules)).collect(),
    };
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&format!("{} to move: {}\n", answer.to_move, words(&base, value.into())))?;
    let mut sides = [position.to_move, position.to_move.other()].into_iter().cycle();
    for (number, played) in (1..).zip(&answer.moves) {
        let side = sides.next().map_or("", |side| side.name());
        session.text(&format!("{number:>4}  {side}  {played}\n"))?;
    }
    Ok(())
}
