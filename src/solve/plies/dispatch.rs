//! What is kept by attackers, on its way to the partitions by defenders.

use std::sync::Arc;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::plies::history::History;
use crate::solve::plies::layout::PartitionLayout;
use crate::solve::plies::outbox::Outbox;
use crate::solve::plies::ply::{events_of, mover};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError, ScratchFolder, SpillFile};

/// All that the partitions by defenders are to know before the next ply.
pub(crate) struct Dispatch {
    wins_before: Plies,
    /// What is won before that ply.
    pub won: Outbox,
    /// What is open, if the attackers lose.
    pub open: Outbox,
    /// What the last ply found, if the next one is the attackers'.
    pub last: Outbox,
    /// By ply: what captures decide; `None` for plies that are none of theirs.
    pub seeds: Vec<Option<Outbox>>,
}

impl Dispatch {
    /// With nothing sent yet to so many partitions.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(
        history: &History,
        wins_before: Plies,
        scratch: &ScratchFolder,
        partitions: usize,
    ) -> Result<Dispatch, ScratchError> {
        // One file for what is taken at once, and one for what waits for its ply, however
        // many plies there are: a process may not have many.
        let [at_once, later] = [SpillFile::new(scratch)?, SpillFile::new(scratch)?].map(Arc::new);
        let [won, open] = [&at_once; 2].map(|spill| Outbox::new(spill, partitions));
        let last = Outbox::new(&later, partitions);
        let is_theirs =
            |ply: Plies| ply >= history.next_ply() && mover(history.winner, ply) == Side::Attackers;
        let plies = 0..=history.last_event + 1;
        let seeds = plies.map(|ply| is_theirs(ply).then(|| Outbox::new(&later, partitions)));
        Ok(Dispatch { wins_before, won, open, last, seeds: seeds.collect() })
    }

    /// Sends what there is for a chunk; `rows` is room for it, and empty.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    pub(crate) fn chunk<const N: usize>(
        &self,
        history: &History,
        layout: &PartitionLayout,
        chunk: ChunkNumber,
        rows: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        let send =
            |outbox: &Outbox, events: &[Event<N>]| outbox.send(&layout.by_defenders(chunk, events));
        history.won_before(self.wins_before, chunk, rows)?;
        send(&self.won, &events_of(rows))?;
        let content = match history.winner {
            Side::Attackers => Content::Wins,
            Side::Defenders => {
                history.open(chunk, rows)?;
                send(&self.open, &events_of(rows))?;
                Content::Releases
            }
        };
        if history.mover() == Side::Attackers {
            send(&self.last, &history.last_found(chunk)?)?;
        }
        for (ply, outbox) in (0..).zip(&self.seeds) {
            if let Some(outbox) = outbox {
                // What is released at a ply of wins is looked at at the next one.
                let seeds = if content == Content::Wins { ply } else { ply - 1 };
                send(outbox, &history.seeds(content, seeds, chunk)?)?;
            }
        }
        Ok(())
    }
}
