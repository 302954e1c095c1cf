use std::fmt;
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde::Serialize;

/// Maximum lines in the queue. Further lines are dropped, so that a slow reader of the log does
/// not delay responses.
const MAX_QUEUED: usize = 4096;

/// A log of JSON lines, written by a background thread.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<LogWriter>>);

/// The queue, and the thread unless the system has refused it.
type OpenLog = (SyncSender<Vec<u8>>, Option<JoinHandle<()>>);

struct LogWriter {
    /// `None` after the end.
    open: Mutex<Option<OpenLog>>,
    dropped: AtomicU64,
}

impl Log {
    /// Returns a log that discards its lines.
    pub fn none() -> Log {
        Log(None)
    }

    /// Returns a log that writes to `output`. If the system refuses the thread, all lines are dropped.
    pub fn to(output: impl Write + Send + 'static) -> Log {
        let (lines, received) = sync_channel(MAX_QUEUED);
        let thread = thread::Builder::new().spawn(move || write_lines(&received, output)).ok();
        let open = Mutex::new(Some((lines, thread)));
        Log(Some(Arc::new(LogWriter { open, dropped: AtomicU64::new(0) })))
    }

    /// Queues a line.
    pub(super) fn line(&self, line: &impl Serialize) {
        let Some(writer) = &self.0 else {
            return;
        };
        let Ok(mut text) = serde_json::to_vec(line) else {
            return;
        };
        text.push(b'\n');
        let open = writer.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|(lines, _)| lines.try_send(text).is_err()) {
            writer.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of dropped lines.
    pub(super) fn dropped(&self) -> u64 {
        self.0.as_ref().map_or(0, |writer| writer.dropped.load(Ordering::Relaxed))
    }

    /// Writes the queued lines and closes the log; later lines are dropped.
    pub(super) fn end(&self) {
        let Some(writer) = &self.0 else {
            return;
        };
        let open = writer.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((lines, Some(thread))) = open {
            drop(lines);
            // A panic of the writer must not fail the shutdown.
            let _ = thread.join();
        }
    }
}

/// Writes lines as they arrive, and flushes when the queue is empty. Write errors are ignored:
/// the server keeps running when nobody reads its log.
fn write_lines(lines: &Receiver<Vec<u8>>, output: impl Write) {
    let mut buffered = BufWriter::new(output);
    while let Ok(first) = lines.recv() {
        let mut written = buffered.write_all(&first);
        for line in lines.try_iter() {
            written = written.and_then(|()| buffered.write_all(&line));
        }
        let _ = written.and_then(|()| buffered.flush());
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Log" } else { "Log(none)" })
    }
}
