use std::collections::BTreeMap;

use crate::game::board::SquareSet;
use crate::game::rules::{Endless, Hostility, Kind, Movement, Repetition, Ruleset, Side, plural};

use super::{BoardPicture, Style};

/// The rules that hold unless a ruleset says otherwise in the sections before.
const COMMON: [(&str, &str); 6] = [
    (
        "by the mover",
        "A piece is captured by an enemy that arrives next to it; \
         moving in between two enemies is safe.",
    ),
    (
        "at once",
        "A move captures up to three soldiers, and always all that it can, \
         judged on the board after the move and before any is removed.",
    ),
    ("by the king", "The king captures as a soldier does."),
    ("the edge", "The edge of the board never helps to capture."),
    (
        "last move",
        "A move that captures the king and soldiers has won; a king's move that wins captures too.",
    ),
    ("no moves", "A side without a legal move has lost."),
];

/// Replaces the number of captures where whole rows can be captured.
const AT_ONCE_WITH_WALLS: &str = "A move captures all soldiers that it can, \
    judged on the board after the move and before any is removed.";

/// The rule of shieldwalls.
pub(super) const SHIELDWALL: &str = "a row of two or more along the edge, each with an enemy in front of it, \
    is captured by an enemy that arrives on the edge at one end of it, if another enemy or a corner \
    is at the other end; the king counts in a row and is not captured";

/// The rule of exit forts.
pub(super) const EXIT_FORT: &str = "the defenders win when they have moved and the king is at the \
    edge with an empty square beside him, in a room of empty squares that touches no attacker and \
    no corner, and none of the defenders around it can be captured between two attackers";

/// The rule of encirclement.
pub(super) const ENCIRCLEMENT: &str = "the attackers win when they have moved and cut off the king \
    and all defenders together from the whole edge";

impl Ruleset {
    /// Describes the ruleset for display: its source, its board, and every decision in words,
    /// derived from the data and not from the name.
    pub fn describe(&self) -> String {
        self.describe_in(Style::Plain)
    }

    /// Describes the ruleset, with its board drawn in this style.
    pub fn describe_in(&self, style: Style) -> String {
        let mut page = Page::default();
        page.line(&format!("{}: {}", self.name, self.title));
        self.describe_origin(&mut page);
        self.describe_board(&mut page, style);
        page.heading("Movement: like a chess rook, over empty squares");
        for kind in Kind::ALL {
            let lines = self.movement_lines(&self.movement[kind]);
            page.entries(plural(kind), &lines);
        }
        page.heading("Capture of a soldier: between two enemies, or an enemy and a hostile square");
        for side in Side::ALL {
            page.entries(side.name(), &self.soldier_lines(side));
        }
        if self.shieldwall {
            page.entry("shieldwall", SHIELDWALL);
        }
        if !self.king_armed {
            page.entry("unarmed king", "the king takes no part in captures");
        }
        page.heading("Capture of the king");
        page.entries("king", &self.king_lines());
        page.heading("End of the game");
        self.describe_end(&mut page);
        page.heading("Common to all rulesets");
        for (label, rule) in COMMON {
            match label {
                "at once" if self.shieldwall => page.entry(label, AT_ONCE_WITH_WALLS),
                "by the king" if !self.king_armed => {}
                "the edge" if self.shieldwall || self.king_edge_hostile => {}
                _ => page.entry(label, rule),
            }
        }
        page.0
    }

    fn describe_origin(&self, page: &mut Page) {
        page.line("");
        page.entry("source", &self.source);
        for note in &self.notes {
            page.entry("note", note);
        }
        page.entry("fingerprint", &self.fingerprint().to_string());
    }

