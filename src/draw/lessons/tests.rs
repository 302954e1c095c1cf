use super::Lesson;
use crate::game::notation::parse_move;
use crate::game::position::Position;
use crate::game::rules::Ruleset;

/// Returns the lessons of a built-in ruleset.
fn lessons(name: &str) -> (Ruleset, Vec<Lesson>) {
    let rules = Ruleset::builtin(name).unwrap();
    let lessons = rules.lessons();
    (rules, lessons)
}

#[test]
fn every_picture_is_a_position_and_its_move_is_legal() {
    for name in Ruleset::builtin_names() {
        let (rules, lessons) = lessons(name);
        for lesson in &lessons {
            let Some(text) = &lesson.position else { continue };
            let position = Position::parse(text, &rules).unwrap();
            if let Some(played) = &lesson.played {
                let read = parse_move(&rules, &position, played).unwrap();
                assert_eq!(read.display(rules.board).to_string(), *played, "{name}");
            }
        }
        let pictured =
            |part: &str| lessons.iter().filter(|l| l.part == part && l.position.is_some()).count();
        assert_eq!((pictured("aim"), pictured("moves")), (1, 3), "{name}");
        assert!(pictured("captures") >= 3 && pictured("king") >= 1, "{name}: {lessons:#?}");
        let ends = 1 + usize::from(rules.exit_fort) + usize::from(rules.encirclement);
        assert_eq!(pictured("end"), ends, "{name}");
    }
}

#[test]
fn captures_show_what_their_text_says() {
    let (_, lessons) = lessons("brandubh");
    let of = |title: &str| lessons.iter().filter(|l| l.title == title).collect::<Vec<_>>();
    for title in ["Capturing defenders", "Capturing attackers"] {
        assert!(of(title)[0].played.as_ref().unwrap().contains('x'), "{lessons:#?}");
    }
    // Corners and the empty throne have a picture each.
    assert_eq!(of("Empty squares against defenders").len(), 2);
    assert!(of("Occupied squares against defenders")[0].played.is_some());
    assert!(!of("Moving in between is safe")[0].played.as_ref().unwrap().contains('x'));
    for title in
        ["The king between 4 attackers", "The king between 3 attackers", "The king in the open"]
    {
        assert!(of(title)[0].played.as_ref().unwrap().ends_with("++"), "{title}");
    }
    assert!(of("The king escapes")[0].played.as_ref().unwrap().ends_with("--"));
}

#[test]
fn a_mover_is_shown_beside_squares_that_are_closed_to_it() {
    let (_, lessons) = lessons("brandubh");
    let attacker = lessons.iter().find(|l| l.title == "How an attacker moves").unwrap();
    assert!(!attacker.targets.contains(&"d4".to_owned()), "{attacker:?}");
    assert!(attacker.targets.len() < 12, "{attacker:?}");
}

#[test]
fn rules_of_present_games_have_pictures() {
    let picture = |name: &str, title: &str| {
        let (_, lessons) = lessons(name);
        lessons
            .into_iter()
            .find(|lesson| lesson.title == title)
            .unwrap_or_else(|| panic!("{title}"))
    };
    for (name, title, kind, squares) in [
        ("copenhagen", "Capturing a row at the edge", "shieldwall", [2, 4]),
        ("copenhagen-13", "A fort at the edge", "exit-fort", [2, 4]),
        ("sea-battle-9", "All defenders encircled", "encirclement", [5, 8]),
        ("brandubh-1", "All defenders encircled", "encirclement", [5, 8]),
    ] {
        let lesson = picture(name, title);
        let [formation] = lesson.formations.as_slice() else { panic!("{lesson:?}") };
        assert_eq!(serde_json::to_value(formation.kind).unwrap(), kind, "{name}");
        assert_eq!([formation.inside.len(), formation.wall.len()], squares, "{lesson:?}");
    }
    let unarmed = picture("sea-battle-9", "The king is unarmed");
    assert!(!unarmed.played.as_ref().unwrap().contains('x'), "{unarmed:?}");
    // At the edge of magpie's board three attackers capture the king.
    let edge = picture("magpie", "The king between 3 attackers");
    assert!(edge.text.contains("edge") && edge.played.unwrap().ends_with("++"), "{}", edge.text);
    let short = picture("magpie", "How the king moves");
    assert!(short.text.contains("1 square at most") && short.targets.len() <= 4, "{short:?}");
}
