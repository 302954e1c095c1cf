//! The limits and reports of the construction of strategies, and samples.

use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::{Answer, ProvedValue};
use crate::proof::questions::Questions;
use crate::proof::search::{Control, Shared, SolvedPosition};
use crate::proof::tests::{random_positions, rules, table_value, tables, tables_up_to};

use super::two_questions::Prover;
use super::{ProofOptions, ProofProgress, prove, shared, solved_positions};

/// Calls `look` with a prover for each position of mini-corner with a king alone against four
/// attackers, whose search finds no win of a side, and which needs a closed set.
fn without_wins(mut look: impl FnMut(&mut Prover<'_, '_, 1>, Side)) {
    let rules: Ruleset = rules("mini-corner");
    let (_folder, tables) = tables(&rules, "K0v2");
    let options = ProofOptions {
        table_bytes: 1 << 20,
        tables: Some(&tables),
        max_nodes: Some(100_000),
        ..ProofOptions::default()
    };
    for position in random_positions(&rules, "K0v4", 100, 20_261_126) {
        for side in Side::ALL {
            with_prover(&rules, &position, &options, |prover| {
                if prover.answer_at_once(side) == Answer::UNKNOWN
                    && prover.answer(side, 50_000) == Answer::NotWon
                {
                    look(prover, side);
                }
            });
        }
    }
}

fn with_prover(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    run: impl FnOnce(&mut Prover<'_, '_, 1>),
) {
    let shared: Shared<'_, 1> = shared(rules, options).unwrap();
    let control = Control::new(None);
    let mut report = |_: &_| true;
    run(&mut Prover::new(&shared, &control, (rules, position), options, &mut report));
}

/// A set that is too large is not sought again and again.
#[test]
fn a_closed_set_that_is_too_large_leaves_the_question_open() {
    let rules: Ruleset = rules("mini-corner");
    let drawn = Position::parse("/2t2/3tt/1T2K/4t/5/ a", &rules).unwrap();
    let max_nodes = 10_000_000;
    let options = ProofOptions {
        table_bytes: 1 << 20,
        max_nodes: Some(max_nodes),
        ..ProofOptions::default()
    };
    with_prover(&rules, &drawn, &options, |prover| {
        prover.max_positions = 50;
        let answers = prover.answer_all();
        assert!(prover.nodes() < max_nodes, "no end");
        assert!(prover.questions.is_given_up.iter().any(|&given_up| given_up), "{answers:?}");
        for side in Side::ALL {
            let is_open = matches!(answers[side], Answer::Open { .. });
            assert_eq!(is_open, prover.questions.is_given_up[side], "{answers:?}");
        }
    });
}

/// An attempt ends soon after its budget, and another one with more succeeds.
#[test]
fn a_closed_set_keeps_to_its_budget() {
    let (mut unfinished, mut found) = (0, 0);
    without_wins(|prover, side| {
        let before = prover.nodes();
        let small = prover.refute(side, 3);
        assert!(prover.nodes() - before <= 3 + 1, "{}", prover.nodes() - before);
        unfinished += usize::from(small.is_none());
        found += usize::from(prover.refute(side, 50_000) == Some(Answer::NotWon));
    });
    assert!(unfinished > 0 && found > 0, "{unfinished} unfinished, {found} found");
}

/// The value stays when its strategy is given up.
#[test]
fn a_strategy_is_reported_and_can_be_interrupted() {
    let rules = rules("brandubh");
    let position = Position::parse("/3t3/3t3/7/t1T1T1t/3K3/3t3/3t3/ d", &rules).unwrap();
    let options = ProofOptions { table_bytes: 1 << 20, certify: true, ..ProofOptions::default() };
    for goes_on in [true, false] {
        let mut reports = 0;
        let mut report = |progress: &ProofProgress| {
            reports += usize::from(progress.strategy_positions.is_some());
            goes_on || progress.strategy_positions.is_none()
        };
        let proof = prove(&rules, &position, &options, &mut report).unwrap();
        assert_eq!(proof.value(), ProvedValue::Win(Side::Defenders));
        assert_eq!(proof.certificate.is_some(), goes_on);
        assert!(reports > 0);
    }
}

#[test]
fn a_closed_set_waits_for_the_other_question() {
    let [attackers, defenders] = Side::ALL;
    let nodes = |own, other| BySide::from_fn(|side| if side == attackers { own } else { other });
    let mut questions = Questions::new(&Side::ALL);
    questions.set_lacks_closed_set(attackers, true);
    assert!(questions.lacks_closed_set(attackers) && !questions.is_searched(attackers));
    assert!(questions.closed_set_waits(attackers, nodes(100, 100)));
    assert!(!questions.closed_set_waits(attackers, nodes(100, 10_000)), "it has had its chance");
    questions.set_lacks_closed_set(defenders, true);
    assert!(!questions.closed_set_waits(attackers, nodes(100, 100)), "nothing else is left");
    questions.set_lacks_closed_set(defenders, false);
    questions.give_up(attackers);
    assert!(!questions.lacks_closed_set(attackers) && questions.is_given_up[attackers]);
    questions.answer(defenders, Answer::Won);
    assert_eq!(questions.answers[attackers], Answer::NotWon);
    assert!(questions.is_answered() && !questions.is_given_up[attackers]);
    // If the other question is not asked, nothing waits for it.
    let mut alone = Questions::new(&[attackers]);
    alone.set_lacks_closed_set(attackers, true);
    assert!(!alone.closed_set_waits(attackers, nodes(100, 0)));
}

/// What is sampled is right: the results by the tables of those positions, and the threats by those
/// after a pass.
#[test]
fn solved_positions_agree_with_tables() {
    let rules: Ruleset = rules("mini-corner");
    let (_folder, tables) = tables(&rules, "K0v5");
    let (_small_folder, small) = tables_up_to(&rules, 3);
    let options = ProofOptions {
        table_bytes: 1 << 20,
        tables: Some(&small),
        max_nodes: Some(20_000),
        ..ProofOptions::default()
    };
    let mut wins_of = BySide::<usize>::default();
    let (mut all, mut wrong, mut threats, mut some) = (0, 0, 0, 0);
    for position in random_positions(&rules, "K0v5", 300, 20_261_128) {
        let solved = solved_positions(&rules, &position, &options, 1).unwrap();
        for SolvedPosition { position, prover, succeeds, is_threat } in &solved {
            let text = position.to_text(&rules);
            let wins = table_value(&rules, &tables, position) == ProvedValue::Win(*prover);
            let is_won = *succeeds == (position.to_move == *prover);
            assert!(wins || !is_won, "{prover:?} {text}");
            // That a side does not win may rest on repetitions, and then be wrong.
            wrong += usize::from(wins != is_won);
            wins_of[*prover] += usize::from(is_won);
            all += 1;
            if *is_threat {
                threats += 1;
                let passed = Position { to_move: Side::Defenders, ..*position };
                let value = table_value(&rules, &tables, &passed);
                assert_eq!(value, ProvedValue::Win(Side::Defenders), "{text}");
            }
        }
        some += solved_positions(&rules, &position, &options, 4).unwrap().len();
    }
    assert!(wins_of.iter().all(|&wins| wins > 20) && threats > 20, "{wins_of:?}, {threats}");
    assert!(wrong < all / 10, "{wrong} of {all}");
    assert!((all / 6..all / 3).contains(&some), "{some} of {all}");
}
