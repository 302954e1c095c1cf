use std::io::{self, IsTerminal};
use std::ops::{ControlFlow, RangeInclusive};

use clap::builder::PossibleValuesParser;
use serde::Serialize;
use taflbase::Tablebase;
use taflbase::find::{
    FindError, Found, FoundCount, Pattern, Query, Search, parse_outcome, parse_squares, random,
};
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::TableFile;
use taflbase::tablebase::Probed;
use taflbase::value::{Plies, Wdl};

use super::arguments::{ExistingSlices, MAX, Threads, parse_number};
use super::error::CliError;
use super::output::{Session, columns, grouped};

/// Find positions in tables: by value, side to move and pattern; the longest, or random ones
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    value_filter: ValueFilter,
    #[command(flatten)]
    square_filter: SquareFilter,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(clap::Args)]
#[command(next_help_heading = "What to look for")]
struct ValueFilter {
    /// The outcome for the side to move: win, loss, and draw or undecided, whichever
    /// the rules have
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// The distance to the end: 21, or from and to, like 9..21, 9.. or ..21
    #[arg(long, value_name = "N", value_parser = parse_plies, allow_hyphen_values = true)]
    plies: Option<RangeInclusive<Plies>>,
    /// The side to move: attackers or defenders
    #[arg(long, value_name = "SIDE")]
    #[arg(value_parser = PossibleValuesParser::new(["attackers", "defenders"]))]
    to_move: Option<String>,
    /// Only mutual zugzwangs: whoever is to move does worse than if the other side were
    #[arg(long)]
    zugzwang: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "What stands where, in any of the mirror images")]
struct SquareFilter {
    /// A board, with ? for any square and * for the rest of a rank: "/*/*/*/3K*/*/*/*/"
    #[arg(long, value_name = "BOARD")]
    pattern: Option<String>,
    /// The king stands on one of these squares, like d4 or c4,d4
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    king: Vec<String>,
    /// Attackers stand on all of these squares, and maybe on others
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    attackers: Vec<String>,
    /// Defenders stand on all of these squares, and maybe on others
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    defenders: Vec<String>,
    /// All of these squares are empty
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    empty: Vec<String>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "What to tell")]
struct OutputOptions {
    /// Only the longest wins of each slice and side to move, or with --value loss the
    /// longest losses
    #[arg(long, conflicts_with_all = ["random", "count"])]
    longest: bool,
    /// So many positions at random, each as likely as any other
    #[arg(long, value_name = "N", conflicts_with = "count")]
    #[arg(value_parser = parse_number::<usize, 1, MAX>)]
    random: Option<usize>,
    /// What the choice of the random positions depends on
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random")]
    #[arg(value_parser = parse_number::<u64, 0, MAX>)]
    seed: u64,
    /// Only how many there are, for each slice and side to move
    #[arg(long)]
    count: bool,
    /// At most so many positions; 0: all [default: 20 on a terminal, else all]
    #[arg(long, value_name = "N", conflicts_with_all = ["random", "count"])]
    #[arg(value_parser = parse_number::<usize, 0, MAX>)]
    limit: Option<usize>,
}

/// How many positions a terminal is given.
const TERMINAL_LIMIT: usize = 20;
/// So much text is printed at once.
const FLUSH_BYTES: usize = 1 << 16;

const HELP: &str = r#"Of a position and its mirror images there is one in the tables: it is found if any
of its images fits the pattern, is shown as that one, and "images" tells how many
they are, itself included. With --count, "stored" counts those, "placements" all their
images. Positions come in the order of the table: by the soldiers, then by the king's square, then by the side to move.

A placement of the pieces is a mutual zugzwang if each side does worse when it is
to move than when the other side is: both lose when they are to move, or one loses
and the other draws. Distances do not count. Each is shown once, with the attackers
to move unless --to-move says otherwise. Where rules leave positions undecided, only
those are shown that are certain: both lose.

Distances are plies to the end of the game; 9..21 is from 9 to 21, both included.
Draws have none, nor have slices with a WDL table alone, which --plies and --longest leave
out unless --slice names them.

Examples:
  taflbase find brandubh --slice K1v3 --longest
  taflbase find brandubh --slice K1v3 --zugzwang --count
  taflbase find brandubh --value win --to-move attackers --plies 15.. --limit 5
  taflbase find brandubh --king d4 --attackers c4,e4 --empty d3,d5
  taflbase find brandubh --slice K2v2 --value draw --random 3 --seed 7

JSON, one line for each position; "dtw" is null for draws, and for WDL tables;
with --zugzwang, "other_category" and "other_dtw" follow, for the other side to
move; with --count, one line for each slice and side to move:
  {"rules":"brandubh","slice":"K1v2","position":"/2t1K2/4T2/7/5t1/7/7/7/ a","to_move":"attackers","category":"win","dtw":3,"images":8}
  {"rules":"brandubh","slice":"K1v2","to_move":"attackers","stored":16291,"placements":130316}"#;

