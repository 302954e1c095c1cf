//! Proofs compared with complete tables, and damaged certificates.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::*;
use crate::game::board::Square;
use crate::game::moves::legal_moves;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::solve::building::{Build, slices_up_to};
use crate::system::random::SeededRng;
use crate::tablebase::Tablebase;

pub(super) fn rules(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

/// Builds the tables of a slice and of all that it needs, in a temporary folder.
pub(super) fn tables(rules: &Ruleset, slice: &str) -> (tempfile::TempDir, Tablebase) {
    let folder = tempfile::tempdir().unwrap();
    Build::new(rules, folder.path(), &[slice.parse().unwrap()]).run().unwrap();
    let tables = Tablebase::open(rules.clone(), folder.path()).unwrap();
    (folder, tables)
}

/// Builds the tables of at most that many men, in a temporary folder.
pub(super) fn tables_up_to(rules: &Ruleset, men: usize) -> (tempfile::TempDir, Tablebase) {
    let folder = tempfile::tempdir().unwrap();
    Build::new(rules, folder.path(), &slices_up_to(rules, men)).run().unwrap();
    let tables = Tablebase::open_files(rules.clone(), folder.path()).unwrap();
    (folder, tables)
}

/// Random positions of a slice that no side wins at once.
pub(super) fn random_positions(
    rules: &Ruleset,
    slice: &str,
    count: usize,
    seed: u64,
) -> Vec<Position> {
    let slice: Slice = slice.parse().unwrap();
    let mut random = SeededRng::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut squares: Vec<usize> = (0..rules.board.area()).collect();
        for at in 0..slice.men() {
            let other = at + random.below(squares.len() - at);
            squares.swap(at, other);
        }
        let set = |range: std::ops::Range<usize>| {
            squares[range].iter().map(|&s| Square::new(s)).collect()
        };
        let defenders_end = 1 + slice.defenders;
        let to_move = Side::ALL[random.below(2)];
        let position = Position {
            king: Square::new(squares[0]),
            defenders: set(1..defenders_end),
            attackers: set(defenders_end..slice.men()),
            to_move,
            rules: rules.id(),
        };
        let wins_at_once = || {
            legal_moves(rules, &position)
                .iter()
                .any(|m| m.ending.is_some_and(|ending| ending.winner() == to_move))
        };
        if position.check(rules).is_ok() && !wins_at_once() {
            positions.push(position);
        }
    }
    positions
}

/// Returns the value that the tables have for a position.
pub(super) fn table_value(rules: &Ruleset, tables: &Tablebase, position: &Position) -> ProvedValue {
    match tables.probe_wdl(position).unwrap() {
        Wdl::Win => ProvedValue::Win(position.to_move),
        Wdl::Loss => ProvedValue::Win(position.to_move.other()),
        Wdl::Draw => ProvedValue::Endless(rules.endless),
    }
}

/// Asserts that a proof has a certificate of the position and its value that holds after it was
/// written and read. Returns what the checker found.
pub(super) fn assert_certified(
    proof: &Proof,
    tables: &Tablebase,
    position: &Position,
    what: &str,
) -> CheckReport {
    let rules = tables.rules();
    let certificate = proof.certificate.as_ref().unwrap_or_else(|| panic!("{what}: none"));
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    let read = Certificate::read(&bytes[..], rules).unwrap();
    assert_eq!(read.position(), position, "{what}");
    let report = check(&read, rules, tables).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(report.value, proof.value(), "{what}");
    report
}

