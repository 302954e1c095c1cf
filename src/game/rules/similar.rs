/// Suggests the name that was probably meant: the nearest one within one edit per three characters,
/// or else the first one that contains the text. Case is ignored.
pub(super) fn similar<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    const CHARACTERS_PER_EDIT: usize = 3;
    let lowercase = text.to_lowercase();
    let letters: Vec<char> = lowercase.chars().collect();
    let most = letters.len() / CHARACTERS_PER_EDIT;
    let nearest = names.iter().map(|name| (edit_distance(&letters, name), name)).min();
    if let Some((_, name)) = nearest.filter(|(edits, _)| *edits <= most) {
        return Some(name);
    }
    let containing = names.iter().find(|name| name.contains(&lowercase));
    containing.filter(|_| most > 0).copied()
}

/// Returns the Levenshtein distance: the fewest insertions, deletions and replacements that turn
/// one text into the other.
fn edit_distance(text: &[char], name: &str) -> usize {
    // Distances of each prefix of the text from the part of the name read so far.
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
    fn edit_distances_are_minimal() {
        for (text, name, expected) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("tablut", "tablut", 0),
            ("talbut", "tablut", 2),
        ] {
            let letters: Vec<char> = text.chars().collect();
            assert_eq!(edit_distance(&letters, name), expected, "{text}, {name}");
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
            ("copenhagn", Some("copenhagen")),
            ("lewis", Some("tawlbwrdd-lewis")),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(similar(text, names), expected, "{text}");
        }
    }
}
