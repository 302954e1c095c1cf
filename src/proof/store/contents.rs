//! The contents of a store, as far as this process has read them.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::state::{State, Step};
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Certificate, CertificateError, EXTENSION};
use crate::proof::search::{Control, Shared, Worker};
use crate::proof::walk::Leaf;
use crate::system::numbers::grouped;
use crate::tablebase::Tablebase;

use super::error::StoreError;
use super::folder::Folder;
use super::journal::{Finding, JobRecord, JournalReader, JournalWriter};
use super::knowledge::Knowledge;
use super::tree::{NodeId, Tree, Values};

/// The results and certificates of a store.
pub(super) struct Contents<'a, 't, const W: usize> {
    pub(super) folder: Folder,
    rules: &'a Ruleset,
    shared: &'a Shared<'t, W>,
    tables: &'a Tablebase,
    notice: &'a (dyn Fn(&str) + Sync),
    pub(super) trees: BySide<Tree<W>>,
    pub(super) knowledge: Knowledge,
    reader: JournalReader,
    writer: JournalWriter,
    /// The names of the certificates in use.
    pub(super) certificates: BTreeSet<String>,
    /// The names of those that cannot be used.
    ignored: BTreeSet<String>,
    /// By reason, those of them that no message has reported yet.
    unreported: BTreeMap<String, Vec<String>>,
    /// The number of damaged lines of journals.
    damaged_lines: usize,
    /// By question, the milliseconds of all jobs.
    pub(super) millis: BySide<u64>,
}

