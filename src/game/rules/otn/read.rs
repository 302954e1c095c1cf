//! Reads a rules record as a ruleset.

use crate::game::board::{Board, MAX_SIZE, MIN_SIZE, SquareSet};

use super::super::check::from_decisions;
use super::super::error::FieldFault;
use super::super::names::predefined;
use super::super::{
    ByKind, BySide, Decisions, Endless, Kind, Layout, Movement, Origin, Repetition, Ruleset, Side,
};
use super::error::{OtnError, refused};
use super::fields::Fields;
use super::spaces::Spaces;

/// Parses the record.
pub(super) fn ruleset(record: &str) -> Result<Ruleset, OtnError> {
    let fields = Fields::parse(record)?;
    refuse_other_games(&fields)?;
    let board = read_board(&fields)?;
    let start = read_start(&fields, board)?;
    let spaces = Spaces::read(&fields, board)?;
    let movement = ByKind([
        spaces.movement(Kind::Attacker, &start, &fields, board)?,
        spaces.movement(Kind::Defender, &start, &fields, board)?,
        spaces.movement(Kind::King, &start, &fields, board)?,
    ]);
    let goals = read_goals(&fields, &spaces, &movement[Kind::King], board)?;
    let (repetition, endless) = read_repetition(&fields)?;
    let (surrounded, beside_throne) = king_strength(&fields, &spaces, board)?;
    let mut hostile = ByKind::from_fn(|kind| spaces.hostility(kind));
    hostile[Kind::King].empty |= beside_throne;
    hostile[Kind::Defender].besieged = besieged(&fields, &spaces, &movement[Kind::Defender])?;
    let named = predefined(board).map(|(name, squares)| (name.to_owned(), squares));
    let title = fields.value("name").replace('_', " ");
    // A record has no fields for a ply limit, for the occurrence that counts as a repetition, or
    // for squares whose occupants are protected: OpenTafl's own rules are filled in.
    let rules = from_decisions(Decisions {
        name: name_of(&title),
        title: if title.is_empty() { "Unnamed".to_owned() } else { title },
        source: format!("a rules record: {}", words(record)),
        notes: Vec::new(),
        origin: Origin::default(),
        board,
        squares: named.into_iter().chain(spaces.named()).collect(),
        start,
        first: read_first(&fields)?,
        ply_limit: None,
        repetition,
        repetition_occurrence: 3,
        repetition_counts_start: true,
        endless,
        movement,
        hostile,
        protected: BySide::default(),
        unaided: BySide::default(),
        surrounded,
        shieldwall: false,
        king_armed: fields.choice("ka", &[("y", true), ("n", false)])?,
        king_edge_hostile: false,
        goals,
        exit_fort: false,
        encirclement: false,
    });
    match rules {
        Ok(rules) => Ok(as_builtin(rules)),
        Err(FieldFault { field, reason }) => refused(&field, fields.value(&field), reason),
    }
}

/// Parses the start of a record alone, see [`Ruleset::otn_start`].
pub(super) fn start_of_game(record: &str, rules: &Ruleset) -> Result<(Layout, Side), OtnError> {
    let fields = Fields::of_any_game(record);
    let start = match read_start(&fields, rules.board) {
        Err(OtnError::Missing(_)) if fields.get("atkf").is_none() => {
            return Ok((rules.start, rules.first));
        }
        Err(OtnError::Missing(_)) => rules.start,
        start => start?,
    };
    Ok((start, read_first(&fields)?))
}

/// Refuses features of games with other moves, captures or endings.
fn refuse_other_games(fields: &Fields) -> Result<(), OtnError> {
    for (field, plain) in [("surf", "n"), ("kj", "n"), ("sw", "n"), ("efe", "n"), ("ber", "n")] {
        fields.choice(field, &[(plain, ())])?;
    }
    Ok(())
}

fn read_board(fields: &Fields) -> Result<Board, OtnError> {
    let size = fields.get("dim").ok_or(OtnError::Missing("dim"))?;
    let board = size.parse().ok().and_then(Board::new);
    let reason = format!("the number of ranks must be odd, from {MIN_SIZE} to {MAX_SIZE}");
    board.map_or_else(|| refused("dim", size, reason), Ok)
}

