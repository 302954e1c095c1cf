//! The explorer: an HTTP API and a page on which anyone can look into the tables.
//!
//! A [`Site`] is what is served: rulesets, their tables and the limits. A [`Server`]
//! serves it on an address; [`router`] serves it in a server of your own. The API is
//! told in `docs/explorer.md`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use taflbase::serve::{Server, Site, SiteOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The built-in rulesets with the tables that are part of the library.
//! let site = Site::open(Vec::new(), None, SiteOptions::default())?;
//! let server = Server::bind("127.0.0.1:0".parse()?, Arc::new(site))?;
//! println!("http://{}/", server.address());
//! server.stopper().stop();
//! server.run()?;
//! # Ok(())
//! # }
//! ```

mod accept;
mod api;
mod asked;
mod assets;
mod attend;
mod counting;
mod gate;
mod live;
mod log;
mod metrics;
mod patient;
mod problem;
mod router;
mod searches;
mod server;
mod site;
mod stream;
mod told;

pub use live::{Display, DisplayError, Scene};
pub use log::Log;
pub use problem::Problem;
pub use router::router;
pub use server::{ServeError, Server, Stopper};
pub use site::{Site, SiteError, SiteOptions};
