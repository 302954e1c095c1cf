use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use super::arguments::{parse_bytes, parse_number, parse_seconds};
use super::error::CliError;
use super::output::Session;

/// Serve the tables over HTTP, with a page on which anyone can look into them
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The address to listen on; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    #[arg(value_parser = parse_address)]
    addr: SocketAddr,
    /// Memory for decoded blocks, of all rulesets together
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = parse_bytes)]
    cache: u64,
    /// Serve this ruleset file too; may be repeated
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Searches of the engine at once; each takes one thread, which gives way to probes
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = parse_number::<u16, 1, 1024>)]
    searches: u16,
    /// The most time for a search
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    search_time: Duration,
    /// Serve the tables alone, without analysis and games
    #[arg(long, conflicts_with_all = ["searches", "search_time"])]
    no_engine: bool,
}

const HELP: &str = r#"Serves every built-in ruleset with the tables of the table folder and those that are
part of the program. The address is printed on standard error. Requests are told there,
a line of JSON each. Ctrl-C or SIGTERM ends it: requests under way are answered first.

It speaks HTTP/1.1 without encryption: where others than this machine are to reach it, put
a proxy before it. The API, its limits and how to install it: docs/explorer.md.

Examples:
  taflbase serve
  taflbase serve --addr 0.0.0.0:8000 --cache 2GiB --tables /srv/tables

JSON, one line, as soon as clients may connect:
  {"address":"127.0.0.1:8080","url":"http://127.0.0.1:8080/"}"#;

/// An address and a port; names are looked up.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| "write an address and a port, like 127.0.0.1:8080".to_owned())
}

/// Serves until Ctrl-C.
#[cfg(feature = "serve")]
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    use std::sync::Arc;

    use super::arguments::on_interrupt;
    use taflbase::rules::Ruleset;
    use taflbase::serve::{AppState, Log, ServeOptions, Server};
    use taflbase::tablebase::BlockCache;

    let more = args.rules.iter().map(|path| Ruleset::load(&path.to_string_lossy()));
    let more = more.collect::<Result<Vec<_>, _>>()?;
    let cache = BlockCache::new(usize::try_from(args.cache).unwrap_or(usize::MAX));
    let log = Log::to(std::io::stderr());
    let options = ServeOptions {
        cache,
        searches: if args.no_engine { 0 } else { args.searches.into() },
        search_time: args.search_time,
        log,
        ..ServeOptions::default()
    };
    let site = AppState::open(more, session.table_folder(), options).map_err(CliError::new)?;
    let server = Server::bind(args.addr, Arc::new(site)).map_err(CliError::new)?;
    let stopper = server.stopper();
    on_interrupt(move || stopper.stop());
    let address = server.address();
    let url = format!("http://{address}/");
    if !address.ip().is_loopback() {
        session.note(
            "others can reach this address: put a proxy before it, which encrypts and \
                      limits each client (docs/explorer.md)",
        );
    }
    if session.json() {
        session.json_line(&serde_json::json!({ "address": address, "url": url }))?;
    } else {
        session.note(&format!("the explorer is at {url}"));
    }
    server.run().map_err(CliError::new)
}

/// Tells what is missing.
#[cfg(not(feature = "serve"))]
pub(super) fn run(_: &Args, _: &Session) -> Result<(), CliError> {
    Err(CliError::new(
        "this program was built without the explorer: build it with `--features serve`",
    ))
}
