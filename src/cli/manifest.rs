use std::path::{Path, PathBuf};

use taflbase::manifest::{Manifest, SliceEntry};

use super::arguments::ExistingSlices;
use super::error::CliError;
use super::file;
use super::output::{Session, is_standard};

/// Write a manifest of the tables, with which others can compare theirs
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Write to this file, - for standard output; keeps its slices that are missing here
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const HELP: &str = r#"A manifest lists the counts and longest wins of each slice and the size, checksum and
value hash of each file; the value hash does not depend on compression. `taflbase check
RULES --against FILE` compares tables with it. The manifest copies the headers of the
files; use `taflbase check` to check their content.

Examples:
  taflbase manifest brandubh
  taflbase manifest brandubh --output tables/brandubh/MANIFEST.json

A manifest is JSON with one slice per line; --json prints it on one line (here with one
side and one file):
  {"rules":"brandubh","fingerprint":"27e632691dd014bf84bc8a4029256f95","slices":[{"slice":"K0v1","sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6}],"files":[{"metric":"dtw","bytes":368,"blake3":"86c4…","values":"0b1e…"}]}]}"#;

/// Prints or writes the manifest.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open(&args.existing.rules)?;
    let output = args.output.as_deref().filter(|path| !is_standard(path));
    let mut manifest = match output {
        Some(path) if path.is_file() => Manifest::read(path, base.rules())?,
        _ => Manifest::new(base.rules()),
    };
    let mut changed = 0;
    for slice in args.existing.slices(&base, session)? {
        let entry = SliceEntry::of(&base, slice)
            .map_err(|error| session.probe_error(&base, &args.existing.rules, error))?;
        changed += usize::from(manifest.insert(entry));
    }
    if let Some(path) = output {
        file::write(path, "the manifest", |out| write!(out, "{manifest}"))?;
    }
    match output {
        _ if session.json() => session.json_line(&manifest),
        // A device or pipe may be standard output: nothing is added to the manifest.
        Some(path) if !path.is_file() => Ok(()),
        Some(path) => session.text(&written(path, &manifest, changed)),
        None => session.text(&manifest.to_string()),
    }
}

fn written(path: &Path, manifest: &Manifest, changed: usize) -> String {
    let slices = manifest.slices.len();
    format!("{}: {slices} slices, new or changed: {changed}\n", path.display())
}
