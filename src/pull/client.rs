//! HTTP/1.1 without encryption, one connection for each file.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::thread;
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderMap, RANGE, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::address::Address;
use super::error::ServerFault;

/// Fetches files from servers.
#[derive(Debug)]
pub(super) struct Client {
    runtime: Runtime,
    timeout: Duration,
}

/// A response whose body is read piece by piece.
pub(super) struct Response<'a> {
    client: &'a Client,
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
}

impl Client {
    /// Creates a client that waits this long for a response and for each piece of it.
    ///
    /// # Errors
    /// If the system refuses an event queue.
    pub(super) fn new(timeout: Duration) -> io::Result<Client> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Client { runtime, timeout })
    }

    /// Requests a file, from the byte `start` on.
    pub(super) fn get(&self, address: &Address, start: u64) -> Result<Response<'_>, ServerFault> {
        let (head, body) = self.within_time(send(address, start))?.into_parts();
        Ok(Response { client: self, status: head.status, headers: head.headers, body })
    }

    fn within_time<T>(
        &self,
        work: impl Future<Output = Result<T, ServerFault>>,
    ) -> Result<T, ServerFault> {
        self.runtime.block_on(async {
            let done = timeout(self.timeout, work).await;
            done.unwrap_or(Err(ServerFault::Silent(self.timeout)))
        })
    }
}

async fn send(address: &Address, start: u64) -> Result<hyper::Response<Incoming>, ServerFault> {
    let mut request = Request::get(address.target())
        .header(HOST, &address.authority)
        .header(CONNECTION, "close")
        .header(USER_AGENT, concat!("taflbase/", env!("CARGO_PKG_VERSION")));
    if start > 0 {
        request = request.header(RANGE, format!("bytes={start}-"));
    }
    let request = request.body(String::new()).map_err(|_| ServerFault::NoHttp)?;
    let stream = connect(address).await.map_err(ServerFault::Connect)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Runs while the client waits for this response, and ends with it.
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}

async fn connect(address: &Address) -> io::Result<TcpStream> {
    let addresses = look_up(&address.host, address.port).await?;
    TcpStream::connect(&*addresses).await
}

/// Returns the addresses of a host. A name is looked up in a thread of its own: the runtime would panic
/// if the system refuses one, and wait at its end for a lookup that was given up.
async fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(number) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(number, port)]);
    }
    let named = (host.to_owned(), port);
    let (sender, found) = oneshot::channel();
    let look_up = move || {
        // The client may have given up.
        let _ = sender.send(named.to_socket_addrs().map(Vec::from_iter));
    };
    thread::Builder::new()
        .spawn(look_up)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start a thread: {error}")))?;
    found.await.map_err(io::Error::other)?
}

impl Response<'_> {
    /// Returns the length of the body if the server announced it.
    pub(super) fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// Waits for the next piece of the body; `None` at its end.
    pub(super) fn next_piece(&mut self) -> Result<Option<Bytes>, ServerFault> {
        loop {
            let body = &mut self.body;
            let next = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            let frame = self.client.within_time(async { Ok(next.await.transpose()?) })?;
            match frame.map(|frame| frame.into_data()) {
                None => return Ok(None),
                Some(Ok(data)) if !data.is_empty() => return Ok(Some(data)),
                // Trailers, which say nothing about files.
                Some(_) => {}
            }
        }
    }

    /// Reads a body of at most `most` bytes.
    pub(super) fn read(&mut self, most: u64) -> Result<Vec<u8>, ServerFault> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next_piece()? {
            let listed = (bytes.len() + piece.len()) as u64;
            if listed > most {
                return Err(ServerFault::Oversized { listed, most });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}
