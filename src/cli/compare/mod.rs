mod text;

use taflbase::Tablebase;
use taflbase::compare::{CompareReport, compare_slice};
use taflbase::slice::Slice;
use taflbase::value::Wdl;

use super::arguments::{Threads, no_tables, parse_number, slices_with_tables};
use super::error::CliError;
use super::meter::Meter;
use super::output::Session;

/// Compare the values of the same positions under several rulesets
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Built-in rulesets, or paths to ruleset files; each is compared with the first
    #[arg(required = true, value_name = "RULES")]
    rules: Vec<String>,
    /// Take these slices; may be repeated [default: those that all rulesets have tables of]
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Print up to N of the positions that change most
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = parse_number::<usize, 0, 1000>)]
    most: usize,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Every placement of the first ruleset is looked up in the tables of each other ruleset.
Placements that exist under one ruleset only, because a piece may not stand there or the
king has reached a goal, are counted apart. Mirror images count separately. The rulesets
must have boards of the same size: for other boards, compare the shares of `stats`.

A change is a pair of outcomes for the side to move, or the same outcome with a longer or
shorter distance; each is shown with its first position in index order. Positions change
most if a side wins under one ruleset and loses under the other (before changes to or
from a draw) and both distances add up to the fewest plies. Drawn, undecided and endless
positions are the same outcome. Endless ones are counted in "endless", which is left out
of JSON if there are none.

Examples:
  taflbase compare brandubh brandubh-online
  taflbase compare brandubh brandubh-online --slice K1v3 --most 10
  taflbase compare tablut my-tablut.toml ashton --json

JSON, one line per ruleset, slice and side to move; names with "other" are of the other
ruleset. "only" counts placements that exist under that ruleset alone, "shared" those that
exist under both. "changed_distance" is null if a table has no distances. Lists are
shortened here:
  {"rules":"brandubh","other_rules":"brandubh-online","slice":"K0v2","defenders":0,"attackers":2,"to_move":"attackers","counts":{"positions":40678,"win":3476,"loss":37202,"draw":0,"undecided":0},"other_counts":{"positions":40678,"win":3540,"loss":37138,"draw":0,"undecided":0},"only":{"positions":0,"win":0,"loss":0,"draw":0,"undecided":0},"other_only":{"positions":0,"win":0,"loss":0,"draw":0,"undecided":0},"shared":40678,"changed_outcome":64,"changed_distance":0,"changes":[{"category":"loss","other_category":"win","distance":null,"positions":64,"share":0.0015733320222233148,"example":{"position":"/7/7/2tK3/4t2/7/7/7/ a","category":"loss","dtw":4,"other_category":"win","other_dtw":1}}],"greatest_difference":null,"most_changed":[{"position":"/7/7/2tK3/4t2/7/7/7/ a","category":"loss","dtw":4,"other_category":"win","other_dtw":1}]}"#;

/// Compares each ruleset with the first, slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let opened = args.rules.iter().map(|name| session.open_to_scan(name));
    let bases: Vec<Tablebase> = opened.collect::<Result<_, _>>()?;
    let [first, others @ ..] = &bases[..] else {
        return Ok(());
    };
    check_rulesets(first, others)?;
    for other in others.iter().filter(|other| has_same_values(first, other)) {
        let [first, other] = [first, other].map(|base| &base.rules().name);
        session.note(&format!("{first} and {other} share their tables: no value can differ"));
    }
    let slices = args.slices(&bases, session)?;
    for (number, other) in others.iter().enumerate() {
        let mut open = [first, other].map(|base| base.category(Wdl::Draw)).to_vec();
        open.dedup();
        let mut reports = Vec::new();
        for &slice in &slices {
            for report in args.compare(first, other, slice)? {
                if session.json() {
                    session.json_line(&report)?;
                } else {
                    let gap = if number > 0 || !reports.is_empty() { "\n" } else { "" };
                    session.text(&format!("{gap}{}", text::comparison(&report, &open)))?;
                }
                reports.push(report);
            }
        }
        if !session.json() && slices.len() > 1 {
            session.text(&format!("\n{}", text::summary(&reports)))?;
        }
    }
    Ok(())
}

/// Checks that there are rulesets to compare, and that no two of them have the same name.
fn check_rulesets(first: &Tablebase, others: &[Tablebase]) -> Result<(), CliError> {
    let name = |base: &Tablebase| base.rules().name.clone();
    if others.is_empty() {
        return Err(CliError::Error(format!(
            "there is nothing to compare {0} with: name another ruleset, like `taflbase compare \
             {0} RULES`",
            name(first)
        )));
    }
    let mut names = vec![name(first)];
    for other in others {
        if names.contains(&name(other)) {
            return Err(CliError::Error(format!(
                "two rulesets are called {}: name each once, and give files different names",
                name(other)
            )));
        }
        names.push(name(other));
    }
    Ok(())
}

fn has_same_values(first: &Tablebase, other: &Tablebase) -> bool {
    first.rules().fingerprint() == other.rules().fingerprint()
}

impl Args {
    /// Returns the slices to compare, smallest first: every ruleset has a table of each.
    fn slices(&self, bases: &[Tablebase], session: &Session) -> Result<Vec<Slice>, CliError> {
        let named = bases.iter().zip(&self.rules);
        if !self.slices.is_empty() {
            for (base, rules) in named {
                for &slice in &self.slices {
                    base.best_table(slice)
                        .map_err(|error| session.probe_error(base, rules, error))?;
                }
            }
            let mut slices = self.slices.clone();
            slices.sort();
            slices.dedup();
            return Ok(slices);
        }
        let mut common: Option<Vec<Slice>> = None;
        for (base, rules) in named {
            let mut slices = slices_with_tables(base);
            if slices.is_empty() {
                return Err(no_tables(rules, session));
            }
            slices.retain(|slice| common.as_ref().is_none_or(|common| common.contains(slice)));
            common = Some(slices);
        }
        common.filter(|slices| !slices.is_empty()).ok_or_else(|| {
            CliError::Negative(format!(
                "no slice has a table of every ruleset in {}: choose one with --slice to see \
                 how to build it",
                session.tables().display()
            ))
        })
    }

    fn compare(
        &self,
        first: &Tablebase,
        other: &Tablebase,
        slice: Slice,
    ) -> Result<Vec<CompareReport>, CliError> {
        let meter = Meter::new("comparing");
        let go_on = |done, rows| meter.update(done, rows);
        let compared =
            self.threads.run(|| compare_slice(first, other, slice, self.most, go_on))??;
        Ok(compared.iter().map(|side| side.report(first, other, slice)).collect())
    }
}
