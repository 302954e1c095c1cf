//! Server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use hyper::body::Frame;
use serde::Serialize;
use tokio::sync::mpsc;

/// How often a stream on which nothing happens shows that it is there.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

/// Where events are put in.
pub(super) struct Events(mpsc::Sender<Bytes>);

/// Where they come out.
struct Stream(mpsc::Receiver<Bytes>);

/// A stream of events, and the answer that carries it. It ends when the one is dropped, or
/// the client goes away.
pub(super) fn events() -> (Events, Response) {
    let (sender, receiver) = mpsc::channel(4);
    let mut response = Response::new(Body::new(Stream(receiver)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A proxy that collected them would show them late.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    (Events(sender), response)
}

impl Events {
    /// Sends one event. Returns whether there is a client.
    pub(super) async fn send(&self, event: &str, id: u64, data: &impl Serialize) -> bool {
        // JSON is one line.
        let data = serde_json::to_string(data).unwrap_or_default();
        self.put(format!("event: {event}\nid: {id}\ndata: {data}\n\n")).await
    }

    /// Shows that the stream is there.
    pub(super) async fn beat(&self) -> bool {
        self.put(":\n\n".to_owned()).await
    }

    async fn put(&self, text: String) -> bool {
        self.0.send(text.into()).await.is_ok()
    }

    /// Tells when the client has gone.
    pub(super) async fn closed(&self) {
        self.0.closed().await;
    }
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
