use super::*;
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::study::manifest::SliceEntry;
use crate::study::stats::{WinnerShares, count_values};
use crate::table::Metric;
use crate::tablebase::Tablebase;

fn embedded(rules: &str) -> Tablebase {
    Tablebase::new(Ruleset::builtin(rules).unwrap())
}

fn slices(names: &str) -> Vec<Slice> {
    names.split(' ').map(|name| name.parse().unwrap()).collect()
}

fn of_tables(base: &Tablebase, names: &str) -> Report {
    let sections = slices(names).into_iter().map(|slice| {
        let counted = count_values(base.rules(), base.best_table(slice).unwrap()).unwrap();
        SliceSection::counted(base, slice, &counted).unwrap()
    });
    Report::new(base.rules(), Source::Tables, sections.collect())
}

/// Reports on a manifest that has the positions of longest wins, except of the slice `bare`.
fn of_manifest(base: &Tablebase, names: &str, bare: &str) -> Report {
    let mut manifest = Manifest::new(base.rules());
    for slice in slices(names) {
        let mut entry = SliceEntry::of(base, slice).unwrap();
        if slice.to_string() != bare {
            let counted = count_values(base.rules(), base.best_table(slice).unwrap()).unwrap();
            entry.add_longest(base.rules(), &counted);
        }
        manifest.insert(entry);
    }
    Report::of_manifest(base.rules(), &manifest)
}

const FEW: &str = "K1v2 K0v1 K0v2 K1v1 K0v3";

#[test]
fn sections_have_the_statistics_of_the_tables() {
    let base = embedded("brandubh");
    let report = of_tables(&base, FEW);
    assert!(report.slices.is_sorted_by_key(|section| section.slice));
    for section in &report.slices {
        let counted = count_values(base.rules(), base.best_table(section.slice).unwrap()).unwrap();
        for side in Side::ALL {
            let stats = counted[side].report(&base, section.slice, Metric::Dtw);
            let of_side = &section.sides[side];
            assert_eq!(of_side.counts, stats.counts);
            assert_eq!(of_side.histogram.len(), stats.histogram.len());
            let by_king: u64 = of_side.king.iter().map(|king| king.win).sum();
            assert_eq!(by_king, stats.counts.win);
        }
        assert_eq!(section.mutual_zugzwangs, counted[Side::Attackers].mutual_zugzwangs);
    }
    let sum: u64 = report.slices.iter().map(|section| section.winners.positions).sum();
    assert_eq!(report.total.winners.positions, sum);
    let by_men: u64 = report.men.iter().map(|total| total.winners.positions).sum();
    assert_eq!(by_men, sum);
    assert_eq!(report.men.iter().map(|total| total.slices).collect::<Vec<_>>(), [1, 2, 2]);
    assert_eq!(report.total.mutual_zugzwangs, Some(8), "those of K0v2 and K0v3");
}

#[test]
fn the_longest_win_of_each_side_comes_with_its_line() {
    let base = embedded("brandubh");
    let report = of_tables(&base, FEW);
    for section in &report.slices {
        for win in &section.longest {
            let moves = win.moves.as_ref().unwrap();
            assert_eq!(moves.len(), usize::from(win.plies), "{}", section.slice);
            // The winner plays the last move, or else the loser has none.
            let last = if win.plies % 2 == 1 { win.to_move } else { win.to_move.other() };
            assert_eq!(last, win.winner);
            for side in Side::ALL {
                let counts = &section.sides[side].counts;
                let plies = if side == win.winner { counts.max_win } else { counts.max_loss };
                assert!(plies.unwrap() <= win.plies);
            }
        }
    }
    let bare = &report.slices[0];
    assert_eq!(bare.longest.iter().map(|win| win.plies).collect::<Vec<_>>(), [1, 6]);
}

