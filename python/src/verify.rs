//! Verification of tables by forward moves.

use pyo3::exceptions::PyValueError;
use pyo3::{Bound, PyAny, PyErr, PyResult, Python};
use taflbase::Tablebase;
use taflbase::bytes::Bytes;
use taflbase::memory::available_bytes;
use taflbase::slice::Slice;
use taflbase::table::Metric;
use taflbase::verify::{self, Sample, Verdict, verify_sample, verify_slice};

use crate::answers::{answer, verdict};
use crate::errors::{VerifyError, probe_error};
use crate::work;

/// Arguments of a verification.
pub struct Request {
    pub slice: Slice,
    /// The percentage of blocks to verify; `None` for all.
    pub sample: Option<f64>,
    pub seed: u64,
    /// The memory limit; `None` for the free memory.
    pub memory_bytes: Option<u64>,
}

/// Verifies a slice.
pub fn verify<'py>(
    py: Python<'py>,
    base: &Tablebase,
    request: &Request,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let &Request { slice, seed, .. } = request;
    let memory_bytes = request.memory_bytes.or_else(available_bytes).unwrap_or(u64::MAX);
    let sample = match request.sample {
        Some(percent) if !(1e-6..=100.0).contains(&percent) => {
            let message =
                format!("sample must be a percentage from 0.000001 to 100, not {percent}");
            return Err(PyValueError::new_err(message));
        }
        percent => percent.map(|percent| Sample { percent, seed, memory_bytes, part: 0, parts: 1 }),
    };
    // A sample keeps within the limit by itself.
    if sample.is_none() {
        check_memory(base, slice, memory_bytes)?;
    }
    let found = work::run(
        py,
        progress,
        || {},
        |reporter| match &sample {
            Some(sample) => verify_sample(base, slice, sample, reporter),
            None => verify_slice(base, slice, reporter),
        },
    )?;
    let (word, positions, blocks, findings, first) = match found {
        Ok(Verdict::Proved { positions }) => ("proved", positions, None, 0, Vec::new()),
        Ok(Verdict::Consistent { positions }) => ("consistent", positions, None, 0, Vec::new()),
        Ok(Verdict::Sampled { blocks, positions, metric }) => {
            // A sample without distances shows no more than a whole table without them.
            let word = if metric == Metric::Dtw { "sampled" } else { "consistent" };
            (word, positions, Some(blocks), 0, Vec::new())
        }
        Ok(Verdict::Wrong { findings, first }) => ("wrong", 0, None, findings, first),
        Err(error) => return Err(verify_error(base, error)),
    };
    let messages: Vec<String> =
        first.iter().map(|finding| finding.display(base.rules()).to_string()).collect();
    let fields = (slice.to_string(), verdict(word), positions, blocks, findings, messages);
    answer(py, "Verification", fields)
}

/// Returns an error if the values of a slice do not fit in memory.
fn check_memory(base: &Tablebase, slice: Slice, allowed: u64) -> PyResult<()> {
    match verify::memory_bytes(base, slice).map_err(|error| verify_error(base, error))? {
        needed if needed > allowed => Err(VerifyError::new_err(format!(
            "verifying {slice} needs {} of memory, and {} are allowed: allow more with \
             memory_bytes, or verify a part with sample",
            Bytes(needed),
            Bytes(allowed)
        ))),
        _ => Ok(()),
    }
}

fn verify_error(base: &Tablebase, error: verify::VerifyError) -> PyErr {
    match error {
        verify::VerifyError::Table(error) => probe_error(base, error),
        verify::VerifyError::BlockTooLarge { .. } => {
            VerifyError::new_err(format!("{error}: allow more with memory_bytes"))
        }
        error => VerifyError::new_err(error.to_string()),
    }
}
