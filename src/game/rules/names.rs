//! The names that a ruleset file gives to sets of squares.

use std::collections::BTreeMap;

use toml::Spanned;

use crate::game::board::{Board, SquareSet};

use super::error::{FieldFault, fault};
use super::file::Squares;

/// The sets that every file can name without defining them.
pub(super) fn predefined(board: Board) -> [(&'static str, SquareSet); 4] {
    [
        ("throne", SquareSet::of(board.centre())),
        ("beside-throne", board.neighbours(board.centre()).collect()),
        ("corners", board.corners()),
        ("edge", board.edge()),
    ]
}

/// Named sets, each of one or more groups of squares.
pub(super) struct Names {
    board: Board,
    sets: Vec<(String, Vec<SquareSet>)>,
}

impl Names {
    /// The predefined sets and then the file's, in the order of the file.
    pub(super) fn new(
        file: &BTreeMap<String, Spanned<Squares>>,
        board: Board,
    ) -> Result<Names, FieldFault> {
        let predefined = predefined(board).map(|(name, set)| (name.to_owned(), vec![set]));
        let mut sets = Vec::from(predefined);
        let mut defined: Vec<_> = file.iter().collect();
        defined.sort_by_key(|(_, squares)| squares.span().start);
        for (name, squares) in defined {
            // As TOML has them without quotes; they are part of messages.
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if !name.chars().all(fits) {
                let reason = format!("{name:?} may hold only a-z, A-Z, 0-9, - and _");
                return fault("squares", reason);
            }
            let field = format!("squares.{name}");
            if sets.iter().any(|(known, _)| known == name) {
                return fault(field, "is predefined");
            }
            let groups = parse_groups(squares.get_ref().groups(), &field, board)?;
            sets.push((name.clone(), groups));
        }
        Ok(Names { board, sets })
    }

    /// The board.
    pub(super) fn board(&self) -> Board {
        self.board
    }

    /// All groups of the sets of these names.
    pub(super) fn groups(
        &self,
        names: &[String],
        field: &str,
    ) -> Result<Vec<SquareSet>, FieldFault> {
        let mut groups = Vec::new();
        for name in names {
            let Some((_, found)) = self.sets.iter().find(|(known, _)| known == name) else {
                let known: Vec<&str> = self.sets.iter().map(|(name, _)| name.as_str()).collect();
                let known = known.join(", ");
                return fault(field, format!("no set is named {name:?} (known: {known})"));
            };
            groups.extend(found);
        }
        Ok(groups)
    }

    /// All squares of the sets of these names.
    pub(super) fn union(&self, names: &[String], field: &str) -> Result<SquareSet, FieldFault> {
        Ok(union(&self.groups(names, field)?))
    }

    /// The sets without their division into groups.
    pub(super) fn into_sets(self) -> Vec<(String, SquareSet)> {
        let whole = |(name, groups): (String, Vec<SquareSet>)| (name, union(&groups));
        self.sets.into_iter().map(whole).collect()
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
                return fault(field, format!("{name:?} is there twice"));
            }
            group.insert(square);
            all.insert(square);
        }
        if group.is_empty() {
            return fault(field, "a set needs squares");
        }
        groups.push(group);
    }
    Ok(groups)
}
