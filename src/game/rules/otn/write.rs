//! From a ruleset to a rules record: what a record would have to say is written, and read
//! back to see whether it says it.

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;

use super::super::{ByKind, Kind, Repetition, Ruleset, Side};
use super::error::OtnError;
use super::fields::default_value;
use super::read;

/// What a square means to each kind of piece, as far as a record can say it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Properties {
    passable: ByKind<bool>,
    stoppable: ByKind<bool>,
    reenterable: ByKind<bool>,
    hostile_empty: ByKind<bool>,
    hostile_occupied: ByKind<bool>,
}

/// A record with these rules for games that begin with this position.
pub(super) fn record(rules: &Ruleset, start: &Position) -> Result<String, OtnError> {
    let mut words = vec![format!("dim:{}", rules.board.size())];
    let name: Vec<&str> =
        rules.title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    words.push(format!("name:{}", name.join("_")));
    let corner_wins = rules.goals != rules.board.edge() & rules.movement[Kind::King].stop;
    words.extend((!corner_wins).then(|| "esc:e".to_owned()));
    words.push("surf:n".to_owned());
    words.push(format!("atkf:{}", if start.to_move == Side::Attackers { "y" } else { "n" }));
    words.extend(repetition(rules));
    words.extend(king(rules)?);
    let besieged = rules.hostile[Kind::Defender].besieged;
    words.extend((!besieged.is_empty()).then(|| "linc:y".to_owned()));
    words.extend(spaces(rules, corner_wins));
    words.push(format!("start:{}", start.layout().to_text(rules.board)));
    let record = words.join(" ");
    let read = read::ruleset(&record).map_err(|error| match error {
        OtnError::Field { field, .. } => OtnError::Unsayable { field },
        error => error,
    })?;
    match difference(rules, &read) {
        None => Ok(record),
        Some(field) => Err(OtnError::Unsayable { field: field.to_owned() }),
    }
}

/// What a repetition means, in OpenTafl's words: the side that is forced to answer wins.
/// Left out, the game is drawn.
fn repetition(rules: &Ruleset) -> Option<String> {
    match rules.repetition {
        Repetition::Draw => None,
        Repetition::MoverLoses => Some("tfr:w".to_owned()),
        Repetition::Allowed => Some("tfr:i".to_owned()),
    }
}

fn king(rules: &Ruleset) -> Result<Option<String>, OtnError> {
    let places = rules.places(Kind::King);
    let centre = rules.board.centre();
    let beside: SquareSet = rules.board.neighbours(centre).collect();
    if rules.surrounded == places {
        Ok(None)
    } else if rules.surrounded == beside.with(centre) & places {
        Ok(Some("ks:c".to_owned()))
    } else if rules.surrounded.is_empty() {
        Ok(Some("ks:w".to_owned()))
    } else {
        Err(OtnError::Unsayable { field: "capture.king-surrounded".to_owned() })
    }
}

/// The throne, the corners and up to two kinds of fort, with what they mean.
fn spaces(rules: &Ruleset, corner_wins: bool) -> Vec<String> {
    let board = rules.board;
    let ordinary = Properties::ordinary();
    let properties = |square| Properties::of(rules, square);
    let is_special = |&square: &Square| properties(square) != ordinary;
    let centre = board.centre();
    let corners: SquareSet = match corner_wins {
        true => rules.goals,
        false => board.corners().iter().filter(is_special).collect(),
    };
    let special: SquareSet = board.squares().filter(is_special).collect();
    let mut rest = (special - corners).without(centre);
    let mut next = || {
        let first = rest.first().map(properties);
        let alike = rest.iter().filter(|&square| Some(properties(square)) == first).collect();
        rest -= alike;
        alike
    };
    let spaces =
        [("cen", SquareSet::of(centre)), ("cor", corners), ("afor", next()), ("dfor", next())];
    let returns = |&(_, squares): &(&str, SquareSet)| {
        squares.first().is_none_or(|square| properties(square).reenterable == ByKind([true; 3]))
    };
    let all_return = spaces.iter().all(returns);
    let mut words = Vec::new();
    for (key, squares) in spaces {
        let default = match key {
            "cen" => SquareSet::of(centre),
            "cor" => board.corners(),
            _ => SquareSet::EMPTY,
        };
        if squares != default {
            let names =
                rules.list(squares).iter().map(|name| format!("{name},")).collect::<String>();
            words.push(format!("{key}:{names}"));
        }
        if let Some(square) = squares.first() {
            properties(square).write(key, all_return, &mut words);
        } else if !all_return {
            // OpenTafl takes all of these or none.
            words.push(format!("{key}re:{}", letters(ByKind([true; 3]))));
        }
    }
    words
}

