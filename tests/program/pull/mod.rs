//! Tables from other machines: servers that are good, cut off, slow or lying.

mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::place::{Place, Run, refuse_threads};
use server::{FileServer, cut, file, part, rest, status, whole};

/// A folder with tables of brandubh of up to 3 men, and their manifest.
static SOURCE: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::with("brandubh", "3");
    place.run(&["manifest", "brandubh", "--output", "tables/brandubh/MANIFEST.json"]).done();
    place
});

/// The largest file, of some kilobytes.
const LARGE: &str = "K1v1.dtw";

type Files = BTreeMap<String, Vec<u8>>;

/// Returns all files of the folder of brandubh, except locks and manifests.
fn files(place: &Place) -> Files {
    let entries = fs::read_dir(place.path("tables/brandubh")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name != ".lock" && name != "MANIFEST.json")
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

fn source_bytes(name: &str) -> Vec<u8> {
    fs::read(SOURCE.path("tables/brandubh").join(name)).unwrap()
}

fn pull(place: &Place, url: &str, more: &[&str]) -> Run {
    place.run(&[&["pull", url, "brandubh"], more].concat())
}

/// Starts a good server, except that `respond` chooses the bytes of one file's responses.
fn except(
    name: &'static str,
    respond: impl Fn(&[u8], &server::Request) -> Vec<u8> + Send + Sync + 'static,
) -> FileServer {
    let folder = SOURCE.path("tables");
    FileServer::new(move |request| match request.path == format!("/brandubh/{name}") {
        true => respond(&source_bytes(name), request),
        false => file(&folder, request),
    })
}

/// Starts a server whose manifest is changed.
fn with_manifest(change: impl Fn(String) -> String + Send + Sync + 'static) -> FileServer {
    except("MANIFEST.json", move |bytes, _| {
        whole(change(String::from_utf8(bytes.to_vec()).unwrap()).as_bytes())
    })
}

/// An explorer that ends with its test.
struct Explorer {
    child: Child,
    url: String,
}

impl Explorer {
    fn new(place: &Place, more: &[&str]) -> Explorer {
        let mut command = place.command(&["serve", "--json", "--addr", "127.0.0.1:0"]);
        command.args(more).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let printed: serde_json::Value = serde_json::from_str(&line).unwrap();
        Explorer { child, url: printed["url"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_host_is_looked_up_in_a_thread() {
    let url = FileServer::of(SOURCE.path("tables")).url().replace("127.0.0.1", "localhost");
    let place = Place::new();
    let mut refused = place.command(&["pull", &url, "brandubh"]);
    refuse_threads(&mut refused);
    Run::of(refused).refused(2, &[&url, "cannot connect: cannot start a thread"]);
    pull(&place, &url, &["--slice", "K0v1"]).done();
}

#[test]
fn an_explorer_shares_its_tables_if_it_may() {
    let explorer = Explorer::new(&SOURCE, &["--downloads"]);
    let place = Place::new();
    let lines = pull(&place, &explorer.url, &["--men", "3", "--json"]).json();
    assert_eq!(lines.len(), 6);
    for line in &lines {
        let name =
            format!("{}.{}", line["slice"].as_str().unwrap(), line["metric"].as_str().unwrap());
        assert_eq!((&line["rules"], &line["state"]), (&"brandubh".into(), &"fetched".into()));
        assert_eq!(line["bytes"], source_bytes(&name).len());
    }
    assert!(files(&place) == files(&SOURCE));
    let manifest = SOURCE.path("tables/brandubh");
    let against = manifest.to_str().unwrap();
    let checked = place.run(&["check", "brandubh", "--against", against, "--complete"]).done();
    assert_eq!(checked.matches("same file").count(), 6, "{checked}");
    let again = pull(&place, &explorer.url, &["--men", "3", "--json"]).json();
    assert!(again.iter().all(|line| line["state"] == "kept"), "{again:?}");
    // The page's address, too, and the tables that are part of the program.
    let page = format!("{}#brandubh/K0v3", explorer.url);
    pull(&place, &page, &["--slice", "K0v3", "--metric", "dtw"]).done();
    assert!(place.path("tables/brandubh/K0v3.dtw").is_file());

    let closed = Explorer::new(&SOURCE, &[]);
    let refused = pull(&place, &closed.url, &["--men", "3"]);
    refused.refused(2, &["status 403", "taflbase serve --downloads"]);
}

#[test]
fn a_web_server_shares_a_folder_of_tables() {
    for (folder, path) in [
        ("tables", ""),
        ("tables", "/"),
        ("tables", "/brandubh"),
        ("tables", "/brandubh/MANIFEST.json"),
        ("tables/brandubh", ""),
        ("", "/tables/"),
    ] {
        let server = FileServer::of(SOURCE.path(folder));
        let place = Place::new();
        let out = pull(&place, &(server.url() + path), &[]).done();
        assert!(out.starts_with("files fetched: 6 (") && out.ends_with("; kept: 0\n"), "{out}");
        assert!(files(&place) == files(&SOURCE), "{folder} {path}");
    }
}

/// Some servers answer every path with the same page.
#[test]
fn a_page_is_no_manifest() {
    let page = |folder: Option<std::path::PathBuf>| {
        FileServer::new(move |request| match &folder {
            Some(folder) if folder.join(request.path.trim_start_matches('/')).is_file() => {
                file(folder, request)
            }
            _ => whole(b"<html>"),
        })
    };
    for folder in ["tables", "tables/brandubh"] {
        let server = page(Some(SOURCE.path(folder)));
        let place = Place::new();
        pull(&place, &server.url(), &[]).done();
        assert!(files(&place) == files(&SOURCE), "{folder}");
    }
    fails(&page(None), &["MANIFEST.json", "not a manifest"]);
}

#[test]
fn parts_of_other_versions_are_deleted() {
    let server = FileServer::of(SOURCE.path("tables"));
    let place = Place::new();
    let folder = place.path("tables/brandubh");
    fs::create_dir_all(&folder).unwrap();
    let [outdated, unknown] =
        ["K1v1.dtw", "K8v8.dtw"].map(|name| format!("{name}.0123456789abcdef.part"));
    for name in [&outdated, &unknown] {
        fs::write(folder.join(name), "something").unwrap();
    }
    pull(&place, &server.url(), &["--slice", "K0v1"]).done();
    assert!(folder.join(&outdated).exists());
    pull(&place, &server.url(), &[]).done();
    // Nothing is known of the other one.
    fs::remove_file(folder.join(&unknown)).unwrap();
    assert!(files(&place) == files(&SOURCE));
    // What is here is not fetched any more.
    fs::write(folder.join(&outdated), "something").unwrap();
    pull(&place, &server.url(), &["--men", "2"]).done();
    assert!(folder.join(&outdated).exists());
    pull(&place, &server.url(), &[]).done();
    assert!(files(&place) == files(&SOURCE));
}

#[test]
fn what_is_here_is_kept() {
    let server = FileServer::of(SOURCE.path("tables"));
    let place = Place::new();
    pull(&place, &server.url(), &["--slice", "K0v1"]).done();
    assert_eq!(files(&place).len(), 2);
    let out = pull(&place, &server.url(), &["--men", "2", "--metric", "dtw"]).done();
    assert_eq!(out, "files fetched: 0 (0 B); kept: 1\n");
    // The same values, compressed differently.
    place.run(&["build", "brandubh", "--slice", "K0v2", "--level", "1"]).done();
    let own = files(&place);
    let out = pull(&place, &server.url(), &[]).done();
    assert!(out.ends_with("; kept: 4\n"), "{out}");
    assert!(own.iter().all(|(name, bytes)| files(&place)[name] == *bytes));
    assert!(server.starts("K0v2.dtw").is_empty());
    // A damaged table is replaced.
    fs::write(place.path("tables/brandubh/K1v1.dtw"), &source_bytes(LARGE)[..200]).unwrap();
    let out = pull(&place, &server.url(), &[]).done();
    assert!(out.starts_with("files fetched: 1 ("), "{out}");
    place.run(&["check", "brandubh"]).done();
    // Something else is not.
    for content in ["my notes".into(), foreign_table()] {
        fs::write(place.path("tables/brandubh/K1v1.dtw"), &content).unwrap();
        pull(&place, &server.url(), &[]).refused(2, &["tables/brandubh/K1v1.dtw"]);
        assert_eq!(files(&place)[LARGE], content);
    }
}

/// Returns a table of other rules.
fn foreign_table() -> Vec<u8> {
    let place = Place::with("berkeley", "2");
    fs::read(place.path("tables/berkeley/K0v1.dtw")).unwrap()
}

#[test]
fn other_values_are_a_negative_answer() {
    // The values of another slice's entry.
    let server = with_manifest(|text| {
        let at = text.find("\"values\":\"").unwrap() + 10;
        let digit = if text[at..].starts_with('f') { "0" } else { "f" };
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    });
    let place = Place::with("brandubh", "2");
    let before = files(&place);
    let run = pull(&place, &server.url(), &["--json"]);
    run.refused(1, &["1 of 6 files has other values", "taflbase verify brandubh --slice K0v1"]);
    assert_eq!(run.out.matches("\"different values\"").count(), 1, "{}", run.out);
    if cfg!(target_os = "linux") {
        for more in [&[][..], &["--json"]] {
            let full = place.run_full(&[&["pull", &server.url(), "brandubh"], more].concat());
            assert_eq!((full.status, full.err), (run.status, run.err.clone()));
        }
    }
    assert!(before.iter().all(|(name, bytes)| files(&place)[name] == *bytes));
    assert_eq!(files(&place).len(), 6);
}

#[test]
fn a_cut_connection_is_continued() {
    let cuts = AtomicUsize::new(0);
    let server = except(LARGE, move |bytes, request| {
        let response = rest(bytes, request);
        match cuts.fetch_add(1, Ordering::Relaxed) {
            // Without a response, in its head, and in its body.
            0 => Vec::new(),
            1 => response[..9].to_vec(),
            2 => cut(response, 0),
            3 | 4 => cut(response, 100),
            _ => response,
        }
    });
    let place = Place::new();
    pull(&place, &server.url(), &[]).done();
    assert!(files(&place) == files(&SOURCE));
    let starts = [None, None, None, None, Some(100), Some(200)];
    assert_eq!(server.starts(LARGE), starts);
}

#[test]
fn the_same_command_continues_what_another_left() {
    let server = except(LARGE, |bytes, request| match request.start {
        None => cut(rest(bytes, request), 100),
        Some(_) => rest(bytes, request),
    });
    let place = Place::new();
    let once = ["--retries", "0"];
    let failed = pull(&place, &server.url(), &once);
    failed.refused(2, &["/brandubh/K1v1.dtw", "was cut", "the same command continues"]);
    assert!(!place.path("tables/brandubh/K1v1.dtw").exists());
    // A part is no table, neither for readers nor for builds.
    assert_eq!(files(&place).keys().filter(|name| name.ends_with(".part")).count(), 1);
    place.run(&["check", "brandubh"]).done();
    place.run(&["build", "brandubh", "--slice", "K0v2"]).done();
    pull(&place, &server.url(), &once).done();
    assert_eq!(server.starts(LARGE), [None, Some(100)]);
    assert!(files(&place) == files(&SOURCE));
}

#[test]
fn a_server_without_ranges_sends_the_whole_file_again() {
    let cuts = AtomicUsize::new(0);
    let server = except(LARGE, move |bytes, _| match cuts.fetch_add(1, Ordering::Relaxed) {
        0 => cut(whole(bytes), 100),
        _ => whole(bytes),
    });
    let place = Place::new();
    pull(&place, &server.url(), &[]).done();
    assert_eq!(server.starts(LARGE), [None, Some(100)]);
    assert!(files(&place) == files(&SOURCE));
}

#[test]
fn busy_servers_are_asked_again_and_dead_ones_given_up() {
    let busy = AtomicUsize::new(0);
    let server = except(LARGE, move |bytes, request| match busy.fetch_add(1, Ordering::Relaxed) {
        0 => status("503 Service Unavailable", ""),
        1 => status("429 Too Many Requests", ""),
        _ => rest(bytes, request),
    });
    let place = Place::new();
    pull(&place, &server.url(), &[]).done();
    assert!(files(&place) == files(&SOURCE));

    let cutting = except(LARGE, |bytes, request| cut(rest(bytes, request), 1));
    let place = Place::new();
    pull(&place, &cutting.url(), &["--retries", "2"]).refused(2, &["K1v1.dtw", "was cut"]);
    assert_eq!(cutting.starts(LARGE), [None, Some(1), Some(2)]);
    pull(&place, "http://127.0.0.1:1", &[]).refused(2, &["http://127.0.0.1:1/", "cannot connect"]);

    let silent = except(LARGE, |_, _| {
        thread::sleep(Duration::from_secs(3));
        Vec::new()
    });
    let began = Instant::now();
    let run = pull(&place, &silent.url(), &["--timeout", "0.3", "--retries", "0"]);
    run.refused(2, &["K1v1.dtw", "sent nothing for 0.3 s"]);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

/// Runs a pull that must fail, leave no table that is not right, and write nowhere else.
fn fails(server: &FileServer, words: &[&str]) {
    let place = Place::new();
    let run = pull(&place, &server.url(), &["--retries", "1"]);
    run.refused(2, words);
    for (name, bytes) in files(&place) {
        assert!(name.ends_with(".part") || bytes == source_bytes(&name), "{name}");
    }
    let others = fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(others.into_iter().all(|name| name == "tables"));
}

#[test]
fn wrong_files_are_refused_and_deleted() {
    let wrong = except(LARGE, |bytes, request| {
        let mut damaged = bytes.to_vec();
        damaged[bytes.len() / 2] ^= 1;
        rest(&damaged, request)
    });
    fails(&wrong, &["/brandubh/K1v1.dtw", "sent a damaged table", "deleted"]);
    // A sound table of another slice, of the same size for the client.
    let other = except(LARGE, |bytes, _| {
        let mut other = source_bytes("K0v2.dtw");
        other.resize(bytes.len(), 0);
        whole(&other)
    });
    fails(&other, &["/brandubh/K1v1.dtw", "sent "]);
    let noise = except(LARGE, |bytes, _| whole(&vec![b'x'; bytes.len()]));
    fails(&noise, &["/brandubh/K1v1.dtw", "sent something that is no table"]);
    let short = except(LARGE, |bytes, _| whole(&bytes[..100]));
    fails(&short, &["K1v1.dtw", "does not have the", "bytes that its manifest lists"]);
    // Without a length, more than the manifest lists.
    let long =
        except(LARGE, |bytes, _| [b"HTTP/1.1 200 OK\r\n\r\n", bytes, &[0; 100_000]].concat());
    fails(&long, &["K1v1.dtw", "does not have the", "bytes that its manifest lists"]);
    // Another part than the one that was wanted.
    let cuts = AtomicUsize::new(0);
    let shifted = except(LARGE, move |bytes, request| match cuts.fetch_add(1, Ordering::Relaxed) {
        0 => cut(rest(bytes, request), 100),
        _ => part(bytes, 50, 50),
    });
    fails(&shifted, &["K1v1.dtw", "another part"]);
    let lost = except(LARGE, |_, _| status("404 Not Found", "<html>"));
    fails(&lost, &["K1v1.dtw", "refused with status 404"]);
    let moved =
        except(LARGE, |_, _| b"HTTP/1.1 301 Moved\r\nlocation: https://h/x\r\n\r\n".to_vec());
    fails(&moved, &["K1v1.dtw", "refused with status 301: it redirects to https://h/x"]);
}

/// A part that lies about its place gives a file with wrong bytes.
#[test]
fn a_part_with_wrong_bytes_is_found_by_the_checksum() {
    let cuts = AtomicUsize::new(0);
    let server = except(LARGE, move |bytes, request| match cuts.fetch_add(1, Ordering::Relaxed) {
        0 => cut(rest(bytes, request), 100),
        1 => {
            let mut damaged = bytes.to_vec();
            damaged[bytes.len() / 2] ^= 1;
            rest(&damaged, request)
        }
        _ => rest(bytes, request),
    });
    let place = Place::new();
    pull(&place, &server.url(), &[]).refused(2, &["K1v1.dtw", "damaged", "run the same command"]);
    assert!(files(&place).keys().all(|name| !name.ends_with(".part")));
    pull(&place, &server.url(), &[]).done();
    assert_eq!(server.starts(LARGE), [None, Some(100), None]);
    assert!(files(&place) == files(&SOURCE));
}

#[test]
fn lying_manifests_are_refused() {
    let berkeley = Place::with("berkeley", "2");
    let foreign = berkeley.run(&["manifest", "berkeley"]).done();
    let other_rules = with_manifest(move |_| foreign.clone());
    fails(&other_rules, &["MANIFEST.json", "another ruleset, berkeley, not of brandubh"]);
    for (from, to, words) in [
        ("\"slice\":\"K0v1\"", "\"slice\":\"../../K0v1\"", "not a manifest"),
        ("\"metric\":\"wdl\"", "\"metric\":\"../../wdl\"", "unknown metric"),
        ("\"metric\":\"wdl\"", "\"metric\":\"dtw\"", "lists K0v1.dtw twice"),
        ("\"blake3\":\"", "\"blake3\":\"../..", "no checksum of K0v1.wdl"),
        ("\"slices\"", "\"more\":1,\"slices\"", "not a manifest"),
        ("{", "<html>", "not a manifest"),
        ("\"slice\":\"K0v1\"", "\"slice\":\"K40v40\"", "lists K40v40.wdl, but K40v40 has"),
    ] {
        let server = with_manifest(move |text| text.replacen(from, to, 1));
        fails(&server, &["/brandubh/MANIFEST.json", words]);
    }
    let bytes = |bytes: &'static str| {
        with_manifest(move |text| {
            let at = text.find("\"bytes\":").unwrap() + 8;
            let end = at + text[at..].find(',').unwrap();
            format!("{}{bytes}{}", &text[..at], &text[end..])
        })
    };
    fails(&bytes("0"), &["lists K0v1.wdl with 0 bytes"]);
    fails(&bytes("18446744073709551615"), &["K0v1.wdl", "more than such a file can have"]);
    fails(&bytes("100"), &["K0v1.wdl", "does not have the 100 bytes"]);
    // A manifest without end.
    let endless =
        FileServer::new(|_| [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b' '; 20 << 20]].concat());
    fails(&endless, &["MANIFEST.json", "more than such a file can have"]);
    let no_http = FileServer::new(|_| b"220 mail.example.org ESMTP\r\n".to_vec());
    fails(&no_http, &["does not speak HTTP/1"]);
    let refusing =
        FileServer::new(|_| status("403 Forbidden", r#"{"detail":"go\n away \u001b[31m"}"#));
    fails(&refusing, &["status 403: go away [31m"]);
    let empty = FileServer::new(|_| status("404 Not Found", ""));
    fails(&empty, &["no MANIFEST.json of brandubh", &empty.url()]);
}

#[test]
fn what_a_server_does_not_have_is_a_negative_answer() {
    let server = FileServer::of(SOURCE.path("tables"));
    let place = Place::new();
    let run = pull(&place, &server.url(), &["--slice", "K9v9", "--slice", "K0v1"]);
    run.refused(1, &["has no table of K9v9"]);
    assert_eq!(files(&place).len(), 2);
    let run = pull(&place, &server.url(), &["--men", "2", "--slice", "K0v2"]);
    run.refused(1, &["--men 2 excludes --slice K0v2"]);
    let outcomes = Place::new();
    outcomes.run(&["build", "brandubh", "--men", "2", "--metric", "wdl"]).done();
    outcomes.run(&["manifest", "brandubh", "--output", "tables/brandubh/MANIFEST.json"]).done();
    let only_outcomes = FileServer::of(outcomes.path("tables"));
    let run = pull(&place, &only_outcomes.url(), &["--slice", "K0v1", "--metric", "dtw"]);
    run.refused(1, &["has no dtw table of K0v1: omit --metric"]);
    let run = place.run(&["pull", &server.url(), "tablut"]);
    run.refused(2, &["no MANIFEST.json of tablut"]);
}

#[test]
fn addresses_are_checked() {
    let place = Place::new();
    for (url, word) in [
        ("localhost:8080", "write an address like http://"),
        ("https://example.org", "https is not supported"),
        ("http://me:secret@h", "neither a user"),
        ("", "write an address"),
    ] {
        pull(&place, url, &[]).refused(2, &[word]);
    }
    assert!(!place.path("tables").exists());
}

/// A file that may not grow simulates a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_the_pull_continues() {
    let server = FileServer::of(SOURCE.path("tables"));
    let place = Place::new();
    let whole = place.command(&["pull", &server.url(), "brandubh"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]);
    limited.arg(whole.get_program()).args(whole.get_args()).current_dir(place.path(""));
    limited.env_remove("TAFLBASE_TABLES").env_remove("TAFLBASE_PROOFS");
    Run::of(limited).refused(2, &["tables/brandubh/", ".part: cannot write it"]);
    Run::of(whole).done();
    assert!(files(&place) == files(&SOURCE));
}

/// Two programs do not write the same part.
#[test]
fn pulls_and_builds_wait_for_each_other() {
    let server = except(LARGE, |bytes, request| {
        thread::sleep(Duration::from_secs(2));
        rest(bytes, request)
    });
    let place = Place::new();
    let mut first = place.command(&["pull", &server.url(), "brandubh"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.starts(LARGE).is_empty() {
        assert!(first.try_wait().unwrap().is_none(), "it ended too early");
        thread::sleep(Duration::from_millis(5));
    }
    let other = FileServer::of(SOURCE.path("tables"));
    let folder = "tables/brandubh: ";
    pull(&place, &other.url(), &[]).refused(2, &[folder, "another pull is running"]);
    let build = place.run(&["build", "brandubh", "--slice", "K2v1"]);
    build.refused(2, &[folder, "a pull, is running"]);
    assert!(first.wait().unwrap().success());
    assert!(files(&place) == files(&SOURCE));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_has_arrived() {
    let server = except(LARGE, |bytes, request| match request.start {
        None => cut(rest(bytes, request), 100),
        Some(_) => status("503 Service Unavailable", ""),
    });
    let place = Place::new();
    let mut program = place.command(&["pull", &server.url(), "brandubh", "--retries", "1000"]);
    let mut program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.starts(LARGE).len() < 2 {
        assert!(program.try_wait().unwrap().is_none(), "it ended without trying again");
        thread::sleep(Duration::from_millis(5));
    }
    let kill = ["-INT".to_owned(), program.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    let stopped = Run::ended(program.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}", stopped.err);
    assert!(stopped.err.ends_with("stopped; the same command continues\n"), "{}", stopped.err);
    let good = FileServer::of(SOURCE.path("tables"));
    pull(&place, &good.url(), &[]).done();
    assert_eq!(good.starts(LARGE), [Some(100)]);
}
