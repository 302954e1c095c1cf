use std::io;
use std::sync::Arc;

use taflbase::rules::Ruleset;
use taflbase::serve::{AppState, Log, ServeOptions, Server};
use taflbase::tablebase::BlockCache;

use super::Args;
use crate::cli::browser::{check_display, open_in_browser};
use crate::cli::error::CliError;
use crate::cli::interrupt::on_interrupt;
use crate::cli::output::Session;

/// Serves until Ctrl-C.
pub(in crate::cli) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    if args.open {
        check_display("--open")?;
    }
    let loaded = args.rules.iter().map(|path| Ruleset::load(path));
    let more = loaded.collect::<Result<Vec<_>, _>>()?;
    let cache = BlockCache::new(usize::try_from(args.cache).unwrap_or(usize::MAX));
    let log = Log::to(io::stderr());
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
