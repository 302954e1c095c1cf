//! The fields of a rules record, with their values and defaults.

use std::num::NonZeroU8;

use crate::game::board::{Board, SquareSet};

use super::super::ByKind;
use super::error::{OtnError, refused};

/// All of OpenTafl's kinds of piece.
const EVERYBODY: &str = "tcnkTCNK";

/// The known fields with their default values; `dim` and the start have none.
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

/// Returns the default value of a field; `None` if the field is unknown.
pub(super) fn default_value(field: &str) -> Option<&'static str> {
    DEFAULTS.iter().find(|(known, _)| *known == field).map(|&(_, value)| value)
}

/// The fields of a record.
pub(super) struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    /// Parses the words of the record, in any order.
    pub(super) fn parse(record: &'a str) -> Result<Fields<'a>, OtnError> {
        let mut fields: Vec<(&str, &str)> = Vec::new();
        for word in record.split_whitespace() {
            let (field, value) =
                word.split_once(':').ok_or_else(|| OtnError::Word(word.to_owned()))?;
            if default_value(field).is_none() {
                return refused(field, value, "unknown field of a rules record");
            }
            if fields.iter().any(|&(known, _)| known == field) {
                return Err(OtnError::Twice(field.to_owned()));
            }
            fields.push((field, value));
        }
        Ok(Fields(fields))
    }

    /// Takes the fields of a record as they are, for what is the same in all games.
    pub(super) fn of_any_game(record: &'a str) -> Fields<'a> {
        Fields(record.split_whitespace().filter_map(|word| word.split_once(':')).collect())
    }

    /// Returns the value in the record, without defaults.
    pub(super) fn get(&self, field: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == field).map(|&(_, value)| value)
    }

    /// Returns the value in the record, or the default.
    pub(super) fn value(&self, field: &str) -> &'a str {
        self.get(field).or_else(|| default_value(field)).unwrap_or_default()
    }

    /// Returns the meaning of a value that must be one of a few words.
    pub(super) fn choice<T: Copy>(
        &self,
        field: &str,
        choices: &[(&str, T)],
    ) -> Result<T, OtnError> {
        let value = self.value(field);
        match choices.iter().find(|(word, _)| *word == value) {
            Some(&(_, meaning)) => Ok(meaning),
            None => {
                let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
                refused(field, value, format!("only {} is supported", words.join(" or ")))
            }
        }
    }

    /// Returns the greatest number of squares that all pieces move at once. Records can have
    /// a number for each kind, too; these are refused.
    pub(super) fn speed(&self) -> Result<Option<NonZeroU8>, OtnError> {
        let value = self.value("spd");
        if value.split(',').all(|speed| matches!(speed, "" | "-1")) {
            return Ok(None);
        }
        value.parse().map(Some).or_else(|_| {
            refused(
                "spd",
                value,
                "only -1, any distance, or one number for all pieces is supported",
            )
        })
    }

    /// Returns the kinds of piece in a list of letters. OpenTafl's other kinds are ignored, as no
    /// supported game starts with them.
    pub(super) fn kinds(&self, field: &str) -> Result<ByKind<bool>, OtnError> {
        let value = self.value(field);
        match value.chars().find(|&letter| !"tcnkmgTCNKMG".contains(letter)) {
            Some(letter) => refused(field, value, format!("{letter:?} is not a kind of piece")),
            None => Ok(ByKind::from_fn(|kind| value.contains(kind.letter()))),
        }
    }

    /// Returns the squares of a list; `None` if the record has none.
    pub(super) fn squares(&self, field: &str, board: Board) -> Result<Option<SquareSet>, OtnError> {
        let Some(value) = self.get(field).filter(|&value| value != "default") else {
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
