//! Servers that are missing, fall silent, disconnect or send nonsense: the program reports it
//! on one line, with status 2.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::program::{program, status_and_output};
use super::wire::{framed, receive, send, start, state_of};

/// Plays white with a server that runs `serve` once it knows the name; the last line of the
/// errors must contain the words.
#[track_caller]
fn refused(arguments: &[&str], serve: impl FnOnce(TcpStream) + Send + 'static, words: &[&str]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        receive(&mut stream).unwrap();
        serve(stream);
    });
    let mut command = program(&["white", "--time", "1"]);
    let output = command.args(["--port", &port]).args(arguments).output().unwrap();
    server.join().unwrap();
    let (status, out, err) = status_and_output(output);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    let last = err.lines().last().unwrap();
    assert!(last.starts_with("taflbase: "), "{err}");
    for word in words {
        assert!(last.contains(word), "{word:?} is not in: {err}");
    }
}

/// The same for a server that sends these bytes.
#[track_caller]
fn refused_bytes(bytes: &[u8], words: &[&str]) {
    let bytes = bytes.to_vec();
    refused(&[], move |mut stream| drop(stream.write_all(&bytes)), words);
}

#[test]
fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let port = address.port().to_string();
    for (retry, word) in
        [(&[][..], "start the server first"), (&["--retry", "1"], "after 1 s of retries")]
    {
        let mut command = program(&["black", "--port", &port]);
        command.args(retry);
        let (status, out, err) = status_and_output(command.output().unwrap());
        assert_eq!((status, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
        let named = format!("cannot connect to 127.0.0.1:{port}");
        assert!(err.contains(&named) && err.contains(word), "{err}");
    }
}

#[test]
fn connections_that_are_closed() {
    refused(&[], drop, &["before the game began"]);
    let ours = |mut stream: TcpStream| send(&mut stream, &start());
    refused(&[], ours, &["without a result", "white, to move"]);
    let theirs = |mut stream: TcpStream| {
        send(&mut stream, &start());
        receive(&mut stream).unwrap();
        send(
            &mut stream,
            &state_of("/3ttt3/4t4/3T5/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/", "BLACK"),
        );
    };
    refused(&[], theirs, &["without a result", "black, to move"]);
}

#[test]
fn messages_that_are_cut_off() {
    let whole = framed(&start().to_string());
    for length in [1, 3, 4, 5, whole.len() - 1] {
        refused_bytes(&whole[..length], &["in the middle of a message"]);
    }
}

#[test]
fn impossible_lengths() {
    refused_bytes(&[255; 4], &["4294967295 bytes"]);
    refused_bytes(&[0x7f, 255, 255, 255, b'{'], &["2147483647 bytes"]);
    refused_bytes(b"HTTP/1.1 400 Bad Request\r\n", &["1213486160 bytes"]);
}

#[test]
fn messages_that_are_not_states() {
    refused_bytes(&framed(""), &["invalid message"]);
    refused_bytes(&framed("{\"board\":"), &["invalid message"]);
    refused_bytes(&framed("null"), &["invalid message"]);
    refused_bytes(&framed("{\"board\":[[\"GREEN\"]],\"turn\":\"WHITE\"}"), &["GREEN"]);
    refused_bytes(&framed(&json!({ "board": [], "turn": null }).to_string()), &["invalid message"]);
    refused_bytes(&framed(&json!({ "turn": "WHITE" }).to_string()), &["board"]);
    refused_bytes(&framed(&"[".repeat(60_000)), &["invalid message"]);
    refused_bytes(&[&[0, 0, 0, 2][..], &[b'"', 200]].concat(), &["UTF-8"]);
}

#[test]
fn unplayable_boards() {
    let mut small = start();
    small["board"].as_array_mut().unwrap().pop();
    refused_bytes(&framed(&small.to_string()), &["8 instead of 9 ranks"]);
    let mut without = start();
    without["board"][4][4] = json!("THRONE");
    refused_bytes(&framed(&without.to_string()), &["no king"]);
    let mut two = start();
    two["board"][0][1] = json!("KING");
    refused_bytes(&framed(&two.to_string()), &["two kings, on b1 and e5"]);
}

#[test]
fn a_silent_server_is_given_up() {
    let wait = |stream: TcpStream| {
        thread::sleep(Duration::from_secs(3));
        drop(stream);
    };
    refused(&["--patience", "1"], wait, &["sent nothing for too long", "--patience is 1 s"]);
    let in_a_message = |mut stream: TcpStream| {
        stream.write_all(&framed(&start().to_string())[..99]).unwrap();
        thread::sleep(Duration::from_secs(3));
    };
    refused(&["--patience", "1"], in_a_message, &["--patience is 1 s"]);
}

#[test]
fn a_side_without_a_move_waits_for_the_servers_clock() {
    let walled_in = |mut stream: TcpStream| {
        send(&mut stream, &state_of("/9/9/9/4t4/3tKt3/4t4/9/9/9/", "WHITE"));
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        assert_eq!(receive(&mut stream), None);
    };
    refused(&[], walled_in, &["without a result", "white, to move"]);
}
