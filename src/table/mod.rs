#![doc = include_str!("FORMAT.md")]

mod block;
mod block_index;
mod bytes;
mod code;
pub mod dont_care;
mod error;
mod footer;
mod grid;
mod head;
mod header;
mod packing;
mod reader;
mod source;
#[cfg(feature = "build")]
mod temporary;
mod value_hash;
#[cfg(feature = "build")]
mod writer;

pub use block::{EncodedBlock, encode_block};
pub(crate) use code::WIN_IN_1;
pub use code::{
    Code, CodeError, DONT_CARE, dtw_code, dtw_code_to_wdl_code, dtw_value, wdl_code, wdl_value,
};
pub use error::{Part, TableError, TableErrorKind};
pub use footer::SideSummary;
pub use grid::{BlockExtent, BlockShape, Grid, GridError, MAX_BLOCK_VALUES, MAX_LANES, MAX_ROWS};
pub use head::TableHead;
pub use header::{FORMAT_VERSION, Header, Metric};
pub use packing::Packing;
pub use reader::{PackedBlock, Table};
pub use source::{Access, Source, TableFile};
#[cfg(feature = "build")]
pub use temporary::remove_temporaries;
#[cfg(feature = "build")]
pub(crate) use temporary::remove_temporaries_on;
pub use value_hash::{LaneHasher, ValueHash, ValueHasher};
#[cfg(feature = "build")]
pub use writer::TableWriter;
