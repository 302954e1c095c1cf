use std::path::Path;

use super::error::FieldFault;
use super::file::File;
use super::{Ruleset, RulesetError, check};

macro_rules! builtin {
    ($($name:literal),* $(,)?) => {
        const NAMES: &[&str] = &[$($name),*];
        const TEXTS: &[&str] = &[$(include_str!(concat!("builtin/", $name, ".toml"))),*];
    };
}

builtin![
    "ashton",
    "mcgill",
    "tablut",
    "brandubh",
    "large-hnefatafl",
    "alea-evangelii",
    "berkeley",
    "ashton-server",
    "brandubh-online",
];

impl Ruleset {
    /// The names of the built-in rulesets.
    pub fn builtin_names() -> &'static [&'static str] {
        NAMES
    }

    /// The built-in ruleset of that name.
    pub fn builtin(name: &str) -> Option<Ruleset> {
        builtin_text(name).and_then(|text| parse(text, name).ok())
    }

    /// The built-in ruleset of that name, or else the one in the file at that
    /// path.
    ///
    /// # Errors
    /// If there is neither, or the file holds no sound ruleset.
    pub fn load(name_or_path: &str) -> Result<Ruleset, RulesetError> {
        if let Some(text) = builtin_text(name_or_path) {
            return parse(text, name_or_path);
        }
        if !Path::new(name_or_path).is_file() {
            let name = name_or_path.to_owned();
            return Err(RulesetError::Unknown { name });
        }
        let text = std::fs::read_to_string(name_or_path);
        let text = text.map_err(|error| RulesetError::Unreadable {
            origin: name_or_path.to_owned(),
            reason: error.to_string(),
        })?;
        Ruleset::from_toml(&text, name_or_path)
    }

    /// The ruleset in the text of a ruleset file; `origin` names the file in
    /// messages.
    ///
    /// # Errors
    /// If the text is no sound ruleset, or takes the name of a built-in one
    /// for other rules: tables are kept in a folder of the ruleset's name.
    pub fn from_toml(text: &str, origin: &str) -> Result<Ruleset, RulesetError> {
        let rules = parse(text, origin)?;
        match Ruleset::builtin(&rules.name) {
            Some(builtin) if builtin.fingerprint() != rules.fingerprint() => {
                Err(RulesetError::Field {
                    origin: origin.to_owned(),
                    field: "name".to_owned(),
                    reason: format!("{:?} is a built-in ruleset with other rules", rules.name),
                })
            }
            _ => Ok(rules),
        }
    }
}

fn builtin_text(name: &str) -> Option<&'static str> {
    let index = NAMES.iter().position(|&known| known == name)?;
    TEXTS.get(index).copied()
}

fn parse(text: &str, origin: &str) -> Result<Ruleset, RulesetError> {
    let file = toml::from_str::<File>(text).map_err(|error| form_error(error, text, origin))?;
    check::ruleset(&file).map_err(|FieldFault { field, reason }| RulesetError::Field {
        origin: origin.to_owned(),
        field,
        reason,
    })
}

/// The parser's complaint on one line, with the place it speaks of.
fn form_error(mut error: toml::de::Error, text: &str, origin: &str) -> RulesetError {
    let origin = origin.to_owned();
    if let Some(field) = missing_field(error.message()).map(str::to_owned) {
        // The span is that of whatever the file has of the table. Without the text, the
        // error names the tables instead: "…\nin `movement.king`\n".
        error.set_input(None);
        let shown = error.to_string();
        let table =
            shown.lines().last().and_then(|line| line.strip_prefix("in `")?.strip_suffix('`'));
        let field = table.into_iter().chain([&*field]).collect::<Vec<_>>().join(".");
        return RulesetError::Field { origin, field, reason: "required but missing".to_owned() };
    }
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let lines = text.as_bytes()[..start].iter().filter(|&&b| b == b'\n');
    RulesetError::Form {
        origin,
        line: 1 + lines.count(),
        reason: error.message().replace('\n', ", "),
    }
}

/// The field that a message of serde's says is missing.
fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_ruleset_is_sound() {
        for name in Ruleset::builtin_names() {
            let rules = Ruleset::load(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(rules.name, *name);
        }
        assert!(Ruleset::builtin("chess").is_none());
    }
}
