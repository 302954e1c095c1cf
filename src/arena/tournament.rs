use std::fmt;
use std::io;
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
use super::description::Factory;
use super::played_game::{self, PlayedGame};
use super::record::{GameRecord, PlayerId, Settings, move_texts};
use super::results::Results;
use super::sprt::Sprt;
use super::store::{Store, StoreError};

/// The interval between checks whether the match is to be stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A match of two players over pairs of games. Both games of a pair begin with the same opening,
/// with the sides reversed.
///
/// With a clock of nodes or plies, the results do not depend on the concurrency.
pub struct Tournament {
    /// The settings of the games.
    pub settings: Settings,
    /// The factories of A and B.
    pub players: [Factory; 2],
    /// The maximum number of pairs.
    pub pairs: usize,
    /// The test that may end the match earlier.
    pub sprt: Option<Sprt>,
    /// The number of games played at a time.
    pub concurrency: NonZeroUsize,
}

/// An error that ends a match.
#[derive(Debug)]
#[non_exhaustive]
pub enum TournamentError {
    /// There are not enough openings.
    Book(BookError),
    /// A player cannot be created, cannot play by the clock, or cannot begin a game.
    Player(PlayerError),
    /// Games cannot be saved, or the saved ones belong to another match.
    Store(StoreError),
    /// The system refuses a thread for the games.
    Thread(io::Error),
}

impl fmt::Display for TournamentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TournamentError::Book(error) => error.fmt(f),
            TournamentError::Player(error) => error.fmt(f),
            TournamentError::Store(error) => error.fmt(f),
            TournamentError::Thread(error) => write!(f, "cannot start a thread: {error}"),
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

/// A game to play: its pair, and the player of the attackers.
type Task = (usize, PlayerId);

/// The state shared by all threads.
struct SharedMatch<'a> {
    tournament: &'a Tournament,
    openings: &'a [Vec<Move>],
    tasks: Mutex<std::vec::IntoIter<Task>>,
    /// Set when no more games are to be played.
    is_closed: AtomicBool,
    /// Handles that stop the players' searches.
    stoppers: Mutex<Vec<Stopper>>,
}

impl Tournament {
    /// Plays the games that are not in the store yet. Saves each game as it ends, and calls
    /// `on_game` with it and the results so far. Once `stopped` is set, it returns the results so
    /// far; unfinished games are lost.
    ///
    /// # Errors
    /// If there are not enough openings, a player cannot play by the clock or cannot begin, or a game
    /// cannot be saved.
    pub fn run(
        &self,
        store: Option<(Store, Vec<GameRecord>)>,
        stopped: &AtomicBool,
        on_game: &mut dyn FnMut(&GameRecord, &Results),
    ) -> Result<Results, TournamentError> {
        let Settings { rules, book_plies, seed, .. } = &self.settings;
        let book = openings(rules, *book_plies, *seed, self.pairs)?;
        let mut results = Results::new(self.pairs, self.sprt);
        let mut output = None;
        if let Some((store, saved)) = store {
            self.restore(&store, &saved, &book, &mut results)?;
            output = Some(store);
        }
        let tasks: Vec<Task> = (0..self.pairs)
            .flat_map(|pair| PlayerId::ALL.map(|attackers| (pair, attackers)))
            .filter(|&(pair, attackers)| !results.has(pair, attackers))
            .collect();
        let workers = self.concurrency.get().min(tasks.len());
        let shared = SharedMatch {
            tournament: self,
            openings: &book,
            tasks: Mutex::new(tasks.into_iter()),
            is_closed: AtomicBool::new(results.is_complete()),
            stoppers: Mutex::default(),
        };
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for number in 0..workers {
                let (shared, sender) = (&shared, sender.clone());
                let work = move || shared.work(&sender);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => {}
                    Err(error) if number == 0 => return Err(TournamentError::Thread(error)),
                    // The others play all games.
                    Err(_) => break,
                }
            }
            // The channel closes when the last worker is done: this sender would keep it open.
            drop(sender);
            let collected = shared.collect(&receiver, stopped, &mut |game| {
                if let Some(store) = &mut output {
                    store.append(game)?;
                }
                results.add(game);
                on_game(game, &results);
                Ok(results.verdict().is_some())
            });
            collected.map(|()| results)
        })
    }

    /// Adds the saved games to the results.
    fn restore(
        &self,
        store: &Store,
        saved: &[GameRecord],
        openings: &[Vec<Move>],
        results: &mut Results,
    ) -> Result<(), StoreError> {
        let board = self.settings.rules.board;
        for (line, game) in (1..).zip(saved) {
            let expected = openings.get(game.pair).map(|opening| move_texts(board, opening));
            if expected.is_some_and(|expected| expected != game.opening) {
                let what = format!("pair {} begins with another opening", game.pair);
                return Err(store.other(line, what));
            }
            results.add(game);
        }
        Ok(())
    }
}

impl SharedMatch<'_> {
    /// Receives games until all threads are done, and passes each to `take`. Closes the match when
    /// `stopped` is set, when `take` returns `true`, or after the first error.
    fn collect(
        &self,
        receiver: &mpsc::Receiver<Result<GameRecord, PlayerError>>,
        stopped: &AtomicBool,
        take: &mut dyn FnMut(&GameRecord) -> Result<bool, TournamentError>,
    ) -> Result<(), TournamentError> {
        let mut outcome = Ok(());
        loop {
            if stopped.load(Ordering::Relaxed) || outcome.is_err() {
                self.is_closed.store(true, Ordering::Relaxed);
            }
            if self.is_closed.load(Ordering::Relaxed) {
                // Repeat this: a search that has just begun may have missed the last stop.
                lock(&self.stoppers).iter().for_each(Stopper::stop);
            }
            match receiver.recv_timeout(POLL_INTERVAL) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return outcome,
                Ok(_) if outcome.is_err() => {}
                Ok(Err(error)) => outcome = Err(error.into()),
                Ok(Ok(game)) => match take(&game) {
                    Ok(false) => {}
                    Ok(true) => self.is_closed.store(true, Ordering::Relaxed),
                    Err(error) => outcome = Err(error),
                },
            }
        }
    }

    /// Plays games with this thread's own players until none is left.
    fn work(&self, sender: &mpsc::Sender<Result<GameRecord, PlayerError>>) {
        let mut players = None;
        while !self.is_closed.load(Ordering::Relaxed) {
            let Some(task) = lock(&self.tasks).next() else {
                return;
            };
            let Some(played) = self.play(task, &mut players).transpose() else {
                return;
            };
            // An error means that the receiver is gone.
            if sender.send(played).is_err() {
                return;
            }
        }
    }

    /// Plays a game; returns `None` if the match was closed meanwhile. Players that failed are
    /// created again for the next game.
    fn play(
        &self,
        (pair, attackers): Task,
        players: &mut Option<[Box<dyn Contestant>; 2]>,
    ) -> Result<Option<GameRecord>, PlayerError> {
        let Tournament { settings, .. } = self.tournament;
        let mut game = Game::new(Arc::clone(&settings.rules))
            .map_err(|error| PlayerError::new(&settings.rules.name, error))?;
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

    /// Creates both players.
    fn make_players(&self) -> Result<[Box<dyn Contestant>; 2], PlayerError> {
        let Tournament { players: [a, b], settings, .. } = self.tournament;
        let players = [a()?, b()?];
        players.iter().try_for_each(|player| player.check_clock(settings.clock))?;
        lock(&self.stoppers).extend(players.iter().filter_map(|player| player.stopper()));
        Ok(players)
    }
}

/// Locks a mutex. A poisoned one is fine, because no update is left incomplete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
