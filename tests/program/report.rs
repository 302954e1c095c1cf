//! Reports as pages and as JSON, and totals of statistics.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::place::{Place, ruleset};

const QUICK: &str = "--no-estimates";

/// Checks that a page is well-formed XML with the attributes and entities that HTML knows, too,
/// and returns the names of its elements.
fn elements(page: &str) -> Vec<&str> {
    let text = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let (mut names, mut open) = (Vec::new(), Vec::new());
    for part in text.split('<').skip(1) {
        let (tag, after) = part.split_once('>').unwrap_or_else(|| panic!("open tag: {part}"));
        let style = open.last() == Some(&"style");
        assert!(!after.contains('>') || style || tag == "style", "unescaped: {after}");
        for entity in after.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;"];
            assert!(known.iter().any(|name| entity.starts_with(name)), "entity: &{entity}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed out of order");
            continue;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        let attributes = tag[name.len()..].trim_end_matches('/');
        // Names, and values in quotes, in turn.
        let pieces: Vec<&str> = attributes.split('"').collect();
        assert!(pieces.len() % 2 == 1, "quotes: {tag}");
        let mut seen = BTreeSet::new();
        for attribute in pieces[..pieces.len() - 1].iter().step_by(2) {
            let called = attribute.trim().strip_suffix('=').unwrap_or_else(|| panic!("{tag}"));
            assert!(seen.insert(called), "twice: {tag}");
        }
        names.push(name);
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "not closed");
    names
}

/// Returns the values of an attribute.
fn values<'a>(page: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {attribute}=\"");
    let places: Vec<usize> = page.match_indices(&start).map(|(at, _)| at + start.len()).collect();
    places.into_iter().map(move |at| page[at..].split('"').next().unwrap())
}

/// Checks that a page refers to nothing but itself.
fn check_self_contained(page: &str) {
    let without_namespaces =
        page.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "");
    for forbidden in ["http:", "https:", "src=", "@import", "<script", "<link", "javascript:"] {
        assert!(!without_namespaces.contains(forbidden), "{forbidden}");
    }
    let mut ids = BTreeSet::new();
    for id in values(page, "id") {
        assert!(ids.insert(id), "two elements {id}");
    }
    let links = values(page, "href").map(|link| link.strip_prefix('#').expect(link));
    let fills = page.split("url(#").skip(1).map(|part| part.split(')').next().unwrap());
    for target in links.chain(fills) {
        assert!(ids.contains(target), "#{target}");
    }
}