impl<'a, 't, const W: usize> Contents<'a, 't, W> {
    /// Reads a store, until `go_on` returns false. It is called before each certificate.
    pub(super) fn read(
        folder: Folder,
        (rules, shared): (&'a Ruleset, &'a Shared<'t, W>),
        tables: &'a Tablebase,
        notice: &'a (dyn Fn(&str) + Sync),
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, StoreError> {
        let mut contents = Contents {
            folder,
            rules,
            shared,
            tables,
            notice,
            trees: BySide::from_fn(Tree::new),
            knowledge: Knowledge::default(),
            reader: JournalReader::default(),
            writer: JournalWriter::default(),
            certificates: BTreeSet::new(),
            ignored: BTreeSet::new(),
            unreported: BTreeMap::new(),
            damaged_lines: 0,
            millis: BySide::default(),
        };
        for name in contents.folder.certificates()? {
            if !go_on() {
                return Ok(contents);
            }
            contents.load(&name);
        }
        contents.read_new()?;
        Ok(contents)
    }

    /// Reads the results that other processes have added. Returns whether there were any, or damaged
    /// ones.
    pub(super) fn read_new(&mut self) -> Result<bool, StoreError> {
        let (records, damaged) = self.reader.read_new(&self.folder, self.writer.path())?;
        damaged.iter().for_each(|line| (self.notice)(&line.to_string()));
        self.damaged_lines += damaged.len();
        records.iter().for_each(|record| self.apply(record));
        self.report_ignored();
        Ok(!records.is_empty() || !damaged.is_empty())
    }

    /// Returns how many damaged lines and certificates were left out.
    pub(super) fn skipped(&self) -> usize {
        self.damaged_lines + self.ignored.len()
    }

    /// Returns whether files that were read are gone: another store is in the place of this one.
    pub(super) fn is_outdated(&self) -> bool {
        self.reader.is_outdated(&self.folder)
    }

    /// Writes the record of a job of this process, whose certificate is already stored.
    pub(super) fn append(
        &mut self,
        record: &JobRecord,
        certificate: Option<(&str, &Certificate)>,
    ) -> Result<(), StoreError> {
        self.writer.append(&self.folder, record)?;
        if let Some((name, certificate)) = certificate {
            self.add(name, certificate);
        }
        self.apply(record);
        self.report_ignored();
        Ok(())
    }

    fn apply(&mut self, record: &JobRecord) {
        let Ok(position) = Position::parse(&record.position, self.rules) else { return };
        let board = &self.shared.board;
        let (canonical, _) = self.shared.symmetries.canonical(&State::new(board, &position));
        self.trees[record.side].count(canonical, record.nodes);
        let millis = &mut self.millis[record.side];
        *millis = millis.saturating_add(record.millis);
        match &record.finding {
            Finding::Won { certificate } | Finding::NotWon { certificate } => {
                self.load(certificate);
            }
            Finding::Open { proof, disproof, finished, moves } => {
                let moves = moves.iter().map(|(text, proof, disproof)| {
                    let played = parse_move(self.rules, &position, text).ok()?;
                    let mut state = State::new(board, &position);
                    state.play(board, Step::of(&played));
                    Some((self.shared.symmetries.canonical(&state).0, [*proof, *disproof]))
                });
                let moves: Option<Vec<_>> = moves.collect();
                let mut moves = moves.unwrap_or_default();
                if *finished && !moves.is_empty() {
                    self.add_undecided(&position, record.side, &mut moves);
                }
                let finished_nodes = finished.then_some(record.nodes);
                self.trees[record.side].add_open(
                    canonical,
                    [*proof, *disproof],
                    finished_nodes,
                    moves,
                );
            }
        }
    }

    /// Adds the moves that an open result leaves out because the tables of its run decided them, if
    /// the tables of this run do not.
    fn add_undecided(
        &self,
        position: &Position,
        side: Side,
        moves: &mut Vec<(Canonical<W>, [u32; 2])>,
    ) {
        let control = Control::new(None);
        let state = State::new(&self.shared.board, position);
        let mut worker = Worker::new(self.shared, &control, side, state);
        for (_, after) in worker.successors() {
            if moves.iter().any(|(known, _)| *known == after) {
                continue;
            }
            worker.set(&after);
            if worker.leaf(side, true) == Leaf::Inner {
                moves.push((after, worker.numbers_of_win()));
            }
        }
    }

    /// Reads a certificate of the store if that has not been done yet.
    fn load(&mut self, name: &str) {
        if self.certificates.contains(name) || self.ignored.contains(name) {
            return;
        }
        match self.folder.read_certificate(name, self.tables) {
            Ok(certificate) => self.add(name, &certificate),
            Err(error) => self.ignore(name, &error),
        }
    }

    fn ignore(&mut self, name: &str, error: &CertificateError) {
        self.unreported.entry(error.to_string()).or_default().push(name.to_owned());
        self.ignored.insert(name.to_owned());
    }

    /// Reports the certificates that have been ignored since the last call, those with the same
    /// reason together: if a folder or a table is missing, there may be thousands.
    fn report_ignored(&mut self) {
        let folder = self.folder.root.display();
        for (reason, names) in std::mem::take(&mut self.unreported) {
            let file = format!("{}.{EXTENSION}", names[0]);
            (self.notice)(&match names.len() {
                1 => format!("{folder}: {file} is ignored: {reason}"),
                count => format!(
                    "{folder}: {} certificates are ignored, one of them {file}: {reason}",
                    grouped(count)
                ),
            });
        }
    }

    /// Uses a certificate that is stored.
    pub(super) fn add(&mut self, name: &str, certificate: &Certificate) {
        let state = State::new(&self.shared.board, certificate.position());
        let (root, _) = self.shared.symmetries.canonical(&state);
        for (holder, wins) in certificate.holders() {
            self.prove(root, holder, wins);
        }
        self.knowledge.add(self.shared, self.rules, certificate);
        self.certificates.insert(name.to_owned());
    }

    fn prove(&mut self, position: Canonical<W>, holder: Side, wins: bool) {
        self.trees[holder.other()].prove(position, false);
        if wins {
            self.trees[holder].prove(position, true);
        }
    }

    /// Returns the numbers of the tree below a root, and the position of the most promising job
    /// that nobody works on. Positions that certificates already decide need no job.
    pub(super) fn next_job(
        &mut self,
        worker: &mut Worker<'_, '_, W>,
        root: NodeId,
    ) -> (Values, Option<NodeId>) {
        let tree = &mut self.trees[worker.prover];
        loop {
            let values = tree.values(root);
            if values.of(root).contains(&0) {
                return (values, None);
            }
            let mut decided = Vec::new();
            let job = tree.select(root, &values, &mut |node| {
                let answer = self.knowledge.answer(worker, &node.position);
                decided.extend(answer.map(|is_won| (node.position, is_won)));
                answer.is_none()
            });
            if decided.is_empty() {
                return (values, job);
            }
            // They may have changed which job is the most promising one.
            decided.into_iter().for_each(|(position, is_won)| tree.prove(position, is_won));
        }
    }

    /// Forgets everything that was derived from certificates, and reads them again except those that
    /// have failed. These are removed from the store if their strategies fail.
    pub(super) fn repair(
        &mut self,
        failed: &[(String, CertificateError)],
    ) -> Result<(), StoreError> {
        let names = std::mem::take(&mut self.certificates);
        self.trees.iter_mut().for_each(Tree::forget_proofs);
        self.knowledge = Knowledge::default();
        self.shared.table.clear();
        for (name, error) in failed {
            self.ignore(name, error);
            if matches!(error, CertificateError::Fails { .. }) {
                self.folder.remove_certificate(name)?;
            }
        }
        names.iter().for_each(|name| self.load(name));
        self.report_ignored();
        Ok(())
    }
}
