//! Named sets of squares in a ruleset file.

use std::collections::BTreeMap;

use toml::Spanned;

use crate::game::board::{Board, SquareSet};

use super::error::{FieldFault, fault};
use super::file::Squares;

/// Returns the sets that every file can use without defining them.
pub(super) fn predefined(board: Board) -> [(&'static str, SquareSet); 4] {
    [
        ("throne", SquareSet::of(board.centre())),
        ("beside-throne", board.neighbours(board.centre()).collect()),
        ("corners", board.corners()),
        ("edge", board.edge()),
    ]
}

/// The name of the set of all squares, unless the file defines it. Descriptions do not use it.
const ALL: &str = "all";

/// Named sets, each of one or more groups of squares.
pub(super) struct Names {
    board: Board,
    sets: Vec<(String, Vec<SquareSet>)>,
}

impl Names {
    /// Collects the predefined sets, then the file's in its order.
    pub(super) fn new(
        file: &BTreeMap<String, Spanned<Squares>>,
        board: Board,
    ) -> Result<Names, FieldFault> {
        let mut sets = Vec::from(predefined(board).map(|(name, set)| (name.to_owned(), vec![set])));
        let mut defined: Vec<_> = file.iter().collect();
        defined.sort_by_key(|(_, squares)| squares.span().start);
        for (name, squares) in defined {
            // Only bare TOML keys, as messages quote them.
            if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
                let reason = format!("{name:?} may contain only a-z, A-Z, 0-9, - and _");
                return fault("squares", reason);
            }
            let field = format!("squares.{name}");
            if sets.iter().any(|(known, _)| known == name) {
                return fault(field, "this name is predefined");
            }
            let groups = parse_groups(squares.get_ref().groups(), &field, board)?;
            sets.push((name.clone(), groups));
        }
        Ok(Names { board, sets })
    }

    /// Returns the board.
    pub(super) fn board(&self) -> Board {
        self.board
    }

    /// Returns all groups of the sets with these names.
    pub(super) fn groups(
        &self,
        names: &[String],
        field: &str,
    ) -> Result<Vec<SquareSet>, FieldFault> {
        let mut groups = Vec::new();
        for name in names {
            if let Some((_, found)) = self.sets.iter().find(|(known, _)| known == name) {
                groups.extend(found);
            } else if name == ALL {
                groups.push(self.board.squares().collect());
            } else {
                let known = self.sets.iter().map(|(name, _)| name.as_str()).chain([ALL]);
                let list = known.collect::<Vec<&str>>().join(", ");
                return fault(field, format!("no set is named {name:?} (known: {list})"));
            }
        }
        Ok(groups)
    }

    /// Returns all squares of the sets with these names.
    pub(super) fn union(&self, names: &[String], field: &str) -> Result<SquareSet, FieldFault> {
        Ok(union(&self.groups(names, field)?))
    }

    /// Returns the sets without their division into groups.
    pub(super) fn into_sets(self) -> Vec<(String, SquareSet)> {
        self.sets.into_iter().map(|(name, groups)| (name, union(&groups))).collect()
    }
}

fn union(groups: &[SquareSet]) -> SquareSet {
    groups.iter().fold(SquareSet::EMPTY, |all, &group| all | group)
}

fn parse_groups(texts: &[String], field: &str, board: Board) -> Result<Vec<SquareSet>, FieldFault> {
    let (mut groups, mut all) = (Vec::new(), SquareSet::EMPTY);
    for text in texts {
        let mut group = SquareSet::EMPTY;
        for name in text.split_whitespace() {
            let Some(square) = board.parse(name) else {
                let size = board.size();
                return fault(field, format!("{name:?} is not on a {size}x{size} board"));
            };
            if all.contains(square) {
                return fault(field, format!("{name:?} is listed twice"));
            }
            group.insert(square);
            all.insert(square);
        }
        if group.is_empty() {
            return fault(field, "the set is empty: name one or more squares");
        }
        groups.push(group);
    }
    Ok(groups)
}
