use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::game::rules::{Fingerprint, Ruleset};
use crate::proof::store::store_rules;
use crate::proof::{BookError, ProofBook};
use crate::table::Access;
use crate::tablebase::{BlockCache, ProbeError, Tablebase, TablebaseOptions};

use super::assets::Assets;
use super::find_cache::FindCache;
use super::limiter::Limiter;
use super::log::Log;
use super::metrics::{Gauges, Metrics};
use super::problem::Problem;
use super::puzzle_cache::PuzzleCache;
use super::search_pool::SearchPool;
use super::served_ruleset::ServedRuleset;
use super::stats_cache::StatsCache;
use super::stopper::Stopper;
use super::store_tree::ServedStore;

/// Maximum probes in the queue.
const MAX_QUEUED_PROBES: usize = 64;

/// Maximum concurrent downloads; none are queued.
const MAX_DOWNLOADS: usize = 16;

/// Options of an [`AppState`].
#[derive(Debug)]
pub struct ServeOptions {
    /// Block cache, shared by the tables of all rulesets. Default 512 MiB.
    pub cache: BlockCache,
    /// Maximum connections; further clients get 503. Default 512.
    pub connections: usize,
    /// Time limit of a request. Default 10 s.
    pub request_timeout: Duration,
    /// Time limit for a client to send the headers of a request, and to accept more of a
    /// response. Default 10 s.
    pub client_timeout: Duration,
    /// Maximum concurrent engine searches; 0 turns the engine off. Default 1.
    pub searches: usize,
    /// Time limit of a search. Default 10 s.
    pub search_time: Duration,
    /// Whether clients may download the table files. Default false.
    pub downloads: bool,
    /// Request log. Default none.
    pub log: Log,
    /// Certificates, folders of them, and stores, as [`ProofBook::open`] takes them. Default none.
    pub proofs: Vec<PathBuf>,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            cache: BlockCache::new(512 << 20),
            connections: 512,
            request_timeout: Duration::from_secs(10),
            client_timeout: Duration::from_secs(10),
            searches: 1,
            search_time: Duration::from_secs(10),
            downloads: false,
            log: Log::none(),
            proofs: Vec::new(),
        }
    }
}

/// The state shared by all requests: rulesets with their tables, caches and limits.
pub struct AppState {
    rulesets: BTreeMap<String, Arc<ServedRuleset>>,
    pub(super) options: ServeOptions,
    pub(super) assets: Assets,
    pub(super) metrics: Metrics,
    /// Limits probes to two per core.
    pub(super) probes: Limiter,
    pub(super) downloads: Limiter,
    /// `None` if the engine is turned off.
    pub(super) searches: Option<SearchPool>,
    pub(super) stats: StatsCache,
    pub(super) puzzles: PuzzleCache,
    pub(super) finds: FindCache,
    stopper: Stopper,
}