/// Reads the starting layout; `starti` lists the ranks from the last one down.
fn read_start(fields: &Fields, board: Board) -> Result<Layout, OtnError> {
    match (fields.get("start"), fields.get("starti")) {
        (Some(text), None) => {
            Layout::parse(text, board).or_else(|error| refused("start", text, error.to_string()))
        }
        (None, Some(text)) => {
            let ranks: Vec<&str> = text.trim_matches('/').rsplit('/').collect();
            let upright = Layout::parse(&ranks.join("/"), board);
            upright.or_else(|error| refused("starti", text, error.to_string()))
        }
        (None, None) => Err(OtnError::Missing("start")),
        (Some(_), Some(_)) => Err(OtnError::Twice("start".to_owned())),
    }
}

/// Reads the side that begins.
fn read_first(fields: &Fields) -> Result<Side, OtnError> {
    fields.choice("atkf", &[("y", Side::Attackers), ("n", Side::Defenders)])
}

/// Reads the squares on which the king wins.
fn read_goals(
    fields: &Fields,
    spaces: &Spaces,
    king: &Movement,
    board: Board,
) -> Result<SquareSet, OtnError> {
    if fields.choice("esc", &[("c", false), ("e", true)])? {
        return Ok(board.edge() & king.stop);
    }
    let corners = spaces.corners();
    if corners.is_empty() {
        return refused("cor", fields.value("cor"), "esc:c needs a corner for the king to win on");
    }
    match (corners - king.stop).first() {
        None => Ok(corners),
        Some(closed) => {
            let name = board.name(closed);
            let reason = format!("the king wins on {name}, but may not stop there");
            refused("cors", fields.value("cors"), reason)
        }
    }
}

/// Reads the consequence of the third occurrence of a position, and the value of endless play. This
/// follows OpenTafl's play, which treats `i` as `d`, and under `w` gives the win to the other side
/// than the notation says.
fn read_repetition(fields: &Fields) -> Result<(Repetition, Endless), OtnError> {
    let drawn = (Repetition::Draw, Endless::Draw);
    let lost = (Repetition::MoverLoses, Endless::Undecided);
    fields.choice("tfr", &[("d", drawn), ("i", drawn), ("w", lost)])
}

/// Reads the squares on which the king is captured on four sides, and further squares hostile to
/// him: where he is strong only beside the throne, the throne is the fourth side.
fn king_strength(
    fields: &Fields,
    spaces: &Spaces,
    board: Board,
) -> Result<(SquareSet, SquareSet), OtnError> {
    let centre = spaces.centre();
    let beside = centre.iter().flat_map(|square| board.neighbours(square));
    let strong = (board.squares().collect(), SquareSet::EMPTY);
    let middle = (centre | beside.collect(), centre);
    let weak = (SquareSet::EMPTY, SquareSet::EMPTY);
    fields.choice("ks", &[("s", strong), ("y", strong), ("c", middle), ("w", weak), ("n", weak)])
}

/// Returns the throne, if the king on it does not protect his men under siege.
fn besieged(fields: &Fields, spaces: &Spaces, defenders: &Movement) -> Result<SquareSet, OtnError> {
    if !fields.choice("linc", &[("n", false), ("y", true)])? {
        return Ok(SquareSet::EMPTY);
    }
    if defenders.stop.meets(spaces.centre()) {
        return refused("linc", "y", "only supported where no defender may stop on the throne");
    }
    Ok(spaces.centre())
}

/// Derives a name for the folder of tables, which differs from all built-in names.
fn name_of(title: &str) -> String {
    let letters = title.to_ascii_lowercase();
    let words = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    ["otn"].into_iter().chain(words).collect::<Vec<_>>().join("-")
}

/// Normalizes the blanks between the record's words.
fn words(record: &str) -> String {
    record.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the built-in ruleset with the same values of positions, if there is one, with the start
/// and the repetition rules of `rules`.
fn as_builtin(rules: Ruleset) -> Ruleset {
    let builtins = Ruleset::builtins().iter();
    let mut same = builtins.filter(|known| known.fingerprint() == rules.fingerprint());
    let Some(known) = same.find(|known| known.ply_limit.is_none()) else {
        return rules;
    };
    let decisions = Decisions {
        start: rules.decisions.start,
        first: rules.decisions.first,
        ply_limit: rules.decisions.ply_limit,
        repetition: rules.decisions.repetition,
        repetition_occurrence: rules.decisions.repetition_occurrence,
        repetition_counts_start: rules.decisions.repetition_counts_start,
        ..known.decisions.clone()
    };
    Ruleset { decisions, derived: known.derived.clone() }
}
