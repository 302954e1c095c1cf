//! Checks a ruleset file and derives the ruleset from it.

use std::num::NonZeroU32;

use crate::game::board::{Board, MAX_SIZE, MIN_SIZE, SquareSet};

use super::error::{FieldFault, fault};
use super::file::{self, File, NoMoves};
use super::names::Names;
use super::ruleset::{Decisions, Derived, places};
use super::value_decisions::ValueDecisions;
use super::{
    ByKind, BySide, Endless, Hostility, Kind, Layout, Movement, Repetition, Ruleset, Side, Slides,
};

/// Checks the file and returns its ruleset.
pub(super) fn ruleset(file: &File) -> Result<Ruleset, FieldFault> {
    check_name(&file.name)?;
    let board = board_of_size(file.size)?;
    let names = Names::new(&file.squares, board)?;
    let movement = ByKind([
        parse_movement(&file.movement.attackers, "movement.attackers", &names)?,
        parse_movement(&file.movement.defenders, "movement.defenders", &names)?,
        parse_movement(&file.movement.king, "movement.king", &names)?,
    ]);
    let goals = names.union(&file.end.goals, "end.goals")?;
    let start = Layout::parse(&file.start, board).or_else(|e| fault("start", e.to_string()))?;
    check_besieged(&file.hostile)?;
    let hostile = ByKind([
        hostility(&file.hostile.attackers, "hostile.attackers", &names)?,
        hostility(&file.hostile.defenders, "hostile.defenders", &names)?,
        hostility(&file.hostile.king, "hostile.king", &names)?,
    ]);
    let [protected, unaided] = capture_exceptions(&file.capture, &names)?;
    let surrounded = names.union(&file.capture.king_surrounded, "capture.king-surrounded")?;
    // The only value so far: a second one would not compile until a decision represents it.
    let NoMoves::Loses = file.end.no_moves;
    from_decisions(Decisions {
        name: file.name.clone(),
        title: file.title.clone(),
        source: file.source.clone(),
        notes: file.notes.clone(),
        origin: file.origin,
        board,
        squares: names.into_sets(),
        start,
        first: file.first_mover,
        ply_limit: file.ply_limit.map(NonZeroU32::get),
        repetition: file.end.repetition,
        repetition_occurrence: file.end.repetition_occurrence.get(),
        repetition_counts_start: file.end.repetition_counts_start,
        endless: file.end.endless,
        movement,
        hostile,
        protected,
        unaided,
        surrounded,
        shieldwall: file.capture.shieldwall,
        king_armed: file.capture.king_armed,
        king_edge_hostile: file.capture.king_edge_hostile,
        goals,
        exit_fort: file.end.exit_fort,
        encirclement: file.end.encirclement,
    })
}

/// Checks decisions from any source for contradictions, drops squares that cannot matter, and
/// derives the ruleset.
pub(super) fn from_decisions(mut decisions: Decisions) -> Result<Ruleset, FieldFault> {
    check_goals(&decisions)?;
    let goals = decisions.goals;
    let places = ByKind::from_fn(|kind| places(&decisions.movement[kind], kind, goals));
    check_start(&decisions, &places)?;
    check_end(&decisions)?;
    check_exit_fort(&decisions, places[Kind::King])?;
    let hostile = decisions.hostile;
    decisions.hostile = ByKind::from_fn(|kind| normalized(hostile[kind], kind, &places));
    for side in Side::ALL {
        decisions.protected[side] &= places[side.soldier()];
        decisions.unaided[side] &= places[side.soldier()];
        decisions.unaided[side] -= decisions.protected[side];
    }
    decisions.surrounded &= places[Kind::King];
    decisions.king_edge_hostile &= places[Kind::King].meets(decisions.board.edge());
    let slides = Slides::new(decisions.board, &decisions.movement, goals);
    let relevant = ValueDecisions::new(&decisions, places, &slides);
    let (symmetries, fingerprint) = (relevant.symmetries(), relevant.fingerprint());
    let id = fingerprint.id();
    let derived = Derived { symmetries, fingerprint, id, places, slides };
    Ok(Ruleset { decisions, derived })
}

/// Checks the name, which is also the name of the folder of tables.
fn check_name(name: &str) -> Result<(), FieldFault> {
    let valid = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if valid && !name.is_empty() && !name.starts_with('-') {
        return Ok(());
    }
    fault("name", format!("{name:?} may contain only a-z, 0-9 and -, and must not begin with -"))
}

fn board_of_size(size: i64) -> Result<Board, FieldFault> {
    let board = u8::try_from(size).ok().and_then(Board::new);
    let reason = format!("{size} is not an odd number from {MIN_SIZE} to {MAX_SIZE}");
    board.map_or_else(|| fault("size", reason), Ok)
}

fn parse_movement(
    file: &file::KindMovement,
    field: &str,
    names: &Names,
) -> Result<Movement, FieldFault> {
    let all: SquareSet = names.board().squares().collect();
    let stop = all - names.union(&file.no_stop, &format!("{field}.no-stop"))?;
    let cross = all - names.union(&file.no_cross, &format!("{field}.no-cross"))?;
    let gates_field = format!("{field}.no-entry");
    let gates = names.groups(&file.no_entry, &gates_field)?;
    let mut gated = SquareSet::EMPTY;
    for &gate in &gates {
        if let Some(square) = (gate & gated).first() {
            let name = names.board().name(square);
            return fault(gates_field, format!("\"{name}\" is in two groups"));
        }
        gated |= gate;
    }
    Ok(Movement { stop, cross, gates, reach: file.reach })
}

