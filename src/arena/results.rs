use serde::Serialize;

use crate::game::rules::{BySide, Side};

use super::elo::Pairs;
use super::record::{GameRecord, PlayerId};
use super::sprt::{Hypothesis, Sprt};

/// Numbers of wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Losses because the player gave no move, an illegal one, or one too late.
    pub faults: u64,
}

impl Tally {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the average points of a game: 1 for a win, ½ for a draw.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// Returns the sum of both.
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

/// The standing of a match.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Standing {
    /// A's results by side.
    pub a: BySide<Tally>,
    /// B's results by side.
    pub b: BySide<Tally>,
    /// The plies of all games, including the openings.
    pub plies: u64,
    /// The pairs with both games finished, by A's points.
    pub pairs: Pairs,
}

impl Standing {
    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        Side::ALL.into_iter().map(|side| self.a[side].games()).sum()
    }

    /// Returns a player's results by side.
    pub fn tallies(&self, who: PlayerId) -> &BySide<Tally> {
        match who {
            PlayerId::A => &self.a,
            PlayerId::B => &self.b,
        }
    }

    /// Returns the average number of plies of a game.
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

/// The result of a game.
#[derive(Clone, Copy, Debug)]
struct GameResult {
    attackers: PlayerId,
    winner: Option<PlayerId>,
    plies: usize,
    fault: bool,
}

impl GameResult {
    /// Returns A's half points.
    fn half_points(&self) -> usize {
        match self.winner {
            Some(PlayerId::A) => 2,
            None => 1,
            Some(PlayerId::B) => 0,
        }
    }
}

/// The results of a match. Games are added in any order, and tested in the order of the match.
#[derive(Clone, Debug)]
pub struct Results {
    sprt: Option<Sprt>,
    /// By pair and by the player of the attackers.
    games: Vec<[Option<GameResult>; 2]>,
    /// The number of pairs, from the first one on, that were tested.
    tested: usize,
    /// The results of the tested pairs.
    tested_pairs: Pairs,
    verdict: Option<Hypothesis>,
}

impl Results {
    /// Creates the results of a match of this many pairs, none of which has been played.
    pub(super) fn new(pairs: usize, sprt: Option<Sprt>) -> Results {
        let games = vec![[None; 2]; pairs];
        Results { sprt, games, tested: 0, tested_pairs: Pairs::default(), verdict: None }
    }

    /// Adds a game. Games of pairs beyond the match are ignored.
    pub(super) fn add(&mut self, game: &GameRecord) {
        let &GameRecord { attackers, winner, fault, .. } = game;
        if let Some(pair) = self.games.get_mut(game.pair) {
            let finished = GameResult { attackers, winner, plies: game.plies(), fault };
            pair[attackers as usize] = Some(finished);
        }
        self.test();
    }

    /// Tests the pairs one by one in their order, so that the verdict does not depend on which
    /// games finish first.
    fn test(&mut self) {
        while let (None, Some([Some(first), Some(second)])) =
            (self.verdict, self.games.get(self.tested))
        {
            self.tested_pairs.add(first.half_points() + second.half_points());
            self.tested += 1;
            self.verdict = self.sprt.and_then(|sprt| sprt.decide(&self.tested_pairs));
        }
    }

    /// Returns whether the game is finished.
    pub(super) fn has(&self, pair: usize, attackers: PlayerId) -> bool {
        self.games[pair][attackers as usize].is_some()
    }

    /// Returns the verdict of the test, which ends the match.
    pub fn verdict(&self) -> Option<Hypothesis> {
        self.verdict
    }

    /// Returns the log-likelihood ratio, if there is a test.
    pub fn log_likelihood_ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.log_likelihood_ratio(&self.tested_pairs))
    }

    /// Returns whether no game is left to play.
    pub fn is_complete(&self) -> bool {
        self.verdict.is_some() || self.games.iter().flatten().all(Option::is_some)
    }

    /// Returns the standing with all finished games or, after a verdict, with those that led to
    /// it.
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
