use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::study::puzzles::{PuzzleError, Puzzles};

use super::background_cache::BackgroundCache;
use super::problem::Problem;
use super::served_ruleset::ServedRuleset;

/// Time limit for the puzzles of a ruleset. They take seconds, unless others need the cores.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Cache of puzzles, drawn from a ruleset's tables on the first request. An entry takes some
/// hundred kilobytes.
pub(super) struct PuzzleCache(BackgroundCache<String, Puzzles>);

impl PuzzleCache {
    pub(super) fn new() -> PuzzleCache {
        PuzzleCache(BackgroundCache::new())
    }

    /// Returns the puzzles of a ruleset, or `None` while they are drawn.
    pub(super) fn get(&self, served: &Arc<ServedRuleset>) -> Result<Option<Arc<Puzzles>>, Problem> {
        let drawn = Arc::clone(served);
        self.0.get(&served.name().to_owned(), move || {
            let end = Instant::now() + MAX_TIME;
            Puzzles::draw(&drawn.base, &|| Instant::now() < end).map_err(|error| match error {
                PuzzleError::Probe(error) => Problem::of_tables(drawn.name(), &error),
                PuzzleError::Find(error) => Problem::of_search(None, &error),
            })
        })
    }
}
