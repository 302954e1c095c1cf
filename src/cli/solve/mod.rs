mod check;
mod status;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use taflbase::Position;
use taflbase::proof::store::{StoreOptions, prove_in_store};
use taflbase::proof::{
    Answer, Certificate, CertificateError, Checkpoint, Effort, JobCounts, MAX_CLOSED_SET, Proof,
    ProofOptions, ProofProgress, ProvedValue, prove, prove_with_checkpoint,
};
use taflbase::rules::{Ruleset, Side};

use crate::cli::arguments::{
    MAX, PositionArgs, Threads, kept_file, named_file, parse_bytes, parse_number, parse_seconds,
};
use crate::cli::error::CliError;
use crate::cli::file;
use crate::cli::interrupt::Task;
use crate::cli::machine::threads;
use crate::cli::move_log::move_texts;
use crate::cli::output::{Session, counted, grouped, time, win_caveat};

/// Prove by search which side wins from a position, or check a proof
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file [default with --check or --status: the rules
    /// of the certificate or the store]
    #[arg(required_unless_present_any = ["check", "status"])]
    rules: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
    /// Ask whether this side can force a win; both: find the value
    #[arg(long = "for", value_name = "SIDE", default_value = "both")]
    question: Question,
    /// Stop after expanding this many positions
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    /// Stop after this much time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Memory for proof numbers, like 4GiB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "256MiB")]
    memory: u64,
    #[command(flatten)]
    threads: Threads,
    /// Write the proof to this file
    #[arg(long, value_name = "FILE", value_parser = named_file())]
    certificate: Option<PathBuf>,
    /// Keep the results in this folder; a later run continues from them
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Expand this many positions in each job of the store [default: grows with the search]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>, requires = "store")]
    job_nodes: Option<u64>,
    /// Keep the table of proof numbers in this file; a later run with as much memory continues
    #[arg(long, value_name = "FILE", value_parser = kept_file(), conflicts_with = "store")]
    checkpoint: Option<PathBuf>,
    /// Print the status of the store for the position instead of searching [default: for those that
    /// were asked for]
    #[arg(long, requires = "store", conflicts_with_all = ["question", "nodes", "time", "memory", "threads", "certificate", "job_nodes", "checkpoint"])]
    status: bool,
    /// Check the certificate in this file instead of searching
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "question", "nodes", "time", "memory", "certificate", "store", "job_nodes", "checkpoint", "status"])]
    check: Option<PathBuf>,
}

const HELP: &str = r#"Answers two questions by proof-number search: can the attackers force a win, and can the
defenders? If neither can, the position is a draw; under some rules it is undecided, or endless,
which the attackers win. Positions in the tables of the program and of the table folder are looked
up. Without --nodes or --time the search runs until each question is answered or given up (see
below), or until Ctrl-C.

A proof number estimates the remaining effort to prove a win, a disproof number the effort to
disprove it. "Not won" is claimed only with a closed set of positions, which the certificate
contains. If it takes more than 4,000,000 positions to find one, the question is given up, and stays
open unless the other side is found to win. With --store none is given up.

A certificate contains the strategy that proves the value. --check verifies every position of it
by the plain rules and the tables that it depends on.

With --proofs, what certificates prove is not proved again. They are trusted as tables are, and the
tables that they depend on must be there. The new certificate needs no other.

--store divides the search into bounded jobs and keeps their results in a folder, so that a search
that ends for any reason can be continued. Several processes, also on several machines, may work in
one store; each thread runs one job at a time.

--checkpoint writes the table of proof numbers of a single process to a file: every ten minutes, when
a win is found, and when the search ends without an answer. The file takes at most as much space as
the table. Such a search takes fewer nodes than one with a store. See "Long proofs" in
docs/solving.md.

Exit status: 0 if what was asked is answered, the certificate holds, or with --status; 1 if it is
open, or the certificate does not hold; 130 if Ctrl-C ended the search without an answer.

Examples:
  taflbase solve brandubh "/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d" --certificate won.cert
  taflbase solve --check won.cert
  taflbase solve brandubh "/3t3/t6/3T3/ttTKTtt/3T3/3t3/3t3/ d" --for defenders --time 60
  taflbase solve brandubh "/1t5/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ d" --for defenders --proofs d2-a2.cert
  taflbase solve brandubh --for defenders --store proof --memory 4GiB
  taflbase solve --status --store proof
  taflbase solve brandubh --for defenders --checkpoint brandubh.numbers --memory 4GiB

