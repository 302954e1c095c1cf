//! Thread priority.

/// Gives this thread, and the threads that it starts, the lowest priority. Does nothing where the
/// system has no thread priorities.
pub(crate) fn lower() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::setpriority_process;
        /// The lowest priority (nice value).
        const LEAST: i32 = 19;
        // On failure the thread keeps its normal priority.
        let _ = setpriority_process(None, LEAST);
    }
}
