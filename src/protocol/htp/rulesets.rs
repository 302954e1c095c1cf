use crate::game::rules::Ruleset;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Side;

    #[test]
    fn each_board_has_its_rules() {
        for (size, first) in [(7, Side::Defenders), (11, Side::Attackers), (13, Side::Attackers)] {
            let rules = ruleset(size).unwrap();
            assert_eq!((rules.board.size(), rules.first), (size, first));
        }
        assert_eq!(ruleset(9).unwrap_err(), "board_size: 9 is not 7, 11 or 13");
    }
}
