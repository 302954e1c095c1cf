#![doc = include_str!("FORMAT.md")]

mod block;
mod block_index;
mod bytes;
mod code;
pub mod dont_care;
mod error;
mod footer;
mod format;
mod grid;
mod head;
mod header;
#[cfg(feature = "build")]
mod index_entry;
mod packing;
#[cfg(feature = "build")]
mod part_writer;
pub mod progress;
mod reader;
mod runs;
mod source;
#[cfg(feature = "build")]
mod temporary;
mod value_hash;
#[cfg(feature = "build")]
mod writer;

#[doc(hidden)]
pub use block::encoded_bytes;
pub(crate) use block::{Compression, decompress, encode_block};
pub use block::{PUBLISHED_ZSTD, zstd_version};
#[cfg(feature = "build")]
pub(crate) use bytes::array;
pub use code::{Code, CodeError, DONT_CARE, dtw_code, dtw_value, wdl_code, wdl_value};
pub(crate) use code::{WIN_IN_1, dtw_code_to_wdl_code};
pub use error::{Part, TableError, TableErrorKind};
pub use footer::SideSummary;
pub use format::{FORMAT_VERSION, Metric};
pub use grid::{BlockExtent, BlockShape, Grid, GridError, MAX_BLOCK_VALUES, MAX_LANES, MAX_ROWS};
pub use head::TableHead;
pub use header::Header;
pub use packing::Packing;
#[cfg(feature = "build")]
pub(crate) use part_writer::{PartWriter, WrittenPart};
pub use reader::{PackedBlock, Table};
pub use source::{Access, Source, TableFile};
#[cfg(feature = "build")]
pub(crate) use temporary::remove_temporaries;
pub(crate) use value_hash::LaneHasher;
pub use value_hash::{ValueHash, ValueHasher};
#[cfg(feature = "build")]
pub use writer::TableWriter;
