//! A server like the challenge's own: white is accepted and named before black, both get every
//! state, and an illegal move or a closed connection ends the game.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use taflbase::history::{Game, Reason};
use taflbase::moves::find_move;
use taflbase::rules::Side;

use super::wire::{framed, receive, rules, state};

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
    Some(match game.outcome() {
        Some(outcome) if outcome.reason != Reason::NoMove => match outcome.winner {
            Some(Side::Defenders) => "WHITEWIN",
            Some(Side::Attackers) => "BLACKWIN",
            None => "DRAW",
        },
        _ if turn == "WHITE" => "BLACK",
        _ => "WHITE",
    })
}
