mod estimates;
mod summary;

use std::path::{Path, PathBuf};

use taflbase::Tablebase;
use taflbase::date;
use taflbase::manifest::{MANIFEST_FILE, Manifest};
use taflbase::report::{ManifestFile, Report, SliceSection, Source};
use taflbase::rules::Ruleset;

use super::arguments::{ExistingSlices, Threads};
use super::calibration::CalibrationLimit;
use super::counting::count_each;
use super::error::CliError;
use super::file;
use super::json_output::{ABSENT, JsonOutput, WITHOUT_VALUE};
use super::output::{Session, is_standard, shell_word, size};

/// Write a report of all tables as a page with charts, and as JSON
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Write a page with charts to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the data as JSON to this file; - or without FILE: standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = JsonOutput::parse)]
    #[arg(default_value = ABSENT, default_missing_value = WITHOUT_VALUE, hide_default_value = true)]
    json: JsonOutput,
    /// Report on this manifest, or the one in this folder, instead of tables
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Leave out what further men would take, which takes some ten seconds to estimate
    #[arg(long, conflicts_with = "calibration")]
    no_estimates: bool,
    #[command(flatten)]
    limit: CalibrationLimit,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Counts all tables as `taflbase stats` does, and reports who wins how much, how far wins are,
the longest wins with their moves, mutual zugzwangs, the king's squares, how many attackers
are needed against how many defenders, and how positions, bytes and time grow with the men.
Without --html and --json it prints a summary.

The page is one file without scripts, for screens (light and dark) and for printing; each
chart has its figures in a table. --from needs no tables: a manifest has counts, longest
wins and sizes, and the report leaves out what it does not have, and says so.

What further men would take, up to the whole game, is estimated as by `taflbase plan`: sizes
from the tables that exist, times from builds of the smallest slices on this machine, which
--calibration limits. Times are always estimates.

Examples:
  taflbase report brandubh
  taflbase report brandubh --html brandubh.html --json brandubh.json
  taflbase report tablut --from tables/tablut/MANIFEST.json --html tablut.html
  taflbase report brandubh --slice K2v3 K1v4 --html two.html --no-estimates

