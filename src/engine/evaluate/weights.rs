use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::game::rules::{ByKind, Kind, Ruleset};

use super::{Term, classes, orbits, representatives};

/// What something is worth to the defenders, in hundredths of a soldier: with all men
/// on the board, and with none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(from = "[i32; 2]")]
pub struct Weight {
    /// With all men of the starting position.
    pub start: i32,
    /// Towards the end; in between, the share of men that are left decides.
    pub end: i32,
}

impl From<[i32; 2]> for Weight {
    fn from([start, end]: [i32; 2]) -> Weight {
        Weight { start, end }
    }
}

/// The weights of an evaluation; see `docs/engine.md` for the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Of each kind on each class of squares that the ruleset's symmetries make one.
    pub places: ByKind<Vec<Weight>>,
    /// Of each [`Term`].
    pub terms: [Weight; Term::COUNT],
}

/// A file of weights that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightsError(String);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WeightsError {}

/// A file of weights as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Rulesets that they may be used for; any, if there are none.
    rulesets: Vec<String>,
    terms: BTreeMap<String, Weight>,
    attackers: Places,
    defenders: Places,
    king: Places,
}

/// One weight for all squares, or one for each class of squares, named by its first
/// square.
#[derive(Deserialize)]
#[serde(untagged)]
enum Places {
    Everywhere(Weight),
    ByClass(BTreeMap<String, Weight>),
}

/// The largest weight: with it, sums stay within 32 bits on the largest board.
const LARGEST: i32 = 2_000;

/// Weights of rulesets, by their names.
const TUNED: &[(&[&str], &str)] = &[
    (&["ashton", "ashton-server"], include_str!("weights/ashton.toml")),
    (&["berkeley"], include_str!("weights/berkeley.toml")),
    (&["brandubh", "brandubh-online"], include_str!("weights/brandubh.toml")),
    (&["large-hnefatafl", "alea-evangelii"], include_str!("weights/large.toml")),
    (&["mcgill"], include_str!("weights/mcgill.toml")),
    (&["tablut"], include_str!("weights/tablut.toml")),
];

/// For all others.
const GENERIC: &str = include_str!("weights/generic.toml");

impl Weights {
    /// The weights that come with the engine: those of the ruleset, or else the ones
    /// for any.
    ///
    /// # Panics
    /// Never: a test reads all of the engine's own files.
    pub fn of(rules: &Ruleset) -> Weights {
        let of_rules = TUNED.iter().find(|(names, _)| names.contains(&rules.name.as_str()));
        let text = of_rules.map_or(GENERIC, |(_, text)| text);
        match Weights::from_toml(text, rules) {
            Ok(weights) => weights,
            Err(error) => unreachable!("{error}"),
        }
    }

    /// The weights in the text of a file.
    ///
    /// # Errors
    /// If the text is no file of weights, or one for other rulesets.
    pub fn from_toml(text: &str, rules: &Ruleset) -> Result<Weights, WeightsError> {
        let file = parse(text)?;
        if !file.rulesets.is_empty() && !file.rulesets.contains(&rules.name) {
            let names = file.rulesets.join(", ");
            return Err(WeightsError(format!("weights for {names}, not for {}", rules.name)));
        }
        let places = ByKind([
            places(&file.attackers, "attackers", rules)?,
            places(&file.defenders, "defenders", rules)?,
            places(&file.king, "king", rules)?,
        ]);
        let mut terms = [Weight::default(); Term::COUNT];
        for (name, weight) in file.terms {
            let term = Term::ALL.iter().find(|term| term.name() == name);
            let Some(&term) = term else {
                return Err(WeightsError(format!("terms: {name:?} is no term")));
            };
            terms[term as usize] = weight;
        }
        check("terms", &terms)?;
        Ok(Weights { places, terms })
    }

