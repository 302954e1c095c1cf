use taflbase::bound::{Bounds, Reachability, equations, readings};
use taflbase::moves::{find_move, legal_moves};
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

use super::value;

/// The values were computed by a Python script of a few lines from the paper's sums.
const VALUES: [(&str, Option<bool>); 14] = [
    ("141440778841410474143624665261815556472832", Some(true)),
    ("119321544750742641583762200", None),
    ("6096405542257313008648679261", Some(true)),
    ("30313248887018321011379867", Some(true)),
    ("917576000369514086068284388", Some(true)),
    ("947889249256532407079664255", Some(true)),
    ("203208853237", Some(true)),
    ("228207007117729462830447728", Some(true)),
    ("28473508057241538423256", Some(true)),
    ("505571024180850074037344", Some(true)),
    ("80234626852410989076948320", Some(true)),
    ("41019808636966473872687808", Some(false)),
    ("349995487139345220601397693", Some(false)),
    ("1297884736395877627681061948", Some(false)),
];

#[test]
fn equations_are_pinned() {
    let equations = equations();
    assert_eq!(equations.len(), 14);
    for (i, (equation, (value, agrees))) in equations.iter().zip(VALUES).enumerate() {
        assert_eq!(usize::from(equation.number), i + 1);
        assert_eq!(equation.value.to_string(), value, "equation {}", i + 1);
        assert_eq!(equation.agrees, agrees, "equation {}", i + 1);
        assert_eq!(equation.agrees.is_none(), equation.printed.is_none());
    }
}

#[test]
fn the_printed_totals_result_from_one_more_attacker() {
    let readings = readings();
    let limits: Vec<_> = readings.iter().map(|reading| (reading.cells, reading.black)).collect();
    assert_eq!(limits, [(61, 15)]);
    let twelve = &equations()[11];
    for words in ["b up to 14", "b up to 15", "1.55e26", "4.64e26", "1.41e27"] {
        assert!(twelve.followed.contains(words), "{words}: {}", twelve.followed);
    }
}

#[test]
fn general_bounds_agree_with_the_paper_on_its_ruleset() {
    let rules = Ruleset::builtin("ashton").unwrap();
    let bounds = Bounds::new(&Reachability::new(&rules)).unwrap();
    let equations = equations();
    for (name, equation) in [("naive", 1), ("men", 3), ("squares", 6), ("camps", 6)] {
        assert_eq!(*value(&bounds.running, name), equations[equation - 1].value, "{name}");
    }
    assert_eq!(*value(&bounds.finished, "no-attackers"), equations[6].value);
    // A king who escapes may have captured the last attacker: 16 (C(62,0) + … + C(62,8)) more.
    let more = value(&bounds.finished, "escaped") - &equations[7].value;
    assert_eq!(more.to_string(), "63063005392");
    let unmoved = "947889249256532203870811075";
    assert_eq!(bounds.placements().to_string(), unmoved);
    assert_eq!(bounds.orbits().to_string(), "118486156157130376891603310");
}

/// The paper claims that men on three ends of a camp imply that the fourth is in it, too.
#[test]
fn three_ends_of_a_camp_may_be_held_without_the_fourth() {
    let rules = Ruleset::builtin("ashton").unwrap();
    let camp = rules.named_squares("camps");
    let mut position = Position::start(&rules).unwrap();
    let square = |name: &str| rules.board.parse(name).unwrap();
    for (from, to) in [("a4", "a3"), ("a5", "a4")] {
        let tempo = legal_moves(&rules, &position).into_iter().rfind(|m| m.is_quiet()).unwrap();
        position = position.after(&tempo);
        assert_eq!(position.to_move, Side::Attackers);
        let played = find_move(&rules, &position, square(from), square(to)).unwrap();
        assert!(played.is_quiet());
        position = position.after(&played);
    }
    assert!(["a4", "a6", "b5"].iter().all(|name| position.attackers.contains(square(name))));
    assert!(!position.attackers.contains(square("a5")) && camp.contains(square("a5")));
}
