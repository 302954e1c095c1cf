use serde::Serialize;
use taflbase::Tablebase;
use taflbase::rules::Endless;
use taflbase::slice::Slice;
use taflbase::stats::{SideStats, ValueCount, count_values};
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;
use taflbase::value::Wdl;

use super::arguments::{Present, Threads};
use super::failure::Failure;
use super::output::{Session, columns, grouped};

/// Count wins, draws and losses, find the longest wins, and draw histograms
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    present: Present,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Counts all placements, mirror images separately, from the values in the tables.
Distances are plies to the end of the game; WDL tables have none.

Examples:
  taflbase stats brandubh
  taflbase stats brandubh --slice K1v2 --json

JSON, one line for each slice and side to move; after the counts come the first
positions in index order with the longest win and loss (or null), and how many
positions have each value (here the first of them). "max_win" and "max_loss" are
null for WDL tables:
  {"rules":"brandubh","slice":"K1v2","defenders":1,"attackers":2,"to_move":"attackers","positions":1668744,"win":130316,"loss":1538428,"draw":0,"undecided":0,"max_win":3,"max_loss":8,"longest_win":"/1tK4/2T4/7/4t2/7/7/7/ a","longest_loss":"/3t1T1/1K5/3t3/7/7/7/7/ a","histogram":[{"category":"win","dtw":1,"positions":130212}]}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    to_move: &'static str,
    positions: u64,
    win: u64,
    loss: u64,
    draw: u64,
    undecided: u64,
    max_win: Option<u16>,
    max_loss: Option<u16>,
    longest_win: Option<String>,
    longest_loss: Option<String>,
    histogram: Vec<Bar>,
    /// The name of draws under these rules.
    #[serde(skip)]
    draws: &'static str,
}

#[derive(Serialize)]
struct Bar {
    category: &'static str,
    dtw: Option<u16>,
    positions: u64,
}

/// Counts slice by slice.
pub fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open(&args.rules)?;
    let slices = args.present.slices(&base, &args.rules, session)?;
    for (number, slice) in slices.into_iter().enumerate() {
        let table = match base.table(slice, Metric::Dtw) {
            Err(ProbeError::MissingTable { .. }) => base.table(slice, Metric::Wdl),
            table => table,
        };
        let table = table.map_err(|error| session.refusal(&args.rules, error))?;
        let metric = table.header().metric;
        let counted = args.threads.run(|| count_values(base.rules(), table))??;
        for (i, stats) in counted.iter().enumerate() {
            let answer = answer(&base, slice, metric, stats);
            if session.json {
                session.json_line(&answer)?;
            } else {
                let gap = if number + i > 0 { "\n" } else { "" };
                session.text(&format!("{gap}{}", answer.text()))?;
            }
        }
    }
    Ok(())
}

fn answer<'a>(base: &'a Tablebase, slice: Slice, metric: Metric, stats: &SideStats) -> Answer<'a> {
    let rules = base.rules();
    let draws = stats.count(Wdl::Draw);
    let is_draw = rules.endless == Endless::Draw;
    let longest = |wdl| {
        (metric == Metric::Dtw).then(|| stats.longest(wdl).and_then(|v| v.plies).unwrap_or(0))
    };
    let example = |wdl| stats.longest(wdl).map(|value| value.example.to_text(rules));
    Answer {
        rules: &rules.name,
        slice: slice.to_string(),
        defenders: slice.defenders,
        attackers: slice.attackers,
        to_move: stats.to_move.name(),
        positions: stats.positions(),
        win: stats.count(Wdl::Win),
        loss: stats.count(Wdl::Loss),
        draw: if is_draw { draws } else { 0 },
        undecided: if is_draw { 0 } else { draws },
        max_win: longest(Wdl::Win),
        max_loss: longest(Wdl::Loss),
        longest_win: example(Wdl::Win),
        longest_loss: example(Wdl::Loss),
        histogram: stats.values.iter().map(|value| bar(base, value)).collect(),
        draws: rules.endless.name(),
    }
}

fn bar(base: &Tablebase, value: &ValueCount) -> Bar {
    Bar { category: base.category(value.wdl), dtw: value.plies, positions: value.positions }
}

impl Answer<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "{} {}, {} to move: {} positions\n",
            self.rules,
            self.slice,
            self.to_move,
            grouped(self.positions)
        );
        let draws = (self.draws, self.draw + self.undecided);
        let counts = [("win", self.win), draws, ("loss", self.loss)];
        let counts = counts.map(|(name, count)| format!("{name} {}", grouped(count)));
        text.push_str(&format!("{}\n", counts.join(", ")));
        for (name, plies, position) in [
            ("longest win ", self.max_win, &self.longest_win),
            ("longest loss", self.max_loss, &self.longest_loss),
        ] {
            if let (Some(plies), Some(position)) = (plies, position) {
                text.push_str(&format!("{name}  {plies:>4} plies  {position}\n"));
            }
        }
        let rows: Vec<Vec<String>> = self.histogram.iter().map(|bar| self.row(bar)).collect();
        text + &columns(1, &["value", "plies", "positions", "%"], &rows)
    }

    fn row(&self, bar: &Bar) -> Vec<String> {
        let share = 100.0 * bar.positions as f64 / self.positions.max(1) as f64;
        vec![
            bar.category.to_owned(),
            bar.dtw.map_or(String::new(), |plies| plies.to_string()),
            grouped(bar.positions),
            format!("{share:.2}"),
        ]
    }
}
