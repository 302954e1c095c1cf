use std::io::{self, Write};
use std::path::PathBuf;
use std::process;

use serde::Serialize;
use taflbase::build::{BuildError, BuildOptions, Communicator, SliceReport, build_among, plan};
use taflbase::progress::{Phase, Progress, RankWork};
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::SideCounts;
use taflbase::table::Metric;
use taflbase::value::Plies;

use super::arguments::{RequestedSlices, Threads, parse_bytes, parse_number};
use super::error::{CliError, INTERRUPTED_STATUS};
use super::machine::{self, available_bytes};
use super::output::{Session, columns, grouped, size};
use super::progress::Reporter;
use super::ranks;

/// Build slices and all that they need; what is there already is kept
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    requested: RequestedSlices,
    #[command(flatten)]
    threads: Threads,
    /// The memory that the build may take, like 16GiB [default: what is free]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Where work in progress is kept [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// What slices get that no other one needs: wdl only, or dtw and wdl
    #[arg(long, value_name = "wdl|dtw", default_value = "dtw", value_parser = parse_metric)]
    metric: Metric,
    /// Build again what is there already, and all that it needs
    #[arg(long)]
    force: bool,
    /// The level of zstd, 1 to 22: 19 for files that are published [default: a
    /// level that takes little time beside solving]
    #[arg(long, value_name = "N", value_parser = parse_number::<i32, 1, 22>)]
    level: Option<i32>,
}

const HELP: &str = r#"--men N means every slice with at most N men, at least one attacker, and no more
of either side than in the starting position. Tables go to <tables>/<ruleset
name>; files of other rules there are never overwritten. `taflbase plan` tells
beforehand what a build takes.

What is done is kept in a folder K2v4.work beside the tables, or in --scratch, and
deleted with the last file of the slice; where memory or disk is short it is
compressed. A build that was interrupted, in any way,
goes on from the last ply that is there. If the bit tables do not fit into --memory,
they are worked on in partitions, one after the other, and the others wait in that folder.
That is slower. It takes some memory for each thread, so fewer --threads can do with
less; a slice without defenders cannot be shared out.

Started by MPI, all processes build together; --threads and --memory are for each of
them (by default all cores that it may use, and its part of the free memory), and they must
have the folders in common: see docs/cluster.md.

Examples:
  taflbase build brandubh --men 5
  mpirun -n 8 taflbase build brandubh --men 9 --memory 48GiB
  taflbase build ashton --slice K2v3 --slice K1v4 --memory 16GiB --threads 8

Counts are over all placements of the men, mirror images counted separately; bits are
those of a stored position.

JSON, one line for each slice when it is done (here with one side and one file); bits
are null for slices that were there:
  {"rules":"brandubh","slice":"K0v1","defenders":0,"attackers":1,"built":true,"sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6}],"files":[{"metric":"dtw","bytes":368,"bits_per_position":4.18}],"seconds":0.1}
With several processes also one for each ply that they have worked out together, 0 for
making the tables ready, with the rows that each has found, the bytes that it
gave to others, and its seconds:
  {"rules":"brandubh","slice":"K2v4","winner":"attackers","ply":1,"ranks":[{"rows":6712345,"bytes":51234567,"computing":1.9,"packing":0.2,"waiting":0.1}]}"#;

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    built: bool,
    sides: Vec<SideCounts>,
    files: Vec<FileAnswer>,
    seconds: f64,
}

#[derive(Serialize)]
struct FileAnswer {
    metric: &'static str,
    bytes: u64,
    bits_per_position: Option<f64>,
}

/// What the ranks have done in a ply.
#[derive(Serialize)]
struct PlyAnswer<'a> {
    rules: &'a str,
    slice: String,
    winner: &'static str,
    ply: Plies,
    ranks: Vec<RankAnswer>,
}

#[derive(Serialize)]
struct RankAnswer {
    rows: u64,
    bytes: u64,
    computing: f64,
    packing: f64,
    waiting: f64,
}

/// What ranks but the first one tell: what only they have come to.
struct Notices<'a>(&'a Reporter);

impl Progress for Notices<'_> {
    fn notice(&self, text: &str) {
        self.0.notice(text);
    }
}

/// Tells how far the work is, and of what the ranks do together.
struct Teller<'a> {
    reporter: &'a Reporter,
    session: &'a Session,
    rules: &'a str,
}

impl Progress for Teller<'_> {
    fn phase(&self, slice: Slice, phase: Phase, rows: u64) {
        self.reporter.phase(slice, phase, rows);
    }

    fn advance(&self, rows: u64) {
        self.reporter.advance(rows);
    }

    fn done_together(&self, slice: Slice, phase: Phase, ranks: &[RankWork]) {
        let (winner, ply) = match phase {
            Phase::Tables { winner } => (winner, 0),
            Phase::Ply { winner, ply } => (winner, ply),
            _ => return,
        };
        if self.session.json() {
            let slice = slice.to_string();
            let ranks = ranks.iter().map(RankAnswer::of).collect();
            let answer = PlyAnswer { rules: self.rules, slice, winner: winner.name(), ply, ranks };
            // Progress that nobody can read is no reason to stop.
            let _ = self.reporter.aside(|| self.session.json_line(&answer));
        }
    }

    fn notice(&self, text: &str) {
        self.reporter.notice(text);
    }
}

impl RankAnswer {
    fn of(work: &RankWork) -> RankAnswer {
        let &RankWork { rows, bytes, computing, packing, waiting } = work;
        let [computing, packing, waiting] =
            [computing, packing, waiting].map(|time| time.as_secs_f64());
        RankAnswer { rows, bytes, computing, packing, waiting }
    }
}

fn parse_metric(name: &str) -> Result<Metric, String> {
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name);
    metric.ok_or_else(|| "write wdl or dtw".to_owned())
}

