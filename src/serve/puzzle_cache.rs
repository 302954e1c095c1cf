use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::study::puzzles::Puzzles;

use super::background_cache::BackgroundCache;
use super::problem::{Cause, Problem};
use super::served_ruleset::ServedRuleset;

/// Time limit for the puzzles of a ruleset. They take seconds, unless others need the cores.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Time after which puzzles that are not complete are drawn again.
const RENEWAL: Duration = Duration::from_secs(3600);

/// Cache of puzzles, drawn from a ruleset's tables on the first request. An entry takes some
/// hundred kilobytes.
pub(super) struct PuzzleCache(BackgroundCache<String, DrawnPuzzles>);

/// The puzzles of a ruleset.
pub(super) struct DrawnPuzzles {
    pub(super) puzzles: Puzzles,
    /// Whether there was time for all of them, and all tables could be read.
    pub(super) is_complete: bool,
    /// Why a table could not be read, for the log.
    pub(super) unreadable: Option<Cause>,
    ended: Instant,
}

impl PuzzleCache {
    pub(super) fn new() -> PuzzleCache {
        PuzzleCache(BackgroundCache::new())
    }

    /// Returns the puzzles of a ruleset, or `None` while they are drawn for the first time.
    pub(super) fn get(
        &self,
        served: &Arc<ServedRuleset>,
    ) -> Result<Option<Arc<DrawnPuzzles>>, Problem> {
        let served = Arc::clone(served);
        let is_current =
            |drawn: &DrawnPuzzles| drawn.is_complete || drawn.ended.elapsed() < RENEWAL;
        let name = served.name().to_owned();
        self.0.get_current(&name, is_current, move || draw(&served, MAX_TIME))
    }
}

fn draw(served: &ServedRuleset, max_time: Duration) -> Result<DrawnPuzzles, Problem> {
    let end = Instant::now() + max_time;
    let (puzzles, unreadable) = Puzzles::draw(&served.base, &|| Instant::now() < end)
        .map_err(|error| Problem::of_search(None, &error))?;
    let ended = Instant::now();
    let is_complete = ended < end && unreadable.is_none();
    let unreadable = unreadable.map(|error| Cause::new(&error));
    Ok(DrawnPuzzles { puzzles, is_complete, unreadable, ended })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Ruleset;
    use crate::tablebase::Tablebase;

    #[test]
    fn puzzles_that_took_too_long_are_not_complete() {
        let base = Arc::new(Tablebase::new(Ruleset::builtin("brandubh").unwrap()));
        let served = ServedRuleset::new(base, None, Vec::new(), true);
        assert!(!draw(&served, Duration::ZERO).unwrap().is_complete);
    }
}
