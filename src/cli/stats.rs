use serde::Serialize;
use taflbase::Tablebase;
use taflbase::rules::{BySide, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::{Bar, SideCounts, SideReport, SideStats, WinnerReport, Winners};
use taflbase::value::Wdl;

use super::arguments::{ExistingSlices, Threads};
use super::counting::count_each;
use super::error::CliError;
use super::output::{Session, columns, counted, grouped, percents};

/// Count wins, draws and losses, with the longest wins and histograms
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    #[command(flatten)]
    threads: Threads,
    /// Print the histograms as CSV with a header line
    #[arg(long)]
    csv: bool,
    /// Print only the totals over all slices, which are quick: the files' headers have them
    #[arg(long, conflicts_with = "csv")]
    totals: bool,
}

const HELP: &str = r#"Counts all placements, mirror images separately, from the values in the tables.
Distances are plies to the end of the game; WDL tables have none.

If there are several slices, a last block has the totals: how much of all placements each side
wins, in percent. --totals prints only these.

--csv prints a line per slice, side to move and value: the number of placements
("positions"), and the first stored position in index order.

Examples:
  taflbase stats brandubh
  taflbase stats brandubh --slice K1v2 --json
  taflbase stats brandubh --csv > brandubh.csv
  taflbase stats brandubh --totals

A placement of the pieces is a mutual zugzwang if each side does worse when it is
to move than when the other side is: both lose when they are to move, or one loses
and the other draws. `taflbase find --zugzwang` shows them.

JSON, one line per slice and side to move; "positions" counts all placements.
"longest_win" and "longest_loss" are the first stored positions in index order with these
values, or null; "mutual_zugzwangs" is the same for both sides, and null if undecided
positions leave it open; the histogram is shortened here. "max_win" and "max_loss" are
null for WDL tables. Where the attackers win endless play, "endless" counts the positions
in which neither side can force a win; it is left out if there are none:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"to_move":"attackers","positions":1668744,"win":130316,"loss":1538428,"draw":0,"undecided":0,"max_win":3,"max_loss":8,"longest_win":"/1tK4/2T4/7/4t2/7/7/7/ a","longest_loss":"/3t1T1/1K5/3t3/7/7/7/7/ a","mutual_zugzwangs":0,"histogram":[{"category":"win","dtw":1,"positions":130212}]}
With --totals a line for each side to move and one for both, with shares from 0 to 1:
  {"rules":"brandubh","slices":1,"to_move":"either","positions":3872,"attackers_win":72,"draw":0,"undecided":0,"defenders_win":3800,"shares":{"attackers_win":0.0186,"draw":0.0,"undecided":0.0,"defenders_win":0.9814}}"#;

/// Counts slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    // Clap does not find the conflict if --json comes before the command.
    if args.csv && session.json() {
        return Err(CliError::new("--csv cannot be used with --json"));
    }
    let base = session.open_to_scan(&args.existing.rules)?;
    let slices = args.existing.slices(&base, session)?;
    if args.totals {
        return print_totals(args, session, &base, &slices);
    }
    if args.csv {
        session.text(CSV_HEADER)?;
    }
    let mut totals = Totals::default();
    let mut gap = "";
    let probe_error = |error| session.probe_error(&base, &args.existing.rules, error);
    count_each(&base, &slices, &args.threads, probe_error, |slice, counted| {
        let metric = base.best_table(slice).map_err(probe_error)?.header().metric;
        for stats in counted.iter() {
            let report = stats.report(&base, slice, metric);
            totals.add(&report.counts);
            if args.csv {
                session.text(&csv(base.rules(), &report, stats))?;
            } else if session.json() {
                session.json_line(&report)?;
            } else {
                session.text(&format!("{gap}{}", text(&base, &report)))?;
                gap = "\n";
            }
        }
        Ok(())
    })?;
    if slices.len() > 1 && !args.csv && !session.json() {
        session.text(&format!("\n{}", totals.text(base.rules(), slices.len())))?;
    }
    Ok(())
}

/// Prints the totals of the counts in the headers of the files.
fn print_totals(
    args: &Args,
    session: &Session,
    base: &Tablebase,
    slices: &[Slice],
) -> Result<(), CliError> {
    let mut totals = Totals::default();
    for &slice in slices {
        let table = base
            .best_table(slice)
            .map_err(|error| session.probe_error(base, &args.existing.rules, error))?;
        for side in Side::ALL {
            let (summary, metric) = (table.summary(side), table.header().metric);
            totals.add(&SideCounts::new(base.rules(), side, summary, metric));
        }
    }
    match session.json() {
        true => totals
            .lines(base.rules(), slices.len())
            .iter()
            .try_for_each(|line| session.json_line(line)),
        false => session.text(&totals.text(base.rules(), slices.len())),
    }
}

