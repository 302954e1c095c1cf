//! Writes a ruleset as a rules record. The record is read back to check that it expresses the
//! rules.

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;

use super::super::{ByKind, Kind, Repetition, Ruleset, Side};
use super::error::OtnError;
use super::fields::default_value;
use super::read;

/// The properties of a square for each kind of piece, as far as a record expresses them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Properties {
    passable: ByKind<bool>,
    stoppable: ByKind<bool>,
    reenterable: ByKind<bool>,
    hostile_empty: ByKind<bool>,
    hostile_occupied: ByKind<bool>,
}

/// Writes a record with these rules for games that begin with this position.
pub(super) fn record(rules: &Ruleset, start: &Position) -> Result<String, OtnError> {
    let mut words = vec![format!("dim:{}", rules.board.size())];
    let name: Vec<&str> =
        rules.title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    words.push(format!("name:{}", name.join("_")));
    let corner_wins = rules.goals != rules.board.edge() & rules.movement[Kind::King].stop;
    words.extend((!corner_wins).then(|| "esc:e".to_owned()));
    words.push("surf:n".to_owned());
    words.push(format!("atkf:{}", if start.to_move == Side::Attackers { "y" } else { "n" }));
    words.extend(repetition_field(rules));
    words.extend(king_field(rules)?);
    let besieged = rules.hostile[Kind::Defender].besieged;
    words.extend((!besieged.is_empty()).then(|| "linc:y".to_owned()));
    words.extend((!rules.king_armed).then(|| "ka:n".to_owned()));
    // The notation's numbers for single kinds are not written: see `difference`.
    let [attackers, defenders, king] = Kind::ALL.map(|kind| rules.movement[kind].reach);
    if attackers == defenders && defenders == king {
        words.extend(king.map(|reach| format!("spd:{reach}")));
    }
    words.extend(space_fields(rules, corner_wins));
    words.push(format!("start:{}", start.layout().to_text(rules.board)));
    let record = words.join(" ");
    let read = read::ruleset(&record).map_err(|error| match error {
        OtnError::Field { field, .. } => OtnError::Inexpressible { field },
        error => error,
    })?;
    match difference(rules, &read) {
        None => Ok(record),
        Some(field) => Err(OtnError::Inexpressible { field: field.to_owned() }),
    }
}

/// Returns the field for repetitions; without it, the game is drawn. In OpenTafl's words, the side
/// that is forced to answer a repetition wins.
fn repetition_field(rules: &Ruleset) -> Option<String> {
    match rules.repetition {
        Repetition::Draw => None,
        Repetition::MoverLoses => Some("tfr:w".to_owned()),
        Repetition::Allowed => Some("tfr:i".to_owned()),
        // Endless play has another value there, which `difference` reports.
        Repetition::DefendersLose | Repetition::DefendersBarred => None,
    }
}

/// Returns the field for the king's strength; without it, he is strong everywhere.
fn king_field(rules: &Ruleset) -> Result<Option<String>, OtnError> {
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
        Err(OtnError::Inexpressible { field: "capture.king-surrounded".to_owned() })
    }
}

/// Returns the fields of the throne, the corners and up to two kinds of fort.
fn space_fields(rules: &Ruleset, corner_wins: bool) -> Vec<String> {
    let board = rules.board;
    let centre = board.centre();
    let special: SquareSet = board
        .squares()
        .filter(|&square| Properties::of(rules, square) != Properties::ordinary())
        .collect();
    let corners = if corner_wins { rules.goals } else { special & board.corners() };
    // The remaining special squares are forts: one kind for each combination of properties.
    let forts = (special - corners).without(centre);
    let first_forts = like_first(rules, forts);
    let second_forts = like_first(rules, forts - first_forts);
    let spaces = [
        ("cen", SquareSet::of(centre)),
        ("cor", corners),
        ("afor", first_forts),
        ("dfor", second_forts),
    ];
    let all_return = spaces.iter().all(|(_, squares)| {
        let first = squares.first();
        first.is_none_or(|square| Properties::of(rules, square).reenterable == ByKind([true; 3]))
    });
    let mut words = Vec::new();
    for (key, squares) in spaces {
        let default = match key {
            "cen" => SquareSet::of(centre),
            "cor" => board.corners(),
            _ => SquareSet::EMPTY,
        };
        if squares != default {
            let names = rules
                .board
                .names(squares)
                .iter()
                .map(|name| format!("{name},"))
                .collect::<String>();
            words.push(format!("{key}:{names}"));
        }
        if let Some(square) = squares.first() {
            Properties::of(rules, square).write(key, all_return, &mut words);
        } else if !all_return {
            // OpenTafl reads either all re-entry fields or none.
            words.push(format!("{key}re:{}", letters(ByKind([true; 3]))));
        }
    }
    words
}

