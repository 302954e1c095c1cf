#![doc = include_str!("FORMAT.md")]

mod assemble;
mod choice;
mod claims;
mod contents;
mod error;
#[cfg(test)]
mod faults;
mod folder;
mod journal;
mod knowledge;
mod outline;
#[cfg(test)]
mod sharing_tests;
mod team_state;
#[cfg(test)]
mod tests;
mod totals;
mod tree;
#[cfg(test)]
mod tree_tests;
mod view;
#[cfg(test)]
mod view_tests;
mod workers;

pub use error::StoreError;
pub use folder::{disk_bytes, rules_file, store_rules};
pub use outline::{NodeState, NodeStatus, StoreTree, TreeMove, TreeNode, TreeQuestion, TreeRoot};
pub use view::with_tree;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::engine::bits::with_width;
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::system::filesystem::{FileSystem, SystemFiles};

use super::prover::{Proof, ProofOptions, ProofProgress, check_input};
use folder::Folder;
use workers::Team;

/// Options of a search with a store.
#[derive(Clone)]
pub struct StoreOptions<'a> {
    /// The folder of the store. It is created if it is missing.
    pub folder: &'a Path,
    /// The text of the ruleset's file, which a new store gets a copy of.
    pub rules_text: &'a str,
    /// The nodes of a job; `None` to let them grow with the search.
    pub job_nodes: Option<u64>,
    /// Called with a message for each damaged line that is ignored, and for all certificates that
    /// are ignored for the same reason.
    pub notice: &'a (dyn Fn(&str) + Sync),
    files: Arc<dyn FileSystem>,
}

impl<'a> StoreOptions<'a> {
    /// Creates options with jobs that grow with the search, and without notices.
    pub fn new(folder: &'a Path, rules_text: &'a str) -> StoreOptions<'a> {
        let files = Arc::new(SystemFiles);
        StoreOptions { folder, rules_text, job_nodes: None, notice: &|_| (), files }
    }
}

impl fmt::Debug for StoreOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoreOptions { folder, job_nodes, .. } = self;
        f.debug_struct("StoreOptions")
            .field("folder", folder)
            .field("job_nodes", job_nodes)
            .finish_non_exhaustive()
    }
}

/// Searches for a proof of a position's value as [`prove`](super::prove) does, and keeps the results
/// in a store, from which a later call continues, however this one ended. The search consists of
/// jobs of bounded size. Each thread runs one job at a time, and all share one table. Several
/// processes may work in one store at the same time. An answer is given only once its certificate,
/// assembled from those in the store, has been checked.
///
/// # Errors
/// If the position is invalid or final, the tables are for other rules, one of them cannot be opened,
/// there is not enough memory, or the store cannot be read or written.
pub fn prove_in_store(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    store: &StoreOptions<'_>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, StoreError> {
    check_input(rules, position, options)?;
    let files = Arc::clone(&store.files);
    let folder = Folder::create(files, store.folder, rules, store.rules_text)?;
    with_width!(rules.board, W => Team::<W>::prove(rules, position, options, (store, folder), report))
}
