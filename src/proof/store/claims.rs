//! Claims of running jobs, by file locks that end with their process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use crate::game::rules::Side;
use crate::system::file_lock::{LockedFile, is_locked};

use super::error::StoreError;
use super::folder::{CLAIMS, Folder, hash};

/// The number of hash digits in the name of a lock file. Jobs whose digits agree cannot be claimed
/// at the same time, which is harmless: there are enough other jobs.
const DIGITS: usize = 3;

/// The job of a claim.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct ClaimedJob {
    pub(super) position: String,
    pub(super) side: Side,
}

/// A claim of this process; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Claim {
    _file: LockedFile,
}

impl Claim {
    /// Claims a job; `None` if another worker has claimed it. On file systems without locks, a claim
    /// always succeeds.
    pub(super) fn take(folder: &Folder, job: &ClaimedJob) -> Result<Option<Claim>, StoreError> {
        let name = hash(format!("{} {}", job.position, job.side.name()).as_bytes(), DIGITS);
        let path = folder.root.join(CLAIMS).join(name);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(StoreError::at(&path))?;
        let Some(file) = LockedFile::lock(file) else { return Ok(None) };
        // Only `status` reads the content; a full disk must not stop the job.
        let _ = describe(&file, job);
        Ok(Some(Claim { _file: file }))
    }
}

fn describe(mut file: &File, job: &ClaimedJob) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&serde_json::to_vec(job)?)
}

/// Returns the jobs that workers have claimed.
pub(super) fn claimed(folder: &Folder) -> Result<Vec<ClaimedJob>, StoreError> {
    let claims = folder.root.join(CLAIMS);
    let mut jobs = Vec::new();
    for path in folder.files.list(&claims).map_err(StoreError::at(&claims))? {
        let Ok(mut file) = File::open(&path) else { continue };
        if is_locked(&file) {
            let mut text = String::new();
            let is_read = file.read_to_string(&mut text).is_ok();
            jobs.extend(is_read.then(|| serde_json::from_str(&text).ok()).flatten());
        }
    }
    Ok(jobs)
}
