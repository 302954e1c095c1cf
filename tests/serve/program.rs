//! The program: what it prints, and how it exits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{WON, connect, taflbase};

/// A process that ends with its test.
struct Started(Child);

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(arguments: &[&str]) -> (Started, SocketAddr) {
    start_at("127.0.0.1:0", arguments)
}

fn start_at(address: &str, arguments: &[&str]) -> (Started, SocketAddr) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(["serve", "--json", "--addr", address]).args(arguments);
    started(command)
}

/// Starts a server that prints JSON.
fn started(mut command: Command) -> (Started, SocketAddr) {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("TAFLBASE_TABLES", "tables");
    let mut child = Started(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let printed: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = printed["address"].as_str().unwrap();
    assert_eq!(printed["url"], format!("http://{address}/"));
    (child, address.parse().unwrap())
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// Sends requests, each of which must get a complete response, until the server refuses
/// connections.
fn hammer(address: SocketAddr, served: &AtomicUsize, began: &AtomicBool) {
    let request = format!(
        "GET /api/v1/rulesets/brandubh/probe?position={WON} HTTP/1.1\r\nHost: x\r\n\
         Connection: close\r\n\r\n"
    );
    while let Ok(mut stream) = TcpStream::connect(address) {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut response = String::new();
        if stream.write_all(request.as_bytes()).is_err()
            || stream.read_to_string(&mut response).is_err()
        {
            // The connection was in the queue when the server stopped accepting.
            return;
        }
        if !response.is_empty() {
            assert!(
                response.starts_with("HTTP/1.1 200 ") && response.ends_with("]}"),
                "{response}"
            );
            served.fetch_add(1, Ordering::Relaxed);
        }
        began.store(true, Ordering::Relaxed);
    }
}

/// The system refuses each thread, since there is no memory for its stack.
#[test]
fn a_server_without_threads_does_not_start() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(["serve", "--addr", "127.0.0.1:0"]);
    let output = command.env("RUST_MIN_STACK", (1u64 << 46).to_string()).output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{log}");
    assert!(log.contains("cannot start the server") && !log.contains("panicked"), "{log}");
}

/// With memory for the stacks of too few threads it does not start, and with that of the threads that
/// it begins with it answers.
#[cfg(target_os = "linux")]
#[test]
fn a_server_starts_with_all_its_threads_or_not_at_all() {
    for stacks in 3_u64.. {
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -v "$0" && exec "$@""#, &(stacks << 20).to_string()]);
        command.args([env!("CARGO_BIN_EXE_taflbase"), "serve", "--json", "--addr", "127.0.0.1:0"]);
        command.env("RUST_MIN_STACK", (1 << 30).to_string());
        let (mut child, address) = started(command);
        let mut response = String::new();
        if let Ok(mut stream) = TcpStream::connect(address) {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let request = format!(
                "GET /api/v1/rulesets/brandubh/probe?position={WON} HTTP/1.1\r\nHost: x\r\n\
                 Connection: close\r\n\r\n"
            );
            let _ = stream.write_all(request.as_bytes());
            let _ = stream.read_to_string(&mut response);
        }
        if !response.is_empty() {
            assert!(response.starts_with("HTTP/1.1 200 "), "{stacks}: {response}");
            return;
        }
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "{stacks}: hangs");
            thread::sleep(Duration::from_millis(10));
        }
        let mut log = String::new();
        child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{stacks}: {log}");
        assert!(log.contains("cannot start the server") && !log.contains("panicked"), "{log}");
    }
}

#[test]
fn sigterm_under_load_completes_all_responses() {
    let (mut child, address) = start(&[]);
    // The log has to be read, or lines are dropped.
    let mut log = child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    let (served, began) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let (served, began) = (Arc::clone(&served), Arc::clone(&began));
            thread::spawn(move || hammer(address, &served, &began))
        })
        .collect();
    while !began.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(500));
    let stopped = Instant::now();
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(stopped.elapsed() < Duration::from_secs(8), "{:?}", stopped.elapsed());
    clients.into_iter().for_each(|client| client.join().unwrap());
    let (served, log) = (served.load(Ordering::Relaxed), log.join().unwrap());
    assert!(served > 10, "{served}");
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= served, "{} {served}", lines.len());
    assert!(lines.iter().all(|line| line["ruleset"] == "brandubh" && line["slice"] == "K0v2"));
    assert!(lines.iter().all(|line| line["status"] == 200 && line["time"].is_number()));
    assert!(!log.contains("127.0.0.1"));
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let (mut child, address) = start(&[]);
    // A request in progress makes the first signal wait.
    let mut stream = connect(address);
    stream
        .write_all(
            b"POST /api/v1/rulesets/brandubh/probe HTTP/1.1\r\nHost: x\r\n\
                     Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        )
        .unwrap();
    thread::sleep(Duration::from_millis(200));
    signal(&child, "-INT");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None);
    let stopped = Instant::now();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(stopped.elapsed() < Duration::from_secs(2));
}

#[test]
fn refusals_are_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, expected) in [
        (&["--addr", &taken][..], taken.as_str()),
        (&["--addr", "8080"], "127.0.0.1:8080"),
        (&["--rules", "nowhere.toml"], "nowhere.toml"),
        (&["--rules", "src/game/rules/builtin/ashton.toml"], "\"ashton\""),
        (&["--tables", "nowhere"], "nowhere"),
        (&["--cache", "much"], "16GiB"),
        (&["--no-engine", "--searches", "2"], "--no-engine"),
    ] {
        let output = taflbase(&[&["serve"], arguments].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{text}");
        assert!(text.lines().count() == 1 && text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn an_address_may_be_a_host_name() {
    let (child, address) = start_at("localhost:0", &["--no-engine"]);
    assert!(address.ip().is_loopback() && address.port() > 0, "{address}");
    drop(child);
}

#[test]
fn ruleset_files_are_served_and_invalid_ones_reported() {
    let (mut child, address) = start(&["--rules", "tests/rulesets/serpent.toml", "--no-engine"]);
    let response = super::exchange(
        address,
        b"GET /api/v1/rulesets/serpent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert!(
        response.starts_with("HTTP/1.1 200 ") && response.contains("\"name\":\"serpent\""),
        "{response}"
    );
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(["serve", "--addr", "0.0.0.0:0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Started(command.spawn().unwrap());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let [warning, place] = [(); 2].map(|()| lines.next().unwrap().unwrap());
    assert!(warning.contains("proxy"), "{warning}");
    assert!(place.starts_with("taflbase: the explorer is at http://0.0.0.0:"), "{place}");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