    fn describe_board(&self, page: &mut Page, style: Style) {
        let size = self.board.size();
        let symmetries = self.symmetries().order();
        page.entry("board", &format!("{size}x{size}, symmetries: {symmetries}"));
        let places = Kind::ALL.map(|kind| format!("{} {}", plural(kind), self.places(kind).len()));
        page.entry("places", &format!("{} squares", places.join(", ")));
        page.entry("start", &self.start.to_text(self.board));
        page.entry("first mover", self.first.name());
        page.line("");
        let picture = BoardPicture::new(self, self.start);
        page.0.push_str(&picture.to_text(style));
        page.line("");
        page.0.push_str(&picture.legend(self));
        page.heading("Named squares");
        for (name, squares) in &self.squares {
            page.entry(name, &self.board.names(*squares).join(" "));
        }
    }

    fn movement_lines(&self, movement: &Movement) -> Vec<String> {
        let all: SquareSet = self.board.squares().collect();
        let mut lines = vec![
            format!("may stop on {}", self.all_but(all - movement.stop)),
            format!("may cross {}", self.all_but(all - movement.cross)),
        ];
        lines.extend(movement.reach.map(|reach| format!("moves at most {reach} at once")));
        let (single, groups): (Vec<SquareSet>, Vec<SquareSet>) =
            movement.gates.iter().partition(|gate| gate.len() == 1);
        if !single.is_empty() {
            let squares = self.phrase(single.into_iter().flatten().collect());
            lines.push(format!("may leave {squares}, but never arrive there or cross it"));
        }
        if !groups.is_empty() {
            let lists: Vec<String> =
                groups.iter().map(|&gate| self.board.names(gate).join(" ")).collect();
            lines.push(format!(
                "may move within and out of a group, but never in from outside: {}",
                lists.join(" | ")
            ));
        }
        lines
    }

    fn all_but(&self, closed: SquareSet) -> String {
        if closed.is_empty() {
            "every square".to_owned()
        } else {
            format!("every square but {}", self.phrase(closed))
        }
    }

    /// Describes squares of the king; many squares by those that are left of the edge or the board.
    pub(super) fn short_phrase(&self, squares: SquareSet) -> String {
        let (edge, all) = (self.board.edge(), self.board.squares().collect::<SquareSet>());
        if 2 * squares.len() > all.len() {
            self.all_but(all - squares)
        } else if squares.is_subset(edge) && 2 * squares.len() > edge.len() && squares != edge {
            format!("edge but {}", self.phrase(edge - squares))
        } else {
            self.phrase(squares)
        }
    }

    fn soldier_lines(&self, side: Side) -> Vec<String> {
        let mut lines = self.hostile_lines(&self.hostile[side.soldier()]);
        let protected = self.protected[side];
        if !protected.is_empty() {
            lines.push(format!("never captured on {}", self.phrase(protected)));
        }
        let unaided = self.unaided[side];
        if !unaided.is_empty() {
            let squares = self.phrase(unaided);
            lines.push(format!("on {squares}, captured only between two enemy pieces"));
        }
        lines
    }

    fn hostile_lines(&self, hostility: &Hostility) -> Vec<String> {
        let conditions = [
            (hostility.empty, "hostile while empty"),
            (hostility.occupied, "hostile while occupied by a friendly piece"),
            (
                hostility.besieged,
                "hostile while occupied by a friendly piece, if enemies are on all its other sides",
            ),
        ];
        let lines: Vec<String> = conditions
            .into_iter()
            .filter(|(squares, _)| !squares.is_empty())
            .map(|(squares, when)| format!("{when}: {}", self.phrase(squares)))
            .collect();
        if lines.is_empty() { vec!["no hostile squares".to_owned()] } else { lines }
    }

    fn king_lines(&self) -> Vec<String> {
        let hostility = &self.hostile[Kind::King];
        let mut lines = self.hostile_lines(hostility);
        if self.king_edge_hostile {
            lines.push("hostile: the squares off the board".to_owned());
        }
        for (need, [squares, hostile]) in self.surrounding_needs().into_iter().rev() {
            let on = format!("on {}", self.short_phrase(squares));
            lines.push(match need {
                5 => format!("{on}: never, as the edge leaves him fewer than four sides"),
                4 => format!("{on}: attackers on all four sides"),
                _ if hostile.is_empty() => {
                    format!("{on}: attackers on {need} sides, and the edge on the rest")
                }
                _ => format!(
                    "{on}: attackers on {need} sides and hostile squares ({}) on the rest",
                    self.phrase(hostile)
                ),
            });
        }
        // A king who is surrounded everywhere has no elsewhere.
        if self.surrounded != self.places(Kind::King) {
            lines.push(
                "elsewhere: the arriving attacker and, opposite, an attacker or a hostile square"
                    .to_owned(),
            );
        }
        lines
    }