/// Returns the squares with the same properties as the first one.
fn like_first(rules: &Ruleset, squares: SquareSet) -> SquareSet {
    let first = squares.first().map(|square| Properties::of(rules, square));
    squares.iter().filter(|&square| Some(Properties::of(rules, square)) == first).collect()
}

impl Properties {
    /// Returns the properties of an ordinary square.
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
        // No path crosses the board's own corners, whatever the ruleset says.
        let is_corner = rules.board.corners().contains(square);
        let gated = ByKind::from_fn(|kind| rules.movement[kind].gate(square).is_some());
        let crosses =
            ByKind::from_fn(|kind| rules.movement[kind].cross.contains(square) && !is_corner);
        let stops = ByKind::from_fn(|kind| rules.movement[kind].stop.contains(square));
        // A square where a piece starts and never returns counts as closed to passing and stopping.
        let closed = ByKind::from_fn(|kind| gated[kind] && !crosses[kind]);
        Properties {
            passable: ByKind::from_fn(|kind| (crosses[kind] || stops[kind]) && !closed[kind]),
            stoppable: ByKind::from_fn(|kind| stops[kind] && !closed[kind]),
            reenterable: ByKind::from_fn(|kind| !gated[kind] || closed[kind]),
            hostile_empty: ByKind::from_fn(|kind| rules.hostile[kind].empty.contains(square)),
            hostile_occupied: ByKind::from_fn(|kind| rules.hostile[kind].occupied.contains(square)),
        }
    }

    /// Appends the fields of squares with this key that differ from the defaults.
    fn write(&self, key: &str, all_return: bool, words: &mut Vec<String>) {
        let mut fields = vec![("p", self.passable), ("s", self.stoppable)];
        if key == "cen" {
            fields.extend([("h", self.hostile_occupied), ("he", self.hostile_empty)]);
        } else {
            fields.push(("h", self.hostile_empty));
        }
        fields.push(("re", self.reenterable));
        for (suffix, kinds) in fields {
            let field = format!("{key}{suffix}");
            let default = default_value(&field).unwrap_or_default();
            let default_kinds = ByKind::from_fn(|kind| default.contains(kind.letter()));
            if kinds != default_kinds || suffix == "re" && !all_return {
                words.push(format!("{field}:{}", letters(kinds)));
            }
        }
    }
}

fn letters(kinds: ByKind<bool>) -> String {
    Kind::ALL.into_iter().filter(|&kind| kinds[kind]).map(Kind::letter).collect()
}

/// Returns the first decision in which the rules differ, if values of positions can differ.
fn difference(rules: &Ruleset, read: &Ruleset) -> Option<&'static str> {
    if rules.fingerprint() == read.fingerprint() {
        return None;
    }
    let hostile = ByKind::from_fn(|kind| rules.hostile[kind] != read.hostile[kind]);
    let differ = [
        ("capture.shieldwall", rules.shieldwall != read.shieldwall),
        ("capture.king-edge-hostile", rules.king_edge_hostile != read.king_edge_hostile),
        ("end.exit-fort", rules.exit_fort != read.exit_fort),
        ("end.encirclement", rules.encirclement != read.encirclement),
        ("end.endless", rules.endless != read.endless),
        ("capture.protected-attackers", rules.protected != read.protected),
        ("capture.unaided-attackers", rules.unaided != read.unaided),
        ("movement.attackers", movement_differs(rules, read, Kind::Attacker)),
        ("movement.defenders", movement_differs(rules, read, Kind::Defender)),
        ("movement.king", movement_differs(rules, read, Kind::King)),
        ("hostile.attackers", hostile[Kind::Attacker]),
        ("hostile.defenders", hostile[Kind::Defender]),
        ("hostile.king", hostile[Kind::King]),
        ("capture.king-surrounded", rules.surrounded != read.surrounded),
    ];
    let found = differ.into_iter().find(|&(_, differs)| differs);
    Some(found.map_or("end.goals", |(field, _)| field))
}

fn movement_differs(rules: &Ruleset, read: &Ruleset, kind: Kind) -> bool {
    rules.places(kind) != read.places(kind)
        || rules
            .board
            .squares()
            .any(|square| rules.slides().reach(kind, square) != read.slides().reach(kind, square))
}
