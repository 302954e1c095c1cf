mod status;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::proof::store::{StoreOptions, prove_in_store};
use taflbase::proof::{
    Answer, CheckReport, JobCounts, Proof, ProofOptions, ProofProgress, ProvedValue, check, prove,
};
use taflbase::rules::{Ruleset, Side};

use crate::cli::arguments::{
    MAX, PositionArgs, Threads, on_interrupt, parse_bytes, parse_number, parse_seconds,
};
use crate::cli::certificate;
use crate::cli::error::CliError;
use crate::cli::file;
use crate::cli::machine::threads;
use crate::cli::output::{Session, grouped, time};

/// Prove by search who wins from a position, or check a proof
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file [default with --check or --status: the
    /// file's]
    #[arg(required_unless_present_any = ["check", "status"])]
    rules: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
    /// Ask whether this side wins; both: find the value
    #[arg(long = "for", value_name = "SIDE", default_value = "both")]
    question: Question,
    /// Stop after expanding this many positions
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    /// Stop after this much time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Use this much memory for proof numbers, like 4GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "256MiB")]
    memory: u64,
    #[command(flatten)]
    threads: Threads,
    /// Write the certificate of what is proved to this file
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Keep the search in this folder, as jobs that a later run goes on from
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Let each job of the store expand this many positions [default: grows with the search]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>, requires = "store")]
    job_nodes: Option<u64>,
    /// Print what the store says about the position instead of searching
    #[arg(long, requires = "store", conflicts_with_all = ["question", "nodes", "time", "memory", "threads", "certificate", "job_nodes"])]
    status: bool,
    /// Check the certificate in this file instead of searching
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "question", "nodes", "time", "memory", "certificate", "store", "job_nodes", "status"])]
    check: Option<PathBuf>,
}

const HELP: &str = r#"Searches with proof numbers for the answers to two questions: do the attackers win, and do the
defenders? If neither does, the position is a draw (or undecided, by the rules). Positions in
the tables of the program or of the table folder are not searched. Without --nodes or --time the
search runs until both questions are answered, or until Ctrl-C.

A proof number estimates the effort left to prove a win, a disproof number that to disprove it.
"Not won" is claimed only with a closed set of positions, which the certificate contains.

A certificate holds the strategy that proves the value. --check reads it, and checks every
position in it with the plain rules and the tables that it rests on.

--store keeps the results of bounded jobs in a folder, so that a search that ends for any
reason goes on where it was. Several processes, on several machines too, may work in one store;
each thread works on a job of its own. See "Long proofs" in docs/solving.md.

Exit status: 0 if the value is decided or the certificate holds; 1 if it is open, or the
certificate does not hold; 0 with --status.

Examples:
  taflbase solve brandubh "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d" --certificate won.cert
  taflbase solve --check won.cert
  taflbase solve brandubh "/3t3/t6/3T3/ttTKTtt/3T3/3t3/3t3/ d" --for defenders --time 60
  taflbase solve brandubh --for defenders --store proof --memory 4GiB
  taflbase solve --status --store proof

JSON, one line, and one each for --check and --status (shortened):
  {"rules":"brandubh","position":"/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d","value":"defenders","attackers":{"answer":"not won","proof":null,"disproof":null},"defenders":{"answer":"won","proof":null,"disproof":null},"nodes":12,"seconds":0.1,"certificate":"won.cert"}
  {"certificate":"won.cert","rules":"brandubh","position":"/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d","value":"defenders","positions":9,"by_rule":80,"by_table":12,"inner":8,"tables":14,"seconds":0.1}
  {"rules":"brandubh","position":"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a","attackers":{"answer":"open","proof":60,"disproof":71,"jobs":12,"open":240,"claimed":2,"nodes":240000,"seconds":3.5,"moves":[{"move":"d2-a2","answer":"open","proof":60,"disproof":44}],"line":["d2-a2"]},"defenders":{"answer":"not asked","proof":null,"disproof":null,"jobs":0,"open":0,"claimed":0,"nodes":0,"seconds":0.0,"moves":[],"line":[]},"certificates":3,"bytes":81920}"#;

/// The question asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Question {
    Attackers,
    Defenders,
    Both,
}