/// Proves random positions with tables of at most `table_men` men, and compares the values with those
/// of complete tables. Every certificate is checked. Returns the number of proved draws.
fn compare(name: &str, slice: &str, table_men: usize, count: usize, threads: usize) -> usize {
    let rules = rules(name);
    let (_folder, tables) = tables(&rules, slice);
    let (_small_folder, small) = tables_up_to(&rules, table_men);
    let options = ProofOptions {
        max_nodes: Some(100_000),
        table_bytes: 1 << 22,
        threads: NonZeroUsize::new(threads).unwrap(),
        tables: Some(&small),
        certify: true,
        ..ProofOptions::default()
    };
    let (mut open, mut draws, mut as_fast) = (0, 0, 0);
    for position in random_positions(&rules, slice, count, 20_261_126) {
        let text = position.to_text(&rules);
        let proof = prove(&rules, &position, &options, &mut |_| true).unwrap();
        if proof.value() == ProvedValue::Open {
            open += 1;
            continue;
        }
        assert_eq!(proof.value(), table_value(&rules, &tables, &position), "{name} {text}");
        draws += usize::from(matches!(proof.value(), ProvedValue::Endless(_)));
        let report = assert_certified(&proof, &tables, &position, &format!("{name} {text}"));
        assert_eq!(report.plies.is_some(), matches!(proof.value(), ProvedValue::Win(_)), "{text}");
        let dtw = tables.probe_dtw(&position).unwrap().plies();
        if let (0, Some(plies), Some(dtw)) = (table_men, report.plies, dtw) {
            // The last ply wins at once.
            assert!(plies + 1 >= u64::from(dtw), "{name} {text}: {plies}, {dtw:?}");
            as_fast += usize::from(plies + 1 == u64::from(dtw));
        }
    }
    assert!(table_men > 0 || as_fast > count / 2, "{name} {slice}: {as_fast} of {count}");
    assert!(open <= count / 20, "{name} {slice}: {open} of {count} are open");
    draws
}

#[test]
fn proofs_agree_with_tables() {
    compare("brandubh", "K1v4", 4, 80, 1);
    compare("brandubh", "K2v2", 3, 80, 1);
    compare("mini-corner", "K2v3", 0, 100, 1);
    compare("mini-edge", "K1v4", 3, 100, 1);
    compare("mini-camps", "K1v3", 2, 100, 1);
    compare("berkeley", "K1v2", 2, 60, 1);
    compare("ashton", "K1v2", 2, 60, 1);
}

#[test]
fn proofs_by_several_threads_agree_with_tables() {
    compare("brandubh", "K1v4", 4, 60, 3);
    compare("mini-corner", "K2v3", 0, 60, 2);
}

#[test]
fn draws_are_proved_by_closed_sets() {
    let draws = compare("brandubh", "K0v4", 3, 150, 1) + compare("mini-corner", "K0v4", 2, 150, 1);
    assert!(draws > 0, "no draw among the positions");
}

/// Searches that know the proofs of other positions agree with complete tables, take fewer nodes to
/// find a win, and their certificates need no others.
#[test]
fn a_search_knows_what_is_proved() {
    let (mut nodes, mut known_wins) = ([0; 2], 0);
    for (name, slice) in [("mini-corner", "K2v3"), ("mini-corner", "K0v4"), ("brandubh", "K2v2")] {
        let rules = rules(name);
        let (_folder, tables) = tables(&rules, slice);
        let folder = tempfile::tempdir().unwrap();
        let proofs = [folder.path().to_owned()];
        let unknown = ProofOptions {
            max_nodes: Some(100_000),
            table_bytes: 1 << 22,
            certify: true,
            ..ProofOptions::default()
        };
        let known = ProofOptions { proofs: &proofs, ..unknown.clone() };
        let positions = random_positions(&rules, slice, 60, 20_261_129);
        for (number, position) in positions[..20].iter().enumerate() {
            let proof = prove(&rules, position, &unknown, &mut |_| true).unwrap();
            let path = folder.path().join(format!("{number}.cert"));
            proof.certificate.unwrap().write(fs::File::create(path).unwrap()).unwrap();
        }
        for (number, position) in positions.iter().enumerate() {
            let proofs = [&unknown, &known]
                .map(|options| prove(&rules, position, options, &mut |_| true).unwrap());
            let text = format!("{name} {}", position.to_text(&rules));
            let value = table_value(&rules, &tables, position);
            assert!(proofs.iter().all(|proof| proof.value() == value), "{text}");
            assert_certified(&proofs[1], &tables, position, &text);
            if let ProvedValue::Win(winner) = value {
                nodes.iter_mut().zip(&proofs).for_each(|(nodes, proof)| *nodes += proof.nodes);
                // A certificate has the winner's positions.
                if number < 20 && winner == position.to_move {
                    assert_eq!(proofs[1].nodes, 0, "{text}");
                    known_wins += usize::from(proofs[0].nodes > 0);
                }
            }
        }
    }
    assert!(nodes[1] < nodes[0] && known_wins > 0, "{nodes:?}, {known_wins}");
}

