//! A server like the challenge's own: white is accepted and named before black, both get every
//! state, and an illegal move or a closed connection ends the game. Unlike the challenge's, it
//! ends long games and those of a side without a move, so that every game ends soon.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use taflbase::history::Game;
use taflbase::moves::find_move;
use taflbase::rules::Side;

use super::wire::{framed, receive, rules, state};

/// A game of this many plies is drawn.
const MAX_PLIES: usize = 100;

/// How messages are divided on the wire.
#[derive(Clone, Copy)]
pub(crate) enum Pieces {
    Whole,
    Bytes,
}

pub(crate) struct Server {
    pub white: u16,
    pub black: u16,
    game: JoinHandle<Played>,
}

/// What the server has received.
pub(crate) struct Played {
    pub names: [String; 2],
    /// `None` if the game ended without one.
    pub verdict: Option<&'static str>,
    pub game: Game,
}

impl Played {
    /// Returns the winner of a game that has ended; `None` if it is drawn.
    pub(crate) fn winner(&self) -> Option<Side> {
        let outcome = self.game.outcome();
        assert!(outcome.is_some() || self.game.moves().len() == MAX_PLIES);
        outcome.and_then(|outcome| outcome.winner)
    }
}

impl Server {
    pub(crate) fn new(pieces: Pieces) -> Server {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [white, black] = [0, 1].map(|i: usize| listeners[i].local_addr().unwrap().port());
        Server { white, black, game: thread::spawn(move || serve(listeners, pieces)) }
    }

    pub(crate) fn end(self) -> Played {
        self.game.join().unwrap()
    }
}

fn serve(listeners: [TcpListener; 2], pieces: Pieces) -> Played {
    let mut names = Vec::new();
    let mut players = listeners.map(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        names.push(receive(&mut stream).unwrap().as_str().unwrap().to_owned());
        stream
    });
    let mut game = Game::new(Arc::new(rules())).unwrap();
    let mut turn = "WHITE";
    let verdict = loop {
        let message = framed(&state(game.position(), turn).to_string());
        players.iter_mut().for_each(|player| tell(player, &message, pieces));
        if turn.len() != 5 {
            break Some(turn);
        }
        let mover = &mut players[usize::from(turn == "BLACK")];
        let Some(next) = play(&mut game, mover, turn) else {
            break None;
        };
        turn = next;
    };
    Played { names: names.try_into().unwrap(), verdict, game }
}

fn tell(player: &mut TcpStream, message: &[u8], pieces: Pieces) {
    match pieces {
        Pieces::Whole => player.write_all(message).unwrap(),
        Pieces::Bytes => message.iter().for_each(|&byte| player.write_all(&[byte]).unwrap()),
    }
}

/// Lets one player move and returns whose turn is next; `None` if the move is illegal or
/// missing.
fn play(game: &mut Game, mover: &mut TcpStream, turn: &str) -> Option<&'static str> {
    let action = receive(mover)?;
    assert_eq!(action["turn"], turn);
    assert_eq!(action.as_object().unwrap().len(), 3);
    let board = game.rules().board;
    let [from, to] = ["from", "to"].map(|key| board.parse(action[key].as_str().unwrap()).unwrap());
    let played = find_move(game.rules(), game.position(), from, to)?;
    game.play(&played).unwrap();
    Some(match game.outcome().map(|outcome| outcome.winner) {
        Some(Some(Side::Defenders)) => "WHITEWIN",
        Some(Some(Side::Attackers)) => "BLACKWIN",
        Some(None) => "DRAW",
        None if game.moves().len() == MAX_PLIES => "DRAW",
        None if turn == "WHITE" => "BLACK",
        None => "WHITE",
    })
}
