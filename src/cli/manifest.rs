use std::path::{Path, PathBuf};

use taflbase::Tablebase;
use taflbase::manifest::{Manifest, SliceEntry};
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric};

use super::arguments::{ExistingSlices, Threads};
use super::counting::count_each;
use super::error::CliError;
use super::file;
use super::output::{Session, counted, is_standard};

/// Write a manifest of the tables, with which others can compare theirs
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    existing: ExistingSlices,
    /// Add the positions of the longest wins, which takes as long as `taflbase stats`
    #[arg(long)]
    longest: bool,
    #[command(flatten)]
    threads: Threads,
    /// Write to this file, - for standard output; keeps its slices that are missing here
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const HELP: &str = r#"A manifest lists the counts and longest wins of each slice and the size, checksum and
value hash of each file; the value hash does not depend on compression. `taflbase check
RULES --against FILE` compares tables with it. The manifest copies the headers of the
files; use `taflbase check` to check their content. With --longest it also has a position
of each longest win; --threads applies to that.

"listed" says which program listed the files of a slice, and when (UTC); files do not
record the program that built them. It changes only when the files do. "commit" is left
out if the program was compiled without TAFLBASE_COMMIT. A file's "license" is kept.

Examples:
  taflbase manifest brandubh
  taflbase manifest brandubh --longest --output tables/brandubh/MANIFEST.json

A manifest is JSON with one slice per line; --json prints it on one line (here with one
side, one longest win and one file):
  {"rules":"brandubh","fingerprint":"27e632691dd014bf84bc8a4029256f95","slices":[{"slice":"K0v1","sides":[{"to_move":"attackers","positions":1936,"win":72,"loss":1864,"draw":0,"undecided":0,"max_win":1,"max_loss":6}],"longest":[{"winner":"attackers","to_move":"attackers","plies":1,"position":"/1K5/7/2t4/7/7/7/7/ a"}],"files":[{"metric":"dtw","bytes":346,"blake3":"86c4…","values":"0b1e…"}],"listed":{"version":"0.1.0","commit":"5f0c…","date":"2026-11-26"}}]}"#;

/// Prints or writes the manifest.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let base = session.open(&args.existing.rules, Access::Scanned)?;
    let output = args.output.as_deref().filter(|path| !is_standard(path));
    let mut manifest = match output {
        Some(path) if path.is_file() => Manifest::read(path, base.rules())?,
        _ => Manifest::new(base.rules()),
    };
    let entries = entries(args, session, &base)?;
    let changed = entries.into_iter().filter(|entry| manifest.insert(entry.clone())).count();
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

/// Lists the slices.
fn entries(args: &Args, session: &Session, base: &Tablebase) -> Result<Vec<SliceEntry>, CliError> {
    let probe_error = |error| session.probe_error(base, &args.existing.rules, error);
    let slices = args.existing.slices(base, session)?;
    let mut entries: Vec<SliceEntry> = slices
        .into_iter()
        .map(|slice| SliceEntry::of(base, slice).map(SliceEntry::listed_now))
        .collect::<Result<_, _>>()
        .map_err(probe_error)?;
    if args.longest {
        let with_distances = entries.iter().filter(|entry| entry.file(Metric::Dtw).is_some());
        let slices: Vec<Slice> = with_distances.map(|entry| entry.slice).collect();
        count_each(base, &slices, &args.threads, probe_error, |slice, counted| {
            let of_slice = entries.iter_mut().filter(|entry| entry.slice == slice);
            of_slice.for_each(|entry| entry.add_longest(base.rules(), counted));
            Ok(())
        })?;
    }
    Ok(entries)
}

fn written(path: &Path, manifest: &Manifest, changed: usize) -> String {
    let slices = counted(manifest.slices.len(), ["slice", "slices"]);
    format!("{}: {slices}, new or changed: {changed}\n", path.display())
}
