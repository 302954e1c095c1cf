use std::io::{self, IsTerminal};
use std::ops::{ControlFlow, RangeInclusive};

use clap::builder::PossibleValuesParser;
use taflbase::Tablebase;
use taflbase::board::SquareSet;
use taflbase::find::{
    CountAnswer, FindError, Found, FoundAnswer, FoundCount, Pattern, Query, Search, parse_outcome,
    parse_plies, parse_squares, random,
};
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::tablebase::Probed;
use taflbase::value::Plies;

use super::arguments::{ExistingSlices, MAX, Threads, parse_number};
use super::error::CliError;
use super::output::{Session, columns, grouped};

/// Find positions in tables by value, side to move and pattern
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
#[command(next_help_heading = "Value")]
struct ValueFilter {
    /// Select by outcome for the side to move: win, loss, draw, undecided or endless
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// Select by distance to the end: 21, or a range like 9..21, 9.. or ..21
    #[arg(long, value_name = "N", value_parser = parse_plies, allow_hyphen_values = true)]
    plies: Option<RangeInclusive<Plies>>,
    /// Select by side to move: attackers or defenders
    #[arg(long, value_name = "SIDE")]
    #[arg(value_parser = PossibleValuesParser::new(["attackers", "defenders"]))]
    to_move: Option<String>,
    /// Select mutual zugzwangs: either side does worse if it is to move
    #[arg(long)]
    zugzwang: bool,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Pieces, in any of the mirror images")]
struct SquareFilter {
    /// Match a board, ? being any square and * the rest of a rank: "/*/*/*/3K*/*/*/*/"
    #[arg(long, value_name = "BOARD")]
    pattern: Option<String>,
    /// Require the king on one of these squares, like d4 or c4,d4
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    king: Vec<String>,
    /// Require attackers on all of these squares
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    attackers: Vec<String>,
    /// Require defenders on all of these squares
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    defenders: Vec<String>,
    /// Require all of these squares to be empty
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    empty: Vec<String>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct OutputOptions {
    /// Print the longest wins of each slice and side to move (with --value loss: losses)
    #[arg(long, conflicts_with_all = ["random", "count"])]
    longest: bool,
    /// Print N random positions, uniformly distributed
    #[arg(long, value_name = "N", conflicts_with = "count")]
    #[arg(value_parser = parse_number::<usize, 1, MAX>)]
    random: Option<usize>,
    /// Use this random seed
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random")]
    #[arg(value_parser = parse_number::<u64, 0, MAX>)]
    seed: u64,
    /// Print only counts, by slice and side to move
    #[arg(long)]
    count: bool,
    /// Print at most N positions; 0: all [default: 20 on a terminal, else all]
    #[arg(long, value_name = "N", conflicts_with_all = ["random", "count"])]
    #[arg(value_parser = parse_number::<usize, 0, MAX>)]
    limit: Option<usize>,
}

/// The default limit on a terminal.
const TERMINAL_LIMIT: usize = 20;
/// Output is flushed in pieces of this size.
const FLUSH_BYTES: usize = 1 << 16;

const HELP: &str = r#"Tables store one position of each class of mirror images. It is found if any of its
images matches the pattern, and printed as stored; "images" is the number of its
images, including itself. --count prints the number of stored positions ("stored") and
of all their images ("placements"). Positions are ordered by soldiers, then by the
king's square, then by side to move.

A placement of the pieces is a mutual zugzwang if each side does worse when it is
to move than when the other side is: both lose when they are to move, or one loses
and the other draws. Distances do not count. Each is printed once, with the attackers
to move unless --to-move is given. If the rules leave positions undecided, only certain
zugzwangs are found: both sides lose.

Distances are plies to the end of the game; 9..21 includes both ends. Draws have no
distance. Slices with only a WDL table have none but that of a win in 1 by an escape or
by capturing the king; --plies and --longest skip them unless --slice names them.

Examples:
  taflbase find brandubh --slice K1v3 --longest
  taflbase find brandubh --slice K1v3 --zugzwang --count
  taflbase find brandubh --value win --to-move defenders --plies 15.. --limit 5
  taflbase find brandubh --slice K1v3 --king d4 --attackers c4,e4 --empty d3,d5
  taflbase find brandubh --slice K0v4 --value draw --random 3 --seed 7

JSON, one line per position; "dtw" is null where there is no distance; --zugzwang
adds "other_category" and "other_dtw", for the other side to move; --count prints one
line per slice and side to move:
  {"rules":"brandubh","slice":"K1v2","position":"/2t1K2/4T2/7/5t1/7/7/7/ a","to_move":"attackers","category":"win","dtw":3,"images":8}
  {"rules":"brandubh","slice":"K1v2","to_move":"attackers","stored":16291,"placements":130316}"#;

/// Searches slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open_to_scan(&args.existing.rules)?;
    let query = args.query(base.rules())?;
    let mut searches = Vec::new();
    let mut without_distances = Vec::new();
    for slice in args.existing.slices(&base, session)? {
        let table = base
            .best_table(slice)
            .map_err(|error| session.probe_error(&base, &args.existing.rules, error))?;
        let result = Search::new(base.rules(), table, &query).and_then(|search| {
            if args.output.longest {
                search.check_distances()?;
            }
            Ok(search)
        });
        match result {
            Err(error @ FindError::NoDistances(_)) if !args.existing.are_named() => {
                without_distances.push(error);
            }
            _ => searches.push((slice, result?)),
        }
    }
    match without_distances.len() {
        0 => {}
        count if !searches.is_empty() => {
            session.note(&format!("skipped slices without distances: {count}"));
        }
        _ => return Err(without_distances.remove(0).into()),
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
        Ok(Query {
            to_move: wanted.to_move.as_deref().and_then(Side::from_name),
            wdl,
            plies: wanted.plies.clone(),
            zugzwang: wanted.zugzwang,
            pattern: self.square_filter.pattern(rules)?,
        })
    }
}

impl SquareFilter {
    fn pattern(&self, rules: &Ruleset) -> Result<Pattern, CliError> {
        let king = option_squares("--king", &self.king, rules)?;
        let by_squares = Pattern {
            attackers: option_squares("--attackers", &self.attackers, rules)?,
            defenders: option_squares("--defenders", &self.defenders, rules)?,
            empty: option_squares("--empty", &self.empty, rules)?,
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

/// Parses the squares that are the values of an option.
fn option_squares(option: &str, names: &[String], rules: &Ruleset) -> Result<SquareSet, CliError> {
    parse_squares(names.iter().map(|name| name.trim()), rules.board).map_err(invalid_value(option))
}

/// Prefixes an error with the option whose value is wrong.
fn invalid_value<E: std::fmt::Display>(option: &str) -> impl Fn(E) -> CliError {
    move |error| CliError::Error(format!("{option}: {error}"))
}

type Searches<'a> = Vec<(Slice, Search<'a>)>;

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
                let found = search.longest(printer.wanted())?;
                printed = found.iter().try_for_each(|found| printer.add(found));
            } else {
                search.each(|found| {
                    printed = printer.add(&found);
                    match printed.is_ok() && !printer.has_more {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                })?;
            }
            printed?;
            if printer.has_more {
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
                let count = counts[side];
                if self.session.json() {
                    let answer = CountAnswer::new(self.base, *slice, side, count);
                    self.session.json_line(&answer)?;
                }
                let FoundCount { stored, placements, .. } = count;
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

/// Prints positions up to the limit, in large pieces.
struct Printer<'a> {
    finder: &'a Finder<'a>,
    limit: usize,
    printed: usize,
    text: String,
    /// Whether there are positions beyond the limit.
    has_more: bool,
}

impl<'a> Printer<'a> {
    /// Creates a printer; a limit of 0 means no limit.
    fn new(finder: &'a Finder<'a>, limit: usize) -> Printer<'a> {
        let max = if limit == 0 { usize::MAX } else { limit };
        Printer { finder, limit: max, printed: 0, text: String::new(), has_more: false }
    }

    /// Returns how many positions to search for: one more than may be printed tells whether there
    /// are more.
    fn wanted(&self) -> usize {
        (self.limit - self.printed).saturating_add(1)
    }

    fn add(&mut self, found: &Found) -> Result<(), CliError> {
        if self.printed == self.limit {
            self.has_more = true;
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
        let line = FoundAnswer::new(self.finder.base, found);
        Ok(serde_json::to_string(&line).map_err(CliError::new)? + "\n")
    }

    /// Formats a line of aligned columns; the first one follows a header.
    fn line(&self, found: &Found) -> String {
        let base = self.finder.base;
        let mut line = String::new();
        if self.printed == 0 {
            line.push_str("value      plies  ");
            line.push_str(if found.other.is_some() { "other      plies  " } else { "" });
            line.push_str("images  position\n");
        }
        line.push_str(&value_cells(base, found.value));
        if let Some(other) = found.other {
            line.push_str(&value_cells(base, other));
        }
        line + &format!("{:>6}  {}\n", found.images, found.position.display(base.rules()))
    }

    /// Prints the rest, and a note if there are more positions or none.
    fn finish(mut self) -> Result<(), CliError> {
        self.flush()?;
        let session = self.finder.session;
        if self.has_more {
            let limit = self.limit;
            session.note(&format!(
                "there are more than {limit}: --limit 0 prints all, --count counts them"
            ));
        } else if self.printed == 0 {
            session.note("no position found");
        }
        Ok(())
    }
}

fn value_cells(base: &Tablebase, value: Probed) -> String {
    let plies = value.plies.map_or(String::new(), |plies| plies.to_string());
    format!("{:<9}  {plies:>5}  ", base.category(value.wdl))
}
