use std::fs;
use std::path::Path;
use std::sync::Arc;

use taflbase::record::{GameResult, Record};
use taflbase::rules::{Ruleset, Side};

use super::super::error::CliError;
use super::super::file;
use super::terminal::TerminalGame;

impl TerminalGame<'_> {
    /// Saves the game in a new file, or in the one it was saved to or loaded from.
    pub(super) fn save(&mut self, path: &Path) -> Result<(), CliError> {
        let mut record = Record::new(self.game.clone());
        for side in Side::ALL {
            let is_users = self.user_sides.has(side);
            let strategist = self.strategist.as_ref().filter(|strategist| strategist.has(side));
            let player = match strategist {
                _ if is_users => "human".to_owned(),
                Some(strategist) => strategist.name().to_owned(),
                None => self.opponent.name(),
            };
            record.tags.push((side.name().to_owned(), player));
        }
        if let Some(loser) = self.resigned {
            record.result = GameResult::Won(loser.other());
        }
        let is_own = self.file.as_deref() == Some(path);
        if !is_own && path.symlink_metadata().is_ok() {
            return self.say(&format!("{} already exists: name another file", path.display()));
        }
        let text = record.to_text();
        match file::write(path, "the game", |out| out.write_all(text.as_bytes())) {
            Ok(()) => {
                self.file = Some(path.to_owned());
                self.say(&format!("saved in {}", path.display()))
            }
            Err(CliError::Error(message)) => self.say(&message),
            Err(error) => Err(error),
        }
    }

    /// Resumes a saved game under the current rules; a record that names others is refused.
    pub(super) fn load(&mut self, path: &Path) -> Result<(), CliError> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        match text.and_then(|text| self.read(&text)) {
            Ok(record) => {
                // To save the game there must lose nothing.
                self.file = is_like_saved(&record).then(|| path.to_owned());
                self.start_game(record.game)
            }
            Err(error) => self.say(&format!("{}: {error}", path.display())),
        }
    }

    fn read(&self, text: &str) -> Result<Record, String> {
        let rules = self.game.rules();
        let is_same = |name: &str| {
            name == rules.name
                || Ruleset::builtin(name).is_some_and(|named| named.has_same_start_as(rules))
        };
        match Record::ruleset_name(text).map_err(|error| error.to_string())? {
            Some(name) if !is_same(&name) => Err(format!(
                "a game of {name:?}, and not of {:?}: start taflbase play with its rules",
                rules.name
            )),
            _ => Record::parse_with(text, Arc::clone(rules)).map_err(|error| error.to_string()),
        }
    }
}

/// Returns whether a record has nothing that a saved one has not.
fn is_like_saved(record: &Record) -> bool {
    record.comments.is_empty()
        && record.tags.iter().all(|(name, _)| Side::from_name(name).is_some())
}