JSON, one line, one for --check, and one for each position of --status (shortened). "given_up" are
the sides whose questions are given up. "holders" are the sides whose strategies the certificate
contains; if its value is "open", the other side cannot force a win:
  {"rules":"brandubh","position":"/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d","value":"defenders","attackers":{"answer":"not won","proof":null,"disproof":null},"defenders":{"answer":"won","proof":null,"disproof":null},"given_up":[],"nodes":2142,"seconds":0.1,"earlier_nodes":0,"earlier_seconds":0.0,"certificate":"won.cert"}
  {"certificate":"won.cert","rules":"brandubh","position":"/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d","value":"defenders","holders":["defenders"],"positions":1668,"by_rule":53201,"by_table":161,"inner":1838,"tables":12,"plies":30,"seconds":0.1}
  {"rules":"brandubh","position":"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a","attackers":{"answer":"open","proof":60,"disproof":71,"jobs":12,"open":240,"claimed":2,"nodes":240000,"seconds":3.5,"moves":[{"move":"d2-a2","answer":"open","proof":60,"disproof":44}],"line":["d2-a2"]},"defenders":{"answer":"not asked","proof":null,"disproof":null,"jobs":0,"open":0,"claimed":0,"nodes":0,"seconds":0.0,"moves":[],"line":[]},"certificates":3,"bytes":81920}"#;

/// What errors call the file of `--certificate`.
const CERTIFICATE: &str = "the certificate";

const NODES: [&str; 2] = ["node", "nodes"];
const POSITIONS: [&str; 2] = ["position", "positions"];

/// The side or sides to ask about.
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
    given_up: Vec<&'static str>,
    nodes: u64,
    seconds: f64,
    earlier_nodes: u64,
    earlier_seconds: f64,
    certificate: Option<&'a str>,
}

#[derive(Serialize)]
struct AnswerJson {
    answer: &'static str,
    proof: Option<u32>,
    disproof: Option<u32>,
}

