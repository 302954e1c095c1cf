//! Positions written as lists of men, and helpers that check moves.

use taflbase::notation::parse_move;
use taflbase::position::Position;
use taflbase::rules::{Layout, Ruleset, Side};

/// The rulesets of Winther's family: winning corners and a hostile throne.
pub(crate) const CORNERS: [&str; 6] =
    ["mcgill", "tablut", "brandubh", "large-hnefatafl", "alea-evangelii", "brandubh-online"];
/// The rulesets with camps.
pub(crate) const CAMPS: [&str; 2] = ["ashton", "ashton-server"];
/// All built-in rulesets.
pub(crate) const ALL: [&str; 9] = [
    "mcgill",
    "tablut",
    "brandubh",
    "large-hnefatafl",
    "alea-evangelii",
    "brandubh-online",
    "ashton",
    "ashton-server",
    "berkeley",
];

pub(crate) fn ruleset(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| panic!("no ruleset {name}"))
}

/// Reads a position from words such as `Kc3 td4 Tf6`. The middle of the board is written `*`,
/// its neighbours and the squares beyond them `*w`, `*ww`, `*s`, …
#[track_caller]
pub(crate) fn men(rules: &Ruleset, words: &str, to_move: Side) -> Position {
    let mut layout = Layout::default();
    for word in words.split_whitespace() {
        let (letter, name) = word.split_at(1);
        let square = rules.board.parse(&located(rules, name)).unwrap();
        match letter {
            "t" => layout.attackers.insert(square),
            "T" => layout.defenders.insert(square),
            "K" => layout.king = Some(square),
            _ => panic!("{word} is no man"),
        }
    }
    Position::from_layout(&layout, to_move, rules)
        .unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// Replaces `*` and the letters n, e, s, w after it by the square that they stand for.
fn located(rules: &Ruleset, text: &str) -> String {
    let mut parts = text.split('*');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let steps = part.len() - part.trim_start_matches(['n', 'e', 's', 'w']).len();
        let (file, rank) = part[..steps].chars().fold((0, 0), |(f, r), c| match c {
            'n' => (f, r + 1),
            's' => (f, r - 1),
            'e' => (f + 1, r),
            _ => (f - 1, r),
        });
        let middle = (rules.board.size() / 2) as isize;
        let at = |offset: isize| (middle + offset) as usize;
        let square = rules.board.at(at(file), at(rank));
        result += &format!("{}{}", rules.board.name(square), &part[steps..]);
    }
    result
}

/// Plays a move and checks that it has exactly the written effect; only its squares are parsed.
/// Returns the position after it.
#[track_caller]
pub(crate) fn plays(name: &str, words: &str, expected: &str) -> Position {
    let rules = ruleset(name);
    let expected = located(&rules, expected);
    let bare = expected.trim_end_matches(['+', '-']);
    let bare = bare.split('x').next().unwrap_or_default();
    let position = with_mover(&rules, words, bare);
    let played = parse_move(&rules, &position, bare)
        .unwrap_or_else(|error| panic!("{name}: {words}: {bare}: {error}"));
    let text = played.display(rules.board).to_string();
    assert_eq!(text, expected, "{name}: {words}");
    position.after(&played)
}

/// Checks that a move is refused with this message.
#[track_caller]
pub(crate) fn refuses(name: &str, words: &str, text: &str, message: &str) {
    let rules = ruleset(name);
    let position = with_mover(&rules, words, text);
    let error = parse_move(&rules, &position, text).unwrap_err();
    assert_eq!(error.to_string(), message, "{name}: {words}: {text}");
}

/// Reads the position; the side to move is that of the piece that moves.
#[track_caller]
fn with_mover(rules: &Ruleset, words: &str, text: &str) -> Position {
    let from = text.trim_start_matches('K').split('-').next();
    let square = from.and_then(|name| rules.board.parse(name)).unwrap();
    let mut position = men(rules, words, Side::Attackers);
    if let Some(kind) = position.piece(square) {
        position.to_move = kind.side();
    }
    position
}
