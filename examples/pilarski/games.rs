//! Plays the games and counts their results.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use taflbase::arena::{GameRecord, PlayerContext, PlayerId, Settings, Store, Tournament, factory};
use taflbase::engine::Clock;
use taflbase::rules::Side;
use taflbase::{Ruleset, Tablebase};

use super::Options;

type Failure = Box<dyn std::error::Error>;

/// The settings and the folder of the games.
pub(crate) struct Arena {
    pub(crate) rules: Arc<Ruleset>,
    pub(crate) tables: Arc<Tablebase>,
    pub(crate) time: Duration,
    folder: PathBuf,
}

impl Arena {
    pub(crate) fn new(options: &Options) -> Result<Arena, Failure> {
        let rules = Ruleset::builtin("mcgill").ok_or("there is no ruleset mcgill")?;
        let tables = match &options.tables {
            Some(folder) => Tablebase::open(rules.clone(), folder)?,
            None => Tablebase::new(rules.clone()),
        };
        std::fs::create_dir_all(&options.folder)?;
        Ok(Arena {
            rules: Arc::new(rules),
            tables: Arc::new(tables),
            time: options.time,
            folder: options.folder.clone(),
        })
    }

    pub(crate) fn context(&self) -> PlayerContext {
        let (rules, tables) = (Arc::clone(&self.rules), Some(Arc::clone(&self.tables)));
        PlayerContext { rules, tables, proofs: None, seed: 1 }
    }

    /// Plays `games` games of A and B from the start, half of them with either colour. Saved
    /// games are reused.
    pub(crate) fn play(&self, a: &str, b: &str, games: usize) -> Result<Vec<GameRecord>, Failure> {
        let context = self.context();
        // A player against itself needs another seed, or both make the same choices.
        let second = if a == b && !a.starts_with("engine") {
            let separator = if b.contains(':') { "," } else { ":" };
            format!("{b}{separator}seed=2")
        } else {
            b.to_owned()
        };
        let players = [a.to_owned(), second];
        let settings = Settings {
            rules: Arc::clone(&self.rules),
            players: players.clone(),
            clock: Clock::PerMove(self.time),
            seed: 1,
            // The engine is deterministic: its games need openings.
            book_plies: if players.iter().all(|p| p.starts_with("engine")) { 4 } else { 0 },
            max_plies: 1000,
        };
        let file = format!("{a}-{}-{}.jsonl", players[1], self.time.as_millis());
        let path = self.folder.join(file.replace([':', ',', '='], "_"));
        let (store, mut saved) = Store::open(&path, &settings)?;
        let tournament = Tournament {
            players: [factory(&players[0], &context)?, factory(&players[1], &context)?],
            settings,
            pairs: games / 2,
            sprt: None,
            concurrency: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        };
        saved.retain(|game| game.pair < games / 2);
        let mut all = saved.clone();
        let is_watched = std::io::stderr().is_terminal();
        tournament.run(Some((store, saved)), &AtomicBool::new(false), &mut |game, _| {
            all.push(game.clone());
            if is_watched {
                eprint!("\r{a} - {b}: {} of {games} games ", all.len(), b = players[1]);
            }
        })?;
        if is_watched {
            eprint!("\r\x1b[K");
        }
        Ok(all)
    }
}

/// The results of a player with one colour.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) wins: u32,
    pub(crate) losses: u32,
    pub(crate) draws: u32,
    /// The total number of plies of decided games.
    decided_plies: usize,
}

impl Tally {
    /// Counts a player's results with one colour.
    pub(crate) fn of(games: &[GameRecord], who: PlayerId, side: Side) -> Tally {
        Tally::over(games.iter().filter(|game| game.side(who) == side), |_| who)
    }

    /// Counts the results of one colour, whichever player has it.
    pub(crate) fn of_side(games: &[GameRecord], side: Side) -> Tally {
        Tally::over(games.iter(), |game| game.player(side))
    }

    fn over<'a>(
        games: impl Iterator<Item = &'a GameRecord>,
        who: impl Fn(&GameRecord) -> PlayerId,
    ) -> Tally {
        let mut tally = Tally::default();
        for game in games {
            match game.winner {
                None => tally.draws += 1,
                Some(winner) => {
                    tally.decided_plies += game.plies();
                    *(if winner == who(game) { &mut tally.wins } else { &mut tally.losses }) += 1;
                }
            }
        }
        tally
    }

    pub(crate) fn games(self) -> u32 {
        self.wins + self.losses + self.draws
    }

    /// Returns the mean number of plies of decided games; 0 if there are none.
    pub(crate) fn mean_plies(self) -> f64 {
        self.decided_plies as f64 / f64::from((self.wins + self.losses).max(1))
    }

    /// Returns the share of points; a draw is half a point.
    pub(crate) fn score(self) -> f64 {
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(self.games().max(1))
    }
}
