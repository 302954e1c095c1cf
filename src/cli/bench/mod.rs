mod engine;

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::SliceReport;
use taflbase::index::Slot;
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::{BlockCache, TablebaseOptions};

use crate::cli::arguments::Threads;
use crate::cli::error::CliError;
use crate::cli::measure::{Measure, Steps, build_measured};
use crate::cli::output::{Session, columns, grouped, size};
use crate::cli::temporary::TemporaryFolder;

/// Measure the speed of building, probing and searching
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Build slices of this ruleset instead of the fixed set
    #[arg(requires = "slices")]
    rules: Option<String>,
    /// Build these slices; may be repeated
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',', requires = "rules")]
    slices: Vec<Slice>,
    #[command(flatten)]
    threads: Threads,
    /// Build a smaller set, which takes a second or two
    #[arg(long, conflicts_with = "rules")]
    quick: bool,
    /// Search fixed positions with the engine instead
    #[arg(long, conflicts_with_all = ["rules", "quick", "threads"])]
    engine: bool,
}

const HELP: &str = r#"Builds a fixed set of slices in a temporary folder and prints for each slice the time of
its phases, positions per core-second, peak memory, bits per position, and the median time
of a WDL probe of random positions that need a block: from a cache that holds all blocks,
and below that with decoding ("-", or null, if there are no such positions). The last line
is a signature of all values. It changes if and only if the values do, regardless of speed,
threads or compression. Dependencies of the slices are built, too, but not listed.

Positions are stored positions of both sides to move, as `taflbase verify` counts them.
"solving" is everything but writing. A core-second is one second of one core; on systems
that do not report CPU time, all threads count all the time. The fixed set takes a minute
or more of one core.

--engine searches fixed positions to fixed depths with one thread and the tables of the
program, and prints the number of positions, the percentage found in tables, positions per
core-second, and a signature of the counts and best moves. The signature changes with the
search, but not with the machine.

Examples:
  taflbase bench --threads 1
  taflbase bench --engine
  taflbase bench brandubh --slice K2v4 --json

JSON, one line per slice, then one with the signature:
  {"rules":"brandubh","slice":"K2v3","positions":112176000,"seconds":{"reading":0.2,"initial":1.4,"plies":1.3,"writing":2.5,"solving":2.9,"all":5.4},"core_seconds":{"reading":0.2,"initial":1.4,"plies":1.3,"writing":2.5,"solving":2.9,"all":5.4},"positions_per_core_second":{"reading":560880000,"initial":80125714,"plies":86289230,"writing":44870400,"solving":38681379,"all":20773333},"memory_bytes":418000000,"bits_per_position":{"wdl":0.0162,"dtw":0.2142},"probe_nanos":{"cold":3600,"warm":155}}
  {"signature":"3f0c6d1f0b9e4a77"}"#;

/// Slices of different boards, rules and material.
const FULL: [(&str, &[&str]); 5] = [
    ("brandubh", &["K3v2", "K2v3", "K1v4", "K0v6"]),
    ("ashton", &["K1v3"]),
    ("berkeley", &["K2v2"]),
    ("tablut", &["K2v2"]),
    ("large-hnefatafl", &["K1v2"]),
];
const QUICK: [(&str, &[&str]); 5] = [
    ("brandubh", &["K2v2", "K1v3", "K0v4"]),
    ("ashton", &["K1v2"]),
    ("berkeley", &["K1v2"]),
    ("tablut", &["K1v2"]),
    ("large-hnefatafl", &["K1v1"]),
];

/// The number of positions probed in each slice.
const PROBES: usize = 4096;
/// A cache that holds all their blocks, of at most some 64 KiB.
const CACHE_BYTES: usize = 2 * PROBES * (64 << 10);
/// Positions probed between two readings of the clock, to spread its cost.
const GROUP: usize = 8;

#[derive(Serialize)]
struct SliceBenchmark {
    rules: String,
    slice: String,
    positions: u64,
    seconds: Steps<f64>,
    core_seconds: Steps<f64>,
    positions_per_core_second: Steps<u64>,
    /// Unknown on some systems.
    memory_bytes: Option<u64>,
    bits_per_position: Bits,
    probe_nanos: ProbeNanos,
}

