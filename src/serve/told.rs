use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;

/// How long an answer may be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caching {
    /// It is the same for ever: complete and exact, by rules that have that name everywhere.
    Day,
    /// It is asked for anew each time, and not sent again if it is the same.
    Revalidate,
    /// It is another one each time.
    Never,
}

impl Caching {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Caching::Day => "public, max-age=86400",
            Caching::Revalidate => "no-cache",
            Caching::Never => "no-store",
        })
    }
}

/// What a request was about, for the log.
#[derive(Clone, Default, Debug)]
pub(super) struct Subject {
    pub ruleset: Option<String>,
    pub slice: Option<String>,
}

/// The body of an answer, made where it costs nobody else time.
#[derive(Clone, Debug)]
pub(super) struct Told {
    body: Bytes,
    caching: Caching,
    tag: Option<HeaderValue>,
    subject: Subject,
}

impl Told {
    /// An answer in JSON.
    pub(super) fn json(answer: &impl Serialize, caching: Caching) -> Result<Told, Problem> {
        let body = serde_json::to_vec(answer).map_err(|e| Problem::internal(e.to_string()))?;
        let tag = (caching != Caching::Never).then(|| tag(&body)).flatten();
        Ok(Told { body: body.into(), caching, tag, subject: Subject::default() })
    }

    /// The same, about that ruleset and slice.
    pub(super) fn about(mut self, ruleset: &str, slice: Option<String>) -> Told {
        self.subject = Subject { ruleset: Some(ruleset.to_owned()), slice };
        self
    }
}

impl IntoResponse for Told {
    fn into_response(self) -> Response {
        let mut response = Body::from(self.body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, self.caching.header());
        if let Some(tag) = self.tag {
            headers.insert(ETAG, tag);
        }
        response.extensions_mut().insert(self.subject);
        response
    }
}

/// A body that does not change, plain and compressed.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    media: HeaderValue,
    plain: Bytes,
    packed: Bytes,
    tag: Option<HeaderValue>,
}

impl Kept {
    /// Best compression: it happens once.
    const LEVEL: i32 = 19;

    pub(super) fn new(media: &'static str, plain: impl Into<Bytes>) -> Kept {
        let plain = plain.into();
        // Only memory can be missing for it.
        let packed = zstd::bulk::compress(&plain, Kept::LEVEL).map_or(plain.clone(), Bytes::from);
        let tag = tag(&plain);
        Kept { media: HeaderValue::from_static(media), plain, packed, tag }
    }

    /// An answer in JSON.
    pub(super) fn json(answer: &impl Serialize) -> Result<Kept, Problem> {
        let body = serde_json::to_vec(answer).map_err(|e| Problem::internal(e.to_string()))?;
        Ok(Kept::new("application/json", body))
    }

    /// The body in a form that the client takes.
    pub(super) fn response(&self, request: &HeaderMap) -> Response {
        let is_packed = takes_zstd(request) && self.packed.len() < self.plain.len();
        let body = if is_packed { &self.packed } else { &self.plain };
        let mut response = Body::from(body.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, self.media.clone());
        headers.insert(CACHE_CONTROL, Caching::Revalidate.header());
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_packed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
        }
        if let Some(tag) = &self.tag {
            headers.insert(ETAG, tag.clone());
        }
        response
    }
}

/// A weak tag: a body that is sent in another encoding has the same one.
fn tag(body: &[u8]) -> Option<HeaderValue> {
    let hash = blake3::hash(body).to_hex();
    HeaderValue::try_from(format!("W/\"{}\"", &hash[..32])).ok()
}

/// Whether `Accept-Encoding` has zstd, and does not forbid it.
fn takes_zstd(request: &HeaderMap) -> bool {
    let values = request.get_all(axum::http::header::ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("zstd") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header::ACCEPT_ENCODING;

    #[test]
    fn zstd_is_sent_to_those_who_take_it() {
        let text = "taflbase ".repeat(100);
        let kept = Kept::new("text/plain", text.clone());
        for (accepts, packed) in [
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
            let response = kept.response(&request);
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), packed, "{accepts}");
            assert!(response.headers().contains_key(VARY));
        }
        assert_eq!(zstd::bulk::decompress(&kept.packed, 1000).unwrap(), text.as_bytes());
    }
}
