use std::collections::BTreeMap;
use std::fmt;
use std::ops::{AddAssign, SubAssign};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::game::rules::{ByKind, Kind, Ruleset};

use super::features::Term;
use super::orbits::{orbit_count, orbits, representatives};

/// The value of a feature to the defenders, in hundredths of a soldier, interpolated by the
/// number of men on the board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(from = "[i32; 2]")]
pub struct Weight {
    /// The value with all men of the starting position.
    pub start: i32,
    /// The value extrapolated to an empty board.
    pub end: i32,
}

impl AddAssign for Weight {
    #[inline]
    fn add_assign(&mut self, other: Weight) {
        self.start += other.start;
        self.end += other.end;
    }
}

impl SubAssign for Weight {
    #[inline]
    fn sub_assign(&mut self, other: Weight) {
        self.start -= other.start;
        self.end -= other.end;
    }
}

impl From<[i32; 2]> for Weight {
    fn from([start, end]: [i32; 2]) -> Weight {
        Weight { start, end }
    }
}

/// The weights of the evaluation. `docs/engine.md` describes the file format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// By kind and orbit of squares under the ruleset's symmetries.
    pub places: ByKind<Vec<Weight>>,
    /// By [`Term`].
    pub terms: [Weight; Term::COUNT],
}

/// An error in a weights file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightsError(String);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WeightsError {}

/// The format of a weights file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightsFile {
    /// The names of the rulesets that the weights are for; empty for any.
    pub(crate) rulesets: Vec<String>,
    terms: BTreeMap<String, Weight>,
    attackers: Places,
    defenders: Places,
    king: Places,
}

impl WeightsFile {
    pub(crate) fn parse(text: &str) -> Result<WeightsFile, WeightsError> {
        toml::from_str(text).map_err(|error| WeightsError(error.message().to_owned()))
    }

    pub(crate) fn is_for(&self, rules: &Ruleset) -> bool {
        self.rulesets.is_empty() || self.rulesets.contains(&rules.name)
    }

    /// Returns whether the weights are for the ruleset, or for a built-in one with the same rules and
    /// perhaps another start.
    pub(crate) fn is_for_rules_of(&self, rules: &Ruleset) -> bool {
        let same = |named: &Ruleset| named.fingerprint() == rules.fingerprint();
        self.is_for(rules)
            || self.rulesets.iter().any(|name| Ruleset::builtin(name).as_ref().is_some_and(same))
    }

    /// Takes the weight of a term out of the file: of one that is not a [`Term`]. It is 0 if the file
    /// does not name the term.
    pub(crate) fn take_term(&mut self, name: &str) -> Result<Weight, WeightsError> {
        let weight = self.terms.remove(name).unwrap_or_default();
        check("terms", &[weight])?;
        Ok(weight)
    }

    pub(crate) fn weights(&self, rules: &Ruleset) -> Result<Weights, WeightsError> {
        let places = ByKind([
            places(&self.attackers, "attackers", rules)?,
            places(&self.defenders, "defenders", rules)?,
            places(&self.king, "king", rules)?,
        ]);
        let mut terms = [Weight::default(); Term::COUNT];
        for (name, &weight) in &self.terms {
            let Some(&term) = Term::ALL.iter().find(|term| term.name() == name) else {
                return Err(WeightsError(format!("terms: there is no term {name:?}")));
            };
            terms[term as usize] = weight;
        }
        check("terms", &terms)?;
        Ok(Weights { places, terms })
    }
}

/// One weight for all squares, or one for each orbit, named by its first square.
#[derive(Deserialize)]
#[serde(untagged)]
enum Places {
    Everywhere(Weight),
    ByOrbit(BTreeMap<String, Weight>),
}

/// The largest weight. Sums of such weights fit in 32 bits on the largest board.
const MAX_WEIGHT: i32 = 2_000;

/// The texts of the tuned weights, which name their rulesets.
const TUNED: [&str; 8] = [
    include_str!("weights/ashton.toml"),
    include_str!("weights/berkeley.toml"),
    include_str!("weights/brandubh.toml"),
    include_str!("weights/copenhagen.toml"),
    include_str!("weights/large.toml"),
    include_str!("weights/mcgill.toml"),
    include_str!("weights/present.toml"),
    include_str!("weights/tablut.toml"),
];

/// The text of the weights for all other rulesets.
const GENERIC: &str = include_str!("weights/generic.toml");

