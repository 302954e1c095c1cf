//! Building tables: plans which slices are needed, solves those that are missing from the
//! smallest up, and writes their files.

mod assignment;
mod builder;
#[cfg(test)]
mod fault_injection;
mod folder_lock;
mod plan;
mod reports;
mod session;
#[cfg(test)]
mod tests;

#[cfg(feature = "mpi")]
pub use crate::solve::communicator::Mpi;
pub use crate::solve::communicator::{
    Communicator, CommunicatorError, SingleProcess, ThreadRank, Traffic, thread_ranks,
};
pub use crate::solve::error::{BuildError, BuildLimit};
pub use crate::solve::resources::available_disk;
pub use crate::solve::store::{ScratchError, ScratchErrorKind};
pub use crate::table::progress::SliceReport;
pub use builder::{Build, BuildOptions};
pub use plan::{
    RankPlan, SlicePlan, SliceSize, needed, plan, plan_among, plan_with_metric, slices_up_to,
};