    /// The text of a file of these weights, for these rulesets.
    pub fn to_toml(&self, rules: &Ruleset, rulesets: &[String]) -> String {
        let line =
            |name: &str, Weight { start, end }: Weight| format!("{name} = [{start}, {end}]\n");
        let mut text = format!("rulesets = {rulesets:?}\n");
        let (everywhere, by_class): (Vec<Kind>, Vec<Kind>) = Kind::ALL.iter().partition(|&&kind| {
            let places = &self.places[kind];
            places.iter().all(|weight| *weight == places[0])
        });
        // In this order, because what follows the name of a table belongs to it.
        for kind in everywhere {
            text += &line(table_name(kind), self.places[kind][0]);
        }
        text += "\n[terms]\n";
        for &term in Term::ALL {
            text += &line(term.name(), self.terms[term as usize]);
        }
        let squares = representatives(rules);
        for kind in by_class {
            text += &format!("\n[{}]\n", table_name(kind));
            for (square, weight) in squares.iter().zip(&self.places[kind]) {
                text += &line(&rules.board.name(*square).to_string(), *weight);
            }
        }
        text
    }
}

fn table_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "attackers",
        Kind::Defender => "defenders",
        Kind::King => "king",
    }
}

fn parse(text: &str) -> Result<File, WeightsError> {
    toml::from_str(text).map_err(|error| WeightsError(error.message().to_owned()))
}

/// Whether the weights are small enough to be added up.
fn check(field: &str, weights: &[Weight]) -> Result<(), WeightsError> {
    let mut numbers = weights.iter().flat_map(|&Weight { start, end }| [start, end]);
    match numbers.find(|number| !(-LARGEST..=LARGEST).contains(number)) {
        None => Ok(()),
        Some(number) => {
            let range = format!("from {} to {LARGEST}", -LARGEST);
            Err(WeightsError(format!("{field}: weights are {range}, not {number}")))
        }
    }
}

fn places(places: &Places, field: &str, rules: &Ruleset) -> Result<Vec<Weight>, WeightsError> {
    let orbits = orbits(rules);
    let count = classes(&orbits);
    let by_class = match places {
        Places::Everywhere(weight) => {
            check(field, &[*weight])?;
            return Ok(vec![*weight; count]);
        }
        Places::ByClass(by_class) => by_class,
    };
    let mut weights = vec![Weight::default(); count];
    for (name, weight) in by_class {
        let Some(square) = rules.board.parse(name) else {
            return Err(WeightsError(format!("{field}: there is no square {name:?}")));
        };
        weights[orbits[square.index()]] = *weight;
    }
    check(field, &weights)?;
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str) -> Ruleset {
        Ruleset::builtin(name).unwrap()
    }

    #[test]
    fn every_ruleset_has_weights_and_files_go_both_ways() {
        for name in Ruleset::builtin_names() {
            let rules = rules(name);
            let weights = Weights::of(&rules);
            let text = weights.to_toml(&rules, std::slice::from_ref(&rules.name));
            assert_eq!(Weights::from_toml(&text, &rules), Ok(weights));
        }
        for (names, text) in TUNED {
            for name in *names {
                let rules = rules(name);
                assert_eq!(Weights::from_toml(text, &rules), Ok(Weights::of(&rules)));
            }
        }
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_with_the_reason() {
        let rules = rules("brandubh");
        let text = Weights::of(&rules).to_toml(&rules, std::slice::from_ref(&rules.name));
        for (from, to, message) in [
            ("\ntempo", "\nhaste", "terms: \"haste\" is no term"),
            ("\na1", "\nz9", "attackers: there is no square \"z9\""),
            ("brandubh", "tablut", "weights for tablut, not for brandubh"),
            (
                "tempo = [",
                "tempo = [2001, 0]\n# ",
                "terms: weights are from -2000 to 2000, not 2001",
            ),
            (
                "a1 = [",
                "a1 = [0, -9999]\n# ",
                "attackers: weights are from -2000 to 2000, not -9999",
            ),
        ] {
            let error = Weights::from_toml(&text.replacen(from, to, 1), &rules).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert!(Weights::from_toml("rulesets = 3", &rules).is_err());
    }
}
