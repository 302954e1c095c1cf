//! Tables built for a test, and the check of one position in them.

use taflbase::Tablebase;
use taflbase::build::{Build, BuildOptions};
use taflbase::moves::{Move, legal_moves};
use taflbase::position::Position;
use taflbase::random::SeededRng;
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::value::Value;

use crate::positions::{all_positions, random_position};

/// Loads a built-in ruleset, or one of the test data.
pub(crate) fn load(name: &str) -> Ruleset {
    Ruleset::builtin(name).unwrap_or_else(|| {
        let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Ruleset::load(&path).unwrap()
    })
}

/// How many times another position is tried if nothing can be captured in one.
const TRIES: usize = 5;

/// Some slices of a ruleset, with their dependencies.
pub(crate) struct Tables {
    base: Tablebase,
    _folder: tempfile::TempDir,
}

/// What occurred in the checked positions.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub positions: usize,
    pub conversions: usize,
    pub draws: usize,
}

impl Tables {
    pub(crate) fn build(rules: &Ruleset, slices: &[Slice]) -> Tables {
        let folder = tempfile::tempdir().unwrap();
        let options = BuildOptions::default();
        Build::new(rules, folder.path(), slices).options(&options).run().unwrap();
        Tables {
            base: Tablebase::open_files(rules.clone(), folder.path()).unwrap(),
            _folder: folder,
        }
    }

    /// Checks every position of a slice.
    pub(crate) fn check_all(&self, slice: Slice) -> Seen {
        let mut seen = Seen::default();
        all_positions(self.base.rules(), slice, |position| {
            self.check(&position, &mut seen);
        });
        assert!(seen.positions > 0, "{slice} has no positions");
        seen
    }

    /// Checks this many random positions of a slice and their mirror images.
    pub(crate) fn check_some(&self, slice: Slice, count: usize) -> Seen {
        let mut random = SeededRng::new(count as u64);
        let mut seen = Seen::default();
        let rules = self.base.rules();
        for i in 0..count {
            let close = i % 2 == 0;
            let mut position = random_position(rules, slice, close, &mut random);
            for _ in 0..if close { TRIES } else { 0 } {
                if legal_moves(rules, &position).iter().any(Move::is_conversion) {
                    break;
                }
                position = random_position(rules, slice, close, &mut random);
            }
            let value = self.check(&position, &mut seen);
            for symmetry in rules.symmetries().iter() {
                let image = position.image(rules, symmetry);
                assert_eq!(
                    self.base.probe_dtw(&image).unwrap(),
                    value,
                    "{} {} as {}",
                    rules.name,
                    position.display(rules),
                    image.display(rules)
                );
            }
        }
        seen
    }

    fn check(&self, position: &Position, seen: &mut Seen) -> Value {
        let rules = self.base.rules();
        let name = || format!("{} {}", rules.name, position.display(rules));
        let value = self.base.probe_dtw(position).unwrap();
        let wdl = self.base.probe_wdl(position).unwrap();
        assert_eq!(wdl, value.wdl(), "{}", name());
        let moves = legal_moves(rules, position);
        assert_eq!(value, self.best(position, &moves), "{}", name());
        seen.positions += 1;
        seen.conversions += usize::from(moves.iter().any(Move::is_conversion));
        seen.draws += usize::from(value == Value::Draw);
        value
    }

    /// Returns the value of a position with these moves, from the values after them.
    fn best(&self, position: &Position, moves: &[Move]) -> Value {
        let after = |played: &Move| match played.ending {
            Some(_) => Value::Loss(0),
            None => self.base.probe_dtw(&position.after(played)).unwrap(),
        };
        let values = moves.iter().map(|played| after(played).before());
        values.max_by_key(|value| value.preference()).unwrap_or(Value::Loss(0))
    }
}
