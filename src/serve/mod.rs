//! The explorer: an HTTP API for the tables, and a page that uses it.
//!
//! An [`AppState`] holds the rulesets, their tables and the limits. A [`Server`] serves it on
//! an address; [`router`] returns it as a router for your own server. The API is documented in
//! `docs/explorer.md`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use taflbase::serve::{AppState, ServeOptions, Server};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The built-in rulesets with the built-in tables.
//! let state = AppState::open(Vec::new(), None, ServeOptions::default())?;
//! let server = Server::bind("127.0.0.1:0".parse()?, Arc::new(state))?;
//! println!("http://{}/", server.address());
//! server.stopper().stop();
//! server.run()?;
//! # Ok(())
//! # }
//! ```

mod acceptor;
mod api;
mod app_state;
mod assets;
mod background_cache;
mod event_stream;
mod extract;
mod find_cache;
mod limiter;
mod live;
mod log;
mod metrics;
mod middleware;
mod problem;
mod puzzle_cache;
mod response;
mod router;
mod search_pool;
mod search_queue;
mod served_ruleset;
mod server;
mod stats_cache;
mod stopper;
mod store_tree;
mod write_timeout;

pub use app_state::{AppState, OpenError, ServeOptions};
pub use live::{Display, DisplayError, Scene};
pub use log::Log;
pub use problem::Problem;
pub use router::router;
pub use server::{ServeError, Server};
pub use stopper::Stopper;
