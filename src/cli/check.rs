use std::path::PathBuf;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::manifest::{Comparison, Manifest};
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric, TableError, TableErrorKind};
use taflbase::tablebase::ProbeError;

use super::arguments::ExistingSlices;
use super::error::CliError;
use super::output::{Session, check_none, columns, count_of, size};

/// Read all tables and compare their checksums
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Also compare with this manifest, or the one in this folder
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// With --against, also fail if files of the manifest are missing here
    #[arg(long, requires = "against")]
    complete: bool,
}

const HELP: &str = r#"Reads every byte. Finds damage from transfer or storage, but not values that were wrong
from the start, which `taflbase verify` finds. The status is 1 if a file is damaged or not
the ruleset's, with a message for each damaged block; with --against, also if its values
differ from the manifest, and with --complete, if a file is missing here. A file compressed
in another way has different bytes and the same values.

Examples:
  taflbase check brandubh
  taflbase check brandubh --slice K2v3 --json
  taflbase check brandubh --against MANIFEST.json --complete

JSON, one line per file; with --against, "against" is "same file", "same values",
"different values", "missing here", "not in the manifest", or null for a file that
cannot be read:
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"ok":false,"errors":["tables/brandubh/K2v3.dtw: the table's block 3 is damaged; delete the table, then build or copy it again"]}
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"ok":true,"errors":[],"against":"same file"}"#;

#[derive(Serialize)]
struct CheckedTable<'a> {
    rules: &'a str,
    slice: String,
    metric: &'static str,
    /// `None` for a file that is missing or cannot be opened as a table.
    bytes: Option<u64>,
    ok: bool,
    errors: Vec<String>,
    /// The comparison with the manifest, if there is one; null if the file cannot be read.
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
    let base = session.open(&args.existing.rules, Access::Scanned)?;
    let against =
        args.against.as_ref().map(|path| Manifest::find(path, base.rules())).transpose()?;
    let listed = against.iter().flat_map(|manifest| &manifest.slices).map(|entry| entry.slice);
    let slices = args.existing.slices_and(listed, &base, session)?;
    let mut findings = Vec::new();
    let mut printed = Ok(());
    // The first file that may not be read, and the first named slice that has no file.
    let (mut forbidden, mut missing) = (None, None);
    for slice in slices {
        let before = findings.len();
        for metric in Metric::ALL {
            match check(&base, slice, metric, against.as_ref(), args.complete) {
                Ok(finding) => findings.extend(finding),
                Err(error) => _ = forbidden.get_or_insert(error),
            }
        }
        if findings.len() == before {
            missing.get_or_insert(slice);
        }
        if session.json() && printed.is_ok() {
            printed = findings[before..].iter().try_for_each(|finding| session.json_line(finding));
        }
    }
    if !session.json() && !findings.is_empty() {
        printed = session.text(&report(&findings));
    }
    // What is wrong with the tables matters more than a failure to print it.
    if let Some(error) = forbidden {
        return Err(CliError::new(error));
    }
    verdict(&findings, args.complete)?;
    match missing {
        None => printed,
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

/// Fails if files are wrong, with their number by kind.
fn verdict(findings: &[CheckedTable], complete: bool) -> Result<(), CliError> {
    let different = count_state(findings, DIFFERENT);
    let missing = if complete { count_state(findings, MISSING) } else { 0 };
    let bad = findings.iter().filter(|finding| !finding.ok).count() - different - missing;
    let faults = [
        (bad, ["is damaged or not the ruleset's", "are damaged or not the ruleset's"]),
        (
            different,
            ["has other values than the manifest says", "have other values than the manifest says"],
        ),
        (missing, ["is missing here", "are missing here"]),
    ];
    check_none(&faults, findings.len(), "file")
}

fn count_state(findings: &[CheckedTable], state: &str) -> usize {
    findings.iter().filter(|finding| finding.against.flatten() == Some(state)).count()
}

/// Checks one file; `None` if it neither exists nor is listed in the manifest.
///
/// # Errors
/// If the file may not be read.
fn check<'a>(
    base: &'a Tablebase,
    slice: Slice,
    metric: Metric,
    against: Option<&Manifest>,
    complete: bool,
) -> Result<Option<CheckedTable<'a>>, TableError> {
    let entry = against.map(|manifest| manifest.slice(slice)?.file(metric));
    let (bytes, errors, against) = match base.table(slice, metric) {
        Err(ProbeError::MissingTable { .. }) => {
            // An absent file is only worth a line if the manifest lists it.
            if entry.flatten().is_none() {
                return Ok(None);
            }
            (None, Vec::new(), Some(Some(MISSING)))
        }
        Err(ProbeError::Unreadable(error)) if is_forbidden(&error) => return Err(error),
        Err(error) => (None, vec![error.to_string()], entry.map(|_| None)),
        Ok(table) => match table.check() {
            Ok(()) => {
                let comparison = entry.map(|listed| match listed {
                    Some(file) => Some(state(file.compare(table))),
                    None => Some(NOT_LISTED),
                });
                (Some(table.size_bytes()), Vec::new(), comparison)
            }
            Err(errors) => {
                let messages = errors.iter().map(ToString::to_string).collect();
                (Some(table.size_bytes()), messages, entry.map(|_| None))
            }
        },
    };
    // A set may be partial: without `--complete`, missing files are listed but not wrong.
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

/// Returns whether the file may not be read, which says nothing about its content.
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

fn row(finding: &CheckedTable) -> Vec<String> {
    let state = match finding.against.flatten() {
        Some(state) => state,
        None if finding.ok => "good",
        None => "wrong",
    };
    let file = format!("{}.{}", finding.slice, finding.metric);
    vec![file, state.to_owned(), finding.bytes.map_or(String::new(), size)]
}

fn report(findings: &[CheckedTable]) -> String {
    let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
    let mut text = columns(2, &["file", "state", "size"], &rows);
    let missing = count_state(findings, MISSING);
    if missing > 0 {
        let predicates = ["is missing here", "are missing here"];
        text.push_str(&format!("\n{}\n", count_of(missing, findings.len(), "file", predicates)));
    }
    for error in findings.iter().flat_map(|finding| &finding.errors) {
        text.push_str(error);
        text.push('\n');
    }
    text
}
