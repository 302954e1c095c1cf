//! Downloads of table files, with ranges so that clients can resume them.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::game::slice::Slice;
use crate::study::manifest::MANIFEST_FILE;
use crate::table::Metric;
use crate::tablebase::ProbeError;

use super::super::app_state::AppState;
use super::super::extract::TableFilePath;
use super::super::problem::Problem;
use super::super::response::{Caching, Subject};
use super::super::served_ruleset::ServedRuleset;
use super::slices;

/// Bytes that are read at a time.
const CHUNK_BYTES: u64 = 256 << 10;

/// The part of a file that is still to be sent.
struct TableBody {
    served: Arc<ServedRuleset>,
    slice: Slice,
    metric: Metric,
    left: Range<u64>,
    /// The chunk that is being read.
    reading: Option<JoinHandle<Result<Bytes, ProbeError>>>,
    /// Counts this download until it ends.
    _permit: OwnedSemaphorePermit,
}

/// The part of a file that a request wants.
#[derive(PartialEq, Eq, Debug)]
enum Wanted {
    Whole,
    Part(Range<u64>),
    /// None of the file's bytes.
    Nothing,
}

/// Returns a table file or a part of it, or the manifest of all files.
pub(super) async fn file(
    State(state): State<Arc<AppState>>,
    TableFilePath(served, name): TableFilePath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !state.options.downloads {
        let detail = "this server does not offer its tables: it must be started as \
                      `taflbase serve --downloads`";
        return Err(Problem::forbidden(detail));
    }
    if name == MANIFEST_FILE {
        return slices::listed(&state, served, &headers).await;
    }
    let (slice, metric) = Metric::of_file_name(&name).ok_or_else(|| {
        Problem::not_found(format!("there are files like K2v4.dtw, and {MANIFEST_FILE}"))
    })?;
    let permit = state.downloads.acquire().await?;
    let opened = Arc::clone(&served);
    let open = move || match opened.base.table(slice, metric) {
        Ok(table) => Ok((table.size_bytes(), table.file_checksum())),
        Err(error) => Err(Problem::of_tables(&opened.rules, &error)),
    };
    let (bytes, checksum) = state.probes.run(open).await?;
    let tag = format!("\"{checksum}\"");
    let wanted = wanted(&headers, bytes, &tag);
    let (status, left) = match &wanted {
        Wanted::Whole => (StatusCode::OK, 0..bytes),
        Wanted::Part(part) => (StatusCode::PARTIAL_CONTENT, part.clone()),
        Wanted::Nothing => return Ok(no_such_range(bytes)),
    };
    let content_range = format!("bytes {}-{}/{bytes}", left.start, left.end - 1);
    let subject = Subject::of(served.name(), Some(slice.to_string()));
    let body = TableBody { served, slice, metric, left, reading: None, _permit: permit };
    let mut response = (status, subject, Body::new(body)).into_response();
    let fields = response.headers_mut();
    fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    fields.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    fields.insert(CACHE_CONTROL, Caching::Revalidate.header());
    fields.insert(ETAG, header(tag));
    if status == StatusCode::PARTIAL_CONTENT {
        fields.insert(CONTENT_RANGE, header(content_range));
    }
    Ok(response)
}

/// Converts text that consists of digits, letters and punctuation.
fn header(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// Refuses a range that begins behind the end of the file.
fn no_such_range(bytes: u64) -> Response {
    let problem = Problem::no_such_range(format!("the file has {bytes} bytes"));
    let mut response = problem.into_response();
    response.headers_mut().insert(CONTENT_RANGE, header(format!("bytes */{bytes}")));
    response
}

/// Returns what the headers ask for. Several ranges, or a range of another version of the file,
/// are answered with the whole file, as RFC 9110 permits (14.2, 13.1.5).
fn wanted(headers: &HeaderMap, bytes: u64, tag: &str) -> Wanted {
    let is_other_version = headers.get(IF_RANGE).is_some_and(|version| version != tag);
    let range = headers.get(RANGE).and_then(|range| range.to_str().ok());
    let bounds = range.and_then(|range| range.trim().strip_prefix("bytes=")?.split_once('-'));
    let Some((first, last)) = bounds.filter(|_| !is_other_version) else {
        return Wanted::Whole;
    };
    let part = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..bytes.min(last.saturating_add(1)),
        (Ok(first), Err(_)) if last.is_empty() => first..bytes,
        (Err(_), Ok(count)) if first.is_empty() => bytes.saturating_sub(count)..bytes,
        _ => return Wanted::Whole,
    };
    if part.is_empty() { Wanted::Nothing } else { Wanted::Part(part) }
}

/// Reads the next chunk on a thread that may block on the disk.
fn read_chunk(body: &TableBody) -> JoinHandle<Result<Bytes, ProbeError>> {
    let (served, slice, metric) = (Arc::clone(&body.served), body.slice, body.metric);
    let (start, length) = (body.left.start, (body.left.end - body.left.start).min(CHUNK_BYTES));
    spawn_blocking(move || {
        let bytes = served.base.table(slice, metric)?.file_bytes(start, length as usize)?;
        Ok(Bytes::from(bytes.into_owned()))
    })
}

impl HttpBody for TableBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        let mut reading = self.reading.take().unwrap_or_else(|| read_chunk(&self));
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.reading = Some(reading);
            return Poll::Pending;
        };
        // An error cuts the connection, so that no client takes the file for complete.
        let bytes = match read {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error.to_string())))),
            Err(error) => return Poll::Ready(Some(Err(io::Error::other(error)))),
        };
        self.left.start += bytes.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.end - self.left.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_rfc_9110() {
        let tag = "\"abc\"";
        for (range, expected) in [
            ("bytes=0-", Wanted::Part(0..100)),
            ("bytes=10-19", Wanted::Part(10..20)),
            ("bytes=10-10", Wanted::Part(10..11)),
            ("bytes=90-200", Wanted::Part(90..100)),
            ("bytes=90-18446744073709551615", Wanted::Part(90..100)),
            ("bytes=-5", Wanted::Part(95..100)),
            ("bytes=-500", Wanted::Part(0..100)),
            ("bytes=100-", Wanted::Nothing),
            ("bytes=200-300", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=20-10", Wanted::Whole),
            ("bytes=0-1,5-6", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=x-5", Wanted::Whole),
            ("bytes=5-x", Wanted::Whole),
            ("bytes=99999999999999999999-", Wanted::Whole),
            ("rows=0-5", Wanted::Whole),
            ("", Wanted::Whole),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RANGE, HeaderValue::from_static(range));
            assert_eq!(wanted(&headers, 100, tag), expected, "{range}");
            headers.insert(IF_RANGE, HeaderValue::from_static("\"abc\""));
            assert_eq!(wanted(&headers, 100, tag), expected, "{range}");
            headers.insert(IF_RANGE, HeaderValue::from_static("\"abd\""));
            assert_eq!(wanted(&headers, 100, tag), Wanted::Whole, "{range}");
        }
        assert_eq!(wanted(&HeaderMap::new(), 100, tag), Wanted::Whole);
    }
}
