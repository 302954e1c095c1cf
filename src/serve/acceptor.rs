use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::metrics::Metrics;
use super::problem::Problem;
use super::write_timeout::WriteTimeout;

/// Maximum size of a request's first line and headers.
const HEADER_BYTES: usize = 16 << 10;
/// Maximum connections that are being rejected at the same time.
const MAX_REJECTIONS: usize = 256;
/// Time that a rejected client has to read its response.
const REJECTION_TIMEOUT: Duration = Duration::from_millis(500);

/// Response to a rejected client, with its headers.
static REJECTION: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let problem = Problem::overloaded("the server has too many connections: try again");
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
         cache-control: no-store\r\nretry-after: 1\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    );
    (head + &body).into_bytes()
});

/// Accepts connections, up to a limit.
pub(super) struct Acceptor {
    pub router: Router,
    /// Maximum connections.
    pub connections: usize,
    /// Time limit for the headers of a request, for the next request of a connection, and for
    /// writing.
    pub client_timeout: Duration,
    /// Time that requests in flight have at shutdown.
    pub grace: Duration,
}

impl Acceptor {
    /// Serves connections until `shutdown` completes, then waits for the requests in flight.
    pub(super) async fn serve(
        self,
        listener: TcpListener,
        metrics: &Metrics,
        shutdown: impl Future<Output = ()>,
    ) {
        tokio::pin!(shutdown);
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(self.connections));
        let rejections = Arc::new(Semaphore::new(MAX_REJECTIONS));
        loop {
            let stream = tokio::select! {
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        pause_after(&error).await;
                        continue;
                    }
                },
            };
            let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
                metrics.shed();
                // With all permits taken, further clients wait in the system's accept queue.
                if let Ok(rejection) = Arc::clone(&rejections).acquire_owned().await {
                    tokio::spawn(async move {
                        let _ = timeout(REJECTION_TIMEOUT, reject(stream)).await;
                        drop(rejection);
                    });
                }
                continue;
            };
            // `graceful` closes idle connections at shutdown, and others after their response.
            let connection = graceful.watch(self.connection(stream));
            tokio::spawn(async move {
                // A broken connection concerns its client only.
                let _ = connection.await;
                drop(permit);
            });
        }
        drop(listener);
        let _ = timeout(self.grace, graceful.shutdown()).await;
    }

    fn connection(
        &self,
        stream: TcpStream,
    ) -> http1::Connection<TokioIo<WriteTimeout<TcpStream>>, TowerToHyperService<Router>> {
        // A response is written in one piece, so Nagle's algorithm would only delay it.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(WriteTimeout::new(stream, self.client_timeout));
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.client_timeout)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(io, TowerToHyperService::new(self.router.clone()))
    }
}

/// Answers 503. Reads until the client closes: closing with unread input would reset the
/// connection, and the client could lose the response.
async fn reject(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(&REJECTION).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// Pauses if accepting failed for lack of a resource that may come back, such as file
/// descriptors.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        sleep(Duration::from_millis(50)).await;
    }
}
