//! The explorer's server: its responses, broken clients and tables, the program.

mod answers;
mod damage;
mod downloads;
mod engine;
mod live;
mod problems;
#[cfg(unix)]
mod program;
mod proofs;
mod sockets;
mod stores;
mod studies;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::Value;
use taflbase::serve::{AppState, ServeOptions, Server, Stopper, router};
use tower::ServiceExt;

/// A position that the defenders win in 3, in a query.
const WON: &str = "/7/4t2/7/7/2K4/7/2t4/_d";

/// Returns a router with the embedded tables.
fn served() -> Router {
    served_with(ServeOptions::default())
}

fn served_with(options: ServeOptions) -> Router {
    router(Arc::new(AppState::open(Vec::new(), None, options).unwrap()))
}

/// A response.
struct Got {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the code of a problem.
    fn code(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        let code = problem["code"].as_str().unwrap().to_owned();
        assert_eq!(problem["type"], format!("/api/v1/problems#{code}"));
        assert!(!problem["title"].as_str().unwrap().is_empty());
        code
    }
}

async fn send(router: &Router, request: Request<Body>) -> Got {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    Got { status: parts.status.as_u16(), headers: parts.headers, body }
}

async fn get(router: &Router, path: &str) -> Got {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

async fn post(router: &Router, path: &str, json: &Value) -> Got {
    let request = Request::post(path).header("content-type", "application/json");
    send(router, request.body(Body::from(json.to_string())).unwrap()).await
}

/// A server on its own port.
struct Running {
    address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(options: ServeOptions) -> Running {
        let site = AppState::open(Vec::new(), None, options).unwrap();
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), Arc::new(site)).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        let thread = std::thread::spawn(move || server.run().unwrap());
        Running { address, stopper, thread: Some(thread) }
    }

    fn end(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// Connects, with a time limit for reads and writes.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Sends bytes and reads until the connection is closed; a reset may cut off the end.
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    let _ = stream.write_all(bytes);
    read_all(&mut stream)
}

fn read_all(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let mut part = [0; 4096];
    while let Ok(count) = stream.read(&mut part) {
        if count == 0 {
            break;
        }
        read.extend_from_slice(&part[..count]);
    }
    String::from_utf8_lossy(&read).into_owned()
}

fn taflbase(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taflbase"));
    command.args(arguments).env("TAFLBASE_TABLES", "tables").output().unwrap()
}

/// Returns the lines of JSON that the program prints.
fn printed(arguments: &[&str]) -> Vec<Value> {
    let output = taflbase(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Repeats the request until the server has done its work in the background, which it does at low
/// priority.
async fn awaited(router: &Router, path: &str) -> Got {
    for _ in 0..6000 {
        let got = get(router, path).await;
        if got.status != 202 {
            return got;
        }
        assert_eq!(got.header("retry-after"), "1");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{path} is never ready");
}
