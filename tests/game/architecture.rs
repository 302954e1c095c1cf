//! The order of the source's rooms is the one that `docs/architecture.md` lists.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms in the order of the table: each may import only itself and those above it.
fn rooms(page: &str) -> Vec<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("/` |"));
    rows.map(|(room, _)| room.to_owned()).collect()
}

/// All source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The rooms that a line of code names by `crate::`.
fn imported(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).filter_map(|path| {
        path.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).next().filter(|s| !s.is_empty())
    })
}

/// What is wrong with the imports of one room's text.
fn faults(rooms: &[String], room: &str, text: &str) -> Vec<String> {
    let place = |name: &str| rooms.iter().position(|other| other == name);
    let allowed = |name: &str| place(name).is_some_and(|other| Some(other) <= place(room));
    let names = text.lines().flat_map(imported).filter(|name| !allowed(name));
    names.map(|name| format!("{room} imports {name}")).collect()
}

#[test]
fn rooms_import_only_those_above_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rooms = rooms(&fs::read_to_string(root.join("docs/architecture.md")).unwrap());
    let mut folders: Vec<String> = Vec::new();
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            folders.push(entry.file_name().into_string().unwrap());
        }
    }
    let mut listed = rooms.clone();
    listed.sort();
    folders.sort();
    assert_eq!(listed, folders, "docs/architecture.md lists other rooms than src has");
    // The program is a crate of its own, and imports the library by its public paths.
    for room in rooms.iter().filter(|room| *room != "cli") {
        for file in sources(&root.join("src").join(room)) {
            let faults = faults(&rooms, room, &fs::read_to_string(&file).unwrap());
            assert!(faults.is_empty(), "{}: {faults:?}", file.display());
        }
    }
}

#[test]
fn imports_upwards_and_by_the_facade_are_found() {
    let rooms = ["game", "table", "solve"].map(str::to_owned);
    let text = "use crate::game::board::Square;\nuse crate::table::Metric; // crate::solve";
    assert_eq!(faults(&rooms, "table", text), [""; 0]);
    assert_eq!(faults(&rooms, "game", text), ["game imports table"]);
    assert_eq!(faults(&rooms, "solve", "use crate::rules::Side;"), ["solve imports rules"]);
}
