use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::Duration;

use crate::game::rules::Ruleset;
use crate::table::Access;
use crate::tablebase::{BlockCache, ProbeError, Tablebase, TablebaseOptions};

use super::assets::Assets;
use super::counting::Counting;
use super::gate::Gate;
use super::log::Log;
use super::metrics::Metrics;
use super::searches::Searches;
use super::server::Stopper;
use super::told::Kept;

/// Probes that may wait.
const MAY_WAIT: usize = 64;

/// How a [`Site`] is served.
#[derive(Debug)]
pub struct SiteOptions {
    /// The cache that the tables of all rulesets share: one of 512 MiB, unless you say
    /// otherwise.
    pub cache: BlockCache,
    /// The most connections at once; who comes then is told so. 512, unless you say
    /// otherwise.
    pub connections: usize,
    /// The time that a request has: 10 s, unless you say otherwise.
    pub request_time: Duration,
    /// The time that a client has for the headers of a request, and for reading on: 10 s,
    /// unless you say otherwise.
    pub patience: Duration,
    /// Searches of the engine at once; 0 serves no engine. One, unless you say otherwise.
    pub searches: usize,
    /// The time that a search takes at the most: 10 s, unless you say otherwise.
    pub search_time: Duration,
    /// Where requests are told of, one a line: nowhere, unless you say otherwise.
    pub log: Log,
}

impl Default for SiteOptions {
    fn default() -> SiteOptions {
        SiteOptions {
            cache: BlockCache::new(512 << 20),
            connections: 512,
            request_time: Duration::from_secs(10),
            patience: Duration::from_secs(10),
            searches: 1,
            search_time: Duration::from_secs(10),
            log: Log::none(),
        }
    }
}

/// What is served: rulesets with their tables, and what all requests share.
pub struct Site {
    rulesets: BTreeMap<String, Arc<Served>>,
    pub(super) options: SiteOptions,
    pub(super) assets: Assets,
    pub(super) metrics: Metrics,
    /// For probes: two for each core at once.
    pub(super) probes: Gate,
    /// The engine, if it is served.
    pub(super) searches: Option<Searches>,
    pub(super) counting: Counting,
    stopper: Stopper,
}

/// One ruleset and its tables.
pub(super) struct Served {
    pub(super) base: Arc<Tablebase>,
    /// For games, which share them.
    pub(super) rules: Arc<Ruleset>,
    /// The list of its slices, once somebody has asked.
    pub(super) slices: OnceLock<Kept>,
    /// Whether everybody means these rules by that name.
    pub(super) is_builtin: bool,
}

impl Served {
    fn new(base: Arc<Tablebase>, is_builtin: bool) -> Served {
        let rules = Arc::new(base.rules().clone());
        Served { base, rules, slices: OnceLock::new(), is_builtin }
    }

    pub(super) fn name(&self) -> &str {
        &self.rules.name
    }
}

/// Why a site cannot be served.
#[derive(Debug)]
#[non_exhaustive]
pub enum SiteError {
    /// Two rulesets have the same name.
    SameName(String),
    /// The folder of tables cannot be read.
    Tables(ProbeError),
}

impl fmt::Display for SiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SiteError::SameName(name) => {
                write!(f, "two rulesets are called {name:?}: give one of them another name")
            }
            SiteError::Tables(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SiteError {}

impl Site {
    /// The built-in rulesets and these, with the tables under that folder and those that
    /// are part of the library.
    ///
    /// # Errors
    /// If two rulesets have the same name, or a folder cannot be read.
    pub fn open(
        more: Vec<Ruleset>,
        tables: Option<&Path>,
        options: SiteOptions,
    ) -> Result<Site, SiteError> {
        let builtin = Ruleset::builtin_names().iter().filter_map(|name| Ruleset::builtin(name));
        let all = builtin.map(|rules| (rules, true)).chain(more.into_iter().map(|r| (r, false)));
        let mut rulesets = BTreeMap::new();
        for (rules, is_builtin) in all {
            let name = rules.name.clone();
            // A file that is cut or overwritten must not end the program.
            let opening = TablebaseOptions {
                access: Access::Read,
                cache: options.cache.clone(),
                ..TablebaseOptions::default()
            };
            let base = match tables {
                Some(tables) => Tablebase::open_with(rules, tables, opening),
                None => Ok(Tablebase::with_options(rules, opening)),
            };
            let base = Arc::new(base.map_err(SiteError::Tables)?);
            let served = Arc::new(Served::new(base, is_builtin));
            if rulesets.insert(name.clone(), served).is_some() {
                return Err(SiteError::SameName(name));
            }
        }
        Ok(Site::new(rulesets, options))
    }

    /// One ruleset, for a display.
    pub(super) fn of_one(base: Arc<Tablebase>, options: SiteOptions) -> Site {
        let name = base.rules().name.clone();
        Site::new(BTreeMap::from([(name, Arc::new(Served::new(base, false)))]), options)
    }

    fn new(rulesets: BTreeMap<String, Arc<Served>>, options: SiteOptions) -> Site {
        let SiteOptions { searches, search_time, .. } = options;
        Site {
            rulesets,
            options,
            assets: Assets::new(),
            metrics: Metrics::default(),
            probes: Gate::new(2 * cores(), MAY_WAIT),
            searches: (searches > 0).then(|| Searches::new(searches, search_time)),
            counting: Counting::new(),
            stopper: Stopper::new(),
        }
    }

    /// What ends the server, and streams.
    pub(super) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits until the server is to end.
    pub(super) async fn ended(&self) {
        self.stopper.stopped().await;
    }

    /// The ruleset of that name.
    pub(super) fn ruleset(&self, name: &str) -> Option<Arc<Served>> {
        self.rulesets.get(name).cloned()
    }

    /// All rulesets, by name.
    pub(super) fn rulesets(&self) -> impl Iterator<Item = &Arc<Served>> {
        self.rulesets.values()
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.rulesets.keys().collect();
        f.debug_struct("Site").field("rulesets", &names).field("options", &self.options).finish()
    }
}

/// How many threads can work at once.
pub(super) fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}
