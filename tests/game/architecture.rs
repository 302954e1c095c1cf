//! Modules import only those that `docs/architecture.md` lists above them.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the modules in the order of the page's table.
fn modules(page: &str) -> Vec<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("/` |"));
    rows.map(|(module, _)| module.to_owned()).collect()
}

/// Returns all source files in a folder and its subfolders.
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

/// Returns the modules that a line of code names with `crate::`.
fn imported(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::").skip(1).filter_map(|path| {
        path.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).next().filter(|s| !s.is_empty())
    })
}

/// Returns the forbidden imports in a source text of `module`.
fn faults(modules: &[String], module: &str, text: &str) -> Vec<String> {
    let place = |name: &str| modules.iter().position(|other| other == name);
    let allowed = |name: &str| place(name).is_some_and(|other| Some(other) <= place(module));
    let names = text.lines().flat_map(imported).filter(|name| !allowed(name));
    names.map(|name| format!("{module} imports {name}")).collect()
}

#[test]
fn modules_import_only_those_above_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = modules(&fs::read_to_string(root.join("docs/architecture.md")).unwrap());
    let mut folders: Vec<String> = Vec::new();
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            folders.push(entry.file_name().into_string().unwrap());
        }
    }
    let mut listed = modules.clone();
    listed.sort();
    folders.sort();
    assert_eq!(listed, folders, "docs/architecture.md does not list the folders of src");
    // The program is a separate crate, which imports the library by its public paths.
    for module in modules.iter().filter(|module| *module != "cli") {
        for file in sources(&root.join("src").join(module)) {
            let faults = faults(&modules, module, &fs::read_to_string(&file).unwrap());
            assert!(faults.is_empty(), "{}: {faults:?}", file.display());
        }
    }
}

#[test]
fn upward_and_facade_imports_are_found() {
    let modules = ["game", "table", "solve"].map(str::to_owned);
    let text = "use crate::game::board::Square;\nuse crate::table::Metric; // crate::solve";
    assert_eq!(faults(&modules, "table", text), [""; 0]);
    assert_eq!(faults(&modules, "game", text), ["game imports table"]);
    assert_eq!(faults(&modules, "solve", "use crate::rules::Side;"), ["solve imports rules"]);
}
