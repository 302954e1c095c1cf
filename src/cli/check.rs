use std::path::PathBuf;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::manifest::{Comparison, FileEntry, Manifest};
use taflbase::slice::Slice;
use taflbase::table::{Metric, TableError, TableErrorKind};
use taflbase::tablebase::ProbeError;

use super::arguments::ExistingSlices;
use super::error::CliError;
use super::output::{Session, columns, count_of, size};

/// Read tables again and compare all checksums
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Compare with this manifest, or the one in this folder, too
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// With --against: files of the manifest that are missing here are wrong, too
    #[arg(long, requires = "against")]
    complete: bool,
}

const HELP: &str = r#"Reads every byte. Finds what happened to files on the way or on the disk, not
values that were wrong from the start: for those see `taflbase verify`. Exits 1
if a file is damaged or not the ruleset's, and names each damaged block; with
--against also if it has other values than the manifest says, and with --complete if
one is missing here. A file that was compressed in another way has other bytes and the
same values.

Examples:
  taflbase check brandubh
  taflbase check brandubh --slice K2v3 --json
  taflbase check brandubh --against MANIFEST.json --complete

JSON, one line for each file; with --against, "against" is "same file", "same
values", "different values", "missing here", "not in the manifest", or null for a
file that cannot be read:
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"ok":false,"errors":["tables/brandubh/K2v3.dtw: the table's block 3 is damaged; delete the table, then build or copy it again"]}
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"ok":true,"errors":[],"against":"same file"}"#;

#[derive(Serialize)]
struct CheckedTable<'a> {
    rules: &'a str,
    slice: String,
    metric: &'static str,
    /// Unknown for a file that cannot be opened as a table, or is missing.
    bytes: Option<u64>,
    ok: bool,
    errors: Vec<String>,
    /// How it compares with the manifest, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Option<&'static str>>,
}

const SAME_FILE: &str = "same file";
const SAME_VALUES: &str = "same values";
const DIFFERENT: &str = "different values";
const MISSING: &str = "missing here";
const NOT_LISTED: &str = "not in the manifest";

/// Checks file by file.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open(&args.existing.rules)?;
    let against =
        args.against.as_ref().map(|path| Manifest::find(path, base.rules())).transpose()?;
    let listed = against.iter().flat_map(|manifest| &manifest.slices).map(|entry| entry.slice);
    let slices = args.existing.slices_and(listed, &base, session)?;
    let mut findings = Vec::new();
    // The first one that was asked for by name and has no file.
    let mut missing = None;
    for slice in slices {
        let before = findings.len();
        for metric in Metric::ALL {
            findings.extend(check(&base, slice, metric, against.as_ref(), args.complete)?);
        }
        if findings.len() == before {
            missing.get_or_insert(slice);
        }
        if session.json() {
            findings[before..].iter().try_for_each(|finding| session.json_line(finding))?;
        }
    }
    if !session.json() && !findings.is_empty() {
        session.text(&report(&findings))?;
    }
    verdict(&findings, args.complete)?;
    match missing {
        None => Ok(()),
        Some(slice) => {
            let metric = Metric::Dtw;
            Err(session.probe_error(
                &base,
                &args.existing.rules,
                ProbeError::MissingTable { slice, metric },
            ))
        }
    }
}

/// Success, or what is wrong with how many files.
fn verdict(findings: &[CheckedTable], complete: bool) -> Result<(), CliError> {
    let is = |finding: &CheckedTable, state| finding.against.flatten() == Some(state);
    let different = findings.iter().filter(|finding| is(finding, DIFFERENT)).count();
    let missing = findings.iter().filter(|finding| complete && is(finding, MISSING)).count();
    let bad = findings.iter().filter(|finding| !finding.ok).count() - different - missing;
    let wrong: Vec<String> = [
        (bad, ["is damaged or not the ruleset's", "are damaged or not the ruleset's"]),
        (
            different,
            ["has other values than the manifest says", "have other values than the manifest says"],
        ),
        (missing, ["is missing here", "are missing here"]),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| count_of(count, findings.len(), "file", what))
    .collect();
    if wrong.is_empty() { Ok(()) } else { Err(CliError::Negative(wrong.join(", "))) }
}

/// What is found of one file, if it is there or ought to be.
fn check<'a>(
    base: &'a Tablebase,
    slice: Slice,
    metric: Metric,
    against: Option<&Manifest>,
    complete: bool,
) -> Result<Option<CheckedTable<'a>>, CliError> {
    let entry = against.map(|manifest| manifest.slice(slice).and_then(|entry| entry.file(metric)));
    let (bytes, errors, against) = match base.table(slice, metric) {
        Err(ProbeError::MissingTable { .. }) => {
            if entry.flatten().is_none() {
                return Ok(None);
            }
            (None, Vec::new(), Some(Some(MISSING)))
        }
        Err(ProbeError::Unreadable(error)) if is_forbidden(&error) => {
            return Err(CliError::new(error));
        }
        Err(error) => (None, vec![error.to_string()], entry.map(|_| None)),
        Ok(table) => match table.check() {
            Ok(()) => {
                let compare = |entry: &FileEntry| state(entry.compare(table));
                let against = entry.map(|entry| Some(entry.map_or(NOT_LISTED, compare)));
                (Some(table.size_bytes()), Vec::new(), against)
            }
            Err(errors) => {
                let errors = errors.iter().map(ToString::to_string).collect();
                (Some(table.size_bytes()), errors, entry.map(|_| None))
            }
        },
    };
    let ok = errors.is_empty()
        && match against.flatten() {
            Some(MISSING) => !complete,
            state => state != Some(DIFFERENT),
        };
    Ok(Some(CheckedTable {
        rules: &base.rules().name,
        slice: slice.to_string(),
        metric: metric.name(),
        bytes,
        ok,
        errors,
        against,
    }))
}

/// Whether nobody may read the file, which may be sound.
fn is_forbidden(error: &TableError) -> bool {
    use std::io::ErrorKind::PermissionDenied;
    matches!(&error.kind, TableErrorKind::Io { source, .. } if source.kind() == PermissionDenied)
}

fn state(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::SameFile => SAME_FILE,
        Comparison::SameValues => SAME_VALUES,
        Comparison::OtherValues => DIFFERENT,
    }
}

fn report(findings: &[CheckedTable]) -> String {
    let row = |finding: &CheckedTable| {
        let state = match finding.against.flatten() {
            Some(state) => state,
            None if finding.ok => "good",
            None => "wrong",
        };
        let file = format!("{}.{}", finding.slice, finding.metric);
        vec![file, state.to_owned(), finding.bytes.map_or(String::new(), size)]
    };
    let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
    let mut text = columns(2, &["file", "state", "size"], &rows);
    let is_missing = |finding: &&CheckedTable| finding.against.flatten() == Some(MISSING);
    match findings.iter().filter(is_missing).count() {
        0 => {}
        missing => {
            let what = ["is missing here", "are missing here"];
            let told = count_of(missing, findings.len(), "file", what);
            text.push_str(&format!("\n{told}\n"));
        }
    }
    for error in findings.iter().flat_map(|finding| &finding.errors) {
        text.push_str(error);
        text.push('\n');
    }
    text
}