/// The built-in files, the generic one last.
static BUILTIN: LazyLock<Vec<WeightsFile>> = LazyLock::new(|| {
    let texts = TUNED.into_iter().chain([GENERIC]);
    texts
        .map(|text| WeightsFile::parse(text).unwrap_or_else(|error| unreachable!("{error}")))
        .collect()
});

impl Weights {
    /// Returns the built-in weights for the ruleset, or the generic ones if it has none.
    ///
    /// # Panics
    /// Never: a test parses all built-in files.
    pub fn of(rules: &Ruleset) -> Weights {
        match BUILTIN.iter().find(|file| file.is_for(rules)).map(|file| file.weights(rules)) {
            Some(Ok(weights)) => weights,
            wrong => unreachable!("{wrong:?}"),
        }
    }

    /// Parses the text of a weights file.
    ///
    /// # Errors
    /// If the text is not a weights file, or is one for other rulesets.
    pub fn from_toml(text: &str, rules: &Ruleset) -> Result<Weights, WeightsError> {
        let file = WeightsFile::parse(text)?;
        if !file.is_for(rules) {
            let names = file.rulesets.join(", ");
            return Err(WeightsError(format!("weights for {names}, not for {}", rules.name)));
        }
        file.weights(rules)
    }

    /// Returns whether there is a weight for each orbit of the ruleset's squares.
    pub(crate) fn fit(&self, rules: &Ruleset) -> bool {
        let count = orbit_count(&orbits(rules));
        self.places.iter().all(|places| places.len() == count)
    }

    /// Writes the weights as the text of a file for these rulesets.
    pub fn to_toml(&self, rules: &Ruleset, rulesets: &[String]) -> String {
        let line =
            |name: &str, Weight { start, end }: Weight| format!("{name} = [{start}, {end}]\n");
        let mut text = format!("rulesets = {rulesets:?}\n");
        let (everywhere, by_orbit): (Vec<Kind>, Vec<Kind>) = Kind::ALL.iter().partition(|&&kind| {
            let places = &self.places[kind];
            places.iter().all(|weight| *weight == places[0])
        });
        // Keys after a TOML table header belong to that table, so plain keys come first.
        for kind in everywhere {
            text += &line(table_name(kind), self.places[kind][0]);
        }
        text += "\n[terms]\n";
        for &term in Term::ALL {
            text += &line(term.name(), self.terms[term as usize]);
        }
        let squares = representatives(rules);
        for kind in by_orbit {
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

/// Checks that the weights are small enough for sums of 32 bits.
fn check(field: &str, weights: &[Weight]) -> Result<(), WeightsError> {
    let mut numbers = weights.iter().flat_map(|&Weight { start, end }| [start, end]);
    match numbers.find(|number| !(-MAX_WEIGHT..=MAX_WEIGHT).contains(number)) {
        None => Ok(()),
        Some(number) => {
            let range = format!("from {} to {MAX_WEIGHT}", -MAX_WEIGHT);
            Err(WeightsError(format!("{field}: weights are {range}, not {number}")))
        }
    }
}

/// Returns the weight of each orbit; 0 for those that the file does not name.
fn places(places: &Places, field: &str, rules: &Ruleset) -> Result<Vec<Weight>, WeightsError> {
    let orbit_of = orbits(rules);
    let count = orbit_count(&orbit_of);
    let by_orbit = match places {
        Places::Everywhere(weight) => {
            check(field, &[*weight])?;
            return Ok(vec![*weight; count]);
        }
        Places::ByOrbit(by_orbit) => by_orbit,
    };
    let mut weights = vec![Weight::default(); count];
    for (name, weight) in by_orbit {
        let Some(square) = rules.board.parse(name) else {
            return Err(WeightsError(format!("{field}: there is no square {name:?}")));
        };
        weights[orbit_of[square.index()]] = *weight;
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
    fn every_ruleset_has_weights_and_files_round_trip() {
        for name in Ruleset::builtin_names() {
            let rules = rules(name);
            let weights = Weights::of(&rules);
            let text = weights.to_toml(&rules, std::slice::from_ref(&rules.name));
            assert_eq!(Weights::from_toml(&text, &rules), Ok(weights));
        }
        for text in TUNED {
            for name in WeightsFile::parse(text).unwrap().rulesets {
                let rules = rules(&name);
                assert_eq!(Weights::from_toml(text, &rules), Ok(Weights::of(&rules)));
            }
        }
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_with_the_reason() {
        let rules = rules("brandubh");
        let text = Weights::of(&rules).to_toml(&rules, std::slice::from_ref(&rules.name));
        for (from, to, message) in [
            ("\ntempo", "\nhaste", "terms: there is no term \"haste\""),
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
