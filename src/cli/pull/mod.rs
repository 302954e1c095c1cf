#[cfg(feature = "serve")]
mod fetch;

use std::time::Duration;

use taflbase::slice::Slice;
use taflbase::table::Metric;

use super::arguments::{parse_men, parse_number, parse_seconds};
use super::build::parse_metric;

#[cfg(feature = "serve")]
pub(super) use fetch::run;

#[cfg(not(feature = "serve"))]
pub(super) use super::without_explorer as run;

/// Fetch tables that a server offers; existing tables are kept
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// An explorer, or a folder of tables on a web server: http://HOST:PORT/PATH
    url: String,
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// Fetch only slices with at most N men, including the king
    #[arg(long, value_name = "N", value_parser = parse_men)]
    men: Option<usize>,
    /// Fetch only these slices; may be repeated
    #[arg(long = "slice", value_name = "K2v4 ...", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Fetch only tables of this metric [default: both]
    #[arg(long, value_name = "wdl|dtw", value_parser = parse_metric)]
    metric: Option<Metric>,
    /// Wait this long for a connection, and for each further piece of a file
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    timeout: Duration,
    /// Continue a file up to N times in a row, with growing pauses
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = parse_number::<u32, 0, 1000>)]
    retries: u32,
}

const HELP: &str = r#"URL is an explorer (`taflbase serve --downloads`) or a folder on any web server that has
the files and their MANIFEST.json, which `taflbase manifest` writes: the folder of one
ruleset, or the one above it. Only http is supported, without encryption or proxy.

Tables are written to <tables>/<ruleset name>/. Those that are there are kept, those with
a damaged header or index replaced, and files of other rules are an error; `taflbase
check` finds damage in their values. A file gets its name when it is complete and its
checksums are right. What has arrived of it is kept if the connection is cut or the
program ends, and the same command continues.

Checksums find damage, but not values that were wrong from the start: `taflbase verify`
recomputes them. The status is 1 if the server has no such tables, or if tables that are
here have other values than the server's.

Examples:
  taflbase pull http://192.168.1.5:8080 brandubh --men 6
  taflbase pull http://example.org/tables brandubh --slice K2v4 --metric wdl

JSON, one line per file; "state" is "fetched", "kept", or "different values" for a file
that is kept although its values differ from the server's:
  {"rules":"brandubh","slice":"K2v3","metric":"dtw","bytes":12345,"state":"fetched"}"#;
