use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Ruleset, Side};

use super::best_scores::{BestScores, Child};
use super::block::{AttackerMove, Block};
use super::custodial::{CustodialCaptures, Men};
use super::enclosures::{fort_kings, ringed_kings};
use super::geometry::{Geometry, Slide};
use super::row_layout::RowLayout;
use super::score::Score;
use super::values::Values;

/// A slice in memory.
pub(super) struct StoredSlice<'a, T> {
    pub layout: RowLayout<'a>,
    pub values: Values<'a, T>,
}

/// Computes the best scores of all lanes of a row at once, from the stored values of the rows
/// that the moves lead to.
pub(super) struct StoredRows<'a, T> {
    pub rules: &'a Ruleset,
    pub geometry: &'a Geometry<T>,
    pub custodial: CustodialCaptures<'a>,
    /// The verified slice.
    pub own: StoredSlice<'a, T>,
    /// The slices after captures of defenders, by the number captured, from 1 on.
    pub fewer_defenders: Vec<StoredSlice<'a, T>>,
    /// The slices after captures of attackers, by the number captured, from 1 on; without the
    /// one that has no attackers left.
    pub fewer_attackers: Vec<StoredSlice<'a, T>>,
}

impl<'a, T: Score> StoredRows<'a, T> {
    /// Computes the best scores of the attackers' moves.
    pub(super) fn attackers_best(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        best: &mut BestScores<T>,
    ) {
        best.scores.fill(T::NONE);
        for played in &block.moves {
            if played.slide.path.meets(defenders) {
                continue;
            }
            let men = Men { attackers: played.attackers, defenders, king: None };
            self.offer_move(
                Side::Attackers,
                played.slide,
                &men,
                |taken| self.after_attackers(played, defenders - taken, taken.len()),
                best,
            );
            for &(lane, line) in &block.king_captures[played.king_captures.clone()] {
                if !defenders.contains(line.king)
                    && self.custodial.king(line, played.attackers, defenders)
                {
                    best.scores[lane] = T::LOST;
                }
            }
        }
        best.merge_images(self.geometry);
    }

    /// Computes the best scores of the moves of the defenders, whose number is `number`, and of
    /// the king.
    pub(super) fn defenders_best(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        number: usize,
        best: &mut BestScores<T>,
    ) {
        best.scores.fill(T::NONE);
        for from in defenders {
            for slide in &block.slides[from.index()] {
                if slide.path.meets(defenders) {
                    continue;
                }
                let moved = defenders.without(from).with(slide.to);
                let men = Men { attackers: block.attackers, defenders: moved, king: None };
                let moved_number = self.own.layout.defenders.number(moved);
                self.offer_move(
                    Side::Defenders,
                    slide,
                    &men,
                    |taken| self.after_defenders(block, moved_number, taken),
                    best,
                );
            }
        }
        best.merge_images(self.geometry);
        self.king_moves(block, defenders, number, best);
    }