impl AnswerJson {
    fn new(answer: Answer) -> AnswerJson {
        let [proof, disproof] = answer.numbers();
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

/// Searches for a proof, or checks one.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    match (&args.check, &args.store) {
        (Some(path), _) => check::run(args.rules.as_deref(), &args.threads, path, session),
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
    if let Some(path) = &args.certificate {
        check_output(path)?;
    }
    let task = Task::begin();
    let options = ProofOptions {
        questions: args.question.sides(),
        max_nodes: args.nodes,
        max_time: args.time,
        table_bytes: usize::try_from(args.memory).unwrap_or(usize::MAX),
        threads: threads(args.threads.count()),
        tables: Some(&tables),
        proofs: session.proofs(),
        certify: args.certificate.is_some(),
    };
    let mut printer = ProgressPrinter { rules, last: Instant::now() };
    let mut report = |progress: &ProofProgress| {
        printer.update(progress);
        !task.is_stopped()
    };
    let notice = |text: &str| session.note(text);
    let proof = match (&args.store, &args.checkpoint) {
        (Some(folder), _) => {
            let text = Ruleset::text(name)?;
            let mut store = StoreOptions::new(folder, &text);
            (store.job_nodes, store.notice) = (args.job_nodes, &notice);
            prove_in_store(rules, &position, &options, &store, &mut report)
                .map_err(CliError::new)?
        }
        (None, Some(path)) => {
            let mut checkpoint = Checkpoint::new(path);
            checkpoint.notice = &notice;
            prove_with_checkpoint(rules, &position, &options, &checkpoint, &mut report)
                .map_err(CliError::new)?
        }
        (None, None) => prove(rules, &position, &options, &mut report).map_err(CliError::new)?,
    };
    let written = match (&args.certificate, &proof.certificate) {
        (Some(path), Some(certificate)) => {
            let written = file::write(path, CERTIFICATE, |out| certificate.write(out));
            Some(written.map(|()| path.display().to_string()))
        }
        _ => None,
    };
    let name = written.as_ref().and_then(|written| written.as_deref().ok());
    // The answer of a long search is shown even if its certificate cannot be written, which is
    // reported even if the answer cannot be shown.
    let printed = print_proof(rules, &position, &proof, name, session);
    let is_open = !is_answered(&proof);
    let lacks_certificate = args.certificate.is_some() && written.transpose()?.is_none();
    printed?;
    if !is_open && !lacks_certificate {
        return Ok(());
    }
    if task.is_stopped() {
        let is_kept = args.store.is_some() || args.checkpoint.is_some();
        return Err(CliError::Interrupted(is_kept.then_some("the same command continues")));
    }
    let text = if is_open {
        let reasons = given_up(&proof).map(|side| format!(": {}", given_up_text(side)));
        format!("the value is open{}", reasons.collect::<String>())
    } else {
        "the value is proved, but its strategy could not be reconstructed within the limits: give \
         more --memory or --time"
            .to_owned()
    };
    Err(CliError::Negative(text))
}

/// Checks that the certificate can be written, and replaces no other file. A proof may take days, so
/// this is done before it.
fn check_output(path: &Path) -> Result<(), CliError> {
    file::check(path, CERTIFICATE)?;
    // To open a pipe is to wait for its writer.
    let is_replaced = path.metadata().is_ok_and(|old| old.is_file() && old.len() > 0);
    let old = is_replaced.then(|| File::open(path).ok()).flatten();
    match old.map(Certificate::read_rules_name) {
        Some(Err(CertificateError::NotACertificate)) => Err(CliError::Error(format!(
            "{}: this file is not a certificate, and is not replaced; name another one",
            path.display()
        ))),
        // A damaged certificate is no loss.
        _ => Ok(()),
    }
}

fn print_proof(
    rules: &Ruleset,
    position: &Position,
    proof: &Proof,
    certificate: Option<&str>,
    session: &Session,
) -> Result<(), CliError> {
    if !session.json() {
        return session.text(&text(rules, proof, certificate));
    }
    session.json_line(&ProofJson {
        rules: &rules.name,
        position: position.to_text(rules),
        value: proof.value().to_string(),
        attackers: AnswerJson::new(proof.answers[Side::Attackers]),
        defenders: AnswerJson::new(proof.answers[Side::Defenders]),
        given_up: given_up(proof).map(Side::name).collect(),
        nodes: proof.nodes,
        seconds: proof.time.as_secs_f64(),
        earlier_nodes: proof.earlier.nodes,
        earlier_seconds: proof.earlier.time.as_secs_f64(),
        certificate,
    })
}

/// Describes a proof in words.
fn text(rules: &Ruleset, proof: &Proof, certificate: Option<&str>) -> String {
    let mut text = match proof.value() {
        ProvedValue::Win(side) => format!("the {} win\n", side.name()),
        ProvedValue::Endless(endless) => {
            format!("neither side can force a win: {}\n", endless.name())
        }
        ProvedValue::Open if is_answered(proof) => String::new(),
        ProvedValue::Open => "open\n".to_owned(),
    };
    for side in Side::ALL {
        match proof.answers[side] {
            Answer::NotWon if proof.value() == ProvedValue::Open => {
                text.push_str(&format!("the {} cannot force a win\n", side.name()));
            }
            answer @ Answer::Open { .. } => {
                text.push_str(&format!("{}: {}\n", side.name(), numbers_text(answer)));
                if proof.given_up[side] {
                    text.push_str(&given_up_text(side));
                    text.push('\n');
                }
            }
            _ => {}
        }
    }
    let effort =
        |Effort { nodes, time: took }| format!("{} in {}", counted(nodes, NODES), time(took));
    let own = Effort { nodes: proof.nodes, time: proof.time };
    text.push_str(&effort(own));
    if proof.earlier != Effort::default() {
        text.push_str(&format!(", with the runs before {}", effort(own + proof.earlier)));
    }
    text.push('\n');
    if let (Some(path), Some(certificate)) = (certificate, &proof.certificate) {
        let moves = counted(certificate.moves(), ["move", "moves"]);
        text.push_str(&format!("certificate of {moves}: {path}\n"));
    }
    text + win_caveat(rules, proof.value().winner())
}

/// Returns whether the questions that were asked are answered.
fn is_answered(proof: &Proof) -> bool {
    !Side::ALL.into_iter().any(|side| matches!(proof.answers[side], Answer::Open { .. }))
}

/// Returns the sides whose questions were given up.
fn given_up(proof: &Proof) -> impl Iterator<Item = Side> {
    Side::ALL.into_iter().filter(|&side| proof.given_up[side])
}

/// Says why the question of a side is open.
fn given_up_text(side: Side) -> String {
    format!(
        "the question of the {} was given up, since it takes a closed set among more than {} positions",
        side.name(),
        grouped(MAX_CLOSED_SET as u64)
    )
}

/// Writes the numbers of an open question.
fn numbers_text(answer: Answer) -> String {
    let [proof, disproof] = answer.numbers().map(number);
    format!("proof number {proof}, disproof number {disproof}")
}

/// Writes a proof or disproof number.
fn number(number: Option<u32>) -> String {
    number.map_or("-".to_owned(), grouped)
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
        // A failure to report progress must not stop the work.
        let _ = writeln!(io::stderr(), "{}", self.line(progress));
    }

    fn line(&self, progress: &ProofProgress) -> String {
        let (side, time) = (progress.question.name(), time(progress.time));
        if let Some(positions) = progress.strategy_positions {
            return format!(
                "the {side} win; {} of their strategy, {time}",
                counted(positions, POSITIONS)
            );
        }
        let [proof, disproof] = progress.numbers;
        let speed = progress.nodes as f64 / progress.time.as_secs_f64().max(0.001);
        let jobs = progress.jobs.map_or(String::new(), |JobCounts { done, running }| {
            format!("{} done, {running} running, ", counted(done, ["job", "jobs"]))
        });
        format!(
            "{side} win? proof {proof}, disproof {disproof}, {jobs}{}, {} a second, {time}: {}",
            counted(progress.nodes, NODES),
            grouped(speed as u64),
            move_texts(self.rules.board, &progress.line).join(" ")
        )
    }
}
