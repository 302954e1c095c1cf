#[cfg(feature = "serve")]
mod run;

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use super::arguments::{parse_bytes, parse_number, parse_seconds};

#[cfg(feature = "serve")]
pub(super) use run::run;

#[cfg(not(feature = "serve"))]
pub(super) use super::without_explorer as run;

/// Serve the tables over HTTP, with a web page to explore them
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Listen on this address; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    #[arg(value_parser = parse_address)]
    addr: SocketAddr,
    /// Cache decoded blocks in this much memory
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = parse_bytes)]
    cache: u64,
    /// Also serve this ruleset file; may be repeated
    #[arg(long, value_name = "FILE")]
    rules: Vec<String>,
    /// Run at most N engine searches at once, each in a thread of low priority
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = parse_number::<u16, 1, 1024>)]
    searches: u16,
    /// Limit the time of a search
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    search_time: Duration,
    /// Serve only the tables, without analysis and games
    #[arg(long, conflicts_with_all = ["searches", "search_time"])]
    no_engine: bool,
    /// Let clients download the table files, as `taflbase pull` does
    #[arg(long)]
    downloads: bool,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

const HELP: &str = r#"Serves every built-in ruleset with the tables of the table folder and those that are
part of the program. Positions that the certificates of --proofs decide are shown as
proved, and the stores among them with their trees. Prints the address and a log to
standard error, one line of JSON per request. Ctrl-C or SIGTERM stops the server after
the running requests.

The server speaks HTTP/1.1 without encryption: to serve other machines, put a reverse
proxy in front of it. See docs/explorer.md for the API and its limits, and docs/deploy.md
for installation.

Examples:
  taflbase serve
  taflbase serve --open
  taflbase serve --addr 0.0.0.0:8000 --cache 2GiB --tables /srv/tables
  taflbase serve --proofs proof
  taflbase serve --downloads --addr 192.168.1.5:8080

JSON, one line, when the server accepts connections:
  {"address":"127.0.0.1:8080","url":"http://127.0.0.1:8080/"}"#;

/// Parses an address and a port; host names are resolved.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .ok_or_else(|| "write an address and a port, like 127.0.0.1:8080".to_owned())
}