/// The winners in all slices, by side to move.
#[derive(Default)]
struct Totals(BySide<Winners>);

/// A line of the totals in JSON.
#[derive(Serialize)]
struct TotalLine<'a> {
    rules: &'a str,
    slices: usize,
    to_move: &'static str,
    #[serde(flatten)]
    winners: WinnerReport,
}

impl Totals {
    fn add(&mut self, counts: &SideCounts) {
        let winners = &mut self.0[counts.to_move];
        *winners = [*winners, Winners::of(counts)].into_iter().sum();
    }

    /// Returns the lines: the attackers to move, the defenders, and either.
    fn lines<'a>(&self, rules: &'a Ruleset, slices: usize) -> [TotalLine<'a>; 3] {
        let BySide([attackers, defenders]) = self.0;
        let either = [attackers, defenders].into_iter().sum();
        [("attackers", attackers), ("defenders", defenders), ("either", either)].map(
            |(to_move, winners)| TotalLine {
                rules: &rules.name,
                slices,
                to_move,
                winners: winners.into(),
            },
        )
    }

    fn text(&self, rules: &Ruleset, slices: usize) -> String {
        let rows = self.lines(rules, slices).map(|line| {
            let mut row = vec![line.to_move.to_owned(), grouped(line.winners.positions)];
            row.extend(percents(&line.winners.shares));
            row
        });
        let open = format!("{} %", rules.endless.name());
        let header = ["to move", "placements", "attackers win %", &open, "defenders win %"];
        let slices = counted(slices, ["slice", "slices"]);
        format!("{}, total of {slices}\n{}", rules.name, columns(1, &header, &rows))
    }
}

const CSV_HEADER: &str =
    "rules,slice,defenders,attackers,to_move,category,dtw,positions,first_position\n";

/// Formats the lines of CSV. Names and positions contain no commas or quotes to escape.
fn csv(rules: &Ruleset, report: &SideReport, stats: &SideStats) -> String {
    let SideReport { rules: name, slice, defenders, attackers, counts, .. } = report;
    let of_side = format!("{name},{slice},{defenders},{attackers},{}", counts.to_move.name());
    let bars = report.histogram.iter().zip(&stats.values).map(|(bar, value)| {
        let plies = bar.dtw.map_or(String::new(), |plies| plies.to_string());
        let first = value.example.to_text(rules);
        format!("{of_side},{},{plies},{},{first}\n", bar.category, bar.positions)
    });
    bars.collect()
}

fn text(base: &Tablebase, report: &SideReport) -> String {
    let counts = &report.counts;
    let mut text = format!(
        "{} {}, {} to move: {} placements\n",
        report.rules,
        report.slice,
        counts.to_move.name(),
        grouped(counts.positions)
    );
    let draws = (base.category(Wdl::Draw), counts.draw + counts.undecided + counts.endless);
    let outcomes = [("win", counts.win), draws, ("loss", counts.loss)].map(|(name, count)| {
        format!("{name} {} ({:.2} %)", grouped(count), percentage(count, counts.positions))
    });
    text.push_str(&format!("{}\n", outcomes.join(", ")));
    for (name, plies, position) in [
        ("longest win ", counts.max_win, &report.longest_win),
        ("longest loss", counts.max_loss, &report.longest_loss),
    ] {
        if let (Some(plies), Some(position)) = (plies, position) {
            let plies = counted(plies, ["ply", "plies"]);
            text.push_str(&format!("{name}  {plies:<9}  {position}\n"));
        }
    }
    let zugzwangs = report.mutual_zugzwangs.map_or("unknown".to_owned(), grouped);
    text.push_str(&format!("mutual zugzwangs  {zugzwangs}\n"));
    let rows = report.histogram.iter().map(|bar| row(bar, counts.positions));
    text + &columns(1, &["value", "plies", "placements", "%"], &rows.collect::<Vec<_>>())
}

fn percentage(count: u64, of: u64) -> f64 {
    100.0 * count as f64 / of.max(1) as f64
}

fn row(bar: &Bar, positions: u64) -> Vec<String> {
    let share = percentage(bar.positions, positions);
    vec![
        bar.category.to_owned(),
        bar.dtw.map_or(String::new(), |plies| plies.to_string()),
        grouped(bar.positions),
        format!("{share:.2}"),
    ]
}
