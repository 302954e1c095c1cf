//! Sends the state of an outcome, which is stored by attackers, to the partitions by defenders.

use std::sync::Arc;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::plies::history::History;
use crate::solve::plies::layout::PartitionLayout;
use crate::solve::plies::outbox::Outbox;
use crate::solve::plies::ply::{events_of, mover};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::Row;
use crate::solve::store::{Content, ScratchError, ScratchFolder, SpillFile};

/// The state that partitions by defenders need before the next ply.
pub(crate) struct Dispatch {
    wins_before: Plies,
    /// The wins before the ply `wins_before`.
    pub won: Outbox,
    /// The open positions, if the attackers lose.
    pub open: Outbox,
    /// The findings of the last ply, if the attackers move next.
    pub last: Outbox,
    /// The seeds by ply; `None` for plies of the defenders and for those before the next one.
    pub seeds: Vec<Option<Outbox>>,
}

impl Dispatch {
    /// Creates empty outboxes.
    ///
    /// # Errors
    /// If the disk fails.
    pub(crate) fn new(
        history: &History,
        wins_before: Plies,
        scratch: &ScratchFolder,
        partitions: usize,
    ) -> Result<Dispatch, ScratchError> {
        // One file for what is read at once and one for the seeds of all later plies: processes may
        // have a limited number of open files.
        let [at_once, later] = [SpillFile::new(scratch)?, SpillFile::new(scratch)?].map(Arc::new);
        let [won, open] = [&at_once; 2].map(|spill| Outbox::new(spill, partitions));
        let last = Outbox::new(&later, partitions);
        // Only the attackers' moves stay inside these partitions.
        let seeds = (0..=history.last_event + 1).map(|ply| {
            let is_needed =
                ply >= history.next_ply() && mover(history.winner, ply) == Side::Attackers;
            is_needed.then(|| Outbox::new(&later, partitions))
        });
        Ok(Dispatch { wins_before, won, open, last, seeds: seeds.collect() })
    }

    /// Sends the state of a chunk. `rows` is a buffer of empty rows.
    ///
    /// # Errors
    /// If the state cannot be read, or the disk fails or is full.
    pub(crate) fn chunk<const N: usize>(
        &self,
        history: &History,
        layout: &PartitionLayout,
        chunk: ChunkNumber,
        rows: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        history.won_before(self.wins_before, chunk, rows)?;
        self.won.send(&layout.by_defenders(chunk, &events_of(rows)))?;
        let content = match history.winner {
            Side::Attackers => Content::Wins,
            Side::Defenders => {
                history.open(chunk, rows)?;
                self.open.send(&layout.by_defenders(chunk, &events_of(rows)))?;
                Content::Releases
            }
        };
        if history.mover() == Side::Attackers {
            self.last.send(&layout.by_defenders::<N>(chunk, &history.last_found(chunk)?))?;
        }
        for (ply, outbox) in (0..).zip(&self.seeds) {
            if let Some(outbox) = outbox {
                // Releases of a ply take effect at the next one.
                let seed_ply = if content == Content::Wins { ply } else { ply - 1 };
                let seeds = history.seeds::<N>(content, seed_ply, chunk)?;
                outbox.send(&layout.by_defenders(chunk, &seeds))?;
            }
        }
        Ok(())
    }
}
