//! Pulls onto disks that fail: the next pull completes them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::game::rules::Ruleset;
use crate::solve::building::{Build, slices_up_to};
use crate::study::manifest::{MANIFEST_FILE, Manifest, SliceEntry};
use crate::system::filesystem::faulty::{Fault, FaultyFiles, NEVER};
use crate::table::Metric;
use crate::tablebase::Tablebase;

use super::{FileState, Pull, PullError, PullOptions, Remote, RemoteFile};

type Files = BTreeMap<String, Vec<u8>>;

/// A web server with the tables of brandubh of 2 men, and their manifest.
struct Server {
    rules: Ruleset,
    address: SocketAddr,
    files: Files,
}

/// Returns the tables in a ruleset's folder, by name.
fn tables_in(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    let tables = named.filter(|(name, _)| Metric::of_file_name(name).is_some());
    tables.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

impl Server {
    fn new() -> Server {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let tables = tempfile::tempdir().unwrap();
        let slices = slices_up_to(&rules, 3);
        Build::new(&rules, tables.path(), &slices).run().unwrap();
        let base = Tablebase::open_files(rules.clone(), tables.path()).unwrap();
        let mut manifest = Manifest::new(&rules);
        for slice in slices {
            manifest.insert(SliceEntry::of(&base, slice).unwrap());
        }
        let files = tables_in(&tables.path().join("brandubh"));
        let mut served = files.clone();
        served.insert(MANIFEST_FILE.to_owned(), manifest.to_string().into_bytes());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || serve(&listener, &served));
        Server { rules, address, files }
    }

    /// Pulls all files, with one attempt for each.
    fn pull(&self, tables: &Path, files: Option<&FaultyFiles>) -> Result<(), PullError> {
        let options = PullOptions { retries: 0, ..PullOptions::default() };
        let remote = Remote::find(&format!("http://{}", self.address), &self.rules, &options)?;
        let mut pull = Pull::new(&self.rules, &remote, tables);
        if let Some(files) = files {
            pull = pull.with_files(Arc::new(files.clone()));
        }
        let wanted: Vec<_> = remote.files().iter().collect();
        pull.run(&wanted, &mut |_, _| {}, &|_, _| true)
    }
}

/// Answers requests for files in the folder `brandubh`, with ranges that have no end.
fn serve(listener: &TcpListener, files: &Files) {
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let head: Vec<String> =
            lines.map(|line| line.unwrap()).take_while(|line| !line.is_empty()).collect();
        let path = head[0].split(' ').nth(1).unwrap();
        let range = head.iter().find_map(|line| line.strip_prefix("range: bytes="));
        let start = range.map_or(0, |range| range.trim_end_matches('-').parse().unwrap());
        let response = match path.strip_prefix("/brandubh/").and_then(|name| files.get(name)) {
            None => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
            Some(bytes) => {
                let (last, all) = (bytes.len() - 1, bytes.len());
                let status = match start {
                    0 => "200 OK".to_owned(),
                    _ => format!("206 Part\r\ncontent-range: bytes {start}-{last}/{all}"),
                };
                let length = all - start;
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
                [head.as_bytes(), &bytes[start..]].concat()
            }
        };
        stream.write_all(&response).unwrap();
    }
}

#[test]
fn a_pull_survives_every_failure_of_the_disk() {
    let server = Server::new();
    let undisturbed = tempfile::tempdir().unwrap();
    let files = FaultyFiles::new(undisturbed.path(), Fault::Fail, NEVER, 0);
    server.pull(undisturbed.path(), Some(&files)).unwrap();
    assert!(tables_in(&undisturbed.path().join("brandubh")) == server.files);
    let calls = files.calls();
    assert!(calls > 5 * server.files.len(), "{calls}");
    let mut failed = 0;
    for fault in [Fault::Fail, Fault::Full, Fault::Kill, Fault::PowerCut] {
        for after in 0..calls {
            let tables = tempfile::tempdir().unwrap();
            let files = FaultyFiles::new(tables.path(), fault, after, after as u64);
            let pulled = server.pull(tables.path(), Some(&files));
            failed += usize::from(pulled.is_err());
            if let Err(error) = pulled {
                assert!(matches!(error, PullError::File { .. }), "{fault:?} {after}: {error}");
            }
            if fault == Fault::PowerCut {
                files.lose_power();
            }
            for (name, bytes) in tables_in(&tables.path().join("brandubh")) {
                assert!(server.files[&name] == bytes, "{fault:?} {after}: {name} is not whole");
            }
            // What a power cut left of a file may be wrong, which deletes it.
            while let Err(error) = server.pull(tables.path(), None) {
                assert!(matches!(error, PullError::Content { .. }), "{fault:?} {after}: {error}");
                assert_eq!(fault, Fault::PowerCut);
            }
            assert!(tables_in(&tables.path().join("brandubh")) == server.files);
        }
    }
    assert!(failed > 3 * calls, "{failed} of {calls}");
}

/// A build may write a table after a pull has looked for it, and before it locks the folder.
#[test]
fn what_appears_before_the_lock_is_kept() {
    let server = Server::new();
    let tables = tempfile::tempdir().unwrap();
    let folder = tables.path().join("brandubh");
    fs::create_dir(&folder).unwrap();
    let (here, late) = ("K0v1.wdl", "K0v1.dtw");
    fs::write(folder.join(here), &server.files[here]).unwrap();
    let options = PullOptions { retries: 0, ..PullOptions::default() };
    let remote =
        Remote::find(&format!("http://{}", server.address), &server.rules, &options).unwrap();
    let wanted: Vec<_> = remote.files().iter().collect();
    let mut states = Vec::new();
    let mut report = |file: &RemoteFile, state| {
        if file.to_string() == here {
            fs::write(folder.join(late), &server.files[late]).unwrap();
        }
        states.push((file.to_string(), state));
    };
    Pull::new(&server.rules, &remote, tables.path())
        .run(&wanted, &mut report, &|_, _| true)
        .unwrap();
    assert_eq!(states.len(), server.files.len());
    for (name, state) in states {
        let is_kept = [here, late].contains(&&*name);
        assert_eq!(state == FileState::Kept, is_kept, "{name}");
    }
    assert!(tables_in(&folder) == server.files);
}

#[test]
fn a_full_disk_is_found_before_anything_is_fetched() {
    let server = Server::new();
    let bytes: usize = server.files.values().map(Vec::len).sum();
    for (free, fits) in [(bytes - 1, false), (bytes, true)] {
        let tables = tempfile::tempdir().unwrap();
        let files = FaultyFiles::new(tables.path(), Fault::Fail, NEVER, 0).full(free as u64);
        match server.pull(tables.path(), Some(&files)) {
            Ok(()) => assert!(fits),
            Err(PullError::NoSpace { .. }) => assert!(!fits),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(tables_in(&tables.path().join("brandubh")).is_empty(), !fits);
    }
}