#[derive(Serialize)]
struct Bits {
    wdl: f64,
    dtw: f64,
}

/// The median time of a WDL probe of a random position that needs a block: `cold` with decoding,
/// `warm` from the cache; `None` if no position needs a block.
#[derive(Serialize)]
struct ProbeNanos {
    cold: Option<u64>,
    warm: Option<u64>,
}

#[derive(Serialize)]
struct Signature {
    signature: String,
}

/// Builds and prints slice by slice.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    if args.engine {
        return engine::run(session);
    }
    let mut signature = blake3::Hasher::new();
    let mut rows = Vec::new();
    for (name, slices) in args.set()? {
        let rules = Ruleset::load(&name)?;
        let folder = TemporaryFolder::new()?;
        let measured = build_measured(&rules, &slices, args.threads.count(), &folder)?;
        let base = open(&rules, folder.path(), CACHE_BYTES)?;
        for (report, measure) in &measured {
            // Slices that are built only because captures lead to them are signed too: the
            // signature covers all values computed.
            sign(&base, report.slice, &mut signature)?;
            if slices.contains(&report.slice) {
                // Without a cache, each probe decodes its block.
                let cold = open(&rules, folder.path(), 0)?;
                let benchmark = benchmark([&cold, &base], report, measure)?;
                if session.json() {
                    session.json_line(&benchmark)?;
                }
                rows.extend(benchmark.rows());
            }
        }
    }
    let header = [
        "slice",
        "stored positions",
        "unit",
        "read",
        "initial",
        "plies",
        "write",
        "solving",
        "all",
        "memory",
        "bits WDL",
        "bits DTW",
        "probe",
    ];
    print(session, &header, &rows, &signature)
}

/// Prints the rows, unless each was printed as JSON, and the signature.
fn print(
    session: &Session,
    header: &[&str],
    rows: &[Vec<String>],
    signature: &blake3::Hasher,
) -> Result<(), CliError> {
    let signature = signature.finalize().to_hex()[..16].to_owned();
    if session.json() {
        return session.json_line(&Signature { signature });
    }
    session.text(&columns(1, header, rows))?;
    session.text(&format!("\nsignature {signature}\n"))
}

impl Args {
    /// Returns the rulesets and slices to measure.
    fn set(&self) -> Result<Vec<(String, Vec<Slice>)>, CliError> {
        if let Some(rules) = &self.rules {
            return Ok(vec![(rules.clone(), self.slices.clone())]);
        }
        let set = if self.quick { QUICK } else { FULL };
        set.iter()
            .map(|(rules, slices)| {
                let parsed = slices
                    .iter()
                    .map(|slice| slice.parse())
                    .collect::<Result<_, _>>()
                    .map_err(CliError::new)?;
                Ok(((*rules).to_owned(), parsed))
            })
            .collect()
    }
}

/// Adds a slice's tables to the signature.
fn sign(base: &Tablebase, slice: Slice, signature: &mut blake3::Hasher) -> Result<(), CliError> {
    signature.update(&base.rules().fingerprint().0);
    for metric in Metric::ALL {
        let table = base.table(slice, metric).map_err(CliError::new)?;
        signature.update(metric.file_name(slice).as_bytes());
        signature.update(&table.value_hash().0);
    }
    Ok(())
}

fn open(rules: &Ruleset, folder: &Path, cache_bytes: usize) -> Result<Tablebase, CliError> {
    let options = TablebaseOptions {
        cache: BlockCache::new(cache_bytes),
        embedded: false,
        ..TablebaseOptions::default()
    };
    Tablebase::open_with(rules.clone(), folder, options).map_err(CliError::new)
}

/// Evaluates the measures of a slice; `bases` are one without a cache and one with.
fn benchmark(
    bases: [&Tablebase; 2],
    report: &SliceReport,
    measure: &Measure,
) -> Result<SliceBenchmark, CliError> {
    let core_seconds = measure.core.map(|time| time.as_secs_f64());
    Ok(SliceBenchmark {
        rules: bases[0].rules().name.clone(),
        slice: report.slice.to_string(),
        positions: report.positions,
        seconds: measure.wall.map(|time| time.as_secs_f64()),
        core_seconds,
        positions_per_core_second: core_seconds.map(|s| (report.positions as f64 / s) as u64),
        memory_bytes: measure.peak_bytes,
        bits_per_position: Bits { wdl: bits(report, Metric::Wdl), dtw: bits(report, Metric::Dtw) },
        probe_nanos: probe_nanos(bases, report.slice)?,
    })
}