#[test]
fn what_is_proved_needs_its_tables_and_rules() {
    let rules = rules("mini-corner");
    let (_folder, tables) = tables(&rules, "K1v2");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proved.cert");
    let position = random_positions(&rules, "K1v3", 1, 1)[0];
    let options = ProofOptions { tables: Some(&tables), certify: true, ..ProofOptions::default() };
    let proof = prove(&rules, &position, &options, &mut |_| true).unwrap();
    proof.certificate.unwrap().write(fs::File::create(&path).unwrap()).unwrap();
    let refusal = |rules: &Ruleset, proofs: &[PathBuf]| {
        let position = Position::start(rules).unwrap();
        let options = ProofOptions { proofs, max_nodes: Some(1), ..ProofOptions::default() };
        prove(rules, &position, &options, &mut |_| true).err().map(|error| error.to_string())
    };
    let missing = refusal(&rules, std::slice::from_ref(&path)).unwrap();
    assert!(missing.contains("proved.cert: the certificate depends on a table"), "{missing}");
    let other = self::rules("mini-edge");
    let foreign = refusal(&other, &[path]).unwrap();
    assert!(foreign.contains("proved.cert") && foreign.contains("mini-corner"), "{foreign}");
    // A folder may have certificates for several games.
    assert_eq!(refusal(&other, &[folder.path().to_owned()]), None);
    let nowhere = refusal(&rules, &[folder.path().join("nowhere.cert")]).unwrap();
    assert!(nowhere.contains("nowhere.cert"), "{nowhere}");
}

/// The checker's plain rules confirm what the search proves by shieldwalls, forts and encirclement.
#[test]
fn proofs_hold_under_the_rules_of_edges_and_regions() {
    let text = include_str!("../../tests/rulesets/mini-corner.toml")
        .replace("[capture]", "[capture]\nshieldwall = true")
        .replace("name = \"mini-corner\"", "name = \"variant\"")
        .replace("[end]", "[end]\nexit-fort = true\nencirclement = true");
    let rules = Ruleset::from_toml(&text, "variant").unwrap();
    let tables = Tablebase::new(rules.clone());
    let options = ProofOptions {
        max_nodes: Some(2000),
        table_bytes: 1 << 20,
        tables: Some(&tables),
        certify: true,
        ..ProofOptions::default()
    };
    for (slice, count) in [("K4v4", 150), ("K2v7", 100), ("K5v3", 150)] {
        let mut proved = 0;
        for position in random_positions(&rules, slice, count, 41) {
            let proof = prove(&rules, &position, &options, &mut |_| true).unwrap();
            if proof.value() != ProvedValue::Open {
                assert_certified(&proof, &tables, &position, &position.to_text(&rules));
                proved += 1;
            }
        }
        assert!(proved > count / 2, "{slice}: {proved} of {count}");
    }
}

