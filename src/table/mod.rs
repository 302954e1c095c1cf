#![doc = include_str!("FORMAT.md")]

mod block;
mod block_index;
mod bytes;
mod code;
mod error;
mod footer;
mod grid;
mod head;
mod header;
mod packing;
mod reader;
mod source;
mod temporary;
mod value_hash;
mod writer;

pub use block::{EncodedBlock, encode_block};
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
pub use temporary::remove_temporaries;
pub use value_hash::{LaneHasher, ValueHash, ValueHasher};
pub use writer::TableWriter;
