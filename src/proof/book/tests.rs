//! Books compared with complete tables, played out, and made of damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::proof::tests::{packed, random_positions, rules, tables, tables_up_to, unpacked};
use crate::proof::{CertificateError, ProofOptions, prove};
use crate::system::random::SeededRng;

fn certificate(
    rules: &Ruleset,
    position: &Position,
    tables: Option<&Tablebase>,
) -> Option<Certificate> {
    let options = ProofOptions {
        max_nodes: Some(100_000),
        table_bytes: 1 << 22,
        tables,
        certify: true,
        ..ProofOptions::default()
    };
    prove(rules, position, &options, &mut |_| true).unwrap().certificate
}

/// A book of the proofs of positions, made without tables.
fn book(rules: &Ruleset, positions: &[Position]) -> ProofBook {
    let certificates = positions
        .iter()
        .filter_map(|position| certificate(rules, position, None))
        .map(|certificate| (certificate.position().to_text(rules), certificate))
        .collect::<Vec<_>>();
    assert!(certificates.len() > positions.len() / 2);
    ProofBook::new(certificates, Arc::new(Tablebase::new(rules.clone())))
}

fn contains(bounds: WdlBounds, wdl: Wdl) -> bool {
    bounds.at_least <= wdl && wdl <= bounds.at_most
}

/// Compares a book of positions with these outcomes with complete tables. Returns the numbers of wins,
/// draws and losses that it knows among the moves of these positions, of those after the moves of its
/// strategies, and of random ones.
fn compare(name: &str, slice: &str, outcomes: &[Wdl], count: usize) -> [usize; 3] {
    let rules = rules(name);
    let (_folder, full) = tables(&rules, slice);
    let mut proved = random_positions(&rules, slice, 20 * count, 38);
    proved.retain(|position| outcomes.contains(&full.probe_wdl(position).unwrap()));
    proved.truncate(count);
    let book = book(&rules, &proved);
    let mut positions = random_positions(&rules, slice, 300, 39);
    for known in book.certificates() {
        let probe = book.probe(&known.position).unwrap();
        let value = full.probe_wdl(&known.position).unwrap();
        assert_eq!(probe.bounds.exact(), Some(value), "{}", known.name);
        assert!(known.moves == 0 || probe.certificate.is_some(), "{}", known.name);
        positions.push(known.position);
        let played = probe.strategy.map(|book_move| book_move.played);
        let quiet = played.filter(|played| played.ending.is_none());
        positions.extend(quiet.map(|played| known.position.after(&played)));
    }
    let mut found = [0; 3];
    for position in positions {
        let probe = book.probe(&position).unwrap();
        let text = position.to_text(&rules);
        let value = full.probe_wdl(&position).unwrap();
        assert!(contains(probe.bounds, value), "{text}: {:?}", probe.bounds);
        assert!(contains(book.bounds(&position), value), "{text}");
        for mv in full.probe_moves(&position).unwrap() {
            let (_, bounds) = probe.moves.iter().find(|(played, _)| *played == mv.played).unwrap();
            let value = mv.value.unwrap().wdl;
            assert!(contains(*bounds, value), "{text} {:?}: {bounds:?}", mv.played);
            match bounds.exact() {
                // Ends of the game prove nothing about the book.
                _ if mv.played.ending.is_some() => {}
                Some(Wdl::Win) => found[0] += 1,
                Some(Wdl::Draw) => found[1] += 1,
                Some(Wdl::Loss) => found[2] += 1,
                None => {}
            }
        }
    }
    found
}

#[test]
fn books_agree_with_tables() {
    let [wins, _, losses] = compare("mini-corner", "K2v3", &[Wdl::Win, Wdl::Loss], 60);
    assert!(wins > 0 && losses > 0, "{wins} wins, {losses} losses");
    let [_, draws, _] = compare("mini-corner", "K0v4", &[Wdl::Draw], 20);
    assert!(draws > 0, "{draws} draws");
}

/// The winner's moves of a book end the game whatever the loser plays, although the book merges
/// many certificates that share positions.
#[test]
fn wins_are_played_to_their_end() {
    let rules = rules("mini-corner");
    let book = book(&rules, &random_positions(&rules, "K2v3", 60, 38));
    let mut random = SeededRng::new(5);
    let mut played_out = 0;
    for known in book.certificates() {
        let ProvedValue::Win(winner) = known.value else { continue };
        let mut position = known.position;
        let mut last = u64::MAX;
        loop {
            let moves = legal_moves(&rules, &position);
            let wins = |played: &&Move| played.ending.is_some_and(|e| e.winner() == winner);
            if position.to_move == winner && moves.iter().any(|played| wins(&played)) {
                break;
            }
            let order = book.order(&position, winner).unwrap();
            assert!(order < last, "{}: {order} after {last}", known.name);
            last = order;
            let next = if position.to_move == winner {
                let book_move = book.strategy_move(&position).unwrap();
                assert!(book_move.wins);
                book_move.played
            } else {
                assert_eq!(book.bounds(&position).exact(), Some(Wdl::Loss), "{}", known.name);
                match random.choose(&moves) {
                    Some(reply) => *reply,
                    None => break,
                }
            };
            if next.ending.is_some() {
                assert_eq!(next.ending.map(|ending| ending.winner()), Some(winner));
                break;
            }
            position = position.after(&next);
        }
        played_out += 1;
    }
    assert!(played_out > 10, "{played_out}");
}

