use std::time::Duration;

#[cfg(feature = "serve")]
use taflbase::pull::{FileState, Pull, PullError, PullOptions, Remote, RemoteFile};
#[cfg(feature = "serve")]
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;

use super::arguments::{parse_men, parse_number, parse_seconds};
use super::build::parse_metric;
use super::error::CliError;
#[cfg(feature = "serve")]
use super::meter::Meter;
use super::output::Session;
#[cfg(feature = "serve")]
use super::output::{count_of, grouped, size};

/// Fetch tables that a server offers; existing tables are kept
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// An explorer, or a folder of tables on a web server: http://HOST:PORT/PATH
    url: String,
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// Fetch only slices with at most N men, including the king
    #[arg(long, value_name = "N", value_parser = parse_men)]
    men: Option<usize>,
    /// Fetch only these slices; may be repeated
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Fetch only tables of this metric [default: both]
    #[arg(long, value_name = "wdl|dtw", value_parser = parse_metric)]
    metric: Option<Metric>,
    /// Wait this long for a connection, and for each further piece of a file
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    timeout: Duration,
    /// Continue a file up to N times in a row, with growing pauses
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = parse_number::<u32, 0, 1000>)]
    retries: u32,
}

const HELP: &str = r#"URL is an explorer (`taflbase serve --downloads`) or a folder on any web server that has
the files and their MANIFEST.json, which `taflbase manifest` writes: the folder of one
ruleset, or the one above it. Only http is supported, without encryption or proxy.

Tables are written to <tables>/<ruleset name>/. Those that are there are kept, those with
a damaged header or index replaced, and files of other rules are an error; `taflbase
check` finds damage in their values. A file gets its name when it is complete and its
checksums are right. What has arrived of it is kept if the connection is cut or the
program ends, and the same command continues.

Checksums find damage, but not values that were wrong from the start: `taflbase verify`
recomputes them. The status is 1 if the server has no such tables, or if tables that are
here have other values than the server's.

Examples:
  taflbase pull http://192.168.1.5:8080 brandubh --men 6
  taflbase pull http://example.org/tables brandubh --slice K2v4 --metric wdl

JSON, one line per file; "state" is "fetched", "kept", or "different values" for a file
that is kept although its values differ from the server's:
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"state":"fetched"}"#;

/// One file.
#[cfg(feature = "serve")]
#[derive(serde::Serialize)]
struct PullJson<'a> {
    rules: &'a str,
    slice: String,
    metric: &'static str,
    bytes: u64,
    state: &'static str,
}

/// Fetches file by file.
#[cfg(feature = "serve")]
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let rules = Ruleset::load(&args.rules)?;
    let options = PullOptions { timeout: args.timeout, retries: args.retries };
    let remote = Remote::find(&args.url, &rules, &options).map_err(CliError::new)?;
    let wanted: Vec<&RemoteFile> = remote.files().iter().filter(|file| args.takes(file)).collect();
    let mut states = Vec::new();
    let mut printed = Ok(());
    let meter = Meter::new("pulling");
    let pulled = Pull::new(&rules, &remote, session.tables()).run(
        &wanted,
        &mut |file, state| {
            states.push((file.clone(), state));
            if session.json() && printed.is_ok() {
                printed = session.json_line(&PullJson::new(&rules, file, state));
            }
        },
        &|done, total| meter.update(done, total),
    );
    drop(meter);
    if !session.json() && !states.is_empty() {
        printed = session.text(&summary(&states));
    }
    // The state of the tables matters more than a failure to print it.
    match pulled {
        Err(PullError::Stopped) => {
            return Err(CliError::Interrupted(Some("the same command continues")));
        }
        pulled => pulled.map_err(CliError::new)?,
    }
    refuse_different(&states, args, session)?;
    match args.slices.iter().find(|&&slice| wanted.iter().all(|file| file.slice != slice)) {
        Some(&slice) => Err(CliError::Negative(args.why_without(slice, remote.files()))),
        None if wanted.is_empty() => {
            Err(CliError::Negative(format!("{} has no such tables of {}", args.url, rules.name)))
        }
        None => printed,
    }
}

/// Fails if files that are here have other values than the server's.
#[cfg(feature = "serve")]
fn refuse_different(
    states: &[(RemoteFile, FileState)],
    args: &Args,
    session: &Session,
) -> Result<(), CliError> {
    let mut different = states.iter().filter(|(_, state)| *state == FileState::Different);
    let count = different.clone().count();
    match different.next() {
        None => Ok(()),
        Some((first, _)) => {
            let predicates = ["has other values", "have other values"];
            let files = count_of(count, states.len(), "file", predicates);
            let slice = format!("--slice {}", first.slice);
            let verify = session.command("verify", &args.rules, &slice);
            Err(CliError::Negative(format!(
                "{files} here than on the server: `{verify}` says whether yours are right"
            )))
        }
    }
}

#[cfg(feature = "serve")]
fn summary(states: &[(RemoteFile, FileState)]) -> String {
    let fetched: Vec<u64> = states
        .iter()
        .filter(|(_, state)| *state == FileState::Fetched)
        .map(|(file, _)| file.entry.bytes)
        .collect();
    format!(
        "files fetched: {} ({}); kept: {}\n",
        grouped(fetched.len()),
        size(fetched.iter().sum()),
        grouped(states.len() - fetched.len())
    )
}

#[cfg(feature = "serve")]
impl<'a> PullJson<'a> {
    fn new(rules: &'a Ruleset, file: &RemoteFile, state: FileState) -> PullJson<'a> {
        PullJson {
            rules: &rules.name,
            slice: file.slice.to_string(),
            metric: file.metric.name(),
            bytes: file.entry.bytes,
            state: state.name(),
        }
    }
}

#[cfg(feature = "serve")]
impl Args {
    /// Returns whether a file of the server is wanted.
    fn takes(&self, file: &RemoteFile) -> bool {
        self.men.is_none_or(|men| file.slice.men() <= men)
            && (self.slices.is_empty() || self.slices.contains(&file.slice))
            && self.metric.is_none_or(|metric| file.metric == metric)
    }

    /// Says why none of the server's files is a wanted one of this slice.
    fn why_without(&self, slice: Slice, files: &[RemoteFile]) -> String {
        let is_there = files.iter().any(|file| file.slice == slice);
        match (self.men.filter(|&men| is_there && slice.men() > men), self.metric) {
            (Some(men), _) => format!("--men {men} excludes --slice {slice}"),
            (None, Some(metric)) if is_there => {
                format!("{} has no {metric} table of {slice}: omit --metric", self.url)
            }
            _ => format!("{} has no table of {slice}", self.url),
        }
    }
}

/// Fails: the client is not part of this build.
#[cfg(not(feature = "serve"))]
pub(super) fn run(_: &Args, _: &Session) -> Result<(), CliError> {
    Err(CliError::new(
        "the program was built without the explorer: build it with `--features serve`",
    ))
}
