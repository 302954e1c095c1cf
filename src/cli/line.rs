use taflbase::Tablebase;
use taflbase::draw::{BoardPicture, Sheet};
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::rules::Side;
use taflbase::tablebase::LineAnswer;
use taflbase::value::{Value, Wdl};

use super::arguments::PositionArgs;
use super::error::CliError;
use super::output::{Session, win_caveat, winner};
use super::pictures::Pictures;
use super::probe::words;

/// Print one line of best play to the end of the game
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    at: PositionArgs,
    #[command(flatten)]
    pictures: Pictures,
}

const HELP: &str = r#"The winner plays for the shortest win, the loser for the longest loss. For a draw, or
an undecided or endless position, only the value is printed. Needs the DTW tables of the
slice and of those that captures lead to; tables of few men are part of the program, as
for `probe`.

With --svg or --png, the picture has a board for each move and one for the end.

Examples:
  taflbase line brandubh "/7/4t2/7/7/2K4/7/2t4/ d"
  taflbase line brandubh /7/7/5K1/7/3t3/4t2/7/ a --json
  taflbase line brandubh /7/7/5K1/7/3t3/4t2/7/ a --png line.png

JSON, one line; "positions" are the first one and that after each move (shortened here):
  {"rules":"brandubh","position":"/7/7/5K1/7/3t3/4t2/7/ a","to_move":"attackers","category":"loss","dtw":4,"moves":["d5-d1","Kf3-a3","d1-b1","Ka3-a1--"],"positions":["/7/7/5K1/7/3t3/4t2/7/ a"]}"#;

/// Prints the line.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_probe(&args.rules)?;
    let rules = base.rules();
    let position = args.at.position(rules)?;
    let (value, line) = base
        .probe_dtw(&position)
        .and_then(|value| Ok((value, base.line(&position)?)))
        .map_err(|error| session.position_error(&base, &args.rules, error))?;
    let answer = LineAnswer::new(&base, &position, value, &line);
    let positions = position.along(&line);
    if !args.pictures.write(|| sheet(&base, value, &positions, &line))? {
        return Ok(());
    }
    if session.json() {
        return session.json_line(&answer);
    }
    session.text(&format!("{} to move: {}\n", answer.to_move, words(&base, value.into())))?;
    session.text(&numbered(session, &answer, position.to_move))?;
    session.text(win_caveat(rules, winner(position.to_move, value.wdl())))
}

/// Formats the moves of a line, of which the first is this side's, one on each line.
pub(super) fn numbered(session: &Session, answer: &LineAnswer, first: Side) -> String {
    let sides = [first, first.other()].into_iter().cycle();
    let moves = (1..).zip(sides).zip(&answer.moves);
    moves
        .map(|((number, side), played)| {
            let name = session.style().side(side, side.name());
            format!("{number:>4}  {name}  {played}\n")
        })
        .collect()
}

/// Draws the board before each move, and the last one.
fn sheet(base: &Tablebase, value: Value, positions: &[Position], line: &[Move]) -> Sheet {
    let rules = base.rules();
    let mut boards: Vec<BoardPicture> = (1..)
        .zip(positions.iter().zip(line))
        .map(|(number, (position, played))| {
            let caption = format!("{number}. {}", played.display(rules.board));
            let board = BoardPicture::new(rules, position.layout()).with_move(played);
            board.with_caption(caption, Some(position.to_move))
        })
        .collect();
    let (first, last) = (&positions[0], &positions[line.len()]);
    let end = match winner(first.to_move, value.wdl()) {
        Some(side) => format!("{} win", side.name()),
        None => base.category(Wdl::Draw).to_owned(),
    };
    boards.push(BoardPicture::new(rules, last.layout()).with_caption(end, None));
    Sheet::new(format!("{}: {}", rules.title, first.to_text(rules)), boards)
}
