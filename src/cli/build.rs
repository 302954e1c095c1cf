use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use serde::Serialize;
use taflbase::build::{
    Build, BuildError, BuildOptions, Communicator, SliceReport, plan_with_metric,
};
use taflbase::progress::{Phase, Progress, RankWork};
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::SideCounts;
use taflbase::table::Metric;
use taflbase::value::Plies;

use super::arguments::{RequestedSlices, Threads, in_pool, parse_bytes, parse_number};
use super::error::CliError;
use super::interrupt::on_interrupt;
use super::output::{Session, columns, grouped, size};
use super::plan::Processes;
use super::progress::Reporter;
use super::{ranks, start};

/// Build slices and their dependencies; existing tables are reused
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    requested: RequestedSlices,
    #[command(flatten)]
    threads: Threads,
    /// Use at most this much memory, like 16GiB [default: free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Keep work in progress in this folder [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Write only wdl, or dtw and wdl, for slices that no other slice depends on
    #[arg(long, value_name = "wdl|dtw", default_value = "dtw", value_parser = parse_metric)]
    metric: Metric,
    /// Rebuild existing slices and their dependencies
    #[arg(long)]
    force: bool,
    /// Compress at this level of zstd, 1 to 22; use 19 to publish files [default: a level that
    /// takes little time compared with solving]
    #[arg(long, value_name = "N", value_parser = parse_number::<i32, 1, 22>)]
    level: Option<i32>,
}

const HELP: &str = r#"--men N means every slice with at most N men, at least one attacker, and no more men
of either side than in the start position. Tables are written to <tables>/<ruleset
name>; files of other rules there are never overwritten. `taflbase plan` estimates the
time, memory and disk of a build.

--start means the whole game: the slice of the start position and all that captures lead
to from there. The plan is printed before, to standard error. At the end follow the value
of the start position, the distance to the end of the game, a line of best play (without
them with --metric wdl), and the counts of its slice.

Work in progress is kept in a folder K2v4.work beside the tables, or in --scratch, and
deleted when the slice is complete; it is compressed if free memory or disk is short. A
build that finds the work of a complete slice deletes it, but not if the slice has no
distances, since a build of these can resume from it: delete the folder if you do not want
them. An interrupted build resumes from the last finished ply; to go on with another
--scratch, move the folder K2v4.work to <scratch>/<ruleset name>. If the bit tables do not
fit into --memory, they are divided into partitions, of which one at a time is in memory
and the others wait in that folder. This is slower. Each thread takes some memory, so
fewer --threads need less; a slice without defenders cannot be divided.

Under MPI, all processes build together; --threads and --memory apply to each process
(default: all cores that it may use, and its equal part of the free memory of its
machine and control group), and the folders must be shared: see docs/cluster.md.

Examples:
  taflbase build brandubh --men 5
  mpirun -n 8 taflbase build brandubh --men 9 --memory 48GiB
  taflbase build ashton --slice K2v3 --slice K1v4 --memory 16GiB --threads 8
  taflbase build examples/rulesets/5x5-corners-4v2.toml --start

Counts are over all placements of the men, with mirror images counted separately; bits
are per stored position.

JSON, one line per finished slice (here with one side and one file); bits are null for
existing slices, max_win and max_loss if only their WDL tables exist:
  {"rules":"brandubh","slice":"K0v1","defenders":0,"attackers":1,"built":true,"sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6}],"files":[{"metric":"dtw","bytes":346,"bits_per_position":3.93}],"seconds":0.1}
With several processes also one line per ply that they computed together (0: preparing
the tables), with the rows that each found, the bytes that it sent to others, and its
seconds:
  {"rules":"brandubh","slice":"K2v4","winner":"attackers","ply":1,"ranks":[{"rows":6712345,"bytes":51234567,"computing":1.9,"packing":0.2,"waiting":0.1}]}
With --start, a last line (shortened); "value" is the winner or, if neither side can force a
win, "draw", "undecided" or "endless"; "sides" has the counts of the start's slice; "slices",
"placements" and "bytes" are of all slices:
  {"rules":"5x5-corners-4v0","position":"/2t2/5/t1K1t/5/2t2/ a","to_move":"attackers","category":"loss","dtw":6,"moves":["c1-c2","Kc3-c4","c2-c1","Kc4-a4","c1-b1","Ka4-a5--"],"positions":["/2t2/5/t1K1t/5/2t2/ a"],"value":"defenders","slice":"K0v4","sides":[],"slices":4,"placements":213790,"bytes":5128}"#;

#[derive(Serialize)]
struct BuildJson<'a> {
    rules: &'a str,
    slice: String,
    defenders: usize,
    attackers: usize,
    built: bool,
    sides: Vec<SideCounts>,
    files: Vec<FileJson>,
    seconds: f64,
}

#[derive(Serialize)]
struct FileJson {
    metric: &'static str,
    bytes: u64,
    bits_per_position: Option<f64>,
}