    /// Takes a soldier's move into account for all lanes. On most lanes it captures what it
    /// would capture without a king; the exceptions are treated one by one. `child` returns the
    /// row after capturing a set of soldiers.
    #[inline]
    fn offer_move<'c>(
        &self,
        mover: Side,
        slide: &Slide<T>,
        men: &Men,
        child: impl Fn(SquareSet) -> Child<'c, T>,
        best: &mut BestScores<T>,
    ) where
        T: 'c,
    {
        let victims = match mover {
            Side::Attackers => men.defenders,
            Side::Defenders => men.attackers,
        };
        // Most moves end next to no enemy, and so capture nothing, wherever the king is. But he may
        // be in a row at the edge, and other men of it farther away.
        let is_alone = !self.custodial.neighbours(slide.to).meets(victims);
        if is_alone && !self.custodial.is_at_edge(slide.to) {
            return best.offer_row(&child(SquareSet::EMPTY), slide);
        }
        let taken = self.custodial.soldiers(mover, slide.to, men);
        let common = child(taken);
        best.exceptions.clear();
        for square in self.custodial.king_matters(mover, slide.to, men) - slide.path {
            let Some(lane) = self.geometry.lanes.lane(square).map(usize::from) else {
                continue;
            };
            let men_and_king = Men { king: Some(square), ..*men };
            let with_king = self.custodial.soldiers(mover, slide.to, &men_and_king);
            if with_king != taken {
                // To be restored: the offer of the whole row changes this lane, too.
                let before = *best.slot_mut(&common, lane);
                best.exceptions.push((lane, with_king, before));
            }
        }
        best.offer_row(&common, slide);
        // Undo the offer on the exceptional lanes, and offer the row after their own captures.
        for i in 0..best.exceptions.len() {
            let (lane, taken, before) = best.exceptions[i];
            *best.slot_mut(&common, lane) = before;
            best.offer(lane, child(taken).score(lane));
        }
    }

    /// Takes the king's moves into account. Their captures and scores depend only on the square
    /// of arrival, so that each is computed once for all lanes.
    fn king_moves(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        number: usize,
        best: &mut BestScores<T>,
    ) {
        let men = block.attackers | defenders;
        let lanes = self.geometry.lanes.squares();
        let quiet = self.own.values.row(Side::Attackers, block.number, number);
        for (&square, &score) in lanes.iter().zip(quiet) {
            best.king_arrivals[square.index()] = score;
        }
        for &square in &block.king_capture_squares {
            // A square that the king cannot reach could appear to capture four soldiers, and
            // there is no slice for that.
            if !men.contains(square) && !self.custodial.neighbours(square).is_subset(men) {
                self.king_captures(block, defenders, square, best);
            }
        }
        for goal in self.rules.goals {
            best.king_arrivals[goal.index()] = T::LOST;
        }
        for (lane, &from) in lanes.iter().enumerate() {
            if men.contains(from) {
                continue;
            }
            for ray in self.rules.slides().from(Kind::King, from) {
                let free = ray.iter().take_while(|step| !men.contains(step.square));
                for step in free.filter(|step| step.ends) {
                    best.offer(lane, best.king_arrivals[step.square.index()]);
                }
            }
        }
    }

    /// Sets the score of the king's arrival on `at` if it captures attackers.
    fn king_captures(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        at: Square,
        best: &mut BestScores<T>,
    ) {
        let men = Men { attackers: block.attackers, defenders, king: Some(at) };
        let taken = self.custodial.soldiers(Side::Defenders, at, &men);
        if let (Some(lane), false) = (self.geometry.lanes.lane(at), taken.is_empty()) {
            let number = self.own.layout.defenders.number(defenders);
            let child = self.after_defenders(block, number, taken);
            best.king_arrivals[at.index()] = child.score(usize::from(lane));
        }
    }

    /// Takes into account that a side to move has lost where the opponent's last move has ended
    /// the game: it has no moves.
    pub(super) fn end_games(
        &self,
        side: Side,
        block: &Block<T>,
        defenders: SquareSet,
        best: &mut BestScores<T>,
    ) {
        let finished = match side {
            Side::Attackers => fort_kings(self.rules, block.attackers, defenders),
            Side::Defenders => ringed_kings(&block.ringed_areas, defenders),
        };
        for lane in finished.iter().filter_map(|king| self.geometry.lanes.lane(king)) {
            best.scores[usize::from(lane)] = T::NONE;
        }
    }

    /// Returns the row that an attacker's move leads to, if it captures that many defenders and
    /// leaves these.
    fn after_attackers(
        &self,
        played: &AttackerMove<T>,
        defenders: SquareSet,
        captured: usize,
    ) -> Child<'_, T> {
        let stored = match captured {
            0 => &self.own,
            _ => &self.fewer_defenders[captured - 1],
        };
        let layout = &stored.layout;
        let image = layout.defenders.image(played.symmetry, layout.defenders.number(defenders));
        let row = stored.values.row(Side::Defenders, played.block, image);
        self.child(row, played.symmetry)
    }

    /// Returns the row that a defender's or the king's move leads to, if it leaves the defenders
    /// with that number and captures these attackers.
    fn after_defenders(
        &self,
        block: &Block<T>,
        defenders: usize,
        captured: SquareSet,
    ) -> Child<'_, T> {
        let (stored, (number, symmetry)) = match captured.len() {
            0 => (&self.own, (block.number, Symmetry::IDENTITY)),
            all if all == block.attackers.len() => return Child::GameOver,
            some => {
                let stored = &self.fewer_attackers[some - 1];
                (stored, stored.layout.blocks.find(block.attackers - captured))
            }
        };
        let image = stored.layout.defenders.image(symmetry, defenders);
        self.child(stored.values.row(Side::Attackers, number, image), symmetry)
    }

    /// Returns a row that is stored as its image under the symmetry.
    fn child<'c>(&'c self, row: &'c [T], symmetry: Symmetry) -> Child<'c, T> {
        match symmetry {
            Symmetry::IDENTITY => Child::Row(row),
            _ => Child::Image(row, symmetry, self.geometry.lane_images(symmetry)),
        }
    }
}