#[test]
fn a_manifest_alone_gives_the_same_counts() {
    let base = embedded("brandubh");
    let (tables, listed) = (of_tables(&base, FEW), of_manifest(&base, FEW, ""));
    assert_eq!(tables.balance, listed.balance);
    assert_eq!(tables.needed, listed.needed);
    assert_eq!(tables.growth, listed.growth);
    for (one, other) in tables.slices.iter().zip(&listed.slices) {
        assert_eq!(one.winners, other.winners);
        assert_eq!((one.files, one.bytes), (other.files, other.bytes));
        for side in Side::ALL {
            assert_eq!(one.sides[side].counts, other.sides[side].counts);
            assert!(other.sides[side].histogram.is_empty() && other.sides[side].king.is_empty());
        }
        let plies = |section: &SliceSection| {
            section
                .longest
                .iter()
                .map(|win| (win.winner, win.to_move, win.plies, win.position.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(plies(one), plies(other));
        assert!(other.longest.iter().all(|win| win.position.is_some() && win.moves.is_none()));
    }
    let expected = Total { mutual_zugzwangs: None, ..tables.total.clone() };
    assert_eq!(listed.total, expected);
    assert_eq!(tables.notes, [""; 0]);
    assert_eq!(listed.notes.len(), 1);
    let page = listed.to_html(base.rules());
    assert_eq!(page.matches("left out").count(), 1);
    assert!(!page.contains("histogram</") && !page.contains("id=\"K0v1\""));
    assert_eq!(page.matches("<figure class=\"win\">").count(), 2, "one for each winner");
}

#[test]
fn slices_whose_longest_wins_have_no_position_are_named() {
    let report = of_manifest(&embedded("brandubh"), FEW, "K0v2");
    let note = "Without the positions of longest wins, which the manifest does not list: K0v2.";
    assert_eq!(report.notes[1..], [note]);
    for section in &report.slices {
        let lacks_position = section.longest.iter().any(|win| win.position.is_none());
        assert_eq!(lacks_position, section.slice.to_string() == "K0v2");
    }
}

#[test]
fn tables_without_distances_are_named() {
    let base = embedded("brandubh");
    let report = of_tables(&base, "K0v1 K0v5");
    assert_eq!(report.notes, ["Without distances, since there are no DTW tables: K0v5."]);
    let section = &report.slices[1];
    assert!(section.longest.is_empty());
    assert_eq!(report.total.longest, Some(6));
    assert!(report.to_html(base.rules()).contains("id=\"K0v5\""));
}

#[test]
fn undecided_positions_are_not_called_draws() {
    let base = embedded("berkeley");
    let page = of_tables(&base, "K0v1 K0v2 K1v1").to_html(base.rules());
    assert!(page.contains("undecided") && !page.contains("draw"), "draw");
}

#[test]
fn the_least_numbers_of_attackers_are_found() {
    let rules = Ruleset::builtin("brandubh").unwrap();
    let cell = |defenders, attackers, share, attackers_can_win| {
        let shares =
            WinnerShares { attackers_win: share, defenders_win: 1.0 - share, ..Default::default() };
        let (to_move, majority) = (Side::Attackers, None);
        BalanceCell { defenders, attackers, to_move, majority, shares, attackers_can_win }
    };
    let cells = [
        cell(0, 3, 0.6, true),
        cell(0, 1, 0.0, false),
        cell(0, 2, 0.5, true),
        cell(2, 1, 0.0, false),
    ];
    let rows: Vec<_> = balance::needed(&cells)
        .into_iter()
        .map(|row| (row.defenders, row.to_win_any, row.to_win_most, row.attackers))
        .collect();
    assert_eq!(rows, [(0, Some(2), Some(3), 3), (2, None, None, 1)]);
    assert!(balance::needed(&[]).is_empty());
    let report = of_tables(&Tablebase::new(rules), "K0v1");
    let majorities: Vec<_> = report.balance.iter().map(|cell| cell.majority).collect();
    assert_eq!(majorities, [Some("defenders"); 2]);
}

#[test]
fn further_men_are_estimates() {
    let report = of_tables(&embedded("brandubh"), "K0v1 K0v2");
    let cost = |name: &str| SliceCost {
        slice: name.parse().unwrap(),
        positions: 100.0,
        bytes: 10.0,
        core_seconds: 1.0,
    };
    let costs = ["K0v1", "K0v2", "K1v1", "K2v1"].map(cost);
    let positions = report.growth.clone();
    let rows = report.with_costs(&costs).growth;
    assert_eq!(rows.iter().map(|row| row.men).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!((rows[0].positions, rows[0].is_estimate), (positions[0].positions, false));
    assert_eq!((rows[1].built, rows[1].slices, rows[1].is_estimate), (1, Some(2), true));
    assert_eq!(rows[1].positions, positions[1].positions + 100.0);
    assert_eq!(rows[1].core_seconds, Some(2.0));
    assert_eq!((rows[2].built, rows[2].bytes), (0, 10.0));
}

#[test]
fn a_report_of_nothing_can_be_drawn() {
    let rules = Ruleset::builtin("tablut").unwrap();
    let report = Report::new(&rules, Source::Tables, Vec::new());
    assert!(report.to_html(&rules).ends_with("</html>\n"));
    assert_eq!(report.total.longest, None);
}
