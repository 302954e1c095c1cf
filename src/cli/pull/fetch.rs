use serde::Serialize;
use taflbase::pull::{FileState, Pull, PullError, PullOptions, Remote, RemoteFile};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use super::Args;
use crate::cli::error::CliError;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, count_of, grouped, size};

/// One file.
#[derive(Serialize)]
struct PullJson<'a> {
    rules: &'a str,
    slice: String,
    metric: &'static str,
    bytes: u64,
    state: &'static str,
}

/// Fetches file by file.
pub(in crate::cli) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
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