fn read(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_page_and_its_data_are_written() {
    let place = Place::with("brandubh", "3");
    let slices = ["--slice", "K0v1", "K1v1", "K0v2"];
    let files = ["--html", "a.html", "--json", "a.json", QUICK];
    let run = place.run(&[&["report", "brandubh"][..], &slices, &files].concat());
    assert!(run.err.contains("a.html: ") && run.err.contains("a.json: "), "{}", run.err);
    assert_eq!(run.done(), "");
    let page = read(&place, "a.html");
    let names = elements(&page);
    check_self_contained(&page);
    let charts = page.matches("<svg class=\"chart\"").count();
    // Shares, balance and growth, and histograms and maps of three slices.
    assert_eq!(charts, 2 + 2 + 2 + 4 * 3);
    assert_eq!(
        page.matches("role=\"img\"").count(),
        page.matches("role=\"img\" aria-label").count() + 2 * 3 + 2
    );
    assert!(names.iter().filter(|&&name| name == "details").count() >= charts);
    for part in [
        "27e632691dd014bf84bc8a4029256f95",
        "taflbase report brandubh --slice K0v1 K1v1 K0v2 --html a.html --json a.json --no-estimates",
        concat!("taflbase ", env!("CARGO_PKG_VERSION")),
        "light-dark(",
        "@media print",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let data: Value = serde_json::from_str(&read(&place, "a.json")).unwrap();
    assert_eq!(data["source"], "tables");
    let stats =
        place.run(&["stats", "brandubh", "--slice", "K0v1", "K1v1", "K0v2", "--json"]).json();
    let sides = data["slices"].as_array().unwrap().iter();
    let sides = sides.flat_map(|slice| slice["sides"].as_array().unwrap());
    for (side, stats) in sides.zip(&stats) {
        for key in ["to_move", "positions", "win", "draw", "loss", "max_win", "max_loss"] {
            assert_eq!(side[key], stats[key], "{key}");
        }
        let bars = side["histogram"].as_array().unwrap().iter();
        for (bar, expected) in bars.zip(stats["histogram"].as_array().unwrap()) {
            assert_eq!(
                (&bar["dtw"], &bar["positions"]),
                (&expected["dtw"], &expected["positions"])
            );
        }
    }
    for win in
        data["slices"].as_array().unwrap().iter().flat_map(|s| s["longest"].as_array().unwrap())
    {
        let position = win["position"].as_str().unwrap();
        let line = &place.run(&["line", "brandubh", position, "--json"]).json()[0];
        assert_eq!((&win["moves"], &win["plies"]), (&line["moves"], &line["dtw"]));
    }
}

#[test]
fn json_has_the_members_that_the_help_shows() {
    let place = Place::with("brandubh", "2");
    let help = place.run(&["report", "--help"]).done();
    let example = help.lines().find(|line| line.starts_with("  {")).unwrap();
    let example: Value = serde_json::from_str(example.trim()).unwrap();
    let run = ["report", "brandubh", "--slice", "K0v1", "--json", QUICK];
    let found = &place.run(&run).json()[0];
    assert_eq!(keys(found), keys(&example));
    for member in ["total", "balance", "needed", "slices"] {
        let [found, example] = [found, &example].map(|report| match &report[member] {
            Value::Array(list) => list[0].clone(),
            object => object.clone(),
        });
        assert_eq!(keys(&found), keys(&example), "{member}");
    }
    let [found, example] = [found, &example].map(|report| report["slices"][0].clone());
    assert_eq!(keys(&found["longest"][0]), keys(&example["longest"][0]));
    let [found, example] = [found, example].map(|slice| slice["sides"][0].clone());
    assert_eq!(keys(&found), keys(&example));
    for member in ["histogram", "king"] {
        assert_eq!(keys(&found[member][0]), keys(&example[member][0]), "{member}");
    }
}

#[test]
fn json_goes_where_it_is_sent() {
    let place = Place::with("brandubh", "2");
    let rules = ["report", "brandubh", "--slice", "K0v1", QUICK];
    let printed = [&["--json"][..], &rules].concat();
    let before = &place.run(&printed).json()[0];
    for more in [&["--json"][..], &["--json", "-"]] {
        let found = &place.run(&[&rules[..], more].concat()).json()[0];
        assert_eq!(found["slices"], before["slices"]);
    }
    assert_eq!(place.run(&[&rules[..], &["--json", "x.json"]].concat()).done(), "");
    let written: Value = serde_json::from_str(&read(&place, "x.json")).unwrap();
    assert_eq!(written["slices"], before["slices"]);
    let page = place.run(&[&rules[..], &["--html", "-"]].concat()).done();
    elements(&page);
    for file in ["true", "false"] {
        assert_eq!(place.run(&[&rules[..], &["--json", file]].concat()).done(), "");
        assert!(place.path(file).is_file());
    }
    // Other commands print JSON on standard output only.
    place.run(&["stats", "brandubh", "--json", "x.json"]).refused(2, &["x.json"]);
}

#[test]
fn a_manifest_alone_gives_the_same_counts() {
    let place = Place::with("brandubh", "3");
    let list = ["manifest", "brandubh", "--longest", "--output", "tables/brandubh/MANIFEST.json"];
    place.run(&list).done();
    let slices = ["--slice", "K0v1", "K1v1", "K0v2"];
    let report = [&["report", "brandubh", "--json", QUICK][..], &slices].concat();
    let tables = &place.run(&report).json()[0];
    assert_eq!(tables["manifest"]["path"], "tables/brandubh/MANIFEST.json");
    let date = tables["manifest"]["date"].as_str().unwrap();
    assert!(date.len() == 10 && date.starts_with("20"), "{date}");
    for from in ["tables/brandubh/MANIFEST.json", "tables/brandubh", "tables"] {
        let listed = ["report", "brandubh", "--json", QUICK, "--from", from];
        let found = &place.run(&listed).json()[0];
        assert_eq!(found["source"], "manifest");
        assert_eq!(found["manifest"], tables["manifest"]);
        for member in ["balance", "needed", "growth"] {
            assert_eq!(found[member], tables[member], "{member}");
        }
        for (one, other) in [(&found["slices"][1], &tables["slices"][1])] {
            for (key, value) in one.as_object().unwrap() {
                match &**key {
                    "longest" => {
                        for member in ["winner", "to_move", "plies", "position"] {
                            assert_eq!(value[0][member], other[key][0][member], "{member}");
                        }
                        assert_eq!(value[0].get("moves"), None);
                    }
                    "sides" => assert_eq!(value[0]["shares"], other[key][0]["shares"]),
                    _ => assert_eq!(*value, other[key], "{key}"),
                }
            }
            assert_eq!(one["sides"][0].get("histogram"), None);
        }
    }
}

#[test]
fn a_report_needs_no_tables_if_it_has_a_manifest() {
    let place = Place::new();
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/tablut/MANIFEST.json");
    let report = ["report", "tablut", "--from", list, "--html", "tablut.html", QUICK];
    place.run(&report).done();
    let page = read(&place, "tablut.html");
    elements(&page);
    check_self_contained(&page);
    assert_eq!(page.matches("are left out").count(), 1);
    let summary = place.run(&["report", "tablut", "--from", list, "--slice", "K0v1"]).done();
    assert!(summary.contains("K0v1") && !summary.contains("K1v1"), "{summary}");
}

#[test]
fn what_further_men_take_is_estimated_up_to_the_whole_game() {
    let place = Place::new();
    // On a large board the estimates rest on three slices: a small board has more that can be built
    // in the time that estimates may take.
    let rules = ruleset("great-corner");
    place.run(&["build", &rules, "--men", "3"]).done();
    let report = ["report", &rules, "--json", "--html", "a.html", "--calibration", "2"];
    let data = &place.run(&report).json()[0];
    let growth = data["growth"].as_array().unwrap();
    let men: Vec<u64> = growth.iter().map(|row| row["men"].as_u64().unwrap()).collect();
    assert_eq!(men, (2..=37).collect::<Vec<_>>());
    for (row, next) in growth.iter().zip(&growth[1..]) {
        for key in ["positions", "bytes", "core_seconds"] {
            assert!(row[key].as_f64() < next[key].as_f64(), "{key}: {row} {next}");
        }
    }
    let estimates: Vec<bool> =
        growth.iter().map(|row| row["is_estimate"].as_bool().unwrap()).collect();
    assert_eq!(estimates[..3], [false, false, true]);
    let page = read(&place, "a.html");
    elements(&page);
    assert!(page.contains("estimates") && page.contains("stroke-dasharray"));
}

#[test]
fn without_a_file_a_summary_is_printed() {
    let place = Place::with("brandubh", "3");
    let summary = place.run(&["report", "brandubh", "--slice", "K0v1", "K1v1", "K0v2"]).done();
    let rows: Vec<Vec<&str>> = summary
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect())
        .collect();
    let row = |name: &str| rows.iter().find(|row| row.first() == Some(&name)).unwrap();
    assert_eq!(row("K0v1")[1..3], ["3,872", "1.86"]);
    assert_eq!(row("3 men").len(), row("total").len());
    assert!(summary.contains("more than 2"), "{summary}");
    assert!(!place.path("brandubh.html").exists());
}

#[test]
fn totals_follow_the_statistics() {
    let place = Place::with("brandubh", "3");
    let slices = ["--slice", "K0v1", "K1v1", "K0v2"];
    let stats = [&["stats", "brandubh"][..], &slices].concat();
    let lines = place.run(&[&stats[..], &["--json"]].concat()).json();
    assert_eq!(lines.len(), 6, "totals would break readers of the lines");
    let totals = place.run(&[&stats[..], &["--json", "--totals"]].concat()).json();
    let sum = |side: &str, key: &str| {
        let of_side = lines.iter().filter(|line| line["to_move"] == side);
        of_side.map(|line| line[key].as_u64().unwrap()).sum::<u64>()
    };
    let [attackers, defenders, either] = &totals[..] else { panic!("{totals:?}") };
    assert_eq!(attackers["attackers_win"], sum("attackers", "win"));
    assert_eq!(defenders["attackers_win"], sum("defenders", "loss"));
    assert_eq!(either["positions"], sum("attackers", "positions") + sum("defenders", "positions"));
    let share = either["shares"]["attackers_win"].as_f64().unwrap();
    let all = either["positions"].as_f64().unwrap();
    let expected = either["attackers_win"].as_f64().unwrap() / all;
    assert!((share - expected).abs() < 1e-12, "{share} {expected}");
    let text = place.run(&stats).done();
    let only = place.run(&[&stats[..], &["--totals"]].concat()).done();
    assert!(text.ends_with(&format!("\n\n{only}")), "{text}");
    assert!(only.starts_with("brandubh, total of 3 slices\n"), "{only}");
    let one = place.run(&["stats", "brandubh", "--slice", "K0v1"]).done();
    assert!(!one.contains("total of") && one.contains("win 72 (3.72 %), draw 0 (0.00 %)"), "{one}");
    let help = place.run(&["stats", "--help"]).done();
    let example = help.lines().rfind(|line| line.starts_with("  {")).unwrap();
    assert_eq!(keys(&serde_json::from_str(example.trim()).unwrap()), keys(either));
}

#[test]
fn reports_that_cannot_be_made_are_refused() {
    let place = Place::with("brandubh", "2");
    let from = |path: &str| place.run(&["report", "brandubh", "--from", path, "--json"]);
    from("nowhere.json").refused(2, &["nowhere.json", "cannot read the manifest"]);
    from("tables").refused(2, &["no MANIFEST.json of brandubh"]);
    fs::write(place.path("damaged.json"), "{\"rules\":\"brandubh\",").unwrap();
    from("damaged.json").refused(2, &["damaged.json", "not a manifest"]);
    place.run(&["manifest", "brandubh", "--output", "list.json"]).done();
    let misspelt = fs::read_to_string(place.path("list.json")).unwrap();
    let misspelt = misspelt.replacen("\"to_move\":\"attackers\"", "\"to_move\":\"attacker\"", 1);
    fs::write(place.path("misspelt.json"), misspelt).unwrap();
    from("misspelt.json").refused(2, &["misspelt.json", "`attacker`"]);
    place.run(&["report", "ashton", "--from", "list.json"]).refused(2, &["another ruleset"]);
    let missing = ["report", "brandubh", "--from", "list.json", "--slice", "K0v2"];
    place.run(&missing).refused(1, &["list.json", "K0v2"]);
    let text = read(&place, "list.json");
    let empty = text[..text.find("    {").unwrap()].to_owned() + "  ]\n}\n";
    fs::write(place.path("empty.json"), empty).unwrap();
    from("empty.json").refused(1, &["empty.json", "no slices"]);
    let to = |option: &str, path: &str| {
        place.run(&["report", "brandubh", "--slice", "K0v1", QUICK, option, path])
    };
    to("--html", "nowhere/a.html").refused(2, &["nowhere/a.html: cannot write the page"]);
    to("--json", "nowhere/a.json").refused(2, &["nowhere/a.json: cannot write the data"]);
    to("--html", "tables").refused(2, &["tables: cannot write the page"]);
    let both = ["report", "brandubh", "--html", "-", "--json"];
    place.run(&both).refused(2, &["--html", "--json", "standard output"]);
    let both = ["report", "brandubh", "--html", "a", "--json", "a"];
    place.run(&both).refused(2, &["--html", "--json", "one file"]);
    place.run(&["report", "brandubh", "--slice", "K0v6"]).refused(1, &["K0v6", "taflbase build"]);
    let rules = ruleset("mini-corner");
    place.run(&["report", &rules]).refused(1, &["no tables", "taflbase build"]);
    let middle = place.path("tables/brandubh/K0v1.dtw");
    let mut bytes = fs::read(&middle).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&middle, bytes).unwrap();
    let damaged = place.run(&["report", "brandubh", "--slice", "K0v1"]);
    damaged.refused(2, &["K0v1.dtw", "damaged"]);
}
