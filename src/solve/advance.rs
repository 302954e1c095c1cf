use crate::solve::store::{ScratchError, ScratchErrorKind};
use crate::table::progress::Progress;

/// Returns an error if the build is cancelled.
pub(super) fn go_on(progress: &dyn Progress) -> Result<(), ScratchError> {
    if progress.is_cancelled() {
        return Err(ScratchErrorKind::Cancelled.into());
    }
    Ok(())
}

/// Reports `rows` finished rows; returns an error if the build is cancelled.
pub(super) fn advance(progress: &dyn Progress, rows: u64) -> Result<(), ScratchError> {
    progress.advance(rows);
    go_on(progress)
}
