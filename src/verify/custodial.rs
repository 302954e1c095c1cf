use crate::game::board::{Direction, Square, SquareSet};
use crate::game::rules::{Hostility, Kind, Ruleset, Side};

/// Custodial captures: what a piece that arrives somewhere encloses, from the ruleset's
/// square sets: the verifier's own reading of the capture rules.
///
/// The king may be left out of the men: most of what a soldier captures does
/// not depend on where the king is, and the squares on which he makes a
/// difference are few.
#[derive(Debug)]
pub(super) struct CustodialCaptures<'a> {
    pub rules: &'a Ruleset,
    /// By square of arrival: each neighbour that has a square behind it, and
    /// that square. The edge of the board never helps to capture.
    lines: Vec<Vec<Line>>,
    /// By square.
    beside: Vec<SquareSet>,
    /// By square of arrival: each line on which a king may be captured, and where else
    /// attackers must stand for that, wherever the defenders do.
    dangers: Vec<Vec<(Line, Vec<Square>)>>,
}

/// A neighbour of a square of arrival, and the square behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub victim: Square,
    pub beyond: Square,
}

/// All men after a move, before anything is removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Men {
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    /// `None` for a king who is somewhere else, where he has no part in it.
    pub king: Option<Square>,
}

impl Men {
    fn of(&self, side: Side) -> SquareSet {
        match (side, self.king) {
            (Side::Attackers, _) => self.attackers,
            (Side::Defenders, None) => self.defenders,
            (Side::Defenders, Some(king)) => self.defenders.with(king),
        }
    }

    fn soldiers(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }
}

impl<'a> CustodialCaptures<'a> {
    pub(super) fn new(rules: &'a Ruleset) -> CustodialCaptures<'a> {
        let board = rules.board;
        let beside: Vec<SquareSet> =
            board.squares().map(|square| board.neighbours(square).collect()).collect();
        let line = |at: Square, direction: Direction| {
            let victim = board.step(at, direction)?;
            let beyond = board.step(victim, direction)?;
            Some(Line { victim, beyond })
        };
        let lines = |at| Direction::ALL.into_iter().filter_map(move |d| line(at, d));
        let Hostility { empty, occupied, besieged } = rules.hostile[Kind::King];
        let may_help = empty | occupied | besieged;
        let danger = |line: Line, at| {
            let needed = match rules.surrounded.contains(line.victim) {
                true => beside[line.victim.index()].without(at),
                false => SquareSet::of(line.beyond),
            };
            (line, (needed - may_help).iter().collect())
        };
        let kings = rules.places(Kind::King);
        let dangers = |at| {
            let lines = lines(at).filter(|line| kings.contains(line.victim));
            lines.map(|line| danger(line, at)).collect()
        };
        CustodialCaptures {
            rules,
            lines: board.squares().map(|at| lines(at).collect()).collect(),
            dangers: board.squares().map(dangers).collect(),
            beside,
        }
    }

    /// The squares next to this one.
    pub(super) fn beside(&self, square: Square) -> SquareSet {
        self.beside[square.index()]
    }

    /// The neighbours of a square of arrival on which something may be captured.
    pub(super) fn lines(&self, at: Square) -> &[Line] {
        &self.lines[at.index()]
    }

    /// The soldiers that a piece of `mover` captures by arriving on `at`.
    pub(super) fn soldiers(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        let lines = self.lines(at).iter();
        lines
            .filter(|line| victims.contains(line.victim) && self.takes(mover, **line, men))
            .map(|line| line.victim)
            .collect()
    }

    /// Squares of the king on which he may change what [`CustodialCaptures::soldiers`]
    /// says of men without a king: behind a victim, and around a square that
    /// is hostile only while its occupant is besieged.
    pub(super) fn king_matters(&self, mover: Side, at: Square, men: &Men) -> SquareSet {
        let victims = men.soldiers(mover.other());
        let besieged = self.hostility(mover.other().soldier()).besieged;
        let mut squares = SquareSet::EMPTY;
        for line in self.lines(at) {
            if victims.contains(line.victim) {
                squares.insert(line.beyond);
                if besieged.contains(line.beyond) {
                    squares |= self.beside(line.beyond);
                }
            }
        }
        squares - men.attackers - men.defenders
    }

    fn takes(&self, mover: Side, line: Line, men: &Men) -> bool {
        let side = mover.other();
        let captors = men.of(mover);
        if self.rules.protected[side].contains(line.victim) {
            return false;
        }
        if captors.contains(line.beyond) {
            return true;
        }
        !self.rules.unaided[side].contains(line.victim)
            && self.helps(self.hostility(side.soldier()), line, captors, men.of(side))
    }

    /// Whether an attacker that has arrived next to the king, on the other side
    /// of whom is `beyond`, captures him.
    pub(super) fn king(&self, line: Line, attackers: SquareSet, defenders: SquareSet) -> bool {
        let hostility = self.hostility(Kind::King);
        let hostile = |beyond: Square| {
            let line = Line { beyond, ..line };
            attackers.contains(beyond) || self.helps(hostility, line, attackers, defenders)
        };
        if self.rules.surrounded.contains(line.victim) {
            let around = self.beside(line.victim);
            around.len() == 4 && around.iter().all(hostile)
        } else {
            hostile(line.beyond)
        }
    }

    /// The lines on which an attacker who arrives on `at` may capture a king, if all stand
    /// like that then, wherever the defenders do.
    pub(super) fn kings_in_danger(
        &self,
        at: Square,
        attackers: SquareSet,
    ) -> impl Iterator<Item = Line> {
        let lines = self.dangers[at.index()].iter();
        let lines = lines.filter(move |(line, needed)| {
            needed.iter().all(|&square| attackers.contains(square))
                && !attackers.contains(line.victim)
        });
        lines.map(|&(line, _)| line)
    }

    /// Whether a square without a captor helps them all the same.
    fn helps(
        &self,
        hostility: &Hostility,
        line: Line,
        captors: SquareSet,
        comrades: SquareSet,
    ) -> bool {
        let square = line.beyond;
        if !comrades.contains(square) {
            return hostility.empty.contains(square);
        }
        let besieged = || self.beside(square).is_subset(captors.with(line.victim));
        hostility.occupied.contains(square) || hostility.besieged.contains(square) && besieged()
    }

    fn hostility(&self, kind: Kind) -> &Hostility {
        &self.rules.hostile[kind]
    }
}
