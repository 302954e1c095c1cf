//! Support for the tests of all modules of the solver: rulesets with rows of each number of words,
//! random soldiers and positions, to compare with the plain code of the game.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use proptest::prelude::*;

use crate::game::board::SquareSet;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset, Side};
use crate::game::slice::Slice;
use crate::solve::captures::soldiers::Soldiers;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// The built-in rulesets that are solved, and test rulesets that differ from them.
pub(super) static RULESETS: LazyLock<Vec<Ruleset>> = LazyLock::new(|| {
    let odd = ["strange", "lopsided", "sieges", "mini-camps", "huge-edge", "huge-corner"];
    let new = ["steps", "unarmed", "walls", "plain-walls", "unarmed-walls"];
    let all = Ruleset::builtin_names().iter().chain(&odd).chain(&new).map(|name| load(name));
    let largest = Slice { defenders: usize::MAX, attackers: usize::MAX };
    all.filter(|rules| rules.unsolved_rule(largest).is_none()).collect()
});

/// Loads a built-in ruleset or one of the test data.
pub(super) fn load(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rulesets");
        Ruleset::load(&format!("{folder}/{name}.toml")).unwrap()
    })
}

/// Calls a function that is generic over the words of a row, with the number that the ruleset
/// needs.
macro_rules! with_words {
    ($check:ident, $rules:expr $(, $more:expr)*) => {
        $crate::solve::frame::region::with_row_words!($rules, $check($rules $(, $more)*))
    };
}
pub(super) use with_words;

/// Generates random soldiers on allowed squares, close together, so that captures are frequent.
pub(super) fn soldiers(rules: &'static Ruleset) -> impl Strategy<Value = Soldiers> {
    const AREA: usize = 5;
    let board = rules.board;
    let corner = 0..board.size() + 1 - AREA;
    let man = (0..AREA, 0..AREA, prop::sample::select(&Side::ALL));
    let men = prop::collection::vec(man, 1..AREA * AREA / 2);
    (corner.clone(), corner, men).prop_map(move |(file, rank, men)| {
        let mut soldiers = Soldiers { attackers: SquareSet::EMPTY, defenders: SquareSet::EMPTY };
        for (right, up, side) in men {
            let square = board.at(file + right, rank + up);
            let Soldiers { attackers, defenders } = &mut soldiers;
            if (*attackers | *defenders).contains(square) {
                continue;
            }
            match side {
                _ if !rules.places(side.soldier()).contains(square) => {}
                Side::Attackers => attackers.insert(square),
                Side::Defenders => defenders.insert(square),
            }
        }
        soldiers
    })
}

/// Returns the squares on which the king may stand beside these soldiers.
pub(super) fn kings(rules: &Ruleset, soldiers: Soldiers) -> SquareSet {
    rules.places(Kind::King) - soldiers.attackers - soldiers.defenders
}

/// Returns the positions of a row, each with its lane.
pub(super) fn positions<const N: usize>(
    frame: &Frame<N>,
    block: &Block<N>,
    rank: Rank,
    to_move: Side,
) -> impl Iterator<Item = (Row<N>, Position)> {
    let (attackers, defenders) = (block.attackers, frame.defenders.set(rank));
    block.valid[rank.index()].lanes().map(move |lane| {
        let king = frame.region.square(lane);
        let rules = frame.rules.id();
        (Row::bit(lane), Position { attackers, defenders, king, to_move, rules })
    })
}

/// Returns the lanes of a row whose positions have a property.
pub(super) fn lanes_with<const N: usize>(
    frame: &Frame<N>,
    block: &Block<N>,
    rank: Rank,
    to_move: Side,
    has: impl Fn(&Position) -> bool,
) -> Row<N> {
    let matching = positions(frame, block, rank, to_move).filter(|(_, position)| has(position));
    matching.fold(Row::EMPTY, |lanes, (lane, _)| lanes | lane)
}

/// Returns the canonical one of a position's images.
pub(super) fn canonical(rules: &Ruleset, position: &Position) -> Position {
    let images = rules.symmetries().iter().map(|g| position.image(rules, g));
    images.min().unwrap_or(*position)
}

/// Returns `true` if the position belongs to a pseudorandom set: each set has a third of all
/// positions, and all images of its members.
pub(super) fn is_in_set(rules: &Ruleset, set: u64, position: &Position) -> bool {
    let mut hasher = DefaultHasher::new();
    (set, canonical(rules, position)).hash(&mut hasher);
    hasher.finish().is_multiple_of(3)
}
