/// The name that was probably meant: the nearest one within an edit for each three
/// characters, or else the first one that contains the text. Case does not matter.
pub(super) fn similar<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    const CHARACTERS_FOR_AN_EDIT: usize = 3;
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let most = text.len() / CHARACTERS_FOR_AN_EDIT;
    let nearest = names.iter().map(|name| (edits(&text, name), name)).min();
    if let Some((_, name)) = nearest.filter(|(edits, _)| *edits <= most) {
        return Some(name);
    }
    let part: String = text.into_iter().collect();
    let containing = names.iter().find(|name| name.contains(&part));
    containing.filter(|_| most > 0).copied()
}

/// Levenshtein's distance: the fewest characters to insert, delete or replace that make one
/// text of the other.
fn edits(text: &[char], name: &str) -> usize {
    // What it takes to make each beginning of the text of the name so far.
    let mut row: Vec<usize> = (0..=text.len()).collect();
    for (count, letter) in (1..).zip(name.chars()) {
        let mut diagonal = std::mem::replace(&mut row[0], count);
        for (i, &character) in text.iter().enumerate() {
            let replaced = diagonal + usize::from(character != letter);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(diagonal + 1).min(row[i] + 1);
        }
    }
    row[text.len()]
}

#[cfg(test)]
mod tests {
    use super::super::Ruleset;
    use super::*;

    #[test]
    fn edits_are_as_few_as_can_be() {
        for (text, name, expected) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("tablut", "tablut", 0),
            ("talbut", "tablut", 2),
        ] {
            assert_eq!(edits(&text.chars().collect::<Vec<_>>(), name), expected, "{text}, {name}");
        }
    }

    #[test]
    fn names_that_are_nearly_right_are_recognised() {
        let names = Ruleset::builtin_names();
        for (text, expected) in [
            ("brandub", Some("brandubh")),
            ("Brandubh", Some("brandubh")),
            ("brandubh_online", Some("brandubh-online")),
            ("TABLUTT", Some("tablut")),
            ("hnefatafl", Some("large-hnefatafl")),
            ("alea", Some("alea-evangelii")),
            ("chess", None),
            ("copenhagen", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(similar(text, names), expected, "{text}");
        }
    }
}