/// Why an [`AppState`] cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// Two rulesets have the same name.
    SameName(String),
    /// The table folder cannot be read.
    Tables(ProbeError),
    /// A certificate cannot be used.
    Proofs(BookError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::SameName(name) => {
                write!(f, "two rulesets are named {name:?}: rename one of them")
            }
            OpenError::Tables(error) => error.fmt(f),
            OpenError::Proofs(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

impl AppState {
    /// Opens the built-in rulesets and `more`, with the tables in the folder `tables` and the
    /// built-in tables.
    ///
    /// # Errors
    /// If two rulesets have the same name, a folder cannot be read, or a certificate of
    /// [`ServeOptions::proofs`] is damaged or for none of the rulesets.
    pub fn open(
        more: Vec<Ruleset>,
        tables: Option<&Path>,
        options: ServeOptions,
    ) -> Result<AppState, OpenError> {
        let builtin = Ruleset::builtins().iter();
        let all =
            builtin.map(|rules| (rules.clone(), true)).chain(more.into_iter().map(|r| (r, false)));
        let mut opened: Vec<(Arc<Tablebase>, bool)> = Vec::new();
        for (rules, is_builtin) in all {
            let table_options = TablebaseOptions {
                // With a memory map, a file that is truncated meanwhile would kill the process.
                access: Access::Read,
                cache: options.cache.clone(),
                ..TablebaseOptions::default()
            };
            let base = match tables {
                Some(folder) => {
                    Tablebase::open_with(rules, folder, table_options).map_err(OpenError::Tables)?
                }
                None => Tablebase::with_options(rules, table_options),
            };
            opened.push((Arc::new(base), is_builtin));
        }
        let bases: Vec<Arc<Tablebase>> = opened.iter().map(|(base, _)| Arc::clone(base)).collect();
        let books = ProofBook::open_for_all(&options.proofs, &bases).map_err(OpenError::Proofs)?;
        let stores = open_stores(&options.proofs, &bases);
        let mut rulesets = BTreeMap::new();
        for ((base, is_builtin), book) in opened.into_iter().zip(books) {
            let name = base.rules().name.clone();
            let book = (!book.certificates().is_empty()).then_some(book);
            let own = stores.iter().filter(|(rules, _)| *rules == base.rules().fingerprint());
            let own = own.map(|(_, store)| Arc::clone(store)).collect();
            let served = Arc::new(ServedRuleset::new(base, book, own, is_builtin));
            if rulesets.insert(name.clone(), served).is_some() {
                return Err(OpenError::SameName(name));
            }
        }
        let state = AppState::new(rulesets, options);
        state.assets.compress();
        Ok(state)
    }

    /// The state of a display, which serves a single ruleset, and whose address is shown at once.
    pub(super) fn with_ruleset(base: Arc<Tablebase>, options: ServeOptions) -> AppState {
        let name = base.rules().name.clone();
        AppState::new(
            BTreeMap::from([(name, Arc::new(ServedRuleset::new(base, None, Vec::new(), false)))]),
            options,
        )
    }

    fn new(rulesets: BTreeMap<String, Arc<ServedRuleset>>, options: ServeOptions) -> AppState {
        let ServeOptions { searches, search_time, downloads, .. } = options;
        AppState {
            rulesets,
            options,
            assets: Assets::new(),
            metrics: Metrics::default(),
            probes: Limiter::new(2 * cores(), MAX_QUEUED_PROBES),
            downloads: Limiter::new(MAX_DOWNLOADS, 0),
            searches: (searches > 0).then(|| SearchPool::new(searches, search_time)),
            stats: StatsCache::new(downloads),
            puzzles: PuzzleCache::new(),
            finds: FindCache::new(),
            stopper: Stopper::new(),
        }
    }

    /// Returns the handle that stops the server and its event streams.
    pub(super) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits for the server's shutdown.
    pub(super) async fn shutdown(&self) {
        self.stopper.stopped().await;
    }

    /// Returns the ruleset with that name.
    pub(super) fn ruleset(&self, name: &str) -> Option<Arc<ServedRuleset>> {
        self.rulesets.get(name).cloned()
    }

    /// Iterates over all rulesets in the order of their names.
    pub(super) fn rulesets(&self) -> impl Iterator<Item = &Arc<ServedRuleset>> {
        self.rulesets.values()
    }

    /// Returns the engine.
    pub(super) fn engine(&self) -> Result<&SearchPool, Problem> {
        self.searches.as_ref().ok_or_else(|| Problem::not_found("this server runs no engine"))
    }

    /// Counts the stores whose tree is in memory. Rulesets with the same rules share theirs.
    fn stores_open(&self) -> u64 {
        let stores = self.rulesets().flat_map(|served| &served.stores);
        let open: BTreeSet<&str> =
            stores.filter(|store| store.is_open()).map(|store| &*store.name).collect();
        open.len() as u64
    }

    /// Reads the numbers that [`Metrics`] does not count.
    pub(super) fn gauges(&self) -> Gauges {
        let cache = self.options.cache.statistics();
        Gauges {
            log_lines_dropped: self.options.log.dropped(),
            cache_hits: cache.hits,
            cache_misses: cache.misses,
            cache_bytes: cache.bytes as u64,
            stores_open: self.stores_open(),
            tables_open: self.rulesets().map(|served| served.base.tables_open() as u64).sum(),
        }
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.rulesets.keys().collect();
        f.debug_struct("AppState")
            .field("rulesets", &names)
            .field("options", &self.options)
            .finish()
    }
}

/// Serves the stores among these paths, each with the fingerprint of its rules. Those of rules that
/// are not served are passed over. Each has the name of its folder; of two with the same name, the
/// second has a number, too.
fn open_stores(
    paths: &[PathBuf],
    tables: &[Arc<Tablebase>],
) -> Vec<(Fingerprint, Arc<ServedStore>)> {
    let mut stores: Vec<(Fingerprint, Arc<ServedStore>)> = Vec::new();
    for folder in paths.iter().filter_map(|path| path.canonicalize().ok()) {
        let Ok(rules) = store_rules(&folder) else { continue };
        let fingerprint = rules.fingerprint();
        let Some(base) = tables.iter().find(|base| base.rules().fingerprint() == fingerprint)
        else {
            continue;
        };
        let file_name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let is_free = |name: &str| stores.iter().all(|(_, store)| store.name != name);
        let numbered = (2..).map(|number| format!("{file_name}-{number}"));
        let mut names = std::iter::once(file_name.clone().into_owned()).chain(numbered);
        let name = names.find(|name| is_free(name)).unwrap_or_default();
        let store = ServedStore::open(folder.clone(), name, Arc::clone(base));
        stores.push((fingerprint, Arc::new(store)));
    }
    stores
}

/// Returns the number of threads that run in parallel.
pub(super) fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}
