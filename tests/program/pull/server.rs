//! A web server whose responses a test chooses byte by byte.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

/// A request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub path: String,
    /// The first byte that is wanted.
    pub start: Option<usize>,
}

pub(crate) struct FileServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl FileServer {
    /// Starts a server that sends the bytes of `respond`, and then closes the connection.
    pub(crate) fn new(respond: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> FileServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_request(&stream);
                seen.lock().unwrap().push(request.clone());
                // The client may have gone.
                let _ = stream.write_all(&respond(&request));
            }
        });
        FileServer { address, requests }
    }

    /// Starts a server of the files in a folder.
    pub(crate) fn of(folder: PathBuf) -> FileServer {
        FileServer::new(move |request| file(&folder, request))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests for a file so far: where each began.
    pub(crate) fn starts(&self, name: &str) -> Vec<Option<usize>> {
        let requests = self.requests.lock().unwrap();
        let of_file = requests.iter().filter(|request| request.path.ends_with(name));
        of_file.map(|request| request.start).collect()
    }
}

fn read_request(stream: &TcpStream) -> Request {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let head: Vec<String> =
        lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let first = head.first().map_or("", String::as_str);
    let range = head.iter().find_map(|line| line.strip_prefix("range: bytes="));
    Request {
        path: first.split(' ').nth(1).unwrap_or_default().to_owned(),
        start: range.map(|range| range.strip_suffix('-').unwrap().parse().unwrap()),
    }
}

/// Returns the response of a good server.
pub(crate) fn file(folder: &std::path::Path, request: &Request) -> Vec<u8> {
    match std::fs::read(folder.join(request.path.trim_start_matches('/'))) {
        Ok(bytes) => rest(&bytes, request),
        Err(_) => status("404 Not Found", ""),
    }
}

/// Returns a response with the wanted part of these bytes.
pub(crate) fn rest(bytes: &[u8], request: &Request) -> Vec<u8> {
    match request.start {
        None => whole(bytes),
        Some(start) => part(bytes, start, start),
    }
}

pub(crate) fn whole(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    [format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").as_bytes(), bytes].concat()
}

/// Returns a partial response that says that it begins at `said`.
pub(crate) fn part(bytes: &[u8], start: usize, said: usize) -> Vec<u8> {
    let (all, length) = (bytes.len(), bytes.len() - start);
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\ncontent-length: {length}\r\n\
         content-range: bytes {said}-{}/{all}\r\n\r\n",
        all - 1
    );
    [head.as_bytes(), &bytes[start..]].concat()
}

pub(crate) fn status(line: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {line}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Cuts a response after so many bytes of its body.
pub(crate) fn cut(mut response: Vec<u8>, bytes: usize) -> Vec<u8> {
    let head = response.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    response.truncate(head + bytes);
    response
}
