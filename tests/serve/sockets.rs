//! Clients that are slow, rude or broken.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use taflbase::serve::ServeOptions;

use super::{Running, WON, connect, exchange, read_all};

/// A server that does not wait for long.
fn impatient() -> Running {
    Running::new(ServeOptions {
        client_timeout: Duration::from_millis(400),
        request_timeout: Duration::from_millis(1000),
        ..ServeOptions::default()
    })
}

/// A request that is whole.
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
    // One header after the other, for ever.
    let mut stream = connect(server.address);
    stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let began = Instant::now();
    while stream.write_all(b"X-A: b\r\n").is_ok() {
        assert!(began.elapsed() < Duration::from_secs(4), "it reads on and on");
        std::thread::sleep(Duration::from_millis(50));
    }
    // After an answer there is as much time for the next request, and no more.
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
    // A body that does not come.
    let began = Instant::now();
    let slow = exchange(server.address, format!("{head}Content-Length: 100\r\n\r\n{{").as_bytes());
    assert!(slow.starts_with("HTTP/1.1 503 ") && slow.contains("\"timeout\""), "{slow}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // One that is announced as too long, or is so without an end.
    let announced = format!("{head}Content-Length: 99999999999\r\n\r\n{{");
    let told = exchange(server.address, announced.as_bytes());
    assert!(told.starts_with("HTTP/1.1 413 "), "{told}");
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
    let told = reader.join().unwrap();
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 413 "), "{told}");
    is_well(&server);
    server.end();
}

#[test]
fn requests_in_a_row_are_answered_in_order() {
    let mut server = impatient();
    let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    let last = "GET /nix HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let told = exchange(server.address, format!("{}{health}{last}", probe()).as_bytes());
    let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text}: {told}"));
    assert!(at("\"dtw\":3") < at("\"ok\"") && at("\"ok\"") < at("not-found"));
    assert_eq!(told.matches("HTTP/1.1 ").count(), 3);
    server.end();
}

#[test]
fn who_does_not_read_is_cut_off() {
    let mut server = impatient();
    let mut stream = connect(server.address);
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let began = Instant::now();
    // As many requests as it takes; nobody reads what is answered.
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
fn what_is_no_request_is_refused() {
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
        let told = exchange(server.address, sent);
        let shown = String::from_utf8_lossy(&sent[..sent.len().min(60)]);
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{shown}: {told}");
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
        let told = exchange(server.address, sent.as_bytes());
        assert!(told.starts_with("HTTP/1.1 4"), "{path}: {told}");
        assert!(!told.contains("root:") && !told.contains("[package]"), "{path}: {told}");
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
        let told = exchange(server.address, probe().as_bytes());
        assert!(told.starts_with("HTTP/1.1 503 ") && told.contains("\"overloaded\""), "{told}");
        let (head, body) = told.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{told}");
        serde_json::from_str::<serde_json::Value>(body).unwrap();
    }
    // Whoever leaves makes room.
    held[0].shutdown(Shutdown::Both).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    is_well(&server);
    drop(held);
    server.end();
}