/// Looks through slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_probe(&args.existing.rules)?;
    let query = args.query(base.rules())?;
    let mut searches = Vec::new();
    let mut without = Vec::new();
    for slice in args.existing.slices(&base, session)? {
        let table = base.best_table(slice);
        let table =
            table.map_err(|error| session.probe_error(&base, &args.existing.rules, error))?;
        let search = Search::new(base.rules(), table, &query).and_then(|search| {
            if args.output.longest {
                search.check_distances()?;
            }
            Ok(search)
        });
        match search {
            Err(error @ FindError::NoDistances(_)) if !args.existing.are_named() => {
                without.push(error);
            }
            search => searches.push((slice, search?)),
        }
    }
    match without.len() {
        0 => {}
        count if !searches.is_empty() => {
            session.note(&format!("slices without distances are left out: {count}"));
        }
        _ => return Err(without.remove(0).into()),
    }
    let finder = Finder { args, base: &base, session, query: &query };
    args.threads.run(|| finder.run(searches))?
}

impl Args {
    fn query(&self, rules: &Ruleset) -> Result<Query, CliError> {
        let wanted = &self.value_filter;
        let wdl = match &wanted.value {
            Some(value) => Some(parse_outcome(rules, value).map_err(invalid_value("--value"))?),
            None => None,
        };
        if wdl == Some(Wdl::Draw) && (wanted.plies.is_some() || self.output.longest) {
            let option = if self.output.longest { "--longest" } else { "--plies" };
            let open = rules.endless.name();
            return Err(CliError::Error(format!(
                "{option} asks for distances, and no position that is {open} has any"
            )));
        }
        let to_move = wanted.to_move.as_deref();
        Ok(Query {
            to_move: Side::ALL.into_iter().find(|side| Some(side.name()) == to_move),
            wdl,
            plies: wanted.plies.clone(),
            zugzwang: wanted.zugzwang,
            pattern: self.square_filter.pattern(rules)?,
        })
    }
}

impl SquareFilter {
    fn pattern(&self, rules: &Ruleset) -> Result<Pattern, CliError> {
        let squares = |option, names: &[String]| {
            let names = names.iter().map(|name| name.trim());
            parse_squares(names, rules.board).map_err(invalid_value(option))
        };
        let king = squares("--king", &self.king)?;
        let by_squares = Pattern {
            attackers: squares("--attackers", &self.attackers)?,
            defenders: squares("--defenders", &self.defenders)?,
            empty: squares("--empty", &self.empty)?,
            king: (!self.king.is_empty()).then_some(king),
        };
        match &self.pattern {
            None => Ok(by_squares),
            Some(text) => {
                let board =
                    Pattern::parse(text, rules.board).map_err(invalid_value("--pattern"))?;
                Ok(board.and(&by_squares))
            }
        }
    }
}

/// An error of that option's value.
fn invalid_value<E: std::fmt::Display>(option: &str) -> impl Fn(E) -> CliError {
    move |error| CliError::Error(format!("{option}: {error}"))
}

/// `21`, `9..21`, `9..` or `..21`.
fn parse_plies(text: &str) -> Result<RangeInclusive<Plies>, String> {
    let number = |text: &str, open: Plies| match text.trim() {
        "" => Some(open),
        text => text.parse().ok(),
    };
    let range = match text.split_once("..") {
        Some((first, last)) => number(first, 0).zip(number(last, Plies::MAX)),
        None => text.trim().parse().ok().map(|plies| (plies, plies)),
    };
    match range {
        None => Err("write plies like 21, 9..21, 9.. or ..21".to_owned()),
        Some((first, last)) if first > last => {
            Err(format!("there is nothing from {first} to {last}: write the smaller number first"))
        }
        Some((first, last)) => Ok(first..=last),
    }
}

#[derive(Serialize)]
struct PositionJson<'a> {
    rules: &'a str,
    slice: String,
    position: String,
    to_move: &'static str,
    category: &'static str,
    dtw: Option<Plies>,
    images: usize,
    #[serde(flatten)]
    other: Option<OtherSideJson>,
}

/// The value with the other side to move.
#[derive(Serialize)]
struct OtherSideJson {
    other_category: &'static str,
    other_dtw: Option<Plies>,
}

#[derive(Serialize)]
struct CountJson<'a> {
    rules: &'a str,
    slice: String,
    to_move: &'static str,
    stored: u64,
    placements: u64,
}

type Searches<'a> = Vec<(Slice, Search<'a, TableFile>)>;

struct Finder<'a> {
    args: &'a Args,
    base: &'a Tablebase,
    session: &'a Session,
    query: &'a Query,
}

