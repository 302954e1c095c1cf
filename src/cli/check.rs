use serde::Serialize;
use taflbase::Tablebase;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::tablebase::ProbeError;

use super::arguments::Present;
use super::failure::Failure;
use super::output::{Session, columns, size};

/// Read tables again and compare all checksums
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    #[command(flatten)]
    present: Present,
}

const HELP: &str = r#"Reads every byte. Finds what happened to files on the way or on the disk, not
values that were wrong from the start: for those see `taflbase verify`. Exits 1
if a file is damaged or not the ruleset's, and names each damaged block.

Examples:
  taflbase check brandubh
  taflbase check brandubh --slice K2v3 --json

JSON, one line for each file:
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"ok":false,"errors":["tables/brandubh/K2v3.dtw: the table's block 3 is damaged; delete it and build or download it again"]}"#;

#[derive(Serialize)]
struct Finding<'a> {
    rules: &'a str,
    slice: String,
    metric: &'static str,
    /// Unknown for a file that cannot be opened as a table.
    bytes: Option<u64>,
    ok: bool,
    errors: Vec<String>,
}

/// Checks file by file.
pub fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    let base = session.open(&args.rules)?;
    let slices = args.present.slices(&base, &args.rules, session)?;
    let mut findings = Vec::new();
    for slice in slices {
        let before = findings.len();
        for metric in Metric::ALL {
            findings.extend(check(&base, slice, metric));
        }
        if findings.len() == before {
            let metric = Metric::Dtw;
            return Err(session.refusal(&args.rules, ProbeError::MissingTable { slice, metric }));
        }
        if session.json {
            findings[before..].iter().try_for_each(|finding| session.json_line(finding))?;
        }
    }
    if !session.json {
        session.text(&report(&findings))?;
    }
    match findings.iter().filter(|finding| !finding.ok).count() {
        0 => Ok(()),
        wrong => Err(Failure::Negative(format!(
            "{wrong} of {} files are damaged or not the ruleset's",
            findings.len()
        ))),
    }
}

/// What is found of one file, if it is there.
fn check(base: &Tablebase, slice: Slice, metric: Metric) -> Option<Finding<'_>> {
    let (bytes, errors) = match base.table(slice, metric) {
        Err(ProbeError::MissingTable { .. }) => return None,
        Err(error) => (None, vec![error.to_string()]),
        Ok(table) => {
            let errors = table.check().err().unwrap_or_default();
            let errors = errors.iter().map(ToString::to_string).collect();
            (Some(table.size_bytes()), errors)
        }
    };
    Some(Finding {
        rules: &base.rules().name,
        slice: slice.to_string(),
        metric: metric.name(),
        bytes,
        ok: errors.is_empty(),
        errors,
    })
}

fn report(findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let state = if finding.ok { "good" } else { "wrong" };
        let file = format!("{}.{}", finding.slice, finding.metric);
        vec![file, state.to_owned(), finding.bytes.map_or(String::new(), size)]
    };
    let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
    let mut text = columns(2, &["file", "state", "size"], &rows);
    for error in findings.iter().flat_map(|finding| &finding.errors) {
        text.push_str(error);
        text.push('\n');
    }
    text
}