impl Properties {
    /// Those of any other square.
    fn ordinary() -> Properties {
        let (everybody, nobody) = (ByKind([true; 3]), ByKind([false; 3]));
        Properties {
            passable: everybody,
            stoppable: everybody,
            reenterable: everybody,
            hostile_empty: nobody,
            hostile_occupied: nobody,
        }
    }

    fn of(rules: &Ruleset, square: Square) -> Properties {
        let movement = &rules.movement;
        let gated = |kind| movement[kind].gate(square).is_some();
        // Nobody passes over the board's own corners, whatever the ruleset says.
        let is_corner = rules.board.corners().contains(square);
        let crosses = |kind| movement[kind].cross.contains(square) && !is_corner;
        let stops = |kind| movement[kind].stop.contains(square);
        // Where a piece begins and never returns, it may neither pass nor stop.
        let closed = |kind| gated(kind) && !crosses(kind);
        Properties {
            passable: ByKind::from_fn(|kind| (crosses(kind) || stops(kind)) && !closed(kind)),
            stoppable: ByKind::from_fn(|kind| stops(kind) && !closed(kind)),
            reenterable: ByKind::from_fn(|kind| !gated(kind) || closed(kind)),
            hostile_empty: ByKind::from_fn(|kind| rules.hostile[kind].empty.contains(square)),
            hostile_occupied: ByKind::from_fn(|kind| rules.hostile[kind].occupied.contains(square)),
        }
    }

    /// The fields of squares with this key that are not as by default.
    fn write(&self, key: &str, all_return: bool, words: &mut Vec<String>) {
        let mut word = |what: &str, kinds: ByKind<bool>, always: bool| {
            let field = format!("{key}{what}");
            let by_default = default_value(&field).unwrap_or_default();
            if always || kinds != ByKind(Kind::ALL.map(|kind| by_default.contains(kind.letter()))) {
                words.push(format!("{field}:{}", letters(kinds)));
            }
        };
        word("p", self.passable, false);
        word("s", self.stoppable, false);
        if key == "cen" {
            word("h", self.hostile_occupied, false);
            word("he", self.hostile_empty, false);
        } else {
            word("h", self.hostile_empty, false);
        }
        word("re", self.reenterable, !all_return);
    }
}

fn letters(kinds: ByKind<bool>) -> String {
    Kind::ALL.into_iter().filter(|&kind| kinds[kind]).map(Kind::letter).collect()
}

/// The first decision in which the values of positions can differ.
fn difference(rules: &Ruleset, read: &Ruleset) -> Option<&'static str> {
    if rules.fingerprint() == read.fingerprint() {
        return None;
    }
    let moves = |kind| {
        let reach = |rules: &Ruleset| -> Vec<SquareSet> {
            rules.board.squares().map(|square| rules.slides().reach(kind, square)).collect()
        };
        rules.places(kind) != read.places(kind) || reach(rules) != reach(read)
    };
    let hostile = |kind| rules.hostile[kind] != read.hostile[kind];
    let differ = [
        ("capture.protected-attackers", rules.protected != read.protected),
        ("capture.unaided-attackers", rules.unaided != read.unaided),
        ("movement.attackers", moves(Kind::Attacker)),
        ("movement.defenders", moves(Kind::Defender)),
        ("movement.king", moves(Kind::King)),
        ("hostile.attackers", hostile(Kind::Attacker)),
        ("hostile.defenders", hostile(Kind::Defender)),
        ("hostile.king", hostile(Kind::King)),
        ("capture.king-surrounded", rules.surrounded != read.surrounded),
    ];
    let found = differ.into_iter().find(|&(_, differs)| differs);
    Some(found.map_or("end.goals", |(field, _)| field))
}
