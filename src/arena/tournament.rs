use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread;
use std::time::Duration;

use crate::engine::{PlayerError, Stopper};
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::BySide;

use super::book::{BookError, openings};
use super::contestant::Contestant;
use super::played_game::{self, PlayedGame};
use super::players::Factory;
use super::record::{GameRecord, PlayerId, Settings, move_texts};
use super::results::Results;
use super::sprt::Sprt;
use super::store::{Store, StoreError};

/// How often it is looked whether the match is to be stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A match of two players over pairs of games: both games of a pair begin with the same
/// opening, and the players have either side once.
///
/// Where the clock is one of nodes or plies, its results do not depend on how many games
/// are played at a time.
pub struct Tournament {
    /// What the games depend on.
    pub settings: Settings,
    /// What makes A and B.
    pub players: [Factory; 2],
    /// How many pairs are played at most.
    pub pairs: usize,
    /// What ends the match earlier.
    pub sprt: Option<Sprt>,
    /// How many games are played at a time.
    pub concurrency: NonZeroUsize,
}

/// Why a match cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum TournamentError {
    /// There are not enough openings.
    Book(BookError),
    /// A player cannot be made, or does not begin a game.
    Player(PlayerError),
    /// Games cannot be saved, or those that are saved are of another match.
    Store(StoreError),
}

impl fmt::Display for TournamentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TournamentError::Book(error) => error.fmt(f),
            TournamentError::Player(error) => error.fmt(f),
            TournamentError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TournamentError {}

macro_rules! from {
    ($($error:ident: $variant:ident),*) => {
        $(impl From<$error> for TournamentError {
            fn from(error: $error) -> TournamentError {
                TournamentError::$variant(error)
            }
        })*
    };
}

from!(BookError: Book, PlayerError: Player, StoreError: Store);

/// A game that is to be played.
type Task = (usize, PlayerId);

/// What all threads share.
struct SharedMatch<'a> {
    tournament: &'a Tournament,
    openings: &'a [Vec<Move>],
    tasks: Mutex<std::vec::IntoIter<Task>>,
    /// Whether the match is over.
    is_closed: AtomicBool,
    /// What ends the thinking of players.
    stoppers: Mutex<Vec<Stopper>>,
}

impl Tournament {
    /// Plays the games that are not yet in the store, saves them there as they end, and
    /// tells of each. Once `stopped` is set, it returns with what there is; games that
    /// are not finished are lost.
    ///
    /// # Errors
    /// If there are not enough openings, a player cannot begin, or a game cannot be saved.
    pub fn run(
        &self,
        store: Option<(Store, Vec<GameRecord>)>,
        stopped: &AtomicBool,
        on_game: &mut dyn FnMut(&GameRecord, &Results),
    ) -> Result<Results, TournamentError> {
        let Settings { rules, book_plies, seed, .. } = &self.settings;
        let openings = openings(rules, *book_plies, *seed, self.pairs)?;
        let mut results = Results::new(self.pairs, self.sprt);
        let mut store = match store {
            Some((store, saved)) => {
                self.restore(&store, &saved, &openings, &mut results)?;
                Some(store)
            }
            None => None,
        };
        let tasks = (0..self.pairs).flat_map(|pair| PlayerId::ALL.map(|who| (pair, who)));
        let tasks: Vec<Task> = tasks.filter(|&(pair, who)| !results.has(pair, who)).collect();
        let workers = self.concurrency.get().min(tasks.len());
        let shared = SharedMatch {
            tournament: self,
            openings: &openings,
            tasks: Mutex::new(tasks.into_iter()),
            is_closed: AtomicBool::new(results.is_complete()),
            stoppers: Mutex::default(),
        };
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..workers {
                let (shared, sender) = (&shared, sender.clone());
                scope.spawn(move || shared.work(&sender));
            }
            drop(sender);
            let collected = shared.collect(&receiver, stopped, &mut |game| {
                if let Some(store) = &mut store {
                    store.append(game)?;
                }
                results.add(game);
                on_game(game, &results);
                Ok(results.verdict().is_some())
            });
            collected.map(|()| results)
        })
    }

    /// Takes the games that are saved.
    fn restore(
        &self,
        store: &Store,
        saved: &[GameRecord],
        openings: &[Vec<Move>],
        results: &mut Results,
    ) -> Result<(), StoreError> {
        let board = self.settings.rules.board;
        for (line, game) in (1..).zip(saved) {
            let opening = openings.get(game.pair).map(|opening| move_texts(board, opening));
            if opening.is_some_and(|opening| opening != game.opening) {
                let what = format!("pair {} begins with another opening", game.pair);
                return Err(store.other(line, what));
            }
            results.add(game);
        }
        Ok(())
    }
}

