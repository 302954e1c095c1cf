use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use super::arguments::{parse_bytes, parse_number, parse_seconds};
use super::error::CliError;
use super::output::Session;

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
    rules: Vec<PathBuf>,
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

/// Serves until Ctrl-C.
#[cfg(feature = "serve")]
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    use std::sync::Arc;

    use super::browser::{check_display, open_in_browser};
    use super::interrupt::on_interrupt;
    use taflbase::rules::Ruleset;
    use taflbase::serve::{AppState, Log, ServeOptions, Server};
    use taflbase::tablebase::BlockCache;

    if args.open {
        check_display("--open")?;
    }
    let more = args
        .rules
        .iter()
        .map(|path| Ruleset::load(&path.to_string_lossy()))
        .collect::<Result<Vec<_>, _>>()?;
    let cache = BlockCache::new(usize::try_from(args.cache).unwrap_or(usize::MAX));
    let log = Log::to(std::io::stderr());
    let options = ServeOptions {
        cache,
        searches: if args.no_engine { 0 } else { args.searches.into() },
        search_time: args.search_time,
        downloads: args.downloads,
        log,
        proofs: session.proofs().to_vec(),
        ..ServeOptions::default()
    };
    let state = AppState::open(more, session.table_folder(), options).map_err(CliError::new)?;
    let server = Server::bind(args.addr, Arc::new(state)).map_err(CliError::new)?;
    let stopper = server.stopper();
    on_interrupt(move || stopper.stop());
    // For port 0, the system has chosen the port.
    let address = server.address();
    let url = format!("http://{address}/");
    if !address.ip().is_loopback() {
        session.note(
            "other machines can reach this address: put a reverse proxy in front of it, which \
             encrypts and limits each client (docs/explorer.md)",
        );
    }
    if session.json() {
        session.json_line(&serde_json::json!({ "address": address, "url": url }))?;
    } else {
        session.note(&format!("the explorer is at {url}"));
    }
    if args.open && !open_in_browser(&url) {
        session.note("no browser was opened: xdg-open is not installed");
    }
    server.run().map_err(CliError::new)
}

/// Fails: the explorer is not part of this build.
#[cfg(not(feature = "serve"))]
pub(super) fn run(_: &Args, _: &Session) -> Result<(), CliError> {
    Err(CliError::new(
        "the program was built without the explorer: build it with `--features serve`",
    ))
}