impl Question {
    fn sides(self) -> Vec<Side> {
        match self {
            Question::Attackers => vec![Side::Attackers],
            Question::Defenders => vec![Side::Defenders],
            Question::Both => Side::ALL.to_vec(),
        }
    }
}

#[derive(Serialize)]
struct ProofJson<'a> {
    rules: &'a str,
    position: String,
    value: String,
    attackers: AnswerJson,
    defenders: AnswerJson,
    nodes: u64,
    seconds: f64,
    certificate: Option<String>,
}

#[derive(Serialize)]
struct AnswerJson {
    answer: &'static str,
    proof: Option<u32>,
    disproof: Option<u32>,
}

impl AnswerJson {
    fn new(answer: Answer) -> AnswerJson {
        let numbers = match answer {
            Answer::Open { proof, disproof } => Some((proof, disproof)),
            _ => None,
        };
        let (proof, disproof) = numbers.unzip();
        AnswerJson { answer: answer_name(answer), proof, disproof }
    }
}

fn answer_name(answer: Answer) -> &'static str {
    match answer {
        Answer::Unasked => "not asked",
        Answer::Won => "won",
        Answer::NotWon => "not won",
        Answer::Open { .. } => "open",
    }
}

#[derive(Serialize)]
struct CheckJson<'a> {
    certificate: String,
    rules: &'a str,
    position: String,
    value: String,
    positions: u64,
    by_rule: u64,
    by_table: u64,
    inner: u64,
    tables: usize,
    seconds: f64,
}

/// Searches for a proof, or checks one.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    match (&args.check, &args.store) {
        (Some(path), _) => run_check(args, path, session),
        (None, Some(folder)) if args.status => {
            status::run(args.rules.as_deref(), &args.at, folder, session)
        }
        (None, _) => run_proof(args, session),
    }
}

fn run_proof(args: &Args, session: &Session) -> Result<(), CliError> {
    let name = args.rules.as_deref().unwrap_or_default();
    let tables = session.open_to_probe(name)?;
    let rules = tables.rules();
    let position = args.at.position(rules)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&interrupted);
    // A second Ctrl-C exits at once.
    on_interrupt(move || !handler.swap(true, Ordering::Relaxed));
    let options = ProofOptions {
        questions: args.question.sides(),
        max_nodes: args.nodes,
        max_time: args.time,
        table_bytes: usize::try_from(args.memory).unwrap_or(usize::MAX),
        threads: threads(args.threads.count()),
        tables: Some(&tables),
        certify: args.certificate.is_some(),
        ..ProofOptions::default()
    };
    let mut printer = ProgressPrinter { rules, last: Instant::now() };
    let mut report = |progress: &ProofProgress| {
        printer.update(progress);
        !interrupted.load(Ordering::Relaxed)
    };
    let proof = match &args.store {
        Some(folder) => {
            let text = Ruleset::text(name)?;
            let mut store = StoreOptions::new(folder, &text);
            (store.job_nodes, store.notice) = (args.job_nodes, &notice);
            prove_in_store(rules, &position, &options, &store, &mut report)
                .map_err(CliError::new)?
        }
        None => prove(rules, &position, &options, &mut report).map_err(CliError::new)?,
    };
    let mut written = None;
    if let (Some(path), Some(certificate)) = (&args.certificate, &proof.certificate) {
        file::write(path, "the certificate", |out| certificate.write(out))?;
        written = Some(path.display().to_string());
    }
    if session.json() {
        session.json_line(&ProofJson {
            rules: &rules.name,
            position: position.to_text(rules),
            value: proof.value().to_string(),
            attackers: AnswerJson::new(proof.answers[Side::Attackers]),
            defenders: AnswerJson::new(proof.answers[Side::Defenders]),
            nodes: proof.nodes,
            seconds: proof.time.as_secs_f64(),
            certificate: written.clone(),
        })?;
    } else {
        session.text(&text(&proof, written.as_deref()))?;
    }
    match proof.value() {
        _ if args.certificate.is_some()
            && proof.value() != ProvedValue::Open
            && written.is_none() =>
        {
            Err(CliError::Negative(
                "the value is proved, but its strategy was not found again within the limits: \
                 give more --memory or --time"
                    .to_owned(),
            ))
        }
        ProvedValue::Open if interrupted.load(Ordering::Relaxed) => Err(CliError::Interrupted),
        ProvedValue::Open => Err(CliError::Negative("the value is open".to_owned())),
        _ => Ok(()),
    }
}

