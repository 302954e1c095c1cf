use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{Engine, EngineOptions, Limits};
use crate::game::rules::Ruleset;
use crate::proof::ProofBook;
use crate::tablebase::Tablebase;

/// Options of an engine that another program talks to, which may change the rules.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Search threads.
    pub threads: NonZeroUsize,
    /// Size of the transposition table.
    pub table_bytes: usize,
    /// Penalty for a draw ([`EngineOptions::contempt`]).
    pub contempt: i32,
    /// Limits of a search when the game has no clock.
    pub limits: Limits,
    /// Table folder, in addition to the built-in tables.
    pub tables: Option<PathBuf>,
    /// Certificates and folders of them, as [`ProofBook::open_fitting`] takes them.
    pub proofs: Vec<PathBuf>,
}

impl SessionOptions {
    /// Makes an engine for these rules.
    ///
    /// # Errors
    /// If the tables or proofs cannot be opened, or the engine does not play the rules.
    pub(super) fn open_engine(&self, rules: &Arc<Ruleset>) -> Result<Engine, String> {
        let SessionOptions { threads, table_bytes, contempt, .. } = *self;
        let mut options =
            EngineOptions { threads, table_bytes, contempt, ..EngineOptions::new(rules) };
        let tables = self.open_tables(rules)?;
        if !self.proofs.is_empty() {
            options.proofs = Some(Arc::new(self.open_proofs(&tables)?));
        }
        options.tables = Some(tables);
        Engine::new(Arc::clone(rules), options).map_err(|error| error.to_string())
    }

    /// Opens all tables and proofs of rules that a later game may have: that game must not fail
    /// because of them.
    ///
    /// # Errors
    /// If the folder, a table or a proof cannot be opened.
    pub(super) fn check_files(&self, rules: &Ruleset) -> Result<(), String> {
        let tables = self.open_tables(rules)?;
        tables.open_all_tables().map_err(|error| error.to_string())?;
        self.open_proofs(&tables).map(drop)
    }

    fn open_tables(&self, rules: &Ruleset) -> Result<Arc<Tablebase>, String> {
        let opened = match &self.tables {
            Some(folder) => Tablebase::open(rules.clone(), folder),
            None => Ok(Tablebase::new(rules.clone())),
        };
        opened.map(Arc::new).map_err(|error| error.to_string())
    }

    fn open_proofs(&self, tables: &Arc<Tablebase>) -> Result<ProofBook, String> {
        ProofBook::open_fitting(&self.proofs, Arc::clone(tables)).map_err(|error| error.to_string())
    }
}
