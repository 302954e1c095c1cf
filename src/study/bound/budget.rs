use std::sync::atomic::{AtomicBool, Ordering};

/// How many positions may still be made, and whether anybody wants more.
pub(crate) struct Budget<'a> {
    pub(crate) left: u64,
    pub(crate) stop: &'a AtomicBool,
}

/// There is no budget left, or nobody wants to go on.
pub(crate) struct Spent;

impl Budget<'_> {
    /// Takes so many off.
    pub(crate) fn spend(&mut self, nodes: u64) -> Result<(), Spent> {
        self.left = self.left.saturating_sub(nodes);
        if self.left == 0 || self.stop.load(Ordering::Relaxed) { Err(Spent) } else { Ok(()) }
    }

    /// A part of what is left, to be spent elsewhere; what is not comes back.
    pub(crate) fn within<T>(
        &mut self,
        most: u64,
        work: impl FnOnce(&mut Budget) -> Result<T, Spent>,
    ) -> Result<Option<T>, Spent> {
        let given = most.min(self.left);
        let mut part = Budget { left: given, stop: self.stop };
        let done = work(&mut part);
        self.spend(given - part.left)?;
        Ok(done.ok())
    }
}
