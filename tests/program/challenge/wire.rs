//! The server's side of the wire, independent of the library's types.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use taflbase::position::Position;
use taflbase::rules::{Kind, Ruleset};

/// A position that no symmetry leaves unchanged.
pub(crate) const ASYMMETRIC: &str = "/3t1t3/t6t1/5T2t/1T7/1t7/2K5t/5t3/8t/7t1/";

pub(crate) fn rules() -> Ruleset {
    Ruleset::builtin("ashton-server").unwrap()
}

pub(crate) fn framed(text: &str) -> Vec<u8> {
    let mut frame = (text.len() as u32).to_be_bytes().to_vec();
    frame.extend(text.as_bytes());
    frame
}

/// Returns the next message, or `None` if the client has disconnected.
pub(crate) fn receive(stream: &mut TcpStream) -> Option<Value> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut text = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).unwrap())
}

pub(crate) fn send(stream: &mut TcpStream, message: &Value) {
    // The client may have disconnected.
    let _ = stream.write_all(&framed(&message.to_string()));
}

/// Formats the server's state of a position: its first row is the top of its board, and rank 1.
pub(crate) fn state(position: &Position, turn: &str) -> Value {
    let cell = |file, rank| {
        let square = rules().board.at(file, rank);
        match position.piece(square) {
            Some(Kind::Attacker) => "BLACK",
            Some(Kind::Defender) => "WHITE",
            Some(Kind::King) => "KING",
            None if (file, rank) == (4, 4) => "THRONE",
            None => "EMPTY",
        }
    };
    let row = |rank| (0..9).map(|file| cell(file, rank)).collect::<Vec<_>>();
    json!({ "board": (0..9).map(row).collect::<Vec<_>>(), "turn": turn })
}

/// Formats the state of a board with this side to move.
pub(crate) fn state_of(board: &str, turn: &str) -> Value {
    let side = if turn == "BLACK" { "a" } else { "d" };
    state(&Position::parse(&format!("{board} {side}"), &rules()).unwrap(), turn)
}

pub(crate) fn start() -> Value {
    state(&Position::start(&rules()).unwrap(), "WHITE")
}