JSON, one object, with lists shortened here. "positions" are placements, mirror images
counted separately; "shares" are from 0 to 1; "needed" has the fewest attackers that win
some placement, and more than half of them; the numbers of "growth" are rounded, and its
"bytes" an estimate if "is_estimate". A slice's own numbers are with either side to move; its
"sides" are those of `taflbase stats`. "manifest", "command" and what is unknown are left out:
  {"version":"0.1.0","command":"taflbase report brandubh --json","rules":"brandubh","title":"Brandubh","fingerprint":"27e632691dd014bf84bc8a4029256f95","source":"tables","notes":[],"total":{"slices":1,"positions":3872,"attackers_win":72,"draw":0,"undecided":0,"defenders_win":3800,"shares":{"attackers_win":0.0186,"draw":0.0,"undecided":0.0,"defenders_win":0.9814},"longest":6,"mutual_zugzwangs":0,"bytes":592},"men":[],"balance":[{"defenders":0,"attackers":1,"to_move":"attackers","majority":"defenders","shares":{"attackers_win":0.0372,"draw":0.0,"undecided":0.0,"defenders_win":0.9628},"attackers_can_win":true}],"needed":[{"defenders":0,"to_move":"attackers","to_win_any":1,"to_win_most":null,"attackers":1}],"growth":[{"men":2,"built":1,"slices":1,"positions":3872.0,"bytes":592.0,"core_seconds":0.01,"is_estimate":false}],"slices":[{"slice":"K0v1","defenders":0,"attackers":1,"men":2,"positions":3872,"attackers_win":72,"draw":0,"undecided":0,"defenders_win":3800,"shares":{"attackers_win":0.0186,"draw":0.0,"undecided":0.0,"defenders_win":0.9814},"files":2,"bytes":592,"mutual_zugzwangs":0,"longest":[{"winner":"attackers","to_move":"attackers","plies":1,"position":"/1K5/7/2t4/7/7/7/7/ a","moves":["c3-c1++"]}],"sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6,"shares":{"attackers_win":0.0372,"draw":0.0,"undecided":0.0,"defenders_win":0.9628},"histogram":[{"category":"win","dtw":1,"positions":72,"example":"/1K5/7/2t4/7/7/7/7/ a"}],"king":[{"square":"b1","win":9,"draw":0,"undecided":0,"loss":34}]}]}]}"#;

// What errors call the files.
const PAGE: &str = "the page";
const DATA: &str = "the data";

/// Makes the report and writes it.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    check_outputs(args)?;
    let html = args.html.as_deref();
    let is_summary = html.is_none() && args.json == JsonOutput::None;
    let base = match &args.from {
        // The rules alone.
        Some(_) => Tablebase::new(Ruleset::load(&args.existing.rules)?),
        None => session.open_to_scan(&args.existing.rules)?,
    };
    let mut report = match &args.from {
        Some(path) => of_manifest(args, base.rules(), path)?,
        None => of_tables(args, session, &base)?,
    };
    report.command = Some(command_line());
    if !is_summary && !args.no_estimates {
        let costs = estimates::costs(&base, &report, args.limit.calibration)?;
        report = report.with_costs(&costs);
    }
    if is_summary {
        return session.text(&summary::text(&report));
    }
    let page = html.map(|path| (path, report.to_html(base.rules())));
    if let Some((path, text)) = &page {
        write(session, path, PAGE, text.as_bytes())?;
    }
    match &args.json {
        JsonOutput::None => {}
        JsonOutput::Standard => return session.long_json_line(&report),
        JsonOutput::File(path) => {
            let mut text = serde_json::to_vec(&report).map_err(CliError::new)?;
            text.push(b'\n');
            write(session, path, DATA, &text)?;
        }
    }
    Ok(())
}

/// Checks the files to write, before the work that makes their content.
fn check_outputs(args: &Args) -> Result<(), CliError> {
    let html = args.html.as_deref();
    if html.is_some_and(is_standard) && args.json == JsonOutput::Standard {
        return Err(CliError::new("--html and --json cannot both go to standard output"));
    }
    let json = match &args.json {
        JsonOutput::File(path) => Some(path.as_path()),
        JsonOutput::None | JsonOutput::Standard => None,
    };
    if html.is_some() && html == json {
        return Err(CliError::new("--html and --json cannot both be written to one file"));
    }
    for (path, what) in [(html, PAGE), (json, DATA)] {
        if let Some(path) = path.filter(|path| !is_standard(path)) {
            file::check(path, what)?;
        }
    }
    Ok(())
}

/// Writes a file, or to standard output. Prints what was written unless that is the output.
fn write(session: &Session, path: &Path, what: &str, content: &[u8]) -> Result<(), CliError> {
    file::write_or_print(path, what, |out| out.write_all(content))?;
    // Standard output may be the other file.
    if !is_standard(path) {
        session.note(&format!("{}: {}", path.display(), size(content.len() as u64)));
    }
    Ok(())
}

/// Reports on a manifest, or on its entries of the named slices.
fn of_manifest(args: &Args, rules: &Ruleset, path: &Path) -> Result<Report, CliError> {
    let (file, mut manifest) = Manifest::find_file(path, rules)?;
    if args.existing.are_named() {
        let named = args.existing.named();
        if let Some(missing) = named.iter().find(|&&slice| manifest.slice(slice).is_none()) {
            let shown = file.display();
            return Err(CliError::Negative(format!(
                "{shown}: the manifest does not list {missing}"
            )));
        }
        manifest.slices.retain(|entry| named.contains(&entry.slice));
    }
    if manifest.slices.is_empty() {
        return Err(CliError::Negative(format!(
            "{}: the manifest lists no slices",
            file.display()
        )));
    }
    let mut report = Report::of_manifest(rules, &manifest);
    report.manifest = Some(describe(&file));
    Ok(report)
}

/// Counts the tables and reports on them.
fn of_tables(args: &Args, session: &Session, base: &Tablebase) -> Result<Report, CliError> {
    let slices = args.existing.slices(base, session)?;
    let probe_error = |error| session.probe_error(base, &args.existing.rules, error);
    let mut sections = Vec::new();
    count_each(base, &slices, &args.threads, probe_error, |slice, counted| {
        sections.push(SliceSection::counted(base, slice, counted).map_err(probe_error)?);
        Ok(())
    })?;
    let mut report = Report::new(base.rules(), Source::Tables, sections);
    let file = session.tables().join(&base.rules().name).join(MANIFEST_FILE);
    report.manifest = file.is_file().then(|| describe(&file));
    Ok(report)
}

fn describe(file: &Path) -> ManifestFile {
    let changed = file.metadata().and_then(|metadata| metadata.modified()).ok();
    ManifestFile { path: file.display().to_string(), date: changed.and_then(date::of) }
}

/// Returns the command as it was typed.
fn command_line() -> String {
    let words = std::env::args_os().skip(1);
    let typed = words.map(|word| shell_word(&word.to_string_lossy()));
    ["taflbase".to_owned()].into_iter().chain(typed).collect::<Vec<_>>().join(" ")
}
