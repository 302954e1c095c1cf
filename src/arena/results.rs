use crate::game::rules::{BySide, Side};

use super::elo::Pairs;
use super::record::{GameRecord, PlayerId};
use super::sprt::{Hypothesis, Sprt};

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games that were won.
    pub wins: u64,
    /// Games that nobody has won.
    pub draws: u64,
    /// Games that were lost.
    pub losses: u64,
    /// Those of the losses in which no move was given, an illegal one, or one too late.
    pub faults: u64,
}

impl Tally {
    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of a game on average: 1 for a win, ½ for a draw.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            faults: self.faults + other.faults,
        }
    }
}

/// How a match stands.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Standing {
    /// What A has made with either side.
    pub a: BySide<Tally>,
    /// What B has made with either side.
    pub b: BySide<Tally>,
    /// All plies of all games, openings too.
    pub plies: u64,
    /// The pairs of which both games are finished, by the points of A.
    pub pairs: Pairs,
}

impl Standing {
    /// How many games there are.
    pub fn games(&self) -> u64 {
        Side::ALL.into_iter().map(|side| self.a[side].games()).sum()
    }

    /// What that player has made with either side.
    pub fn tallies(&self, who: PlayerId) -> &BySide<Tally> {
        match who {
            PlayerId::A => &self.a,
            PlayerId::B => &self.b,
        }
    }

    /// The plies of a game on average.
    pub fn mean_plies(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.plies as f64 / self.games() as f64)
    }

    fn add(&mut self, game: &GameResult) {
        for (who, tallies) in PlayerId::ALL.into_iter().zip([&mut self.a, &mut self.b]) {
            let has_attackers = who == game.attackers;
            let side = if has_attackers { Side::Attackers } else { Side::Defenders };
            let tally = &mut tallies[side];
            match game.winner {
                None => tally.draws += 1,
                Some(winner) if winner == who => tally.wins += 1,
                Some(_) => {
                    tally.losses += 1;
                    tally.faults += u64::from(game.fault);
                }
            }
        }
        self.plies += game.plies as u64;
    }
}

/// What is kept of a game.
#[derive(Clone, Copy, Debug)]
struct GameResult {
    attackers: PlayerId,
    winner: Option<PlayerId>,
    plies: usize,
    fault: bool,
}

impl GameResult {
    /// What A has made of it, in half points.
    fn half_points(&self) -> usize {
        match self.winner {
            Some(PlayerId::A) => 2,
            None => 1,
            Some(PlayerId::B) => 0,
        }
    }
}

/// The results of a match: its games come in any order, and count in theirs.
#[derive(Clone, Debug)]
pub struct Results {
    sprt: Option<Sprt>,
    /// By pair and by who has the attackers.
    games: Vec<[Option<GameResult>; 2]>,
    /// So many pairs from the first one are finished, and were put to the test.
    tested: usize,
    /// Their results.
    tested_pairs: Pairs,
    verdict: Option<Hypothesis>,
}

impl Results {
    /// Of a match of so many pairs, none of them played as yet.
    pub(super) fn new(pairs: usize, sprt: Option<Sprt>) -> Results {
        let games = vec![[None; 2]; pairs];
        Results { sprt, games, tested: 0, tested_pairs: Pairs::default(), verdict: None }
    }

    /// Takes a game; one of a pair that does not belong to the match is left out.
    pub(super) fn add(&mut self, game: &GameRecord) {
        let &GameRecord { attackers, winner, fault, .. } = game;
        if let Some(pair) = self.games.get_mut(game.pair) {
            let finished = GameResult { attackers, winner, plies: game.plies(), fault };
            pair[attackers as usize] = Some(finished);
        }
        self.test();
    }

    /// Puts the pairs to the test one by one, in their order, so that it does not matter
    /// which games are finished first.
    fn test(&mut self) {
        while let (None, Some([Some(first), Some(second)])) =
            (self.verdict, self.games.get(self.tested))
        {
            self.tested_pairs.add(first.half_points() + second.half_points());
            self.tested += 1;
            self.verdict = self.sprt.and_then(|sprt| sprt.decide(&self.tested_pairs));
        }
    }

    /// Whether that game is finished.
    pub(super) fn has(&self, pair: usize, attackers: PlayerId) -> bool {
        self.games[pair][attackers as usize].is_some()
    }

    /// What the test has found; the match is over then.
    pub fn verdict(&self) -> Option<Hypothesis> {
        self.verdict
    }

    /// The test's logarithm of the ratio of likelihoods, if there is a test.
    pub fn log_likelihood_ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.log_likelihood_ratio(&self.tested_pairs))
    }

    /// Whether there is nothing left to be played.
    pub fn is_complete(&self) -> bool {
        self.verdict.is_some() || self.games.iter().flatten().all(Option::is_some)
    }

    /// How the match stands: with all games that are finished or, after a verdict, with
    /// those that led to it.
    pub fn standing(&self) -> Standing {
        let counted = if self.verdict.is_some() { self.tested } else { self.games.len() };
        let mut standing = Standing::default();
        for pair in &self.games[..counted] {
            pair.iter().flatten().for_each(|game| standing.add(game));
            if let [Some(first), Some(second)] = pair {
                standing.pairs.add(first.half_points() + second.half_points());
            }
        }
        standing
    }
}
