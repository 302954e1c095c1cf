use std::path::{Path, PathBuf};

use taflbase::manifest::{Manifest, SliceEntry};

use super::arguments::ExistingSlices;
use super::error::CliError;
use super::file;
use super::output::{Session, is_standard};

/// Write a manifest: what the tables are, for others to compare theirs with
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Write to this file instead, - for standard output; slices that it has and that
    /// are not here stay
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const HELP: &str = r#"A manifest has for every slice its counts and longest wins and, for each file, its
size, its checksum, and a hash of its values that is the same whatever they were
compressed with. `taflbase check RULES --against FILE` compares tables with it.
What the files say of themselves is taken as it is; `taflbase check` proves it.

Examples:
  taflbase manifest brandubh
  taflbase manifest brandubh --output tables/brandubh/MANIFEST.json

A manifest is JSON, one slice on each line; with --json all is on one line (here
with one side and one file):
  {"rules":"brandubh","fingerprint":"27e632691dd014bf84bc8a4029256f95","slices":[{"slice":"K0v1","sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6}],"files":[{"metric":"dtw","bytes":368,"blake3":"86c4…","values":"0b1e…"}]}]}"#;

/// Prints or writes.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open(&args.existing.rules)?;
    let output = args.output.as_deref().filter(|path| !is_standard(path));
    let mut manifest = match output {
        Some(path) if path.is_file() => Manifest::read(path, base.rules())?,
        _ => Manifest::new(base.rules()),
    };
    let mut changed = 0;
    for slice in args.existing.slices(&base, session)? {
        let entry = SliceEntry::of(&base, slice);
        let entry =
            entry.map_err(|error| session.probe_error(&base, &args.existing.rules, error))?;
        changed += usize::from(manifest.insert(entry));
    }
    if let Some(path) = output {
        file::write(path, "the manifest", |out| write!(out, "{manifest}"))?;
    }
    match output {
        _ if session.json() => session.json_line(&manifest),
        // What a device or a pipe has been given is not to be mixed with other text.
        Some(path) if !path.is_file() => Ok(()),
        Some(path) => session.text(&written(path, &manifest, changed)),
        None => session.text(&manifest.to_string()),
    }
}

fn written(path: &Path, manifest: &Manifest, changed: usize) -> String {
    let slices = manifest.slices.len();
    format!("{}: {slices} slices, new or changed: {changed}\n", path.display())
}