/// A table that is far too small loses most proofs, and what is proved again may rest on positions
/// that rested on it before.
#[test]
fn strategies_are_found_in_tables_that_have_lost_most_proofs() {
    let corners = ["5x5-corners-6v4", "5x5-corners-8v3", "5x5-corners-8v4"];
    for name in corners.into_iter().chain(["5x5-edges-10v2", "brandubh-6v2"]) {
        let path = format!("{}/examples/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let rules = Ruleset::load(&path).unwrap();
        let tables = Tablebase::new(rules.clone());
        let start = Position::start(&rules).unwrap();
        for table_bytes in [1 << 10, 2 << 10, 5 << 10, 10 << 10] {
            let options = ProofOptions {
                table_bytes,
                tables: Some(&tables),
                certify: true,
                ..ProofOptions::default()
            };
            let proof = prove(&rules, &start, &options, &mut |_| true).unwrap();
            assert!(matches!(proof.value(), ProvedValue::Win(_)), "{name}");
            assert_certified(&proof, &tables, &start, &format!("{name}, {table_bytes} bytes"));
        }
    }
}

/// A win with its tables, and its certificate as a file.
fn certified() -> (tempfile::TempDir, Ruleset, Tablebase, Vec<u8>) {
    let rules = rules("brandubh");
    let (folder, tables) = tables(&rules, "K1v4");
    let (_small_folder, small) = tables_up_to(&rules, 4);
    let options = ProofOptions {
        tables: Some(&small),
        table_bytes: 1 << 22,
        certify: true,
        ..ProofOptions::default()
    };
    // The first position whose strategy has many moves.
    let certificate = random_positions(&rules, "K1v4", 200, 7).iter().find_map(|position| {
        let proof = prove(&rules, position, &options, &mut |_| true).unwrap();
        let is_win = matches!(proof.value(), ProvedValue::Win(_));
        proof.certificate.filter(|certificate| is_win && certificate.moves() > 100)
    });
    let mut bytes = Vec::new();
    certificate.unwrap().write(&mut bytes).unwrap();
    (folder, rules, tables, bytes)
}

/// Splits a certificate into its lines of text and its unpacked moves.
pub(super) fn unpacked(bytes: &[u8]) -> (String, Vec<u8>) {
    let ends: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').take(2).collect();
    let (text, body) = bytes.split_at(ends[1] + 1);
    (String::from_utf8(text.to_vec()).unwrap(), zstd::decode_all(body).unwrap())
}

pub(super) fn packed(text: &str, moves: &[u8]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.extend(zstd::encode_all(moves, 1).unwrap());
    bytes
}

#[test]
fn changed_certificates_are_refused() {
    let (_folder, rules, tables, bytes) = certified();
    let accepts = |bytes: &[u8]| {
        Certificate::read(bytes, &rules).is_ok_and(|c| check(&c, &rules, &tables).is_ok())
    };
    assert!(accepts(&bytes));
    for end in [0, 10, 30, bytes.len() / 2, bytes.len() - 1] {
        assert!(!accepts(&bytes[..end]), "cut after {end} bytes");
    }
    let (text, moves) = unpacked(&bytes);
    assert!(accepts(&packed(&text, &moves)));
    assert!(!accepts(&packed(&text, &[&moves[..], &[0]].concat())), "a byte more");
    let second_frame = zstd::encode_all(&b""[..], 1).unwrap();
    assert!(!accepts(&[&bytes[..], &second_frame].concat()), "a second frame");
    // Every change of the strategy's bytes: another position, move or rank. A few lead to a
    // strategy that wins too.
    let mut accepted = 0;
    let changes = (0..moves.len()).step_by(moves.len() / 300 + 1);
    for at in changes.clone() {
        let mut changed = moves.clone();
        changed[at] ^= 1 << (at % 8);
        accepted += usize::from(accepts(&packed(&text, &changed)));
    }
    assert!(accepted < changes.count() / 4, "{accepted} accepted");
    let other_winner = text
        .replace("\"holder\":\"attackers\"", "\"holder\":\"x\"")
        .replace("\"holder\":\"defenders\"", "\"holder\":\"attackers\"")
        .replace("\"holder\":\"x\"", "\"holder\":\"defenders\"");
    for (from, to) in [
        ("\"wins\":true", "\"wins\":false"),
        ("\"fingerprint\":\"", "\"fingerprint\":\"0"),
        ("\"moves\":", "\"moves\":9"),
        ("certificate 1", "certificate 2"),
    ] {
        assert!(!accepts(&packed(&text.replace(from, to), &moves)), "{to}");
    }
    assert!(!accepts(&packed(&other_winner, &moves)));
}

/// A position that a table decides has two claims of one holder: that it wins, and that it does not
/// lose.
#[test]
fn a_certificate_claims_something_and_nothing_twice() {
    let rules = rules("brandubh");
    let tables = Tablebase::new(rules.clone());
    let position = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules).unwrap();
    let options = ProofOptions { tables: Some(&tables), certify: true, ..ProofOptions::default() };
    let proof = prove(&rules, &position, &options, &mut |_| true).unwrap();
    assert_certified(&proof, &tables, &position, "by a table");
    let mut bytes = Vec::new();
    proof.certificate.unwrap().write(&mut bytes).unwrap();
    let (text, moves) = unpacked(&bytes);
    let begin = text.find("\"parts\":[").unwrap() + 9;
    let end = begin + text[begin..].find(']').unwrap();
    let part = r#"{"holder":"attackers","wins":false,"moves":0}"#;
    for (parts, fault) in
        [(String::new(), "it has no part"), (format!("{part},{part}"), "the same claim")]
    {
        let mut changed = text.replace("\"value\":\"defenders\"", "\"value\":\"open\"");
        let by = text.len() - changed.len();
        changed.replace_range(begin - by..end - by, &parts);
        let read = Certificate::read(&packed(&changed, &moves)[..], &rules);
        let error = read.expect_err(fault).to_string();
        assert!(error.contains(fault), "{error}");
    }
}

