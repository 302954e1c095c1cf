use std::sync::{Arc, OnceLock};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, RETRY_AFTER, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;

/// How long clients may cache a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caching {
    /// Complete and exact values of a built-in ruleset, which never change.
    Day,
    /// May change: clients revalidate with the `ETag`.
    Revalidate,
    /// Different each time.
    Never,
}

impl Caching {
    pub(super) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Caching::Day => "public, max-age=86400",
            Caching::Revalidate => "no-cache",
            Caching::Never => "no-store",
        })
    }
}

/// The ruleset and slice of a request, for the log.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub ruleset: String,
    pub slice: Option<String>,
}

impl Subject {
    /// Returns what a response carries to the log.
    pub(super) fn of(ruleset: &str, slice: Option<String>) -> Extension<Subject> {
        Extension(Subject { ruleset: ruleset.to_owned(), slice })
    }
}

/// A JSON response. Serializing it is left to the thread that made the value, so that the async
/// threads stay free.
#[derive(Clone, Debug)]
pub(super) struct JsonReply {
    body: Bytes,
    caching: Caching,
    tag: Option<HeaderValue>,
    subject: Option<Extension<Subject>>,
}

impl JsonReply {
    /// Serializes a value.
    pub(super) fn new(value: &impl Serialize, caching: Caching) -> Result<JsonReply, Problem> {
        let body = to_json(value)?;
        let tag = if caching == Caching::Never { None } else { weak_tag(&body) };
        Ok(JsonReply { body: body.into(), caching, tag, subject: None })
    }

    /// Adds the ruleset and slice for the log.
    pub(super) fn about(mut self, ruleset: &str, slice: Option<String>) -> JsonReply {
        self.subject = Some(Subject::of(ruleset, slice));
        self
    }
}

impl IntoResponse for JsonReply {
    fn into_response(self) -> Response {
        let mut response = (self.subject, Body::from(self.body)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, self.caching.header());
        if let Some(tag) = self.tag {
            headers.insert(ETAG, tag);
        }
        response
    }
}

/// A body that is kept in memory, plain and compressed with zstd. Clones share both.
#[derive(Clone, Debug)]
pub(super) struct CachedBody {
    media: HeaderValue,
    plain: Bytes,
    /// Empty until it is needed.
    compressed: Arc<OnceLock<Bytes>>,
    tag: Option<HeaderValue>,
}

impl CachedBody {
    /// High compression level, because each body is compressed once.
    const LEVEL: i32 = 19;

    /// Keeps a body. The first client that accepts zstd has it compressed.
    pub(super) fn new(media: &'static str, body: impl Into<Bytes>) -> CachedBody {
        let plain = body.into();
        let tag = weak_tag(&plain);
        let media = HeaderValue::from_static(media);
        CachedBody { media, plain, compressed: Arc::default(), tag }
    }

    /// Serializes a value and compresses it.
    pub(super) fn json(value: &impl Serialize) -> Result<CachedBody, Problem> {
        let body = CachedBody::new("application/json", to_json(value)?);
        // It may be large: the async thread of a request has no time for that.
        body.compress();
        Ok(body)
    }

    /// Compresses the body, unless that has been done.
    pub(super) fn compress(&self) {
        self.compressed();
    }

    fn compressed(&self) -> &Bytes {
        self.compressed.get_or_init(|| {
            // Compressing fails only for lack of memory.
            zstd::bulk::compress(&self.plain, CachedBody::LEVEL)
                .map_or_else(|_| self.plain.clone(), Bytes::from)
        })
    }

    /// Returns the body, compressed if the client accepts zstd.
    pub(super) fn response(&self, request: &HeaderMap) -> Response {
        let is_compressed = accepts_zstd(request) && self.compressed().len() < self.plain.len();
        let body = if is_compressed { self.compressed() } else { &self.plain };
        let mut response = Body::from(body.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, self.media.clone());
        headers.insert(CACHE_CONTROL, Caching::Revalidate.header());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_compressed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
        }
        if let Some(tag) = &self.tag {
            headers.insert(ETAG, tag.clone());
        }
        response
    }
}

/// Returns 202, which asks the client to repeat its request after a second.
pub(super) fn retry_later(body: &impl Serialize) -> Result<Response, Problem> {
    let headers = [
        (RETRY_AFTER, HeaderValue::from_static("1")),
        (CACHE_CONTROL, Caching::Never.header()),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
    ];
    Ok((StatusCode::ACCEPTED, headers, to_json(body)?).into_response())
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|error| Problem::internal(error.to_string()))
}

/// Returns a weak `ETag`, which is the same for every encoding of the body.
pub(super) fn weak_tag(body: &[u8]) -> Option<HeaderValue> {
    let hash = blake3::hash(body).to_hex();
    HeaderValue::try_from(format!("W/\"{}\"", &hash[..32])).ok()
}

/// Whether `Accept-Encoding` lists zstd with a weight above 0.
fn accepts_zstd(request: &HeaderMap) -> bool {
    let values = request.get_all(axum::http::header::ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let quality = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("zstd") && quality.is_ok_and(|quality| quality > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header::ACCEPT_ENCODING;

    #[test]
    fn zstd_is_sent_to_clients_that_accept_it() {
        let text = "taflbase ".repeat(100);
        let cached = CachedBody::new("text/plain", text.clone());
        for (accepts, compressed) in [
            ("gzip, deflate, br, zstd", true),
            ("zstd;q=0.5", true),
            ("ZSTD", true),
            ("zstd;q=0", false),
            ("zstd;q=x", false),
            ("gzip", false),
            ("", false),
        ] {
            let mut request = HeaderMap::new();
            request.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepts));
            let response = cached.response(&request);
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), compressed, "{accepts}");
            assert!(response.headers().contains_key(VARY));
        }
        assert_eq!(zstd::bulk::decompress(cached.compressed(), 1000).unwrap(), text.as_bytes());
    }

    #[test]
    fn bodies_are_compressed_once_a_client_accepts_zstd() {
        let cached = CachedBody::new("text/plain", "taflbase ".repeat(100));
        let _ = cached.response(&HeaderMap::new());
        assert!(cached.compressed.get().is_none());
        let zstd = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("zstd"))]);
        let _ = cached.clone().response(&zstd);
        assert!(cached.compressed.get().is_some());
        assert!(CachedBody::json(&"taflbase").unwrap().compressed.get().is_some());
    }
}