/// The work of each rank in a ply.
#[derive(Serialize)]
struct PlyJson<'a> {
    rules: &'a str,
    slice: String,
    winner: &'static str,
    ply: Plies,
    ranks: Vec<RankJson>,
}

#[derive(Serialize)]
struct RankJson {
    rows: u64,
    bytes: u64,
    computing: f64,
    packing: f64,
    waiting: f64,
}

/// The progress of ranks other than 0: only their notices are printed.
struct Notices<'a>(&'a Reporter);

impl Progress for Notices<'_> {
    fn notice(&self, text: &str) {
        self.0.notice(text);
    }
}

/// The progress of rank 0, with the plies that the ranks compute together and the finished
/// slices.
struct RankZero<'a> {
    reporter: &'a Reporter,
    session: &'a Session,
    rules: &'a Ruleset,
    finished: Mutex<Finished>,
}

/// The slices that are finished.
struct Finished {
    reports: Vec<SliceReport>,
    /// The first error of printing them.
    printed: Result<(), CliError>,
}

impl RankZero<'_> {
    fn finished(&self) -> MutexGuard<'_, Finished> {
        self.finished.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Progress for RankZero<'_> {
    fn phase(&self, slice: Slice, phase: Phase, rows: u64) {
        self.reporter.phase(slice, phase, rows);
    }

    fn advance(&self, rows: u64) {
        self.reporter.advance(rows);
    }

    fn ranks_done(&self, slice: Slice, phase: Phase, ranks: &[RankWork]) {
        let (winner, ply) = match phase {
            Phase::Tables { winner } => (winner, 0),
            Phase::Ply { winner, ply } => (winner, ply),
            _ => return,
        };
        if self.session.json() {
            let slice = slice.to_string();
            let ranks = ranks.iter().map(RankJson::of).collect();
            let rules = &self.rules.name;
            let answer = PlyJson { rules, slice, winner: winner.name(), ply, ranks };
            // A failure to report progress must not stop the work.
            let _ = self.reporter.aside(|| self.session.json_line(&answer));
        }
    }

    fn slice_done(&self, report: &SliceReport) {
        if report.built {
            self.reporter.finished(report.slice, report.times.iter().sum());
        }
        let mut finished = self.finished();
        if self.session.json() && finished.printed.is_ok() {
            let line = answer(self.rules, report);
            finished.printed = self.reporter.aside(|| self.session.json_line(&line));
        }
        finished.reports.push(report.clone());
    }

    fn notice(&self, text: &str) {
        self.reporter.notice(text);
    }
}

impl RankJson {
    fn of(work: &RankWork) -> RankJson {
        let &RankWork { rows, bytes, computing, packing, waiting } = work;
        let [computing, packing, waiting] =
            [computing, packing, waiting].map(|time| time.as_secs_f64());
        RankJson { rows, bytes, computing, packing, waiting }
    }
}

/// Parses the name of a metric.
pub(super) fn parse_metric(name: &str) -> Result<Metric, String> {
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name);
    metric.ok_or_else(|| "write wdl or dtw".to_owned())
}

/// Builds slice by slice, with the other processes if there are any.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    ranks::run(|communicator| build(args, session, communicator))
}

/// Builds in one process. Rank 0 prints the results.
fn build(args: &Args, session: &Session, communicator: &dyn Communicator) -> Result<(), CliError> {
    let base = session.open_to_build(&args.requested.rules)?;
    let rules = base.rules();
    let slices = args.requested.slices(rules)?;
    let free = ranks::available_bytes(communicator).map_err(BuildError::from)?;
    let options = BuildOptions {
        metric: args.metric,
        force: args.force,
        threads: args.threads.count(),
        memory_bytes: args.memory.or(free).unwrap_or(u64::MAX),
        level: args.level,
        scratch: args.scratch.clone(),
    };
    let mut plans = in_pool(0, || plan_with_metric(&base, &slices, args.metric))??;
    plans.iter_mut().for_each(|plan| plan.present &= !args.force);
    let is_first = communicator.rank() == 0;
    if args.requested.is_whole_game() && is_first {
        let scratch = args.scratch.as_deref();
        let processes = match communicator.size() {
            1 => Processes {
                ranks: None,
                memory_bytes: args.memory,
                threads: Some(options.threads).filter(|&threads| threads > 0),
                scratch,
            },
            ranks => Processes {
                ranks: Some(ranks),
                memory_bytes: Some(options.memory_bytes),
                threads: Some(options.threads),
                scratch,
            },
        };
        start::announce(&base, &plans, &processes, options.memory_bytes, session)?;
    }
    let works = plans.iter().filter(|plan| !plan.present);
    let works = works.filter_map(|plan| plan.size.map(|size| (plan.slice, size.slots, size.rows)));
    let reporter = Reporter::new(works);
    exit_on_interrupt(args.force, is_first);
    let finished = Mutex::new(Finished { reports: Vec::new(), printed: Ok(()) });
    let rank_zero = RankZero { reporter: &reporter, session, rules, finished };
    let notices = Notices(&reporter);
    let progress: &dyn Progress = if is_first { &rank_zero } else { &notices };
    let build = Build::new(rules, session.tables(), &slices).options(&options);
    let built = build.progress(progress).communicator(communicator).run();
    reporter.clear();
    let finished = rank_zero.finished.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let printed = finished.printed.and_then(|()| match !session.json() && is_first {
        true => session.text(&table(rules, &finished.reports, built.is_ok())),
        false => Ok(()),
    });
    // Why the build failed matters more than a failure to print what it finished.
    built?;
    printed?;
    match args.requested.is_whole_game() && is_first {
        true => start::print(&args.requested.rules, args.metric, &finished.reports, session),
        false => Ok(()),
    }
}