#[test]
fn positions_of_other_rules_are_unknown() {
    let own = rules("mini-corner");
    let book = book(&own, &random_positions(&own, "K2v3", 4, 38));
    let other = rules("brandubh");
    let start = Position::start(&other).unwrap();
    assert_eq!(book.bounds(&start), WdlBounds::UNKNOWN);
    assert!(book.probe(&start).is_err());
    assert_eq!((book.strategy_move(&start), book.order(&start, start.to_move)), (None, None));
}

/// A won position of brandubh that rests on tables of at most 4 men, as a file.
fn written(folder: &Path) -> (Ruleset, Position, PathBuf) {
    let rules = rules("brandubh");
    let (_tables, tables) = tables_up_to(&rules, 4);
    let found = random_positions(&rules, "K2v4", 200, 3).into_iter().find_map(|position| {
        let certificate = certificate(&rules, &position, Some(&tables))?;
        let is_win = matches!(certificate.value(), ProvedValue::Win(_));
        (is_win && certificate.moves() > 20).then_some((position, certificate))
    });
    let (position, certificate) = found.unwrap();
    let path = folder.join("won.cert");
    certificate.write(fs::File::create(&path).unwrap()).unwrap();
    (rules, position, path)
}

fn open(path: &Path, tables: &Arc<Tablebase>) -> Result<ProofBook, String> {
    let book = ProofBook::open(&[path.to_owned()], Arc::clone(tables));
    book.map_err(|error| error.to_string())
}

#[test]
fn certificates_are_found_in_files_folders_and_stores() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, position, file) = written(folder.path());
    let few = Arc::new(Tablebase::new(rules.clone()));
    let store = folder.path().join("store");
    fs::create_dir_all(store.join("proofs")).unwrap();
    fs::copy(&file, store.join("proofs/a.cert")).unwrap();
    fs::write(store.join("proofs/a.tmp"), "not finished").unwrap();
    for path in [&file, folder.path(), &store, &store.join("proofs")] {
        let book = open(path, &few).unwrap();
        assert_eq!(book.certificates().len(), 1, "{}", path.display());
        assert!(book.probe(&position).unwrap().bounds.exact().is_some(), "{}", path.display());
        assert!(book.positions() > 20 && book.bytes() <= 21 * book.positions());
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let none = open(&empty, &few).unwrap_err();
    assert!(none.contains("empty: no certificates (*.cert)"), "{none}");
    fs::create_dir(empty.join("proofs")).unwrap();
    assert_eq!(open(&empty, &few).unwrap().certificates(), [], "a store without proofs yet");
    // A folder may hold proofs of many games; a file that is named may not be of another one.
    let tablut = Arc::new(Tablebase::new(Ruleset::builtin("tablut").unwrap()));
    assert_eq!(open(folder.path(), &tablut).unwrap().certificates(), []);
    let foreign = open(&file, &tablut).unwrap_err();
    assert!(foreign.contains("won.cert") && foreign.contains("other rules"), "{foreign}");
    assert!(open(Path::new("/no/where.cert"), &few).unwrap_err().contains("/no/where.cert"));
}

/// Missing tables decide nothing, and other tables are refused.
#[test]
fn certificates_depend_on_their_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, position, file) = written(folder.path());
    let options = crate::tablebase::TablebaseOptions { embedded: false, ..Default::default() };
    let none = Arc::new(Tablebase::with_options(rules.clone(), options));
    let book = open(&file, &none).unwrap();
    let certificate = Certificate::read(fs::File::open(&file).unwrap(), &rules).unwrap();
    assert!(!certificate.compare_tables(&none).unwrap().is_empty());
    let bounds = book.bounds(&position);
    assert!(bounds.exact().is_none_or(|wdl| wdl != Wdl::Draw), "{bounds:?}");
    let (_folder, few) = tables_up_to(&rules, 4);
    let few = Arc::new(few);
    assert_eq!(certificate.compare_tables(&few).unwrap(), []);
    let (text, moves) = unpacked(&fs::read(&file).unwrap());
    let at = text.find("\"values\":\"").unwrap() + 10;
    let mut changed = text.clone();
    changed.replace_range(at..=at, if &text[at..=at] == "0" { "1" } else { "0" });
    fs::write(&file, packed(&changed, &moves)).unwrap();
    assert!(open(&file, &few).unwrap_err().contains("other values"));
}

/// A damaged file is refused, or can be looked up without a panic and yields legal moves only.
#[test]
fn damaged_certificates_are_refused_or_yield_legal_moves() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, position, file) = written(folder.path());
    let few = Arc::new(Tablebase::new(rules.clone()));
    let bytes = fs::read(&file).unwrap();
    for end in [0, 10, 40, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&file, &bytes[..end]).unwrap();
        let error = open(&file, &few).unwrap_err();
        assert!(error.contains("won.cert") && error.lines().count() == 1, "{error}");
    }
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&file, &changed).unwrap();
        refused += usize::from(open(&file, &few).is_err());
    }
    assert!(refused > 40, "{refused}: the checksum finds every change of the body");
    let (text, moves) = unpacked(&bytes);
    for at in (0..moves.len()).step_by(moves.len() / 200 + 1) {
        let mut changed = moves.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&file, packed(&text, &changed)).unwrap();
        let Ok(book) = open(&file, &few) else { continue };
        let probe = book.probe(&position).unwrap();
        let played = probe.strategy.map(|book_move| book_move.played);
        assert!(played.is_none_or(|played| legal_moves(&rules, &position).contains(&played)));
    }
    let is_damaged = |error: &CertificateError| matches!(error, CertificateError::Malformed(_));
    let short = packed(&text, &moves[..moves.len() - 1]);
    assert!(Certificate::read(&short[..], &rules).is_err_and(|error| is_damaged(&error)));
}
