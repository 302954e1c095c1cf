use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Connects to a server, retrying for up to `retry`.
///
/// # Errors
/// If no server accepts the connection: the error of the last attempt.
pub(super) fn connect(host: &str, port: u16, retry: Duration) -> io::Result<TcpStream> {
    const PAUSE: Duration = Duration::from_millis(250);
    let started = Instant::now();
    loop {
        match try_connect(host, port) {
            Err(_) if started.elapsed() + PAUSE <= retry => sleep(PAUSE),
            result => return result,
        }
    }
}

fn try_connect(host: &str, port: u16) -> io::Result<TcpStream> {
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    let mut last = io::Error::other("the host name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
