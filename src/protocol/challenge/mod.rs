//! A client for the server of the Bologna Tablut Challenge.
//!
//! [`connect`] connects to the server, [`play`] plays a game. White plays the defenders.

pub mod frame;
pub mod message;

mod colour;
mod error;
mod follow;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::{Engine, Iteration, Limits};
use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::{Ruleset, Side};

use super::connection;

use follow::{Follower, Step};
use message::{Action, State, Turn, from_text, to_text};

pub use colour::colour;
pub use error::ChallengeError;

/// Returns the server's port for a side.
pub fn port(side: Side) -> u16 {
    match side {
        Side::Defenders => 5800,
        Side::Attackers => 5801,
    }
}

/// Returns the thinking time for a move under the server's time limit. The server polls for
/// moves once a second, so 1.5 s are kept in reserve, or three quarters of a shorter limit.
pub fn thinking_time(time: Duration) -> Duration {
    time.saturating_sub(Duration::from_millis(1500)).max(time / 4)
}

/// Connects to the server, retrying for up to `retry`. Later reads and writes fail after
/// `timeout`.
///
/// # Errors
/// If no server accepts the connection.
pub fn connect(
    host: &str,
    port: u16,
    retry: Duration,
    timeout: Duration,
) -> Result<TcpStream, ChallengeError> {
    let stream = connection::connect(host, port, retry).map_err(|error| {
        let address = format!("{host}:{port}");
        ChallengeError::Connect { address, tried: retry, error }
    })?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    Ok(stream)
}

/// Name, side and time limit of our player.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// Player name, sent to the server.
    pub name: String,
    /// Side that we play.
    pub side: Side,
    /// The server's time limit for a move.
    pub time: Duration,
}

/// A report of what happens in a game.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The first state is in the middle of a game.
    Joined,
    /// No legal move leads to the server's state. Our game restarts there, so earlier repetitions
    /// are lost.
    OutOfSync,
    /// The opponent has played a move.
    OpponentMoved(&'a Game, &'a Move),
    /// We have played a move, with the search result unless the move was forced.
    Moved(&'a Game, &'a Move, Option<&'a Iteration>),
    /// We have no legal move. The server has no rule for that.
    NoMove,
}

/// The end of a game.
#[derive(Clone, Debug)]
pub struct End {
    /// The server's result.
    pub verdict: Turn,
    /// The game as far as we followed it; `None` if it was over when we joined.
    pub game: Option<Game>,
}

/// Plays a game over a connection to the server, and reports events to `report`. `rules` are
/// the rules of the engine.
///
/// # Errors
/// If the connection ends before the game, or the server sends an invalid message.
pub fn play<S: Read + Write>(
    stream: &mut S,
    rules: &Arc<Ruleset>,
    engine: &mut Engine,
    config: &PlayerConfig,
    report: &mut dyn FnMut(Event<'_>),
) -> Result<End, ChallengeError> {
    frame::write(stream, &to_text(&config.name)?)?;
    let mut follower = Follower::new(Arc::clone(rules));
    loop {
        let Some(text) = frame::read(stream)? else {
            return Err(ChallengeError::Closed(to_move(&follower)));
        };
        let received = Instant::now();
        let state: State = from_text(&text)?;
        let Some(to_move) = state.turn.side() else {
            // The last state has no mover. Report its move unless it is our own, which was reported
            // when we sent it.
            let last = follower.finish(&state);
            if let (Some(last), Some(game)) = (last, follower.game())
                && game.positions()[game.moves().len() - 1].to_move != config.side
            {
                report(Event::OpponentMoved(game, &last));
            }
            return Ok(End { verdict: state.turn, game: follower.game().cloned() });
        };
        let step = follower.follow(&state, to_move).map_err(ChallengeError::Position)?;
        let Some(game) = follower.game() else {
            continue;
        };
        match step {
            Step::Joined => report(Event::Joined),
            Step::OutOfSync => report(Event::OutOfSync),
            Step::Played(played) if to_move == config.side => {
                report(Event::OpponentMoved(game, &played))
            }
            // The server also sends our own moves, and may repeat a state.
            Step::Began | Step::Same | Step::Played(_) => {}
        }
        if to_move == config.side {
            move_now(stream, engine, config, game, received, report)?;
        }
    }
}

/// Returns the side to move, once the game has begun.
fn to_move(follower: &Follower) -> Option<Side> {
    follower.game().map(|game| game.position().to_move)
}

/// Searches for a move and sends it.
fn move_now(
    stream: &mut impl Write,
    engine: &mut Engine,
    config: &PlayerConfig,
    game: &Game,
    received: Instant,
    report: &mut dyn FnMut(Event<'_>),
) -> Result<(), ChallengeError> {
    let moves = game.playable_moves();
    let time = thinking_time(config.time).saturating_sub(received.elapsed());
    let found = match moves.len() {
        0 | 1 => None,
        _ => engine.search(game, Limits::time(time), &mut |_| {}).ok(),
    };
    // If the search fails, any legal move is better than losing on time.
    let best = found.as_ref().map(|found| found.lines[0].moves[0]);
    let Some(chosen) = best.or_else(|| moves.first().copied()) else {
        report(Event::NoMove);
        return Ok(());
    };
    let action = Action::new(game.rules().board, config.side, &chosen);
    let sent = frame::write(stream, &to_text(&action)?);
    report(Event::Moved(game, &chosen, found.as_ref()));
    match sent {
        // The server closes the connection of a player who is out of time.
        Err(ChallengeError::Truncated) => Err(ChallengeError::Closed(Some(config.side))),
        sent => sent,
    }
}