    /// Groups the squares on which the king is captured on all sides by the number of attackers
    /// that this takes; 5 means never. With each group come the hostile squares beside it.
    pub(super) fn surrounding_needs(&self) -> BTreeMap<usize, [SquareSet; 2]> {
        let hostility = &self.hostile[Kind::King];
        let mut by_need: BTreeMap<usize, [SquareSet; 2]> = BTreeMap::new();
        for square in self.surrounded {
            let sides: SquareSet = self.board.neighbours(square).collect();
            let hostile = sides & hostility.empty;
            // At the edge there is no fourth side.
            let is_enclosed = sides.len() == 4 || self.king_edge_hostile;
            let need = if is_enclosed { sides.len() - hostile.len() } else { 5 };
            let [squares, helpers] = by_need.entry(need).or_default();
            squares.insert(square);
            *helpers |= hostile;
        }
        by_need
    }

    pub(super) fn describe_repetition(&self) -> String {
        let meaning = match self.repetition {
            Repetition::Allowed => return "positions may be repeated".to_owned(),
            Repetition::Draw => "the game is drawn when a position is repeated",
            Repetition::MoverLoses => "the side that repeats a position loses",
            Repetition::DefendersLose => "the defenders lose when a position is repeated",
            Repetition::DefendersBarred => "the defenders may not repeat the pieces of a position",
        };
        let count = match self.repetition_occurrence {
            2 => String::new(),
            count => format!(", at occurrence {count}"),
        };
        let start = if self.repetition_counts_start {
            ""
        } else {
            "; the starting position does not count"
        };
        format!("{meaning}{count}{start}")
    }

    fn describe_end(&self, page: &mut Page) {
        page.entry("king wins on", &self.phrase(self.goals));
        if self.exit_fort {
            page.entry("exit fort", EXIT_FORT);
        }
        if self.encirclement {
            page.entry("encirclement", ENCIRCLEMENT);
        }
        page.entry("repetition", &self.describe_repetition());
        page.entry(
            "endless play",
            match self.endless {
                Endless::Draw => "a draw",
                Endless::Undecided => {
                    "undecided: it depends on the game's history, which tables do not know"
                }
                Endless::Attackers => {
                    "the attackers win, as the defenders may not repeat positions"
                }
            },
        );
        if let Some(plies) = self.ply_limit {
            page.entry(
                "ply limit",
                &format!("a game is drawn after {plies} plies (tables do not count them)"),
            );
        }
    }
}

/// The width of a page in columns.
const WIDTH: usize = 80;
/// The column where the text of an entry begins.
const INDENT: usize = 16;

/// Wrapped text with headings and labelled entries.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    fn heading(&mut self, text: &str) {
        self.line("");
        self.line(text);
    }

    /// Adds the label once, then each text on lines of its own.
    fn entries(&mut self, label: &str, texts: &[String]) {
        for (text, label) in texts.iter().zip([label].into_iter().chain(std::iter::repeat(""))) {
            self.entry(label, text);
        }
    }

    fn entry(&mut self, label: &str, text: &str) {
        let mut line = format!("  {label:<width$}", width = INDENT - 3);
        for word in text.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > INDENT {
                self.line(&line);
                line = " ".repeat(INDENT - 1);
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_wrap_under_their_label() {
        let mut page = Page::default();
        page.entry("label", &"word ".repeat(20));
        let row = "word ".repeat(12);
        assert_eq!(
            page.0,
            format!(
                "  label         {row}word\n{}{}\n",
                " ".repeat(16),
                "word ".repeat(7).trim_end()
            )
        );
    }
}