/// Returns the bits per position of a file.
fn bits(report: &SliceReport, metric: Metric) -> f64 {
    let file = report.bytes.iter().find(|file| file.0 == metric);
    file.map_or(0.0, |&(_, bytes)| 8.0 * bytes as f64 / report.positions as f64)
}

/// Measures probes of random positions, the same in every run.
fn probe_nanos([cold, warm]: [&Tablebase; 2], slice: Slice) -> Result<ProbeNanos, CliError> {
    let positions = positions(warm, slice)?;
    // The first run warms up the CPU caches, which cold probes would fill with other data.
    median_nanos(warm, &positions, GROUP)?;
    let warm_nanos = median_nanos(warm, &positions, GROUP)?;
    let cold_nanos = median_nanos(cold, &positions, 1)?;
    Ok(ProbeNanos { cold: cold_nanos, warm: warm_nanos })
}

/// Chooses random positions that need a block, and thereby loads their blocks into the cache.
/// There may be few or none if the rules decide nearly all positions of the slice.
fn positions(base: &Tablebase, slice: Slice) -> Result<Vec<Position>, CliError> {
    let index = base.index(slice).map_err(CliError::new)?;
    let lanes = index.lanes().count();
    let mut numbers = SeededRng::new(slice.men() as u64);
    let mut positions = Vec::new();
    for _ in 0..100 * PROBES {
        let lane = numbers.below(lanes) as u16;
        let slot = Slot { lane, row: numbers.below(index.rows() as usize) as u64 };
        let before = block_reads(base);
        if let Some(position) = index.unrank(slot, Side::ALL[numbers.below(2)]) {
            base.probe_wdl(&position).map_err(CliError::new)?;
            if block_reads(base) > before {
                positions.push(position);
            }
        }
        if positions.len() == PROBES {
            break;
        }
    }
    Ok(positions)
}

/// Counts the block reads of a tablebase so far, from the cache or not.
fn block_reads(base: &Tablebase) -> u64 {
    let statistics = base.cache().statistics();
    statistics.hits + statistics.misses
}

/// Returns the median over groups of the mean time of a probe; `None` if there are no positions.
fn median_nanos(
    base: &Tablebase,
    positions: &[Position],
    group: usize,
) -> Result<Option<u64>, CliError> {
    let mut nanos = Vec::new();
    for positions in positions.chunks(group) {
        let begun = Instant::now();
        for position in positions {
            base.probe_wdl(position).map_err(CliError::new)?;
        }
        nanos.push(begun.elapsed().as_nanos() as u64 / positions.len() as u64);
    }
    nanos.sort_unstable();
    Ok(nanos.get(nanos.len() / 2).copied())
}

impl SliceBenchmark {
    /// Formats two rows of the table: core-seconds and positions per core-second.
    fn rows(&self) -> [Vec<String>; 2] {
        let name = format!("{} {}", self.rules, self.slice);
        let mut times = vec![name, grouped(self.positions), "core-s".to_owned()];
        times.extend(self.core_seconds.cells(|seconds| format!("{seconds:.2}")));
        times.extend([
            self.memory_bytes.map_or("?".to_owned(), size),
            format!("{:.4}", self.bits_per_position.wdl),
            format!("{:.4}", self.bits_per_position.dtw),
            micros(self.probe_nanos.warm),
        ]);
        let mut rates = vec![String::new(), String::new(), "M/core-s".to_owned()];
        let per_second = self.positions_per_core_second;
        rates.extend(per_second.cells(|rate| format!("{:.1}", rate as f64 / 1e6)));
        rates.extend(["", "", ""].map(str::to_owned));
        rates.push(micros(self.probe_nanos.cold));
        [times, rates]
    }
}

fn micros(nanos: Option<u64>) -> String {
    nanos.map_or("-".to_owned(), |nanos| format!("{:.2} us", nanos as f64 / 1e3))
}
