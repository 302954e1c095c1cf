//! The syntax of a ruleset file: names and lists, of which only the form is checked.
//! `docs/rulesets.md` describes the fields.

use std::collections::BTreeMap;
use std::num::{NonZeroI64, NonZeroU8, NonZeroU32};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{Endless, Origin, Repetition, Side};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub name: String,
    pub title: String,
    pub source: String,
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub origin: Origin,
    pub size: i64,
    pub start: String,
    pub first_mover: Side,
    #[serde(default, deserialize_with = "optional::<_, _, U32_MAX>")]
    pub ply_limit: Option<NonZeroU32>,
    /// Spanned, because the map sorts the names and descriptions keep the order of the file.
    #[serde(default)]
    pub squares: BTreeMap<String, Spanned<Squares>>,
    pub movement: Movement,
    pub hostile: Hostile,
    pub capture: Capture,
    pub end: End,
}

/// A set written as one string of squares, or as several groups.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string of squares, \"a4 a5\", or a list of such strings")]
pub(super) enum Squares {
    Set(String),
    Groups(Vec<String>),
}

impl Squares {
    pub(super) fn groups(&self) -> &[String] {
        match self {
            Squares::Set(set) => std::slice::from_ref(set),
            Squares::Groups(groups) => groups,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Movement {
    pub attackers: KindMovement,
    pub defenders: KindMovement,
    pub king: KindMovement,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct KindMovement {
    #[serde(default)]
    pub no_stop: Vec<String>,
    #[serde(default)]
    pub no_cross: Vec<String>,
    #[serde(default)]
    pub no_entry: Vec<String>,
    #[serde(default, deserialize_with = "optional::<_, _, U8_MAX>")]
    pub reach: Option<NonZeroU8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Hostile {
    pub attackers: KindHostile,
    pub defenders: KindHostile,
    pub king: KindHostile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct KindHostile {
    #[serde(default)]
    pub empty: Vec<String>,
    #[serde(default)]
    pub occupied: Vec<String>,
    #[serde(default)]
    pub besieged: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Capture {
    #[serde(default)]
    pub protected_attackers: Vec<String>,
    #[serde(default)]
    pub protected_defenders: Vec<String>,
    #[serde(default)]
    pub unaided_attackers: Vec<String>,
    #[serde(default)]
    pub unaided_defenders: Vec<String>,
    pub king_surrounded: Vec<String>,
    #[serde(default)]
    pub king_edge_hostile: bool,
    #[serde(default = "yes")]
    pub king_armed: bool,
    #[serde(default)]
    pub shieldwall: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct End {
    pub goals: Vec<String>,
    #[serde(default)]
    pub exit_fort: bool,
    #[serde(default)]
    pub encirclement: bool,
    pub no_moves: NoMoves,
    pub repetition: Repetition,
    #[serde(default = "second", deserialize_with = "positive::<_, _, U32_MAX>")]
    pub repetition_occurrence: NonZeroU32,
    #[serde(default = "yes")]
    pub repetition_counts_start: bool,
    pub endless: Endless,
}

const U8_MAX: i64 = u8::MAX as i64;
const U32_MAX: i64 = u32::MAX as i64;

/// Reads a whole number from 1 to `MAX`, the maximum of the type.
fn positive<'de, D: Deserializer<'de>, T: TryFrom<NonZeroI64>, const MAX: i64>(
    deserializer: D,
) -> Result<T, D::Error> {
    let number = i64::deserialize(deserializer)?;
    let positive = NonZeroI64::new(number).and_then(|number| T::try_from(number).ok());
    positive.ok_or_else(|| {
        D::Error::custom(format_args!("{number}: write a whole number from 1 to {MAX}"))
    })
}

/// As [`positive`], for a field that may be left out.
fn optional<'de, D: Deserializer<'de>, T: TryFrom<NonZeroI64>, const MAX: i64>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    positive::<D, T, MAX>(deserializer).map(Some)
}

/// Returns the default occurrence that counts as a repetition.
fn second() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(1)
}

fn yes() -> bool {
    true
}

/// The result for a side without a legal move. A file must state it, though all known rulesets that
/// define it agree.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NoMoves {
    Loses,
}
