use std::any::Any;
use std::error::Error;
use std::path::Path;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::game::notation::MoveError;
use crate::game::position::PositionError;
use crate::game::record::RecordError;
use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::index::{IndexError, SliceIndex};
use crate::proof::store::StoreError;
use crate::study::find::FindError;
use crate::study::stats::StatsError;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// An error response (RFC 9457). Its texts name rulesets, slices and metrics, never files.
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
    /// Cause for the log; not sent to clients.
    #[serde(skip)]
    cause: Option<Box<str>>,
}

/// The slice that is missing.
#[derive(Clone, Debug, Serialize)]
struct Missing {
    slice: String,
    /// The command that builds it; `None` if no machine could.
    build: Option<String>,
    /// The number of slots of its table, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<u64>,
}

/// Maximum slots of a slice that machines of today could solve. Brandubh's largest has a tenth.
const MAX_SLOTS: u64 = 1_000_000_000_000_000;

impl Missing {
    /// Returns what it takes to build a slice; if it can have no table, the reason.
    fn new(rules: &Ruleset, slice: Slice) -> Result<Missing, String> {
        if let Some(field) = rules.unsolved_rule(slice) {
            return Err(format!(
                "no table of {slice}: this version does not solve games with {field}"
            ));
        }
        let slots = match SliceIndex::new(rules, slice) {
            // Where 64 bits do not suffice, the index gives the greatest number.
            Ok(index) => Some(index.slots()).filter(|&slots| slots < u64::MAX),
            Err(IndexError::TooLarge(_)) => None,
            Err(error) => return Err(error.to_string()),
        };
        let is_possible = slots.is_some_and(|slots| slots <= MAX_SLOTS);
        let build = is_possible.then(|| format!("taflbase build {} --slice {slice}", rules.name));
        Ok(Missing { slice: slice.to_string(), build, slots })
    }
}

/// The cause of a problem, or of an incomplete response, for the log; not sent to clients.
#[derive(Clone)]
pub(super) struct Cause(pub(super) Box<str>);

impl Cause {
    pub(super) fn new(error: &dyn Error) -> Cause {
        Cause(error.to_string().into())
    }
}

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
    bad_parameter 400 "bad-parameter" "Invalid parameter";
    forbidden 403 "forbidden" "Forbidden";
    not_found 404 "not-found" "Not found";
    unknown_ruleset 404 "unknown-ruleset" "Unknown ruleset";
    unknown_slice 404 "unknown-slice" "Unknown slice";
    missing_table 404 "missing-table" "Missing table";
    unknown_store 404 "unknown-store" "Unknown store";
    not_in_store 404 "not-in-store" "Not in this store";
    wrong_method 405 "method-not-allowed" "Method not allowed";
    stale 409 "stale" "Out of date";
    too_large 413 "too-large" "The request is too large";
    wrong_media 415 "unsupported-media-type" "Unsupported media type";
    no_such_range 416 "no-such-range" "No such range";
    damaged_table 500 "damaged-table" "Damaged table";
    damaged_store 500 "damaged-store" "Damaged store";
    internal 500 "internal" "Internal error";
    overloaded 503 "overloaded" "Overloaded";
    timeout 503 "timeout" "Timeout";
}

impl Problem {
    fn new(status: u16, code: &'static str, title: &'static str, detail: String) -> Problem {
        let kind = format!("/api/v1/problems#{code}");
        Problem { kind, code, title, status, detail, missing: None, cause: None }
    }

    /// A slice that has no table here.
    pub(super) fn slice_without_table(rules: &Ruleset, slice: Slice) -> Problem {
        match Missing::new(rules, slice) {
            Ok(missing) => Problem {
                missing: Some(Box::new(missing)),
                ..Problem::unknown_slice(format!("no table of {slice}"))
            },
            Err(reason) => Problem::unknown_slice(reason),
        }
    }

    /// A failed probe.
    pub(super) fn of_tables(rules: &Ruleset, error: &ProbeError) -> Problem {
        match error {
            &ProbeError::MissingTable { slice, metric } => {
                let missing = Missing::new(rules, slice).unwrap_or_else(|_| Missing {
                    slice: slice.to_string(),
                    build: None,
                    slots: None,
                });
                Problem {
                    missing: Some(Box::new(missing)),
                    ..Problem::missing_table(format!("no {metric} table of {slice}"))
                }
            }
            ProbeError::Position(error) => error.into(),
            ProbeError::Corrupted(TableError { path: Some(path), .. })
            | ProbeError::Unreadable(TableError { path: Some(path), .. })
            | ProbeError::Unsupported(TableError { path: Some(path), .. })
            | ProbeError::Foreign { path: Some(path), .. }
            | ProbeError::WrongRules { path, .. }
            | ProbeError::WrongName { path } => Problem::damaged(&table_name(path), error),
            ProbeError::Inconsistent { slice } => {
                Problem::damaged(&format!("a table of {slice}"), error)
            }
            _ => Problem::damaged("a table", error),
        }
    }

    /// A failed count of values.
    pub(super) fn of_counting(slice: Slice, error: &StatsError) -> Problem {
        Problem::damaged(&format!("a table of {slice}"), error)
    }

    /// A failed search in a table of this slice.
    pub(super) fn of_search(slice: Option<Slice>, error: &FindError) -> Problem {
        match (error, slice) {
            (FindError::Table(_), Some(slice)) => {
                Problem::damaged(&format!("a table of {slice}"), error)
            }
            (FindError::Table(_), None) => Problem::damaged("a table", error),
            _ => Problem::bad_parameter(error.to_string()),
        }
    }

    /// A proof store that cannot be read.
    pub(super) fn of_store(store: &str, error: &StoreError) -> Problem {
        let detail = format!("the store {store} is gone, damaged or unreadable");
        Problem { cause: Some(error.to_string().into()), ..Problem::damaged_store(detail) }
    }

    fn damaged(table: &str, cause: &dyn Error) -> Problem {
        let detail = format!("{table} is damaged or unreadable");
        Problem { cause: Some(cause.to_string().into()), ..Problem::damaged_table(detail) }
    }

    /// A panic that was caught.
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Problem {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let cause = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Problem {
            cause: Some(cause.into()),
            ..Problem::internal("this request hit a bug in the server; others are not affected")
        }
    }
}

/// Names a table by the slice and metric in its file name (`K2v4.dtw`), without the folders.
fn table_name(path: &Path) -> String {
    let metric = path.extension().unwrap_or_default().display();
    let slice = path.file_stem().unwrap_or_default().display();
    format!("the {metric} table of {slice}")
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

impl From<RecordError> for Problem {
    fn from(error: RecordError) -> Problem {
        Problem::bad_parameter(error.to_string())
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
