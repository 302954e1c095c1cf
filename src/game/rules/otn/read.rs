//! From a rules record to a ruleset.

use crate::game::board::{Board, MAX_SIZE, MIN_SIZE, SquareSet};

use super::super::check::checked;
use super::super::error::FieldFault;
use super::super::names::predefined;
use super::super::{
    ByKind, BySide, Decisions, Endless, Kind, Layout, LayoutError, Movement, Repetition, Ruleset,
    Side,
};
use super::error::{OtnError, refused};
use super::fields::Fields;
use super::spaces::Spaces;

/// The ruleset of the record.
pub(super) fn ruleset(record: &str) -> Result<Ruleset, OtnError> {
    let fields = Fields::parse(record)?;
    refuse_other_games(&fields)?;
    let board = board(&fields)?;
    let start = start(&fields, board)?;
    let spaces = Spaces::read(&fields, board)?;
    let movement = |kind| spaces.movement(kind, &start, &fields, board);
    let movement =
        ByKind([movement(Kind::Attacker)?, movement(Kind::Defender)?, movement(Kind::King)?]);
    let goals = goals(&fields, &spaces, &movement[Kind::King], board)?;
    let sides = [("y", Side::Attackers), ("n", Side::Defenders)];
    let (repetition, endless) = repetition(&fields)?;
    let (surrounded, beside_throne) = king(&fields, &spaces, board)?;
    let mut hostile = ByKind::from_fn(|kind| spaces.hostility(kind));
    hostile[Kind::King].empty |= beside_throne;
    hostile[Kind::Defender].besieged = besieged(&fields, &spaces, &movement[Kind::Defender])?;
    let named = predefined(board).map(|(name, squares)| (name.to_owned(), squares));
    let title = fields.value("name").replace('_', " ");
    let rules = checked(Decisions {
        name: name_of(&title),
        title: if title.is_empty() { "Unnamed".to_owned() } else { title },
        source: format!("a rules record: {}", words(record)),
        notes: Vec::new(),
        board,
        squares: named.into_iter().chain(spaces.named()).collect(),
        start,
        first: fields.choice("atkf", &sides)?,
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
        goals,
    });
    let fault = |FieldFault { field, reason }: FieldFault| OtnError::Field {
        value: fields.value(&field).to_owned(),
        field,
        reason,
    };
    Ok(as_builtin(rules.map_err(fault)?))
}

/// Whatever belongs to games with other moves, captures or endings.
fn refuse_other_games(fields: &Fields) -> Result<(), OtnError> {
    for (field, plain) in
        [("surf", "n"), ("ka", "y"), ("kj", "n"), ("sw", "n"), ("efe", "n"), ("ber", "n")]
    {
        fields.choice(field, &[(plain, ())])?;
    }
    let speeds = fields.value("spd");
    if speeds.split(',').any(|speed| !matches!(speed, "" | "-1")) {
        return refused("spd", speeds, "only -1, any distance, can be played here");
    }
    Ok(())
}

fn board(fields: &Fields) -> Result<Board, OtnError> {
    let size = fields.given("dim").ok_or(OtnError::Missing("dim"))?;
    let board = size.parse().ok().and_then(Board::new);
    let reason = format!("a board has an odd number of ranks from {MIN_SIZE} to {MAX_SIZE}");
    board.map_or_else(|| refused("dim", size, reason), Ok)
}

/// Where the pieces begin; `starti` has the ranks from the last one down.
fn start(fields: &Fields, board: Board) -> Result<Layout, OtnError> {
    let fault =
        |field: &str, text: &str, error: LayoutError| refused(field, text, error.to_string());
    match (fields.given("start"), fields.given("starti")) {
        (Some(text), None) => Layout::parse(text, board).or_else(|e| fault("start", text, e)),
        (None, Some(text)) => {
            let ranks: Vec<&str> = text.trim_matches('/').rsplit('/').collect();
            let upright = Layout::parse(&ranks.join("/"), board);
            upright.or_else(|error| fault("starti", text, error))
        }
        (None, None) => Err(OtnError::Missing("start")),
        (Some(_), Some(_)) => Err(OtnError::Twice("start".to_owned())),
    }
}

/// Where the king wins.
fn goals(
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
            let closed = board.name(closed);
            let reason = format!("the king should win on {closed}, and may not stop there");
            refused("cors", fields.value("cors"), reason)
        }
    }
}

/// What the third occurrence of a position means, and a game without end. As OpenTafl
/// plays: it takes `i` for `d`, and lets the other side win than its notation says.
fn repetition(fields: &Fields) -> Result<(Repetition, Endless), OtnError> {
    let drawn = (Repetition::Draw, Endless::Draw);
    let lost = (Repetition::MoverLoses, Endless::Undecided);
    fields.choice("tfr", &[("d", drawn), ("i", drawn), ("w", lost)])
}

/// Where the king is captured on four sides, and the squares that are hostile to him for
/// this alone: where he is strong beside the throne, it is the fourth side.
fn king(
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

/// The throne, where the king on it does not protect his men in a siege.
fn besieged(fields: &Fields, spaces: &Spaces, defenders: &Movement) -> Result<SquareSet, OtnError> {
    if !fields.choice("linc", &[("n", false), ("y", true)])? {
        return Ok(SquareSet::EMPTY);
    }
    if defenders.stop.meets(spaces.centre()) {
        return refused("linc", "y", "only where no defender may stop on the throne");
    }
    Ok(spaces.centre())
}

/// A name for the folder of tables, which cannot be that of a built-in ruleset.
fn name_of(title: &str) -> String {
    let letters = title.to_ascii_lowercase();
    let words = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    ["otn"].into_iter().chain(words).collect::<Vec<_>>().join("-")
}

/// The record with one blank between its words.
fn words(record: &str) -> String {
    record.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The built-in ruleset that has the same positions with the same values, if there is
/// one, with the start and the repetitions of these rules.
fn as_builtin(rules: Ruleset) -> Ruleset {
    let builtins = Ruleset::builtin_names().iter().filter_map(|name| Ruleset::builtin(name));
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
        ..known.decisions
    };
    Ruleset { decisions, derived: known.derived }
}
