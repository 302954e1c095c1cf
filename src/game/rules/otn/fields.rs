//! A rules record as words: fields with their values, and what they are by default.

use crate::game::board::{Board, SquareSet};

use super::super::{ByKind, Kind};
use super::error::{OtnError, refused};

/// Every kind of piece that OpenTafl knows.
const EVERYBODY: &str = "tcnkTCNK";

/// The fields that a record can have, with the values that those left out have. `dim`
/// and the start have none.
const DEFAULTS: &[(&str, &str)] = &[
    ("dim", ""),
    ("start", ""),
    ("starti", ""),
    ("name", ""),
    // The game.
    ("esc", "c"),
    ("surf", "y"),
    ("atkf", "y"),
    ("tfr", "d"),
    // The pieces.
    ("ka", "y"),
    ("ks", "s"),
    ("kj", "n"),
    ("nj", "c"),
    ("cj", "j"),
    ("mj", "n"),
    ("gj", "n"),
    ("spd", "-1"),
    ("ber", "n"),
    // Forts and walls.
    ("sw", "n"),
    ("swf", "y"),
    ("efe", "n"),
    ("linc", "n"),
    // The throne.
    ("cen", ""),
    ("cenp", EVERYBODY),
    ("cens", "K"),
    ("cenh", "tcnk"),
    ("cenhe", EVERYBODY),
    ("cenre", EVERYBODY),
    // The corners.
    ("cor", ""),
    ("corp", "K"),
    ("cors", "K"),
    ("corh", EVERYBODY),
    ("corre", EVERYBODY),
    // The attackers' forts, and the defenders'.
    ("afor", ""),
    ("aforp", EVERYBODY),
    ("afors", EVERYBODY),
    ("aforh", "TCNK"),
    ("aforre", EVERYBODY),
    ("dfor", ""),
    ("dforp", EVERYBODY),
    ("dfors", "TCNK"),
    ("dforh", "tcnk"),
    ("dforre", EVERYBODY),
];

/// The value of a field that a record leaves out.
pub(super) fn default_value(field: &str) -> Option<&'static str> {
    DEFAULTS.iter().find(|(known, _)| *known == field).map(|&(_, value)| value)
}

/// The fields of a record.
pub(super) struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    /// The words of the record, whatever their order.
    pub(super) fn parse(record: &'a str) -> Result<Fields<'a>, OtnError> {
        let mut fields: Vec<(&str, &str)> = Vec::new();
        for word in record.split_whitespace() {
            let (field, value) =
                word.split_once(':').ok_or_else(|| OtnError::Word(word.to_owned()))?;
            if default_value(field).is_none() {
                return refused(field, value, "no rules record has such a field");
            }
            if fields.iter().any(|&(known, _)| known == field) {
                return Err(OtnError::Twice(field.to_owned()));
            }
            fields.push((field, value));
        }
        Ok(Fields(fields))
    }

    /// The value that the record gives.
    pub(super) fn given(&self, field: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == field).map(|&(_, value)| value)
    }

    /// The value, given or by default.
    pub(super) fn value(&self, field: &str) -> &'a str {
        self.given(field).or_else(|| default_value(field)).unwrap_or_default()
    }

    /// What the value, one of a few words, stands for.
    pub(super) fn choice<T: Copy>(
        &self,
        field: &str,
        choices: &[(&str, T)],
    ) -> Result<T, OtnError> {
        let value = self.value(field);
        match choices.iter().find(|(word, _)| *word == value) {
            Some(&(_, meaning)) => Ok(meaning),
            None => {
                let known: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
                let known = known.join(" or ");
                refused(field, value, format!("only {known} can be played here"))
            }
        }
    }

    /// The kinds of piece in a list of letters. OpenTafl's other kinds do not matter:
    /// they have no piece at the start.
    pub(super) fn kinds(&self, field: &str) -> Result<ByKind<bool>, OtnError> {
        let value = self.value(field);
        match value.chars().find(|&letter| !"tcnkmgTCNKMG".contains(letter)) {
            Some(letter) => refused(field, value, format!("{letter:?} is no kind of piece")),
            None => Ok(ByKind(Kind::ALL.map(|kind| value.contains(kind.letter())))),
        }
    }

    /// The squares of a list, if the record gives one.
    pub(super) fn squares(&self, field: &str, board: Board) -> Result<Option<SquareSet>, OtnError> {
        let Some(value) = self.given(field).filter(|&value| value != "default") else {
            return Ok(None);
        };
        let mut squares = SquareSet::EMPTY;
        for name in value.split(',').filter(|name| !name.is_empty()) {
            match board.parse(name) {
                Some(square) => squares.insert(square),
                None => return refused(field, value, format!("{name:?} is not on the board")),
            }
        }
        Ok(Some(squares))
    }
}
