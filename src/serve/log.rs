use std::fmt;
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde::Serialize;

/// Lines that may wait to be written. More are dropped: a reader of the log who is slow
/// must not slow the answers down.
const WAITING: usize = 4096;

/// A log of JSON lines, written by a thread of its own.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<Writing>>);

struct Writing {
    lines: Mutex<Option<SyncSender<Vec<u8>>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
}

impl Log {
    /// Nobody is told.
    pub fn none() -> Log {
        Log(None)
    }

    /// Lines go there.
    pub fn to(output: impl Write + Send + 'static) -> Log {
        let (lines, received) = sync_channel(WAITING);
        let writer = thread::spawn(move || write(&received, output));
        Log(Some(Arc::new(Writing {
            lines: Mutex::new(Some(lines)),
            writer: Mutex::new(Some(writer)),
            dropped: AtomicU64::new(0),
        })))
    }

    /// Writes one line, later.
    pub(super) fn line(&self, line: &impl Serialize) {
        let Some(writing) = &self.0 else {
            return;
        };
        let Ok(mut text) = serde_json::to_vec(line) else {
            return;
        };
        text.push(b'\n');
        let lines = writing.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.as_ref().is_some_and(|lines| lines.try_send(text).is_err()) {
            writing.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines were dropped.
    pub(super) fn dropped(&self) -> u64 {
        self.0.as_ref().map_or(0, |writing| writing.dropped.load(Ordering::Relaxed))
    }

    /// Writes what is waiting; what comes later is dropped.
    pub(super) fn end(&self) {
        let Some(writing) = &self.0 else {
            return;
        };
        writing.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        let writer = writing.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            // It has written what it could.
            let _ = writer.join();
        }
    }
}

/// Writes lines as they come, and flushes when there are no more for now. Where nobody
/// reads them any more, they are dropped.
fn write(lines: &Receiver<Vec<u8>>, output: impl Write) {
    let mut output = BufWriter::new(output);
    while let Ok(first) = lines.recv() {
        let mut written = output.write_all(&first);
        for line in lines.try_iter() {
            written = written.and_then(|()| output.write_all(&line));
        }
        let _ = written.and_then(|()| output.flush());
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Log" } else { "Log(none)" })
    }
}
