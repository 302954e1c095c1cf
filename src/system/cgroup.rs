//! Memory limits of Linux control groups, which batch systems and containers set.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::memory::MemoryLimit;

/// The files of a control group, which depend on the version of control groups.
struct Files {
    limit: &'static str,
    usage: &'static str,
    /// The fields of `memory.stat` with cached pages of files, which the system drops if memory is
    /// short.
    cache: [&'static str; 2],
}

const V1: Files = Files {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cache: ["total_inactive_file", "total_active_file"],
};
const V2: Files =
    Files { limit: "memory.max", usage: "memory.current", cache: ["inactive_file", "active_file"] };

/// Version 1 has a number near 2^63 for no limit, version 2 the word `max`.
const UNLIMITED: u64 = 1 << 62;

/// Returns the limits of the control groups that this process is in.
pub(super) fn limits() -> Vec<MemoryLimit> {
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let groups = groups(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
    groups.iter().filter_map(|(folder, files)| limit(folder, files)).collect()
}

/// Returns the folders of a process's control groups for memory and those above them, from the
/// texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn groups(own: &str, mounts: &str) -> Vec<(PathBuf, &'static Files)> {
    let mut found = Vec::new();
    for line in own.lines() {
        // The number, the controllers, none in version 2, and the path.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let files = match controllers {
            "" => &V2,
            _ if has_word(controllers, "memory") => &V1,
            _ => continue,
        };
        for (root, mount) in mounts.lines().filter_map(|line| mounted(line, files.limit)) {
            // The mount of a container may begin at its own group.
            let below = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
            let above = Path::new(below).ancestors();
            found.extend(above.map(|group| (Path::new(mount).join(group), files)));
        }
    }
    found
}

/// Returns the root and the folder of a mount of control groups for memory, from a line of
/// `/proc/self/mountinfo`.
fn mounted<'a>(line: &'a str, limit: &str) -> Option<(&'a str, &'a str)> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let mut kind = kind.split(' ');
    let (name, options) = (kind.next()?, kind.nth(1)?);
    let fits = match name {
        "cgroup2" => limit == V2.limit,
        "cgroup" => limit == V1.limit && has_word(options, "memory"),
        _ => false,
    };
    let found = (place.next()?, place.next()?);
    fits.then_some(found)
}

fn has_word(list: &str, word: &str) -> bool {
    list.split(',').any(|other| other == word)
}

/// Returns the limit of a control group, if it has one.
fn limit(folder: &Path, files: &Files) -> Option<MemoryLimit> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    let bytes = number(files.limit).filter(|&bytes| bytes < UNLIMITED)?;
    let stat = read("memory.stat").unwrap_or_default();
    let fields = stat.lines().filter_map(|line| line.split_once(' '));
    let cached: u64 = fields
        .filter(|(name, _)| files.cache.contains(name))
        .filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok())
        .sum();
    let used = number(files.usage).unwrap_or(0).saturating_sub(cached);
    // Paths of different containers may be equal, but not their folders' numbers.
    let place = fs::metadata(folder).ok()?;
    let id = format!("{}:{}", place.dev(), place.ino());
    Some(MemoryLimit { id, available_bytes: bytes.saturating_sub(used) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(own: &str, mounts: &str) -> Vec<String> {
        let groups = groups(own, mounts).into_iter();
        groups.map(|(folder, files)| format!("{} {}", folder.display(), files.limit)).collect()
    }

    #[test]
    fn a_group_and_those_above_it_are_found() {
        let v2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        assert_eq!(
            folders("0::/job_7/step_0\n", v2),
            [
                "/sys/fs/cgroup/job_7/step_0 memory.max",
                "/sys/fs/cgroup/job_7 memory.max",
                "/sys/fs/cgroup/ memory.max"
            ]
        );
        let v1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                  35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let own = "4:memory:/job_7\n3:cpuset:/\n0::/job_7\n";
        let found = ["/sys/fs/cgroup/memory/job_7", "/sys/fs/cgroup/memory/"];
        assert_eq!(folders(own, v1), found.map(|folder| format!("{folder} memory.limit_in_bytes")));
        // In a container, the mount begins at the container's group.
        let inside = "35 31 0:32 /docker/5f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let found = folders("4:memory:/docker/5f\n", inside);
        assert_eq!(found, ["/sys/fs/cgroup/memory/ memory.limit_in_bytes"]);
        for nonsense in ["", ":", "0", "0::", "a - b", "1 2 3 - cgroup2 x"] {
            assert!(groups(nonsense, nonsense).is_empty(), "{nonsense}");
        }
    }

    #[test]
    fn caches_count_as_available() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
        let available = |files| limit(folder.path(), files).map(|limit| limit.available_bytes);
        assert_eq!(available(&V2), None);
        write("memory.max", "max\n");
        assert_eq!(available(&V2), None);
        write("memory.max", "1000\n");
        assert_eq!(available(&V2), Some(1000));
        write("memory.current", "700\n");
        write("memory.stat", "anon 300\nfile 400\ninactive_file 150\nactive_file 200\n");
        assert_eq!(available(&V2), Some(650));
        write("memory.max", "200\n");
        assert_eq!(available(&V2), Some(0));
        write("memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(available(&V1), None);
        write("memory.limit_in_bytes", "5000\n");
        write("memory.usage_in_bytes", "3000\n");
        write("memory.stat", "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 900\n");
        assert_eq!(available(&V1), Some(3000));
    }
}
