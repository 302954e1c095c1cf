use std::path::Path;
use std::sync::LazyLock;

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
    "brandubh-1",
    "magpie",
    "saami-tablut",
    "sea-battle-9",
    "copenhagen",
    "tawlbwrdd-lewis",
    "tawlbwrdd-bell",
    "fetlar",
    "sea-battle-11",
    "copenhagen-13",
];

impl Ruleset {
    /// Returns the names of the built-in rulesets.
    pub fn builtin_names() -> &'static [&'static str] {
        NAMES
    }

    /// Returns the built-in rulesets, in the order of their names' list.
    pub fn builtins() -> &'static [Ruleset] {
        static PARSED: LazyLock<Vec<Ruleset>> =
            LazyLock::new(|| NAMES.iter().filter_map(|name| Ruleset::builtin(name)).collect());
        &PARSED
    }

    /// Returns the built-in ruleset of this name.
    pub fn builtin(name: &str) -> Option<Ruleset> {
        builtin_text(name).and_then(|text| parse(text, name).ok())
    }

    /// Returns the text of the built-in ruleset of this name, or else of the ruleset file at this
    /// path.
    ///
    /// # Errors
    /// If there is neither, or the file cannot be read.
    pub fn text(name_or_path: &str) -> Result<String, RulesetError> {
        if let Some(text) = builtin_text(name_or_path) {
            return Ok(text.to_owned());
        }
        if !Path::new(name_or_path).is_file() {
            let name = name_or_path.to_owned();
            return Err(RulesetError::Unknown { name });
        }
        std::fs::read_to_string(name_or_path).map_err(|error| {
            let (origin, reason) = (name_or_path.to_owned(), error.to_string());
            RulesetError::Unreadable { origin, reason }
        })
    }

    /// Loads the built-in ruleset of this name, or else the ruleset file at this path.
    ///
    /// # Errors
    /// If there is neither, or the file is not a valid ruleset.
    pub fn load(name_or_path: &str) -> Result<Ruleset, RulesetError> {
        if let Some(text) = builtin_text(name_or_path) {
            return parse(text, name_or_path);
        }
        let text = Ruleset::text(name_or_path)?;
        Ruleset::from_toml(&text, name_or_path)
    }

    /// Parses the text of a ruleset file; `origin` names the file in messages.
    ///
    /// # Errors
    /// If the text is not a valid ruleset, or uses the name of a built-in one for other rules:
    /// the folder of tables has the ruleset's name.
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

/// Converts a parser's error to one line with its place in the text.
fn form_error(mut error: toml::de::Error, text: &str, origin: &str) -> RulesetError {
    if let Some(missing) = missing_field(error.message()).map(str::to_owned) {
        // The span covers only what the file has of the table. Without the input, the error
        // names the tables instead: "…\nin `movement.king`\n".
        error.set_input(None);
        let shown = error.to_string();
        let table =
            shown.lines().last().and_then(|line| line.strip_prefix("in `")?.strip_suffix('`'));
        return RulesetError::Field {
            origin: origin.to_owned(),
            field: table.into_iter().chain([&*missing]).collect::<Vec<_>>().join("."),
            reason: "required but missing".to_owned(),
        };
    }
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let lines = text.as_bytes()[..start].iter().filter(|&&b| b == b'\n');
    RulesetError::Form {
        origin: origin.to_owned(),
        line: 1 + lines.count(),
        reason: error.message().replace('\n', ", "),
    }
}

/// Extracts the missing field from a message of serde.
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