/// A check fails if a table of the certificate has other values, or is missing.
#[test]
fn wrong_and_missing_tables_are_noticed() {
    let (folder, rules, tables, bytes) = certified();
    let certificate = Certificate::read(&bytes[..], &rules).unwrap();
    // Tables that other values were made from.
    let (text, moves) = unpacked(&bytes);
    let at = text.find("\"values\":\"").unwrap() + 10;
    let mut changed = text.clone();
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    changed.replace_range(at..=at, digit);
    let other = Certificate::read(&packed(&changed, &moves)[..], &rules).unwrap();
    assert!(matches!(check(&other, &rules, &tables), Err(CertificateError::OtherTable { .. })));
    drop(tables);
    for file in ["K0v3.wdl", "K1v2.wdl"] {
        std::fs::remove_file(folder.path().join("brandubh").join(file)).unwrap();
    }
    let options = crate::tablebase::TablebaseOptions { embedded: false, ..Default::default() };
    let fewer = Tablebase::open_with(rules.clone(), folder.path(), options).unwrap();
    assert!(matches!(check(&certificate, &rules, &fewer), Err(CertificateError::Table(_))));
}

/// A strategy that is claimed for a position that it does not contain passes only if the claim is
/// true.
#[test]
fn strategies_do_not_pass_for_other_positions() {
    let (_folder, rules, tables, bytes) = certified();
    let (text, moves) = unpacked(&bytes);
    // The strategy of the winner, claimed for a position that it does not contain.
    for position in random_positions(&rules, "K1v4", 40, 99) {
        let begin = text.find("\"position\":\"").unwrap() + 12;
        let end = begin + text[begin..].find('"').unwrap();
        let mut moved = text.clone();
        moved.replace_range(begin..end, &position.to_text(&rules));
        let certificate = Certificate::read(&packed(&moved, &moves)[..], &rules).unwrap();
        if check(&certificate, &rules, &tables).is_ok() {
            assert_eq!(certificate.value(), table_value(&rules, &tables, &position));
        }
    }
}
