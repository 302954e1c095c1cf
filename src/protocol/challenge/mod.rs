//! A player of the Bologna Tablut Challenge: a client of its server.
//!
//! [`connect`] finds the server, [`play`] plays one game. White are the defenders.

pub mod frame;
pub mod message;

mod error;
mod follow;

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::engine::{Engine, Iteration, Limits};
use crate::game::history::Game;
use crate::game::moves::{Move, legal_moves};
use crate::game::rules::{Ruleset, Side};

use follow::{Follower, Step};
use message::{Action, State, Turn, from_text, to_text};

pub use error::ChallengeError;

/// What the challenge calls a side.
pub fn colour(side: Side) -> &'static str {
    match side {
        Side::Attackers => "black",
        Side::Defenders => "white",
    }
}

/// Where the server listens for a side.
pub fn port(side: Side) -> u16 {
    match side {
        Side::Defenders => 5800,
        Side::Attackers => 5801,
    }
}

/// How much of the server's time for a move the engine thinks. The server looks for an
/// answer once a second, so a second and a half are kept back, where there is so much.
pub fn thinking_time(time: Duration) -> Duration {
    time.saturating_sub(Duration::from_millis(1500)).max(time / 4)
}

/// Connects to the server, or tries it again for so long if it is not there yet. A
/// server that then says nothing for longer than the `patience` is given up.
///
/// # Errors
/// If there is no server at that address.
pub fn connect(
    host: &str,
    port: u16,
    retry: Duration,
    patience: Duration,
) -> Result<TcpStream, ChallengeError> {
    const PAUSE: Duration = Duration::from_millis(250);
    let started = Instant::now();
    loop {
        match connected(host, port, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) if started.elapsed() + PAUSE > retry => {
                let address = format!("{host}:{port}");
                return Err(ChallengeError::Connect { address, tried: retry, error });
            }
            Err(_) => sleep(PAUSE),
        }
    }
}

fn connected(host: &str, port: u16, patience: Duration) -> std::io::Result<TcpStream> {
    const LONGEST: Duration = Duration::from_secs(10);
    let mut last = std::io::Error::other("the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, LONGEST) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(patience))?;
                stream.set_write_timeout(Some(patience))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Who plays, and how fast.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name that the server is told.
    pub name: String,
    /// Whom we play.
    pub side: Side,
    /// What the server allows for a move.
    pub time: Duration,
}

/// What happens in a game.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The first state is not the start of a game.
    Joined,
    /// The server's state does not come of a legal move: the game is taken to begin
    /// there, and what was before is not known for repetitions.
    Lost,
    /// The other side has played a move in this game.
    Heard(&'a Game, &'a Move),
    /// We answer with a move; with what the search knows, unless it is the only one.
    Answered(&'a Game, &'a Move, Option<&'a Iteration>),
    /// We have no legal move, for which the server has no rule.
    NoMove,
}

/// How a game has ended.
#[derive(Clone, Debug)]
pub struct End {
    /// The server's verdict.
    pub verdict: Turn,
    /// The game as far as we know it; none if it was over when we came.
    pub game: Option<Game>,
}

/// Plays one game with the server at the other end of the stream, and tells what
/// happens. The rules are the engine's.
///
/// # Errors
/// If the connection ends before the game does, or the server says what cannot be.
pub fn play<S: Read + Write>(
    stream: &mut S,
    rules: &Arc<Ruleset>,
    engine: &mut Engine,
    entry: &Entry,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<End, ChallengeError> {
    frame::write(stream, &to_text(&entry.name)?)?;
    let mut follower = Follower::new(Arc::clone(rules));
    loop {
        let Some(text) = frame::read(stream)? else {
            return Err(ChallengeError::Closed(to_move(&follower)));
        };
        let received = Instant::now();
        let state: State = from_text(&text)?;
        let Some(to_move) = state.turn.side() else {
            let last = follower.finish(&state);
            if let (Some(last), Some(game)) = (last, follower.game())
                && game.positions()[game.moves().len() - 1].to_move != entry.side
            {
                tell(Event::Heard(game, &last));
            }
            return Ok(End { verdict: state.turn, game: follower.game().cloned() });
        };
        let step = follower.follow(&state, to_move).map_err(ChallengeError::Position)?;
        let Some(game) = follower.game() else {
            continue;
        };
        match step {
            Step::Joined => tell(Event::Joined),
            Step::Lost => tell(Event::Lost),
            Step::Played(played) if to_move == entry.side => tell(Event::Heard(game, &played)),
            Step::Began | Step::Same | Step::Played(_) => {}
        }
        if to_move == entry.side {
            answer(stream, engine, entry, game, received, tell)?;
        }
    }
}

/// Who is to move, as far as we know.
fn to_move(follower: &Follower) -> Option<Side> {
    follower.game().map(|game| game.position().to_move)
}

/// Chooses a move and sends it.
fn answer(
    stream: &mut impl Write,
    engine: &mut Engine,
    entry: &Entry,
    game: &Game,
    received: Instant,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(), ChallengeError> {
    let moves = legal_moves(game.rules(), game.position());
    let time = thinking_time(entry.time).saturating_sub(received.elapsed());
    let found = match moves.len() {
        0 | 1 => None,
        _ => engine.search(game, Limits::time(time), &mut |_| {}).ok(),
    };
    let searched = found.as_ref().map(|found| found.lines[0].moves[0]);
    let Some(chosen) = searched.or_else(|| moves.first().copied()) else {
        tell(Event::NoMove);
        return Ok(());
    };
    let action = Action::new(game.rules().board, entry.side, &chosen);
    let sent = frame::write(stream, &to_text(&action)?);
    tell(Event::Answered(game, &chosen, found.as_ref()));
    match sent {
        Err(ChallengeError::BrokenOff) => Err(ChallengeError::Closed(Some(entry.side))),
        sent => sent,
    }
}
