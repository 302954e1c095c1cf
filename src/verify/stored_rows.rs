use crate::game::board::{Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Ruleset, Side};

use super::best::{Best, Child};
use super::block::{AttackerMove, Block};
use super::custodial::{CustodialCaptures, Men};
use super::geometry::{Geometry, Slide};
use super::row_layout::RowLayout;
use super::score::Score;
use super::values::Values;

/// A slice in memory.
pub(super) struct StoredSlice<'a, T> {
    pub layout: RowLayout<'a>,
    pub values: Values<'a, T>,
}

/// Finds the best move of every lane of a row at once, by the values that are
/// stored for what the moves lead to.
pub(super) struct StoredRows<'a, T> {
    pub rules: &'a Ruleset,
    pub geometry: &'a Geometry<T>,
    pub custodial: CustodialCaptures<'a>,
    /// The slice.
    pub own: StoredSlice<'a, T>,
    /// By the number of defenders captured, from 1 on.
    pub fewer_defenders: Vec<StoredSlice<'a, T>>,
    /// By the number of attackers captured, from 1 on; without the slice that
    /// has none left.
    pub fewer_attackers: Vec<StoredSlice<'a, T>>,
}

impl<'a, T: Score> StoredRows<'a, T> {
    /// The best move of the attackers, by lane.
    pub(super) fn attackers_best(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        best: &mut Best<T>,
    ) {
        best.scores.fill(T::NONE);
        for played in &block.moves {
            if played.slide.path.meets(defenders) {
                continue;
            }
            let men = Men { attackers: played.attackers, defenders, king: None };
            let child = |taken| self.after_attackers(played, defenders - taken, taken.len());
            self.offer_move(Side::Attackers, played.slide, &men, child, best);
            for &(lane, line) in &block.royal[played.royal.clone()] {
                if !defenders.contains(line.victim)
                    && self.custodial.king(line, played.attackers, defenders)
                {
                    best.scores[lane] = T::LOST;
                }
            }
        }
        best.gather(self.geometry);
    }

    /// The best move of the defenders, which have that number, and of the king, by
    /// lane.
    pub(super) fn defenders_best(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        number: usize,
        best: &mut Best<T>,
    ) {
        best.scores.fill(T::NONE);
        for from in defenders {
            for slide in &block.slides[from.index()] {
                if slide.path.meets(defenders) {
                    continue;
                }
                let defenders = defenders.without(from).with(slide.to);
                let men = Men { attackers: block.attackers, defenders, king: None };
                let number = self.own.layout.defenders.number(defenders);
                let child = |taken| self.after_defenders(block, number, taken);
                self.offer_move(Side::Defenders, slide, &men, child, best);
            }
        }
        best.gather(self.geometry);
        self.king_moves(block, defenders, number, best);
    }

    /// Offers a soldier's move to all lanes. On most it captures what it would
    /// if there were no king; the others are treated one by one.
    #[inline]
    fn offer_move<'c>(
        &self,
        mover: Side,
        slide: &Slide<T>,
        men: &Men,
        child: impl Fn(SquareSet) -> Child<'c, T>,
        best: &mut Best<T>,
    ) where
        T: 'c,
    {
        let victims = match mover {
            Side::Attackers => men.defenders,
            Side::Defenders => men.attackers,
        };
        if !self.custodial.beside(slide.to).meets(victims) {
            return best.offer_row(&child(SquareSet::EMPTY), slide);
        }
        let taken = self.custodial.soldiers(mover, slide.to, men);
        let most = child(taken);
        best.apart.clear();
        for square in self.custodial.king_matters(mover, slide.to, men) - slide.path {
            let Some(lane) = self.geometry.lanes.lane(square).map(usize::from) else {
                continue;
            };
            let men = Men { king: Some(square), ..*men };
            let with_king = self.custodial.soldiers(mover, slide.to, &men);
            if with_king != taken {
                let before = *best.offered(&most, lane);
                best.apart.push((lane, with_king, before));
            }
        }
        best.offer_row(&most, slide);
        for i in 0..best.apart.len() {
            let (lane, taken, before) = best.apart[i];
            *best.offered(&most, lane) = before;
            best.offer(lane, child(taken).score(lane));
        }
    }

    /// The king's moves: what he captures, and what follows, depends on where
    /// he arrives and not on where he came from.
    fn king_moves(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        number: usize,
        best: &mut Best<T>,
    ) {
        let men = block.attackers | defenders;
        let lanes = self.geometry.lanes.squares();
        let stay = self.own.values.row(Side::Attackers, block.number, number);
        for (&square, &score) in lanes.iter().zip(stay) {
            best.arrivals[square.index()] = score;
        }
        for &square in &block.near {
            // Where he cannot arrive he would capture more than anybody can.
            if !men.contains(square) && !self.custodial.beside(square).is_subset(men) {
                self.captures_by_king(block, defenders, square, best);
            }
        }
        for goal in self.rules.goals {
            best.arrivals[goal.index()] = T::LOST;
        }
        for (lane, &from) in lanes.iter().enumerate() {
            if men.contains(from) {
                continue;
            }
            for ray in self.rules.slides().from(Kind::King, from) {
                let free = ray.iter().take_while(|step| !men.contains(step.square));
                for step in free.filter(|step| step.ends) {
                    best.offer(lane, best.arrivals[step.square.index()]);
                }
            }
        }
    }

    fn captures_by_king(
        &self,
        block: &Block<T>,
        defenders: SquareSet,
        at: Square,
        best: &mut Best<T>,
    ) {
        let men = Men { attackers: block.attackers, defenders, king: Some(at) };
        let taken = self.custodial.soldiers(Side::Defenders, at, &men);
        if let (Some(lane), false) = (self.geometry.lanes.lane(at), taken.is_empty()) {
            let number = self.own.layout.defenders.number(defenders);
            let child = self.after_defenders(block, number, taken);
            best.arrivals[at.index()] = child.score(usize::from(lane));
        }
    }

    /// The row that an attacker's move leads to, where it leaves these
    /// defenders and captures that many.
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
        let number = layout.defenders.number(defenders);
        let number = layout.defenders.image(played.symmetry, number);
        let row = stored.values.row(Side::Defenders, played.block, number);
        self.child(row, played.symmetry)
    }

    /// The row that a defender's or the king's move leads to: defenders by
    /// number, and the attackers that it captures.
    fn after_defenders(
        &self,
        block: &Block<T>,
        defenders: usize,
        captured: SquareSet,
    ) -> Child<'_, T> {
        let (stored, (number, symmetry)) = match captured.len() {
            0 => (&self.own, (block.number, Symmetry::IDENTITY)),
            all if all == block.attackers.len() => return Child::Over,
            some => {
                let stored = &self.fewer_attackers[some - 1];
                (stored, stored.layout.blocks.find(block.attackers - captured))
            }
        };
        let defenders = stored.layout.defenders.image(symmetry, defenders);
        self.child(stored.values.row(Side::Attackers, number, defenders), symmetry)
    }

    /// A row that is stored as its image under the symmetry.
    fn child<'c>(&'c self, row: &'c [T], symmetry: Symmetry) -> Child<'c, T> {
        match symmetry {
            Symmetry::IDENTITY => Child::Row(row),
            _ => Child::Image(row, symmetry, self.geometry.lane_images(symmetry)),
        }
    }
}
