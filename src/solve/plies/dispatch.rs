//! What is kept by attackers, on its way to the shares by defenders.

use std::sync::Arc;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::plies::known::Known;
use crate::solve::plies::ply::{events_of, mover};
use crate::solve::plies::post::Post;
use crate::solve::plies::shares::Shares;
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, Heap, ScratchError, ScratchFolder};

/// All that the shares by defenders are to know before the next ply.
pub(crate) struct Dispatch {
    told_before: Plies,
    /// What is won before that ply.
    pub won: Post,
    /// What is open, if the attackers lose.
    pub open: Post,
    /// What the last ply found, if the next one is the attackers'.
    pub last: Post,
    /// By ply: what captures decide; `None` for plies that are none of theirs.
    pub said: Vec<Option<Post>>,
}

impl Dispatch {
    /// With nothing sent yet to so many shares.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(crate) fn new(
        known: &Known,
        told_before: Plies,
        scratch: &ScratchFolder,
        shares: usize,
    ) -> Result<Dispatch, ScratchError> {
        // One file for what is taken at once, and one for what waits for its ply, however
        // many plies there are: a process may not have many.
        let [at_once, later] = [Heap::new(scratch)?, Heap::new(scratch)?].map(Arc::new);
        let [won, open] = [&at_once; 2].map(|heap| Post::new(heap, shares));
        let last = Post::new(&later, shares);
        let is_theirs =
            |ply: Plies| ply >= known.next_ply() && mover(known.winner, ply) == Side::Attackers;
        let plies = 0..=known.last_event + 1;
        let said = plies.map(|ply| is_theirs(ply).then(|| Post::new(&later, shares)));
        Ok(Dispatch { told_before, won, open, last, said: said.collect() })
    }

    /// Sends what there is for a chunk; `rows` is room for it, and empty.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    pub(crate) fn chunk<const N: usize>(
        &self,
        known: &Known,
        cut: &Shares,
        chunk: ChunkNumber,
        rows: &mut [Row<N>],
    ) -> Result<(), ScratchError> {
        let send = |post: &Post, events: &[Event<N>]| post.send(&cut.by_defenders(chunk, events));
        known.won_before(self.told_before, chunk, rows)?;
        send(&self.won, &events_of(rows))?;
        let content = match known.winner {
            Side::Attackers => Content::Wins,
            Side::Defenders => {
                known.open(chunk, rows)?;
                send(&self.open, &events_of(rows))?;
                Content::Releases
            }
        };
        if known.mover() == Side::Attackers {
            send(&self.last, &known.last_found(chunk)?)?;
        }
        for (ply, post) in (0..).zip(&self.said) {
            if let Some(post) = post {
                // What is released at a ply of wins is looked at at the next one.
                let said = if content == Content::Wins { ply } else { ply - 1 };
                send(post, &known.said(content, said, chunk)?)?;
            }
        }
        Ok(())
    }
}
