use std::sync::atomic::{AtomicBool, Ordering};

/// The number of positions that a search may still generate, and a flag to stop it.
pub(crate) struct Budget<'a> {
    pub(crate) left: u64,
    pub(crate) stop: &'a AtomicBool,
}

/// The budget is used up, or the search was stopped.
pub(crate) struct BudgetExhausted;

impl Budget<'_> {
    /// Subtracts the positions that were generated.
    pub(crate) fn spend(&mut self, nodes: u64) -> Result<(), BudgetExhausted> {
        self.left = self.left.saturating_sub(nodes);
        if self.left == 0 || self.stop.load(Ordering::Relaxed) {
            Err(BudgetExhausted)
        } else {
            Ok(())
        }
    }

    /// Runs `work` with a part of this budget, at most `limit`; returns `None` if that is
    /// exhausted. What `work` does not use remains.
    pub(crate) fn within<T>(
        &mut self,
        limit: u64,
        work: impl FnOnce(&mut Budget) -> Result<T, BudgetExhausted>,
    ) -> Result<Option<T>, BudgetExhausted> {
        let granted = limit.min(self.left);
        let mut part = Budget { left: granted, stop: self.stop };
        let result = work(&mut part);
        self.spend(granted - part.left)?;
        Ok(result.ok())
    }
}
