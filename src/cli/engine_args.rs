//! What the engine may take of the machine: the same options wherever it plays.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;

use taflbase::Tablebase;
use taflbase::engine::EngineOptions;

use super::arguments::{Threads, parse_number};
use super::machine::threads;

/// How much a draw may be despised, or liked.
const CONTEMPT: RangeInclusive<i64> =
    -(EngineOptions::MAX_CONTEMPT as i64)..=EngineOptions::MAX_CONTEMPT as i64;

/// Memory of the engine.
#[derive(clap::Args)]
pub(super) struct HashSize {
    /// Memory for what the search remembers, in MiB, up to 1048576
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    #[arg(value_parser = parse_number::<u32, 1, { 1 << 20 }>)]
    hash: u32,
}

impl HashSize {
    /// Bytes for what the search remembers.
    pub(super) fn bytes(&self) -> usize {
        (self.hash as usize) << 20
    }
}

/// What the engine may take of the machine.
#[derive(clap::Args)]
pub(super) struct EngineArgs {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    hash: HashSize,
    /// Draws are so much worse than level positions, in hundredths of a soldier: against
    /// weaker players, to play on
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(i32).range(CONTEMPT))]
    contempt: i32,
}

impl EngineArgs {
    /// Threads to search with.
    pub(super) fn threads(&self) -> NonZeroUsize {
        threads(self.threads.count())
    }

    /// Bytes for what the search remembers.
    pub(super) fn table_bytes(&self) -> usize {
        self.hash.bytes()
    }

    /// How much less than nothing a draw is.
    pub(super) fn contempt(&self) -> i32 {
        self.contempt
    }

    /// The engine with those tables.
    pub(super) fn options(&self, tables: &Arc<Tablebase>) -> EngineOptions {
        EngineOptions {
            threads: self.threads(),
            table_bytes: self.table_bytes(),
            tables: Some(Arc::clone(tables)),
            contempt: self.contempt(),
            ..EngineOptions::new(tables.rules())
        }
    }
}
