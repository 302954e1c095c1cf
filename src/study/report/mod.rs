//! Reports of a ruleset's tables: who wins how much, how far wins are, the longest of them, how
//! many attackers are needed, and what further men would take.
//!
//! A [`Report`] is data, made of one [`SliceSection`] for each slice: from statistics counted in
//! tables, or from a manifest alone, which has counts, longest wins and sizes, but no lines. It
//! is serialized as JSON, and [`Report::to_html`] draws it as one page.
//!
//! ```
//! use taflbase::report::{Report, SliceSection, Source};
//! use taflbase::rules::Ruleset;
//! use taflbase::stats::count_values;
//! use taflbase::Tablebase;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = Tablebase::new(Ruleset::load("brandubh")?);
//! let slice = "K1v2".parse()?;
//! let counted = count_values(tables.rules(), tables.best_table(slice)?)?;
//! let sections = vec![SliceSection::counted(&tables, slice, &counted)?];
//! let report = Report::new(tables.rules(), Source::Tables, sections);
//! assert_eq!(report.total.winners.positions, 2 * 1_668_744);
//! assert!(report.to_html(tables.rules()).starts_with("<!DOCTYPE html>"));
//! # Ok(())
//! # }
//! ```

mod balance;
mod growth;
mod html;
mod section;
#[cfg(test)]
mod tests;
mod total;

use serde::Serialize;

use crate::game::rules::{Endless, Ruleset};
use crate::study::manifest::Manifest;

pub use crate::study::stats::LongestWin;
pub use balance::{BalanceCell, Needed};
pub use growth::{GrowthRow, SliceCost};
pub use section::{SideSection, SliceSection};
pub use total::Total;

/// A report of a ruleset's tables.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this library.
    pub version: &'static str,
    /// The command that made the report, if a command did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The ruleset's name.
    pub rules: String,
    /// The ruleset's title.
    pub title: String,
    /// The fingerprint of the rules.
    pub fingerprint: String,
    /// What the report was made from.
    pub source: Source,
    /// The manifest that the report was made from, or that of the tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestFile>,
    /// What is missing, and why.
    pub notes: Vec<String>,
    /// Totals over all slices.
    pub total: Total,
    /// Totals over the slices with each number of men.
    pub men: Vec<Total>,
    /// How the sides stand, by their numbers of soldiers.
    pub balance: Vec<BalanceCell>,
    /// How many attackers are needed.
    pub needed: Vec<Needed>,
    /// What the slices with each number of men take.
    pub growth: Vec<GrowthRow>,
    /// The slices, smallest first.
    pub slices: Vec<SliceSection>,
    /// The value of endless play.
    #[serde(skip)]
    endless: Endless,
}

/// What a report was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The values in the tables.
    Tables,
    /// A manifest alone.
    Manifest,
}

/// The file of a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ManifestFile {
    /// Its path.
    pub path: String,
    /// The day on which it was last changed, in UTC: `2026-11-26`.
    pub date: Option<String>,
}

impl Report {
    /// Creates a report of these slices, which may be in any order.
    pub fn new(rules: &Ruleset, source: Source, mut slices: Vec<SliceSection>) -> Report {
        slices.sort_by_key(|section| section.slice);
        let balance = balance::cells(rules, &slices);
        Report {
            version: env!("CARGO_PKG_VERSION"),
            command: None,
            rules: rules.name.clone(),
            title: rules.title.clone(),
            fingerprint: rules.fingerprint().to_string(),
            source,
            manifest: None,
            notes: notes(source, &slices),
            total: Total::of(&slices),
            men: Total::by_men(&slices),
            needed: balance::needed(&balance),
            balance,
            growth: growth::measured(&slices),
            slices,
            endless: rules.endless,
        }
    }

    /// Creates a report of a manifest alone.
    pub fn of_manifest(rules: &Ruleset, manifest: &Manifest) -> Report {
        let slices = manifest.slices.iter().map(SliceSection::listed).collect();
        Report::new(rules, Source::Manifest, slices)
    }

    /// Replaces the growth by that of these slices, some of which may not be built yet.
    #[must_use]
    pub fn with_costs(mut self, costs: &[SliceCost]) -> Report {
        self.growth = growth::estimated(&self.slices, costs);
        self
    }

    /// Returns the name of the outcome that neither side can force: `draw`, `undecided` or `endless`.
    pub fn open_outcome(&self) -> &'static str {
        self.endless.name()
    }

    /// Draws the report as an HTML page that needs no other files. It is well-formed XML, too.
    pub fn to_html(&self, rules: &Ruleset) -> String {
        html::page(self, rules)
    }
}

/// Says once what is missing in a report, and why.
fn notes(source: Source, slices: &[SliceSection]) -> Vec<String> {
    let mut notes = Vec::new();
    if source == Source::Manifest {
        notes.push(
            "Made from a manifest alone, which has counts, longest wins and sizes: the lines of \
             longest wins, histograms, the king's squares and mutual zugzwangs are left out."
                .to_owned(),
        );
    }
    let without_distances = names(slices.iter().filter(|section| !section.has_distances()));
    if !without_distances.is_empty() {
        notes.push(format!(
            "Without distances, since there are no DTW tables: {without_distances}."
        ));
    }
    let without_positions = names(slices.iter().filter(|section| section.lacks_position()));
    if !without_positions.is_empty() {
        notes.push(format!(
            "Without the positions of longest wins, which the manifest does not list: \
             {without_positions}."
        ));
    }
    let without_lines = names(slices.iter().filter(|section| section.lacks_line()));
    if source == Source::Tables && !without_lines.is_empty() {
        notes.push(format!(
            "Without the moves of longest wins, which lead to slices without DTW tables: \
             {without_lines}."
        ));
    }
    notes
}

fn names<'a>(sections: impl Iterator<Item = &'a SliceSection>) -> String {
    let names: Vec<String> = sections.map(|section| section.slice.to_string()).collect();
    names.join(", ")
}