impl SharedMatch<'_> {
    /// Takes what the threads send, until all of them are done. Closes the match when it
    /// is to be stopped, when the game that came last has decided it, or at an error.
    fn collect(
        &self,
        receiver: &mpsc::Receiver<Result<GameRecord, PlayerError>>,
        stopped: &AtomicBool,
        take: &mut dyn FnMut(&GameRecord) -> Result<bool, TournamentError>,
    ) -> Result<(), TournamentError> {
        let mut answer = Ok(());
        loop {
            if stopped.load(Ordering::Relaxed) || answer.is_err() {
                self.is_closed.store(true, Ordering::Relaxed);
            }
            if self.is_closed.load(Ordering::Relaxed) {
                // Whoever has just begun to think has not seen the last time.
                lock(&self.stoppers).iter().for_each(Stopper::stop);
            }
            match receiver.recv_timeout(POLL_INTERVAL) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return answer,
                Ok(_) if answer.is_err() => {}
                Ok(Err(error)) => answer = Err(error.into()),
                Ok(Ok(game)) => match take(&game) {
                    Ok(false) => {}
                    Ok(true) => self.is_closed.store(true, Ordering::Relaxed),
                    Err(error) => answer = Err(error),
                },
            }
        }
    }

    /// Plays games as long as there are some, with players of its own.
    fn work(&self, sender: &mpsc::Sender<Result<GameRecord, PlayerError>>) {
        let mut players = None;
        while !self.is_closed.load(Ordering::Relaxed) {
            let Some(task) = lock(&self.tasks).next() else {
                return;
            };
            let sent = match self.play(task, &mut players) {
                Ok(Some(game)) => sender.send(Ok(game)),
                Ok(None) => return,
                Err(error) => sender.send(Err(error)),
            };
            // Nobody listens any more.
            if sent.is_err() {
                return;
            }
        }
    }

    /// Plays a game; `None` if the match was closed meanwhile. Players that have failed
    /// are made anew for the next game.
    fn play(
        &self,
        (pair, attackers): Task,
        players: &mut Option<[Box<dyn Contestant>; 2]>,
    ) -> Result<Option<GameRecord>, PlayerError> {
        let Tournament { settings, .. } = self.tournament;
        let mut game = Game::new(Arc::clone(&settings.rules)).map_err(|error| PlayerError {
            player: settings.rules.name.clone(),
            reason: error.to_string(),
        })?;
        let opening = &self.openings[pair];
        opening.iter().for_each(|played| game.push(played));
        let mut opponents = match players.take() {
            Some(players) => players,
            None => self.make_players()?,
        };
        for player in &mut opponents {
            player.set_game_number(pair as u64 * 2 + u64::from(attackers == PlayerId::B));
        }
        let played = self.play_game(game, attackers, &mut opponents)?;
        if played.as_ref().is_some_and(|played| !played.end.is_fault) {
            *players = Some(opponents);
        }
        Ok(played.map(|played| GameRecord::new(settings, (pair, attackers), opening, played)))
    }

    fn play_game(
        &self,
        game: Game,
        attackers: PlayerId,
        [a, b]: &mut [Box<dyn Contestant>; 2],
    ) -> Result<Option<PlayedGame>, PlayerError> {
        let Settings { clock, max_plies, .. } = self.tournament.settings;
        let mut sides: BySide<&mut dyn Contestant> = match attackers {
            PlayerId::A => BySide([&mut **a, &mut **b]),
            PlayerId::B => BySide([&mut **b, &mut **a]),
        };
        played_game::play(game, &mut sides, clock, max_plies, &self.is_closed)
    }

    /// Makes both players.
    fn make_players(&self) -> Result<[Box<dyn Contestant>; 2], PlayerError> {
        let [a, b] = &self.tournament.players;
        let players = [a()?, b()?];
        lock(&self.stoppers).extend(players.iter().filter_map(|player| player.stopper()));
        Ok(players)
    }
}

/// Nothing is left half done by those who hold these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
