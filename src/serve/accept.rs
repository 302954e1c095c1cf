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
use super::patient::Patient;
use super::problem::Problem;

/// The headers of a request, with its first line.
const HEADER_BYTES: usize = 16 << 10;
/// Connections at once that are only told that there are too many.
const TURNED_AWAY: usize = 256;
/// How long such a client has to read that.
const FAREWELL: Duration = Duration::from_millis(500);

/// What they are told.
static FULL: LazyLock<Vec<u8>> = LazyLock::new(|| {
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

/// How connections are taken.
pub(super) struct Doorkeeper {
    pub router: Router,
    /// The most at once.
    pub connections: usize,
    /// For the headers of a request, for the next one, and for what is written.
    pub patience: Duration,
    /// For answers under way when the server ends.
    pub grace: Duration,
}

impl Doorkeeper {
    /// Serves connections until the server is to end; then waits for what is under way.
    pub(super) async fn serve(
        self,
        listener: TcpListener,
        metrics: &Metrics,
        ended: impl Future<Output = ()>,
    ) {
        tokio::pin!(ended);
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(self.connections));
        let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
        loop {
            let stream = tokio::select! {
                () = &mut ended => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        after(&error).await;
                        continue;
                    }
                },
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                metrics.shed();
                // Who comes later waits at the door.
                if let Ok(permit) = Arc::clone(&turned_away).acquire_owned().await {
                    tokio::spawn(async move {
                        let _ = timeout(FAREWELL, turn_away(stream)).await;
                        drop(permit);
                    });
                }
                continue;
            };
            let connection = graceful.watch(self.connection(stream));
            tokio::spawn(async move {
                // Whatever breaks a connection is its client's business.
                let _ = connection.await;
                drop(place);
            });
        }
        drop(listener);
        let _ = timeout(self.grace, graceful.shutdown()).await;
    }

    fn connection(
        &self,
        stream: TcpStream,
    ) -> http1::Connection<TokioIo<Patient<TcpStream>>, TowerToHyperService<Router>> {
        // Answers are written whole.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, self.patience));
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.patience)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(io, TowerToHyperService::new(self.router.clone()))
    }
}

/// Tells a client that there are too many, and lets it read that before it is cut off.
async fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(&FULL).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// Waits where a connection could not be taken for want of something that comes back,
/// like file descriptors.
async fn after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        sleep(Duration::from_millis(50)).await;
    }
}
