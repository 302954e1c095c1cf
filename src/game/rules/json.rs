use serde_json::{Value, json};

use crate::game::board::SquareSet;

use super::{Hostility, Kind, Movement, Ruleset, Side, plural};

impl Ruleset {
    /// Returns the ruleset as JSON: the fields of a ruleset file, with named sets replaced by their
    /// squares, and derived properties.
    pub fn describe_json(&self) -> Value {
        let squares =
            self.squares.iter().map(|(name, set)| (name.clone(), json!(self.board.names(*set))));
        let mut capture = json!({
            "protected_attackers": self.board.names(self.protected[Side::Attackers]),
            "protected_defenders": self.board.names(self.protected[Side::Defenders]),
            "unaided_attackers": self.board.names(self.unaided[Side::Attackers]),
            "unaided_defenders": self.board.names(self.unaided[Side::Defenders]),
            "king_surrounded": self.board.names(self.surrounded),
        });
        let mut end = json!({
            "goals": self.board.names(self.goals),
            "no_moves": "loses",
            "repetition": self.repetition,
            "repetition_occurrence": self.repetition_occurrence,
            "repetition_counts_start": self.repetition_counts_start,
            "endless": self.endless,
        });
        // Fields with their default value are left out, as they are in files.
        for (name, value, default) in [
            ("shieldwall", self.shieldwall, false),
            ("king_armed", self.king_armed, true),
            ("king_edge_hostile", self.king_edge_hostile, false),
        ] {
            if value != default {
                capture[name] = json!(value);
            }
        }
        for (name, holds) in [("exit_fort", self.exit_fort), ("encirclement", self.encirclement)] {
            if holds {
                end[name] = json!(true);
            }
        }
        json!({
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "notes": self.notes,
            "origin": self.origin,
            "group": self.group(),
            "fingerprint": self.fingerprint().to_string(),
            "size": self.board.size(),
            "symmetries": self.symmetries().order(),
            "start": self.start.to_text(self.board),
            "first_mover": self.first,
            "ply_limit": self.ply_limit,
            "squares": squares.collect::<serde_json::Map<_, _>>(),
            "places": by_kind(|kind| json!(self.places(kind).len())),
            "movement": by_kind(|kind| self.movement_json(kind)),
            "hostile": by_kind(|kind| self.hostile_json(kind)),
            "capture": capture,
            "end": end,
        })
    }

    fn movement_json(&self, kind: Kind) -> Value {
        let all: SquareSet = self.board.squares().collect();
        let Movement { stop, cross, gates, reach } = &self.movement[kind];
        let groups: Vec<_> = gates.iter().map(|&gate| self.board.names(gate)).collect();
        let mut movement = json!({
            "no_stop": self.board.names(all - *stop),
            "no_cross": self.board.names(all - *cross),
            "no_entry": groups,
        });
        if let Some(reach) = reach {
            movement["reach"] = json!(reach);
        }
        movement
    }

    fn hostile_json(&self, kind: Kind) -> Value {
        let Hostility { empty, occupied, besieged } = self.hostile[kind];
        json!({
            "empty": self.board.names(empty),
            "occupied": self.board.names(occupied),
            "besieged": self.board.names(besieged),
        })
    }
}

fn by_kind(value: impl Fn(Kind) -> Value) -> Value {
    Kind::ALL.map(|kind| (plural(kind).to_owned(), value(kind))).into_iter().collect()
}
