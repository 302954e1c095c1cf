use std::any::Any;
use std::path::Path;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::game::notation::MoveError;
use crate::game::position::PositionError;
use crate::game::slice::Slice;
use crate::study::stats::StatsError;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// Why a request has no other answer, as RFC 9457 has it. Its texts name rulesets,
/// slices and metrics, never files.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: String,
    code: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(flatten)]
    missing: Option<Box<Missing>>,
    /// For the log alone.
    #[serde(skip)]
    cause: Option<Box<str>>,
}

/// The slice that is missing, and the command that builds it.
#[derive(Clone, Debug, Serialize)]
struct Missing {
    slice: String,
    build: String,
}

/// What the log tells of a problem, and clients are not told.
#[derive(Clone)]
pub(super) struct Cause(pub(super) Box<str>);

macro_rules! problems {
    ($($name:ident $status:literal $code:literal $title:literal;)+) => {
        impl Problem {
            $(pub(super) fn $name(detail: impl Into<String>) -> Problem {
                Problem::new($status, $code, $title, detail.into())
            })+
        }
    };
}

problems! {
    bad_position 400 "bad-position" "Not a position";
    game_over 400 "game-over" "The game is over";
    bad_parameter 400 "bad-parameter" "A parameter is wrong";
    forbidden 403 "forbidden" "Not from there";
    not_found 404 "not-found" "There is nothing here";
    unknown_ruleset 404 "unknown-ruleset" "No such ruleset";
    unknown_slice 404 "unknown-slice" "No table of this slice";
    table_is_missing 404 "missing-table" "A table is missing";
    wrong_method 405 "method-not-allowed" "Not with this method";
    stale 409 "stale" "Not now";
    too_large 413 "too-large" "The request is too large";
    wrong_media 415 "unsupported-media-type" "Not JSON";
    damaged_table 500 "damaged-table" "A table is damaged";
    internal 500 "internal" "A fault of the server";
    overloaded 503 "overloaded" "Too many requests";
    timeout 503 "timeout" "It took too long";
}

impl Problem {
    fn new(status: u16, code: &'static str, title: &'static str, detail: String) -> Problem {
        let kind = format!("/api/v1/problems#{code}");
        Problem { kind, code, title, status, detail, missing: None, cause: None }
    }

    /// A table is not there that the answer depends on.
    pub(super) fn missing_table(rules: &str, slice: Slice, detail: String) -> Problem {
        let build = format!("taflbase build {rules} --slice {slice}");
        let problem = Problem::table_is_missing(detail);
        let missing = Some(Box::new(Missing { slice: slice.to_string(), build }));
        Problem { missing, ..problem }
    }

    /// What the tables of these rules refuse to tell.
    pub(super) fn of_tables(rules: &str, error: &ProbeError) -> Problem {
        let damaged = |what: &str| {
            let detail = format!("{what} cannot be read as it was written");
            Problem { cause: Some(error.to_string().into()), ..Problem::damaged_table(detail) }
        };
        match error {
            ProbeError::MissingTable { slice, metric } => {
                let detail = format!("there is no {metric} table of {slice} here");
                Problem::missing_table(rules, *slice, detail)
            }
            ProbeError::Position(error) => error.into(),
            ProbeError::Corrupted(TableError { path: Some(path), .. })
            | ProbeError::Unreadable(TableError { path: Some(path), .. })
            | ProbeError::Unsupported(TableError { path: Some(path), .. })
            | ProbeError::Foreign { path: Some(path), .. }
            | ProbeError::WrongRules { path, .. }
            | ProbeError::WrongName { path } => damaged(&table_name(path)),
            ProbeError::Inconsistent { slice } => damaged(&format!("a table of {slice}")),
            _ => damaged("a table"),
        }
    }

    /// A table whose values cannot be counted.
    pub(super) fn of_counting(slice: Slice, error: &StatsError) -> Problem {
        let detail = format!("a table of {slice} cannot be read as it was written");
        Problem { cause: Some(error.to_string().into()), ..Problem::damaged_table(detail) }
    }

    /// A panic that was caught.
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Problem {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let cause = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Problem {
            cause: Some(cause.into()),
            ..Problem::internal("this request has met a fault of the program; the others go on")
        }
    }
}

/// A table by slice and metric, as its file is named: `K2v4.dtw`. Folders are left out.
fn table_name(path: &Path) -> String {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().display().to_string();
    format!("the {} table of {}", part(path.extension()), part(path.file_stem()))
}

impl From<&PositionError> for Problem {
    fn from(error: &PositionError) -> Problem {
        match error {
            PositionError::KingEscaped(_) | PositionError::NoAttackers => {
                Problem::game_over(error.to_string())
            }
            _ => Problem::bad_position(error.to_string()),
        }
    }
}

impl From<PositionError> for Problem {
    fn from(error: PositionError) -> Problem {
        Problem::from(&error)
    }
}

impl From<MoveError> for Problem {
    fn from(error: MoveError) -> Problem {
        Problem::bad_parameter(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}
