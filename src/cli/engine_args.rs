//! Options of the engine, shared by all commands that use it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use taflbase::Tablebase;
use taflbase::engine::{EngineOptions, Limits, ProvedPositions};
use taflbase::proof::ProofBook;
use taflbase::protocol::SessionOptions;

use super::arguments::{MAX, Threads, parse_number};
use super::error::CliError;
use super::machine::threads;
use super::output::Session;

/// The size of the transposition table.
#[derive(clap::Args)]
pub(super) struct HashSize {
    /// Set the size of the transposition table in MiB, up to 1048576
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    #[arg(value_parser = parse_number::<u32, 1, { 1 << 20 }>)]
    hash: u32,
}

impl HashSize {
    /// Returns the size of the transposition table in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.hash as usize) << 20
    }
}

/// Options of the engine.
#[derive(clap::Args)]
pub(super) struct EngineArgs {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    hash: HashSize,
    /// Score draws N hundredths of a soldier worse, -1000 to 1000, to avoid them when stronger
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = parse_contempt)]
    contempt: i32,
}

/// Parses the value of `--contempt`.
fn parse_contempt(text: &str) -> Result<i32, String> {
    let max = EngineOptions::MAX_CONTEMPT;
    let parsed = text.parse().ok().filter(|contempt| (-max..=max).contains(contempt));
    parsed.ok_or_else(|| format!("write a number from -{max} to {max}"))
}

impl EngineArgs {
    /// Returns the engine's options with these tables and proofs.
    pub(super) fn options(
        &self,
        tables: &Arc<Tablebase>,
        book: Option<&Arc<ProofBook>>,
    ) -> EngineOptions {
        EngineOptions {
            threads: threads(self.threads.count()),
            table_bytes: self.hash.bytes(),
            tables: Some(Arc::clone(tables)),
            proofs: book.map(proved_positions),
            contempt: self.contempt,
            ..EngineOptions::new(tables.rules())
        }
    }
}

/// Returns a book as an engine takes it.
pub(super) fn proved_positions(book: &Arc<ProofBook>) -> Arc<dyn ProvedPositions> {
    Arc::<ProofBook>::clone(book)
}

/// Options of an engine whose host chooses the rules and perhaps sets a clock.
#[derive(clap::Args)]
pub(super) struct HostedArgs {
    #[command(flatten)]
    engine: EngineArgs,
    /// Without a clock, think this many seconds per move, up to 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    #[arg(value_parser = parse_number::<u32, 1, 86_400>)]
    time: u32,
    /// Without a clock, search N positions per move
    #[arg(long, value_name = "N", conflicts_with = "time")]
    #[arg(value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
}

impl HostedArgs {
    /// Returns the options of the engine, with the session's tables and proofs.
    pub(super) fn options(&self, session: &Session) -> Result<SessionOptions, CliError> {
        let tables = session.table_folder();
        if let Some(missing) = tables.filter(|folder| !folder.is_dir()) {
            let folder = missing.display();
            return Err(CliError::Error(format!("{folder}: no such table folder")));
        }
        ProofBook::check_paths(session.proofs()).map_err(CliError::new)?;
        let time = Limits::time(Duration::from_secs(self.time.into()));
        let EngineArgs { threads: own_threads, hash, contempt } = &self.engine;
        Ok(SessionOptions {
            threads: threads(own_threads.count()),
            table_bytes: hash.bytes(),
            contempt: *contempt,
            limits: self.nodes.map_or(time, Limits::nodes),
            tables: tables.map(Path::to_owned),
            proofs: session.proofs().to_vec(),
        })
    }
}
