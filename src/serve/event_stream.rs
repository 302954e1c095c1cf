//! Server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use hyper::body::Frame;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at};

/// Interval of the comments that keep an idle connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The sending end of an event stream.
pub(super) struct EventSender {
    bytes: mpsc::Sender<Bytes>,
    /// The number of the last event of [`EventSender::send_next`].
    number: AtomicU64,
}

/// The response body of an event stream.
struct EventBody(mpsc::Receiver<Bytes>);

/// Opens an event stream. It ends when the sender is dropped or the client disconnects.
pub(super) fn open() -> (EventSender, Response) {
    let (sender, receiver) = mpsc::channel(4);
    let mut response = Response::new(Body::new(EventBody(receiver)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Turns off buffering in nginx, which would delay the events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    (EventSender { bytes: sender, number: AtomicU64::new(0) }, response)
}

impl EventSender {
    /// Sends an event. Returns `false` if the client has disconnected.
    pub(super) async fn send(&self, event: &str, id: u64, data: &impl Serialize) -> bool {
        // Serialized JSON has no line breaks, which would end the `data` field.
        let json = serde_json::to_string(data).unwrap_or_default();
        self.put(format!("event: {event}\nid: {id}\ndata: {json}\n\n")).await
    }

    /// Sends an event with the next number as its ID, from 1. Returns `false` if the client has
    /// disconnected.
    pub(super) async fn send_next(&self, event: &str, data: &impl Serialize) -> bool {
        let id = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(event, id, data).await
    }

    /// Sends comments that keep an idle connection open, until the client disconnects.
    pub(super) async fn keep_alive(&self) {
        let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        loop {
            tokio::select! {
                () = self.bytes.closed() => return,
                _ = heartbeat.tick() => {
                    self.put(":\n\n".to_owned()).await;
                }
            }
        }
    }

    async fn put(&self, text: String) -> bool {
        self.bytes.send(text.into()).await.is_ok()
    }
}

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
