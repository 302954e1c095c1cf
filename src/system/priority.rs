//! How urgent a thread is.

/// Lets this thread, and those that it starts, work when there is nothing else to do.
/// Where threads have no priorities of their own, nothing changes.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::setpriority_process;
        /// The least urgent.
        const LEAST: i32 = 19;
        // Without it the thread works as all others do.
        let _ = setpriority_process(None, LEAST);
    }
}