/// Prints a notice of the store.
fn notice(text: &str) {
    // A failure to print has nowhere to be reported.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Describes a proof in words.
fn text(proof: &Proof, certificate: Option<&str>) -> String {
    let mut text = match proof.value() {
        ProvedValue::Win(side) => format!("the {} win\n", side.name()),
        ProvedValue::Endless(endless) => {
            format!("neither side can force a win: {}\n", endless.name())
        }
        ProvedValue::Open => "open\n".to_owned(),
    };
    for side in Side::ALL {
        match proof.answers[side] {
            Answer::NotWon if proof.value() == ProvedValue::Open => {
                text.push_str(&format!("{}: cannot force a win\n", side.name()));
            }
            Answer::Open { proof, disproof } => text.push_str(&format!(
                "{}: proof number {}, disproof number {}\n",
                side.name(),
                grouped(proof),
                grouped(disproof)
            )),
            _ => {}
        }
    }
    text.push_str(&format!("{} nodes in {}\n", grouped(proof.nodes), time(proof.time)));
    if let (Some(path), Some(certificate)) = (certificate, &proof.certificate) {
        let moves = grouped(certificate.moves() as u64);
        text.push_str(&format!("certificate of {moves} moves: {path}\n"));
    }
    text
}

/// The time between two lines of progress.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Prints progress to standard error.
struct ProgressPrinter<'a> {
    rules: &'a Ruleset,
    last: Instant,
}

impl ProgressPrinter<'_> {
    fn update(&mut self, progress: &ProofProgress) {
        if self.last.elapsed() < LINE_EVERY {
            return;
        }
        self.last = Instant::now();
        let board = self.rules.board;
        let moves: Vec<String> =
            progress.line.iter().map(|played| played.display(board).to_string()).collect();
        let [proof, disproof] = progress.numbers;
        let speed = progress.nodes as f64 / progress.time.as_secs_f64().max(0.001);
        let jobs = progress.jobs.map_or(String::new(), |JobCounts { done, running }| {
            format!("{} jobs done, {running} running, ", grouped(done))
        });
        // A failure to report progress must not stop the work.
        let _ = writeln!(
            io::stderr(),
            "{} win? proof {proof}, disproof {disproof}, {jobs}{} nodes, {} a second, {}: {}",
            progress.question.name(),
            grouped(progress.nodes),
            grouped(speed as u64),
            time(progress.time),
            moves.join(" ")
        );
    }
}

fn run_check(args: &Args, path: &Path, session: &Session) -> Result<(), CliError> {
    let started = Instant::now();
    let name = match &args.rules {
        Some(name) => name.clone(),
        None => certificate::rules_name(path)?,
    };
    let tables: Tablebase = session.open_to_probe(&name)?;
    let rules = tables.rules();
    let certificate = certificate::read(path, rules)?;
    let report = args.threads.run(|| check(&certificate, rules, &tables))?;
    let report = report.map_err(|error| certificate::refused(path, &error))?;
    let CheckReport { value, positions, by_rule, by_table, inner, tables } = report;
    let position = certificate.position().to_text(rules);
    if session.json() {
        return session.json_line(&CheckJson {
            certificate: path.display().to_string(),
            rules: &rules.name,
            position,
            value: value.to_string(),
            positions,
            by_rule,
            by_table,
            inner,
            tables,
            seconds: started.elapsed().as_secs_f64(),
        });
    }
    let claim = match value {
        ProvedValue::Win(side) => format!("the {} win", side.name()),
        ProvedValue::Endless(endless) => {
            format!("neither side can force a win: {}", endless.name())
        }
        ProvedValue::Open => "one side cannot force a win".to_owned(),
    };
    session.text(&format!(
        "the certificate holds: {} {position}: {claim}\n{} positions; moves decided by the rules {}, \
         by {tables} tables {}, inside the strategy {}\n",
        rules.name,
        grouped(positions),
        grouped(by_rule),
        grouped(by_table),
        grouped(inner)
    ))
}
