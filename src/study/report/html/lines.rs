//! Longest wins: the board, and the moves to the end.

use crate::draw::{BoardPicture, Escaped, Sheet};
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::study::report::{LongestWin, Report};

use super::heat::capitalized;
use super::words::plies;

/// Draws the position of a longest win with its first move, and lists all moves; empty if the
/// position is unknown.
pub(super) fn figure(report: &Report, rules: &Ruleset, win: &LongestWin) -> String {
    let Some(text) = &win.position else {
        return String::new();
    };
    let title = format!(
        "{} win in {}, {} to move",
        capitalized(win.winner.name()),
        plies(win.plies),
        win.to_move.name()
    );
    let board = board(rules, text, win).map_or(String::new(), |board| {
        Sheet::new(format!("{}: {title}", report.title), vec![board]).to_svg()
    });
    let moves: String = win.moves.iter().flatten().zip(1..).map(listed).collect();
    let list = match moves.is_empty() {
        true => String::new(),
        false => format!("<ol class=\"moves\">{moves}</ol>\n"),
    };
    format!(
        "<figure class=\"win\"><figcaption>{title}: <code>{}</code></figcaption>\n{board}{list}\
         </figure>\n",
        Escaped(text)
    )
}

fn listed((played, number): (&String, usize)) -> String {
    format!("<li><span>{number}</span> {}</li>\n", Escaped(played))
}

/// Returns the board; `None` if the report is not of these rules.
fn board(rules: &Ruleset, text: &str, win: &LongestWin) -> Option<BoardPicture> {
    let position = Position::parse(text, rules).ok()?;
    let picture = BoardPicture::new(rules, position.layout());
    let first = win.moves.as_ref().and_then(|moves| moves.first());
    let played = first.and_then(|played| parse_move(rules, &position, played).ok());
    Some(match played {
        Some(played) => picture.with_move(&played),
        None => picture,
    })
}
