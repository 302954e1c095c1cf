use std::sync::Arc;

use crate::game::rules::Ruleset;

/// The sizes of the boards.
pub(in crate::protocol) const SIZES: [usize; 3] = [7, 11, 13];
/// The rulesets of 11x11 and 13x13.
const BUILTIN: [&str; 2] = ["copenhagen", "copenhagen-13"];
/// The ruleset of 7x7, which is played only on hnefatafl.org.
const SMALL: &str = include_str!("brandubh.toml");

/// Returns the ruleset of hnefatafl.org's game on a board of this size: 7, 11 or 13.
///
/// # Errors
/// If there is no such board.
pub fn ruleset(size: usize) -> Result<Ruleset, String> {
    let found = match size {
        7 => Ruleset::from_toml(SMALL, "brandubh-hnefatafl-org").ok(),
        _ => BUILTIN
            .into_iter()
            .filter_map(Ruleset::builtin)
            .find(|rules| rules.board.size() == size),
    };
    found.ok_or_else(|| format!("board_size: {size} is not 7, 11 or 13"))
}

/// Checks that a game of these rules can be played over the protocol, which has its own.
///
/// # Errors
/// If the rules differ from those of the protocol on a board of the same size.
pub(super) fn check(rules: &Arc<Ruleset>) -> Result<(), String> {
    match ruleset(rules.board.size()) {
        Ok(known) if known.has_same_start_as(rules) => Ok(()),
        _ => Err(format!(
            "the protocol has no {}: its rulesets are {}, and on 7x7 its own",
            rules.name,
            BUILTIN.join(" and ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Side;

    #[test]
    fn each_board_has_its_rules() {
        for (size, first) in [(7, Side::Defenders), (11, Side::Attackers), (13, Side::Attackers)] {
            let rules = ruleset(size).unwrap();
            assert_eq!((rules.board.size(), rules.first), (size, first));
            assert_eq!(check(&Arc::new(rules)), Ok(()));
        }
        assert_eq!(ruleset(9).unwrap_err(), "board_size: 9 is not 7, 11 or 13");
        for other in ["fetlar", "brandubh-1", "tablut"] {
            let error = check(&Arc::new(Ruleset::builtin(other).unwrap())).unwrap_err();
            assert!(error.contains(&format!("no {other}:")), "{error}");
        }
        let text = Ruleset::text("copenhagen").unwrap();
        let short = Ruleset::from_toml(&format!("ply-limit = 100\n{text}"), "short").unwrap();
        assert!(check(&Arc::new(short)).is_err());
    }
}