fn check_goals(decisions: &Decisions) -> Result<(), FieldFault> {
    let field = "end.goals";
    let goals = decisions.goals;
    if goals.is_empty() {
        return fault(field, "there is no square for the king to win on");
    }
    match (goals - decisions.movement[Kind::King].stop).first() {
        Some(closed) => {
            let name = decisions.board.name(closed);
            fault(field, format!("the king may not stop on \"{name}\""))
        }
        None => Ok(()),
    }
}

fn check_start(decisions: &Decisions, places: &ByKind<SquareSet>) -> Result<(), FieldFault> {
    let field = "start";
    let layout = &decisions.start;
    if layout.king.is_none() {
        return fault(field, "there is no king");
    }
    if layout.attackers.is_empty() {
        return fault(field, "there are no attackers");
    }
    for kind in Kind::ALL {
        if let Some(wrong) = (layout.squares(kind) - places[kind]).first() {
            let (name, wrong_name) = (kind.name(), decisions.board.name(wrong));
            return if kind == Kind::King && decisions.goals.contains(wrong) {
                fault(field, format!("the king has already won on {wrong_name}"))
            } else {
                fault(field, format!("no {name} may stand on {wrong_name}"))
            };
        }
    }
    Ok(())
}

/// Checks that only the defenders have besieged squares: a siege turns the throne against the
/// king's men, and no rules define it for other victims.
fn check_besieged(hostile: &file::Hostile) -> Result<(), FieldFault> {
    for (kind, name) in [(&hostile.attackers, "attackers"), (&hostile.king, "king")] {
        if !kind.besieged.is_empty() {
            let field = format!("hostile.{name}.besieged");
            return fault(field, "only hostile.defenders can have besieged squares");
        }
    }
    Ok(())
}

fn hostility(
    file: &file::KindHostile,
    field: &str,
    names: &Names,
) -> Result<Hostility, FieldFault> {
    Ok(Hostility {
        empty: names.union(&file.empty, &format!("{field}.empty"))?,
        occupied: names.union(&file.occupied, &format!("{field}.occupied"))?,
        besieged: names.union(&file.besieged, &format!("{field}.besieged"))?,
    })
}

/// Drops occupied squares that no piece of the victim's side can occupy, so that rulesets that
/// differ only there are the same.
fn normalized(hostility: Hostility, victim: Kind, places: &ByKind<SquareSet>) -> Hostility {
    let ByKind([attackers, defenders, king]) = *places;
    let own_side = match victim {
        Kind::Attacker => attackers,
        Kind::Defender => defenders | king,
        Kind::King => defenders,
    };
    let occupied = hostility.occupied & own_side;
    Hostility {
        empty: hostility.empty,
        occupied,
        besieged: (hostility.besieged & own_side) - occupied,
    }
}

/// Returns the protected and the unaided squares, each by side.
fn capture_exceptions(
    file: &file::Capture,
    names: &Names,
) -> Result<[BySide<SquareSet>; 2], FieldFault> {
    let protected = BySide([
        names.union(&file.protected_attackers, "capture.protected-attackers")?,
        names.union(&file.protected_defenders, "capture.protected-defenders")?,
    ]);
    let unaided = BySide([
        names.union(&file.unaided_attackers, "capture.unaided-attackers")?,
        names.union(&file.unaided_defenders, "capture.unaided-defenders")?,
    ]);
    Ok([protected, unaided])
}

fn check_end(decisions: &Decisions) -> Result<(), FieldFault> {
    if decisions.repetition_occurrence == 1 {
        return fault(
            "end.repetition-occurrence",
            "1 is not a repetition: a position is repeated at its second occurrence",
        );
    }
    match (decisions.repetition, decisions.endless) {
        (Repetition::MoverLoses, Endless::Draw) => fault(
            "end.endless",
            "must be \"undecided\" if the mover who repeats a position loses: no game is drawn",
        ),
        (Repetition::Allowed | Repetition::Draw, Endless::Undecided) => {
            fault("end.endless", "must be \"draw\" unless end.repetition is \"mover-loses\"")
        }
        (Repetition::MoverLoses, Endless::Attackers) => fault(
            "end.endless",
            "must be \"undecided\" if end.repetition is \"mover-loses\": either side can lose",
        ),
        (Repetition::Allowed | Repetition::Draw, Endless::Attackers) => fault(
            "end.endless",
            "must be \"draw\" unless the defenders may not repeat positions: see end.repetition",
        ),
        (
            Repetition::DefendersLose | Repetition::DefendersBarred,
            Endless::Draw | Endless::Undecided,
        ) => fault(
            "end.endless",
            "must be \"attackers\" if the defenders may not repeat positions: no game is drawn",
        ),
        _ => Ok(()),
    }
}

/// Checks that an exit fort can be built: the king can stand at the edge without having won, and
/// has somewhere to go from there.
fn check_exit_fort(decisions: &Decisions, king: SquareSet) -> Result<(), FieldFault> {
    let (board, field) = (decisions.board, "end.exit-fort");
    if !decisions.exit_fort {
        Ok(())
    } else if !decisions.goals.meets(board.edge()) {
        fault(field, "there is no fort at the edge if no goal is there: see end.goals")
    } else if !king.meets(board.edge() - board.corners()) {
        fault(field, "the king can never be in a fort: he has won wherever he may stop at the edge")
    } else {
        Ok(())
    }
}
