//! Drawings of boards: as text, in colour on a terminal, and as pictures.
//!
//! A [`BoardPicture`] is a board as data: marked squares, pieces, and perhaps a move. It draws
//! itself as text; a [`Sheet`] of one or more boards becomes SVG or, with the feature `cli`, PNG,
//! both from the same shapes. A [`Grid`] is for other boards: any number of squares with shades and
//! numbers.
//!
//! ```
//! use taflbase::draw::{BoardPicture, Sheet, Style};
//! use taflbase::{Position, Ruleset};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("brandubh")?;
//! let position = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules)?;
//! let board = BoardPicture::new(&rules, position.layout());
//! assert!(board.to_text(Style::Plain).contains("5  .  .  K  .  .  .  ."));
//! assert!(Sheet::new("A king on c5", vec![board]).to_svg().starts_with("<svg "));
//! # Ok(())
//! # }
//! ```

mod board;
mod describe;
#[cfg(feature = "cli")]
mod glyphs;
mod grid;
mod lessons;
#[cfg(feature = "cli")]
mod raster;
mod shapes;
mod sheet;
mod svg;
mod text;

pub use board::{BoardPicture, Mark};
pub use grid::{Grid, GridSquare, Shade};
pub use lessons::Lesson;
pub use sheet::Sheet;
pub(crate) use svg::Escaped;
pub use text::Style;