impl Finder<'_> {
    fn run(&self, searches: Searches<'_>) -> Result<(), CliError> {
        let output = &self.args.output;
        if output.count {
            return self.count(&searches);
        }
        let is_terminal = io::stdout().is_terminal();
        let limit = output.limit.unwrap_or(if is_terminal { TERMINAL_LIMIT } else { 0 });
        let mut printer = Printer::new(self, limit);
        if let Some(count) = output.random {
            let searches: Vec<_> = searches.into_iter().map(|(_, search)| search).collect();
            printer.limit = count;
            random(&searches, count, output.seed)?
                .iter()
                .try_for_each(|found| printer.add(found))?;
            return printer.finish();
        }
        for (_, search) in &searches {
            let mut printed = Ok(());
            if output.longest {
                printed = search.longest()?.iter().try_for_each(|found| printer.add(found));
            } else {
                search.each(|found| {
                    printed = printer.add(&found);
                    match printed.is_ok() && !printer.is_full() {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                })?;
            }
            printed?;
            if printer.is_full() {
                break;
            }
        }
        printer.finish()
    }

    fn count(&self, searches: &Searches<'_>) -> Result<(), CliError> {
        let mut rows = Vec::new();
        for (slice, search) in searches {
            let counts = search.count()?;
            for &side in self.query.sides() {
                let FoundCount { stored, placements, .. } = counts[side];
                if self.session.json() {
                    self.session.json_line(&CountJson {
                        rules: &self.base.rules().name,
                        slice: slice.to_string(),
                        to_move: side.name(),
                        stored,
                        placements,
                    })?;
                }
                let cells = [slice.to_string(), side.name().to_owned()];
                rows.push([&cells[..], &[grouped(stored), grouped(placements)]].concat());
            }
        }
        if self.session.json() {
            return Ok(());
        }
        let header = ["slice", "to move", "stored", "placements"];
        self.session.text(&columns(2, &header, &rows))
    }
}

/// Prints positions, as many as are wanted, some at a time.
struct Printer<'a> {
    finder: &'a Finder<'a>,
    limit: usize,
    printed: usize,
    text: String,
    more: bool,
}

impl<'a> Printer<'a> {
    /// A limit of 0 is none.
    fn new(finder: &'a Finder<'a>, limit: usize) -> Printer<'a> {
        let limit = if limit == 0 { usize::MAX } else { limit };
        Printer { finder, limit, printed: 0, text: String::new(), more: false }
    }

    /// Whether there are more than are wanted.
    fn is_full(&self) -> bool {
        self.more
    }

    fn add(&mut self, found: &Found) -> Result<(), CliError> {
        if self.printed == self.limit {
            self.more = true;
            return Ok(());
        }
        let line = if self.finder.session.json() { self.json(found)? } else { self.line(found) };
        self.text.push_str(&line);
        self.printed += 1;
        if self.text.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), CliError> {
        self.finder.session.text(&std::mem::take(&mut self.text))
    }

    fn json(&self, found: &Found) -> Result<String, CliError> {
        let base = self.finder.base;
        let other = |other: Probed| OtherSideJson {
            other_category: base.category(other.wdl),
            other_dtw: other.plies,
        };
        let answer = PositionJson {
            rules: &base.rules().name,
            slice: found.position.slice().to_string(),
            position: found.position.to_text(base.rules()),
            to_move: found.position.to_move.name(),
            category: base.category(found.value.wdl),
            dtw: found.value.plies,
            images: found.images,
            other: found.other.map(other),
        };
        Ok(serde_json::to_string(&answer).map_err(CliError::new)? + "\n")
    }

    /// A line of aligned columns, under a header if it is the first.
    fn line(&self, found: &Found) -> String {
        let base = self.finder.base;
        let cells = |value: Probed| {
            let plies = value.plies.map_or(String::new(), |plies| plies.to_string());
            format!("{:<9}  {plies:>5}  ", base.category(value.wdl))
        };
        let mut line = String::new();
        if self.printed == 0 {
            line.push_str("value      plies  ");
            line.push_str(if found.other.is_some() { "other      plies  " } else { "" });
            line.push_str("images  position\n");
        }
        line.push_str(&cells(found.value));
        line.push_str(&found.other.map_or(String::new(), cells));
        line + &format!("{:>6}  {}\n", found.images, found.position.display(base.rules()))
    }

    /// Prints what is left, and tells if there is more, or nothing.
    fn finish(mut self) -> Result<(), CliError> {
        self.flush()?;
        let session = self.finder.session;
        if self.more {
            let limit = self.limit;
            session.note(&format!(
                "there are more than {limit}: --limit 0 shows all, --count tells how many"
            ));
        } else if self.printed == 0 {
            session.note("there is no such position");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_a_number_or_a_range() {
        for (text, plies) in
            [("21", 21..=21), ("9..21", 9..=21), ("9..", 9..=u16::MAX), ("..21", 0..=21)]
        {
            assert_eq!(parse_plies(text), Ok(plies), "{text}");
        }
        for wrong in ["", "x", "9-21", "1..x", "70000", "-1", "9..21..30"] {
            assert!(parse_plies(wrong).unwrap_err().contains("9..21"), "{wrong}");
        }
        assert!(parse_plies("21..9").unwrap_err().contains("from 21 to 9"));
    }
}
