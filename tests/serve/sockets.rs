//! Clients that are slow, malicious or broken.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use taflbase::serve::ServeOptions;

use super::{Running, WON, connect, exchange, read_all};

/// Starts a server with short time limits.
fn impatient() -> Running {
    Running::new(ServeOptions {
        client_timeout: Duration::from_millis(400),
        request_timeout: Duration::from_millis(1000),
        ..ServeOptions::default()
    })
}

/// Returns a complete request.
fn probe() -> String {
    format!("GET /api/v1/rulesets/brandubh/probe?position={WON} HTTP/1.1\r\nHost: x\r\n\r\n")
}

fn is_well(server: &Running) {
    let answer =
        exchange(server.address, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("{\"status\":\"ok\"}"),
        "{answer}"
    );
}

#[test]
fn silent_and_half_sent_requests_are_closed_in_time() {
    let mut server = impatient();
    for half in ["", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX-More: "] {
        let began = Instant::now();
        exchange(server.address, half.as_bytes());
        assert!(began.elapsed() < Duration::from_secs(3), "{half:?}: {:?}", began.elapsed());
    }
    // Headers without end, one after the other.
    let mut stream = connect(server.address);
    stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let began = Instant::now();
    while stream.write_all(b"X-A: b\r\n").is_ok() {
        assert!(began.elapsed() < Duration::from_secs(4), "it reads on and on");
        std::thread::sleep(Duration::from_millis(50));
    }
    // After a response there is the same time for the next request, and no more.
    let mut stream = connect(server.address);
    stream.write_all(probe().as_bytes()).unwrap();
    let began = Instant::now();
    assert!(read_all(&mut stream).starts_with("HTTP/1.1 200 "));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    is_well(&server);
    server.end();
}

#[test]
fn slow_huge_and_endless_bodies_are_refused() {
    let mut server = impatient();
    let head = "POST /api/v1/rulesets/brandubh/probe HTTP/1.1\r\nHost: x\r\n\
                Content-Type: application/json\r\n";
    // A body that is never sent.
    let began = Instant::now();
    let slow = exchange(server.address, format!("{head}Content-Length: 100\r\n\r\n{{").as_bytes());
    assert!(slow.starts_with("HTTP/1.1 503 ") && slow.contains("\"timeout\""), "{slow}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // One announced as too long, and one without end.
    let announced = format!("{head}Content-Length: 99999999999\r\n\r\n{{");
    let response = exchange(server.address, announced.as_bytes());
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    let mut stream = connect(server.address);
    let mut other = stream.try_clone().unwrap();
    let reader = std::thread::spawn(move || read_all(&mut other));
    stream.write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes()).unwrap();
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    let mut sent = 0;
    while stream.write_all(chunk.as_bytes()).is_ok() {
        sent += chunk.len();
        assert!(sent < 64 << 20, "it reads on and on");
    }
    let response = reader.join().unwrap();
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 413 "), "{response}");
    is_well(&server);
    server.end();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let mut server = impatient();
    let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    let last = "GET /nix HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let response = exchange(server.address, format!("{}{health}{last}", probe()).as_bytes());
    let at = |text: &str| response.find(text).unwrap_or_else(|| panic!("{text}: {response}"));
    assert!(at("\"dtw\":3") < at("\"ok\"") && at("\"ok\"") < at("not-found"));
    assert_eq!(response.matches("HTTP/1.1 ").count(), 3);
    server.end();
}

#[test]
fn clients_that_do_not_read_are_disconnected() {
    let mut server = impatient();
    let mut stream = connect(server.address);
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let began = Instant::now();
    // As many requests as it takes; the client reads no responses.
    loop {
        match stream.write_all(probe().repeat(100).as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => break,
            _ => assert!(began.elapsed() < Duration::from_secs(15), "it waits on and on"),
        }
    }
    is_well(&server);
    server.end();
}

#[test]
fn invalid_requests_are_refused() {
    let mut server = impatient();
    let long = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(20 << 10));
    let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-A: b\r\n".repeat(1000));
    let path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(20 << 10));
    for (sent, status) in [
        (&b"\xff\xfe\x00\x01\r\n\r\n"[..], "400"),
        (b"GET /\xff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "4"),
        (b"GET / HTTP/9.9\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "4"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"),
        (long.as_bytes(), "431"),
        (many.as_bytes(), "431"),
        (path.as_bytes(), "4"),
    ] {
        let response = exchange(server.address, sent);
        let shown = String::from_utf8_lossy(&sent[..sent.len().min(60)]);
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{shown}: {response}");
    }
    is_well(&server);
    server.end();
}

#[test]
fn no_path_leads_to_files() {
    let mut server = impatient();
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/web/../Cargo.toml",
        "/Cargo.toml",
        "/api/v1/rulesets/..%2f..%2fCargo.toml",
        "/index.html%00",
        "file:///etc/passwd",
    ] {
        let sent = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let response = exchange(server.address, sent.as_bytes());
        assert!(response.starts_with("HTTP/1.1 4"), "{path}: {response}");
        assert!(
            !response.contains("root:") && !response.contains("[package]"),
            "{path}: {response}"
        );
    }
    server.end();
}

#[test]
fn connections_are_counted() {
    let options = ServeOptions { connections: 4, ..ServeOptions::default() };
    let mut server = Running::new(options);
    let mut held: Vec<_> = (0..4).map(|_| connect(server.address)).collect();
    for stream in &mut held {
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
    }
    for _ in 0..10 {
        let response = exchange(server.address, probe().as_bytes());
        assert!(
            response.starts_with("HTTP/1.1 503 ") && response.contains("\"overloaded\""),
            "{response}"
        );
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{response}");
        serde_json::from_str::<serde_json::Value>(body).unwrap();
    }
    // A client that disconnects makes room.
    held[0].shutdown(Shutdown::Both).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    is_well(&server);
    drop(held);
    server.end();
}