/// Lets Ctrl-C end the program. Rank 0 says what the next build does.
fn exit_on_interrupt(rebuilds: bool, is_first: bool) {
    let stopped = if rebuilds {
        "taflbase: stopped; the same command rebuilds the finished slices and resumes this one \
         from the last finished ply"
    } else {
        "taflbase: stopped; the same command resumes from the last finished ply"
    };
    on_interrupt(move || {
        if is_first {
            let _ = writeln!(io::stderr(), "\n{stopped}");
        }
        false
    });
}

fn answer<'a>(rules: &'a Ruleset, report: &SliceReport) -> BuildJson<'a> {
    BuildJson {
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

/// Returns the counts of a slice with that side to move.
pub(super) fn side_counts(rules: &Ruleset, report: &SliceReport, side: Side) -> SideCounts {
    SideCounts::new(rules, side, &report.summaries[side], report.counted())
}

fn files(report: &SliceReport) -> Vec<FileJson> {
    let files = report.bytes.iter().map(|&(metric, bytes)| FileJson {
        metric: metric.name(),
        bytes,
        bits_per_position: report.built.then(|| 8.0 * bytes as f64 / report.positions as f64),
    });
    files.collect()
}

fn seconds(report: &SliceReport) -> f64 {
    report.times.iter().map(|time| time.as_secs_f64()).sum()
}

/// Formats a table of the built slices, two lines for each.
fn table(rules: &Ruleset, reports: &[SliceReport], is_done: bool) -> String {
    let built: Vec<&SliceReport> = reports.iter().filter(|report| report.built).collect();
    match (built.len(), reports.len() - built.len()) {
        (0, 0) => String::new(),
        // The build failed before it finished a slice.
        (0, _) if !is_done => String::new(),
        (0, kept) => nothing_to_build(kept),
        (_, 0) => columns_of(rules, &built),
        (_, kept) => {
            format!("{}\nslices that existed already: {kept}\n", columns_of(rules, &built))
        }
    }
}

/// Formats the message for a request whose slices all exist.
pub(super) fn nothing_to_build(slices: usize) -> String {
    match slices {
        1 => "nothing to build: the slice exists\n".to_owned(),
        slices => format!("nothing to build: all {slices} slices exist\n"),
    }
}

fn columns_of(rules: &Ruleset, built: &[&SliceReport]) -> String {
    let rows: Vec<Vec<String>> =
        built.iter().flat_map(|report| Side::ALL.map(|side| row(rules, report, side))).collect();
    let mut header = count_header(rules).to_vec();
    header.extend(["bytes", "bits", "seconds"]);
    columns(2, &header, &rows)
}

/// The header of [`count_cells`].
pub(super) fn count_header(rules: &Ruleset) -> [&'static str; 6] {
    ["slice", "to move", "win", rules.endless.name(), "loss", "longest win"]
}

/// Formats the counts of a slice with that side to move; only the first side names the slice.
pub(super) fn count_cells(rules: &Ruleset, report: &SliceReport, side: Side) -> Vec<String> {
    let answer = side_counts(rules, report, side);
    let counts = [answer.win, answer.draw + answer.undecided + answer.endless, answer.loss];
    let name = if side == Side::Attackers { report.slice.to_string() } else { String::new() };
    let mut cells = vec![name, side.name().to_owned()];
    cells.extend(counts.map(grouped));
    cells.push(answer.max_win.map_or("-".to_owned(), |plies| plies.to_string()));
    cells
}

fn row(rules: &Ruleset, report: &SliceReport, side: Side) -> Vec<String> {
    let mut row = count_cells(rules, report, side);
    if side == Side::Attackers {
        // The files hold both sides.
        let bytes: u64 = report.bytes.iter().map(|&(_, bytes)| bytes).sum();
        row.push(size(bytes));
        row.push(format!("{:.3}", 8.0 * bytes as f64 / report.positions as f64));
        row.push(format!("{:.1}", seconds(report)));
    }
    row
}
