use taflbase::rules::{Ruleset, RulesetSummary};

use super::error::CliError;
use super::output::{Session, columns};

/// List the rulesets, or show one in detail
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Show this ruleset, built-in or a path to a ruleset file
    rules: Option<String>,
}

const HELP: &str = r#"Examples:
  taflbase rules
  taflbase rules brandubh
  taflbase rules my-game.toml --json

JSON, one line per ruleset in the list:
  {"name":"brandubh","title":"Brandubh","size":7,"attackers":8,"defenders":4,"first_mover":"attackers","fingerprint":"27e632691dd014bf84bc8a4029256f95","group":"7x7","origin":"historical-source"}
For a single ruleset, one line with the fields of a ruleset file, in which the names of
sets are replaced by their squares (shortened here):
  {"name":"brandubh","origin":"historical-source","size":7,"symmetries":8,"start":"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/","squares":{"throne":["d4"]},"end":{"goals":["a1","g1","a7","g7"],"endless":"draw"}}"#;

/// Lists the rulesets or shows one.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let Some(name) = &args.rules else {
        return list(session);
    };
    let rules = Ruleset::load(name)?;
    if session.json() {
        session.json_line(&rules.describe_json())
    } else {
        session.text(&rules.describe_in(session.style()))
    }
}

fn list(session: &Session) -> Result<(), CliError> {
    let rulesets = Ruleset::builtins().iter();
    let mut entries: Vec<RulesetSummary> = rulesets.map(Ruleset::summary).collect();
    entries.sort_by_key(RulesetSummary::list_order);
    if session.json() {
        return entries.iter().try_for_each(|entry| session.json_line(entry));
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let board = format!("{0}x{0}", entry.size);
            let men = format!("{} v {}+K", entry.attackers, entry.defenders);
            let first = entry.first_mover.to_owned();
            vec![
                entry.name.clone(),
                board,
                men,
                first,
                entry.fingerprint.clone(),
                entry.title.clone(),
            ]
        })
        .collect();
    let header = ["name", "board", "men", "first mover", "fingerprint", "title"];
    let table = columns(header.len(), &header, &rows);
    session.text(&with_headings(&table, &entries))
}

/// Puts a heading before the rows of each group.
fn with_headings(table: &str, entries: &[RulesetSummary]) -> String {
    let heading = |entry: &RulesetSummary| format!("{}, {}", entry.group, entry.origin.words());
    let mut lines = table.lines();
    let mut text = lines.next().map(|header| format!("{header}\n")).unwrap_or_default();
    let mut last = None;
    for (line, entry) in lines.zip(entries) {
        let current = heading(entry);
        if last.as_ref() != Some(&current) {
            text += &format!("\n{current}\n");
            last = Some(current);
        }
        text += &format!("{line}\n");
    }
    text
}