/// Builds slice by slice, perhaps with other processes.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    ranks::run(|exchange| build(args, session, exchange))
}

/// What one of them does. The first one tells of it.
fn build(args: &Args, session: &Session, exchange: &dyn Communicator) -> Result<(), CliError> {
    let base = session.open_to_build(&args.requested.rules)?;
    let rules = base.rules();
    let slices = args.requested.slices(rules)?;
    let here = ranks::count_on_host(exchange, &machine::identity()).map_err(BuildError::from)?;
    let free = || Some(available_bytes()? / here);
    let options = BuildOptions {
        metric: args.metric,
        force: args.force,
        threads: args.threads.count(),
        memory_bytes: args.memory.or_else(free).unwrap_or(u64::MAX),
        level: args.level,
        scratch: args.scratch.clone(),
    };
    let works = plan(&base, &slices)?.into_iter().filter(|slice| args.force || !slice.present);
    let works = works.filter_map(|plan| plan.size.map(|size| (plan.slice, size.slots, size.rows)));
    let reporter = Reporter::new(works);
    let stopped = if args.force {
        "taflbase: stopped; the same command builds what was done once more, and goes on in \
         this slice from the last ply that is done"
    } else {
        "taflbase: stopped; the same command goes on from the last ply that is done"
    };
    // Where there is no such thing as Ctrl-C, nothing is lost.
    let is_first = exchange.rank() == 0;
    let _ = ctrlc::set_handler(move || {
        if is_first {
            let _ = writeln!(io::stderr(), "\n{stopped}");
        }
        process::exit(INTERRUPTED_STATUS.into());
    });
    let mut reports = Vec::new();
    let mut printed = Ok(());
    let teller = Teller { reporter: &reporter, session, rules: &rules.name };
    let notices = Notices(&reporter);
    let progress: &dyn Progress = if is_first { &teller } else { &notices };
    let mut done = |report: &SliceReport| {
        if report.built {
            reporter.finished(report.slice, report.times.iter().sum());
        }
        if session.json() && printed.is_ok() {
            printed = reporter.aside(|| session.json_line(&answer(rules, report)));
        }
        reports.push(report.clone());
    };
    let tables = session.tables();
    let built = build_among(exchange, rules, tables, &slices, &options, progress, &mut done);
    reporter.clear();
    printed?;
    if !session.json() && is_first {
        session.text(&table(rules, &reports, built.is_ok()))?;
    }
    Ok(built?)
}

fn answer<'a>(rules: &'a Ruleset, report: &SliceReport) -> Answer<'a> {
    Answer {
        rules: &rules.name,
        slice: report.slice.to_string(),
        defenders: report.slice.defenders,
        attackers: report.slice.attackers,
        built: report.built,
        sides: Side::ALL.map(|side| side_counts(rules, report, side)).into(),
        files: files(report),
        seconds: seconds(report),
    }
}

fn side_counts(rules: &Ruleset, report: &SliceReport, side: Side) -> SideCounts {
    SideCounts::new(rules, side, &report.summaries[side], Metric::Dtw)
}

fn files(report: &SliceReport) -> Vec<FileAnswer> {
    let files = report.bytes.iter().map(|&(metric, bytes)| FileAnswer {
        metric: metric.name(),
        bytes,
        bits_per_position: report.built.then(|| 8.0 * bytes as f64 / report.positions as f64),
    });
    files.collect()
}

fn seconds(report: &SliceReport) -> f64 {
    report.times.iter().map(|time| time.as_secs_f64()).sum()
}

/// What was built, two lines for each slice.
fn table(rules: &Ruleset, reports: &[SliceReport], is_done: bool) -> String {
    let built: Vec<&SliceReport> = reports.iter().filter(|report| report.built).collect();
    match (built.len(), reports.len() - built.len()) {
        (0, 0) => String::new(),
        // Something went wrong before there was anything to tell.
        (0, _) if !is_done => String::new(),
        (0, kept) => nothing_to_build(kept),
        (_, 0) => columns_of(rules, &built),
        (_, kept) => {
            format!("{}\nslices that were there already: {kept}\n", columns_of(rules, &built))
        }
    }
}

/// What there is to say where so many slices were asked for and all are there.
pub(super) fn nothing_to_build(slices: usize) -> String {
    match slices {
        1 => "nothing to build: the slice is there\n".to_owned(),
        slices => format!("nothing to build: all {slices} slices are there\n"),
    }
}

fn columns_of(rules: &Ruleset, built: &[&SliceReport]) -> String {
    let rows: Vec<Vec<String>> =
        built.iter().flat_map(|report| Side::ALL.map(|side| row(rules, report, side))).collect();
    let header = [
        "slice",
        "to move",
        "win",
        rules.endless.name(),
        "loss",
        "longest win",
        "bytes",
        "bits",
        "seconds",
    ];
    columns(2, &header, &rows)
}

fn row(rules: &Ruleset, report: &SliceReport, side: Side) -> Vec<String> {
    let answer = side_counts(rules, report, side);
    let counts = [answer.win, answer.draw + answer.undecided, answer.loss];
    let first = side == Side::Attackers;
    let name = if first { report.slice.to_string() } else { String::new() };
    let mut row = vec![name, side.name().to_owned()];
    row.extend(counts.map(grouped));
    row.push(answer.max_win.unwrap_or(0).to_string());
    if first {
        // The files hold both sides.
        let bytes: u64 = report.bytes.iter().map(|&(_, bytes)| bytes).sum();
        row.push(size(bytes));
        row.push(format!("{:.3}", 8.0 * bytes as f64 / report.positions as f64));
        row.push(format!("{:.1}", seconds(report)));
    }
    row
}
