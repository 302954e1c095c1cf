use super::bytes::{array, checksum, put, u16_at, u64_at};
use super::code::{Code, DONT_CARE};
use super::error::{KindResult, Part, TableErrorKind};
use super::format::Metric;
use super::value_hash::ValueHash;
use crate::game::rules::{BySide, Side};
use crate::game::value::Plies;

/// The last bytes of a complete file.
const END_MAGIC: [u8; 8] = *b"\x89TAFLEND";

const POSITIONS: usize = 0;
const WINS: usize = POSITIONS + size_of::<u64>();
const DRAWS: usize = WINS + size_of::<u64>();
const LOSSES: usize = DRAWS + size_of::<u64>();
const MAX_WIN: usize = LOSSES + size_of::<u64>();
const MAX_LOSS: usize = MAX_WIN + size_of::<Plies>();
const ONE_VALUE: usize = MAX_LOSS + size_of::<Plies>();
const SIDE_BYTES: usize = ONE_VALUE + size_of::<Code>();

const INDEX_OFFSET: usize = 0;
const INDEX_CHECKSUM: usize = INDEX_OFFSET + size_of::<u64>();
const SIDES: usize = INDEX_CHECKSUM + size_of::<u64>();
const VALUE_HASH: usize = SIDES + 2 * SIDE_BYTES;
const CHECKSUM: usize = VALUE_HASH + blake3::OUT_LEN;
pub(super) const FILE_CHECKSUM: usize = CHECKSUM + size_of::<u64>();
const END: usize = FILE_CHECKSUM + blake3::OUT_LEN;
pub(super) const FOOTER_BYTES: usize = END + END_MAGIC.len();

/// The counts of a table for one side to move. Counts are over all placements, with mirror
/// images counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SideSummary {
    /// All positions: the sum of wins, draws and losses.
    pub positions: u64,
    /// Positions that the side to move wins.
    pub wins: u64,
    /// Drawn positions; undecided ones where the ruleset says so.
    pub draws: u64,
    /// Positions that the side to move loses.
    pub losses: u64,
    /// The longest win in plies; 0 if there is none or the metric is WDL.
    pub max_win: Plies,
    /// The longest loss in plies; 0 if there is none or the metric is WDL.
    pub max_loss: Plies,
}

impl SideSummary {
    /// Returns whether wins, draws and losses add up to the positions.
    pub(super) fn is_consistent(&self) -> bool {
        let decisive = self.wins.checked_add(self.losses);
        decisive.and_then(|sum| sum.checked_add(self.draws)) == Some(self.positions)
    }

    /// Adds the counts of other positions.
    pub fn add(&mut self, other: &SideSummary) {
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.max_win = self.max_win.max(other.max_win);
        self.max_loss = self.max_loss.max(other.max_loss);
    }

    /// Returns the largest code that values with this summary can have.
    pub(crate) fn largest_code(&self, metric: Metric) -> Code {
        let longest_win = if self.wins > 0 { self.max_win } else { 0 };
        let longest_loss = if self.losses > 0 { self.max_loss.saturating_add(2) } else { 0 };
        match metric {
            Metric::Wdl => 2,
            Metric::Dtw => longest_win.max(longest_loss).min(DONT_CARE - 1),
        }
    }

    fn to_bytes(self, one_value: Option<Code>) -> [u8; SIDE_BYTES] {
        let mut bytes = [0; SIDE_BYTES];
        put(&mut bytes, POSITIONS, &self.positions.to_le_bytes());
        put(&mut bytes, WINS, &self.wins.to_le_bytes());
        put(&mut bytes, DRAWS, &self.draws.to_le_bytes());
        put(&mut bytes, LOSSES, &self.losses.to_le_bytes());
        put(&mut bytes, MAX_WIN, &self.max_win.to_le_bytes());
        put(&mut bytes, MAX_LOSS, &self.max_loss.to_le_bytes());
        put(&mut bytes, ONE_VALUE, &one_value.unwrap_or(DONT_CARE).to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8]) -> (SideSummary, Option<Code>) {
        let summary = SideSummary {
            positions: u64_at(bytes, POSITIONS),
            wins: u64_at(bytes, WINS),
            draws: u64_at(bytes, DRAWS),
            losses: u64_at(bytes, LOSSES),
            max_win: u16_at(bytes, MAX_WIN),
            max_loss: u16_at(bytes, MAX_LOSS),
        };
        (summary, Some(u16_at(bytes, ONE_VALUE)).filter(|&code| code != DONT_CARE))
    }
}

impl Metric {
    /// Returns the summary as a table of this metric stores it: WDL tables have no distances.
    #[must_use]
    pub fn summary(self, summary: SideSummary) -> SideSummary {
        match self {
            Metric::Wdl => SideSummary { max_win: 0, max_loss: 0, ..summary },
            Metric::Dtw => summary,
        }
    }
}

/// The part of a table that is known only after its last block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Footer {
    pub index_offset: u64,
    pub index_checksum: u64,
    pub summaries: BySide<SideSummary>,
    /// The only code of a side, if it has only one; such a side has no index entries.
    pub one_value: BySide<Option<Code>>,
    pub value_hash: ValueHash,
}

impl Footer {
    /// Returns the footer's bytes up to the file checksum.
    pub(super) fn to_bytes(self) -> [u8; FILE_CHECKSUM] {
        let mut bytes = [0; FILE_CHECKSUM];
        put(&mut bytes, INDEX_OFFSET, &self.index_offset.to_le_bytes());
        put(&mut bytes, INDEX_CHECKSUM, &self.index_checksum.to_le_bytes());
        for side in Side::ALL {
            let summary = self.summaries[side].to_bytes(self.one_value[side]);
            put(&mut bytes, SIDES + side as usize * SIDE_BYTES, &summary);
        }
        put(&mut bytes, VALUE_HASH, &self.value_hash.0);
        let sum = checksum(&bytes[..CHECKSUM]);
        put(&mut bytes, CHECKSUM, &sum.to_le_bytes());
        bytes
    }

    /// Returns the rest of the footer: the checksum of all bytes before it, and the end magic.
    pub(super) fn end(file_checksum: blake3::Hash) -> [u8; FOOTER_BYTES - FILE_CHECKSUM] {
        let mut bytes = [0; FOOTER_BYTES - FILE_CHECKSUM];
        put(&mut bytes, 0, file_checksum.as_bytes());
        put(&mut bytes, END - FILE_CHECKSUM, &END_MAGIC);
        bytes
    }

    /// Parses the footer at the end of a file.
    pub(super) fn parse(file: &[u8]) -> KindResult<Footer> {
        let bytes = file.last_chunk::<FOOTER_BYTES>().ok_or(TableErrorKind::Truncated)?;
        if bytes[END..] != END_MAGIC {
            return Err(TableErrorKind::Truncated);
        }
        let (attackers, one_of_attackers) = SideSummary::parse(&bytes[SIDES..]);
        let (defenders, one_of_defenders) = SideSummary::parse(&bytes[SIDES + SIDE_BYTES..]);
        let footer = Footer {
            index_offset: u64_at(bytes, INDEX_OFFSET),
            index_checksum: u64_at(bytes, INDEX_CHECKSUM),
            summaries: BySide([attackers, defenders]),
            one_value: BySide([one_of_attackers, one_of_defenders]),
            value_hash: ValueHash(array(bytes, VALUE_HASH)),
        };
        let whole = u64_at(bytes, CHECKSUM) == checksum(&bytes[..CHECKSUM])
            && footer.summaries.iter().all(SideSummary::is_consistent);
        whole.then_some(footer).ok_or(TableErrorKind::Corrupted(Part::Footer))
    }

    /// Returns the file checksum in the footer at the end of a file.
    pub(super) fn file_checksum(file: &[u8]) -> KindResult<blake3::Hash> {
        let bytes = file.last_chunk::<FOOTER_BYTES>().ok_or(TableErrorKind::Truncated)?;
        Ok(blake3::Hash::from_bytes(array(bytes, FILE_CHECKSUM)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> SideSummary {
        SideSummary { positions: 9, wins: 4, draws: 2, losses: 3, max_win: 5, max_loss: 4 }
    }

    fn footer() -> Footer {
        Footer {
            index_offset: 1000,
            index_checksum: 77,
            summaries: BySide([summary(), SideSummary::default()]),
            one_value: BySide([None, Some(0)]),
            value_hash: ValueHash([9; 32]),
        }
    }

    fn bytes_of(footer: Footer) -> Vec<u8> {
        let mut bytes = footer.to_bytes().to_vec();
        bytes.extend(Footer::end(blake3::hash(b"file")));
        bytes
    }

    #[test]
    fn a_footer_goes_through_bytes() {
        let bytes = bytes_of(footer());
        assert_eq!(bytes.len(), 172);
        assert_eq!(Footer::parse(&bytes).unwrap(), footer());
        assert_eq!(Footer::file_checksum(&bytes).unwrap(), blake3::hash(b"file"));
        assert!(matches!(Footer::parse(&bytes[1..]), Err(TableErrorKind::Truncated)));
    }

    #[test]
    fn counts_that_do_not_add_up_are_refused() {
        for wins in [5, u64::MAX] {
            let mut wrong = footer();
            wrong.summaries[Side::Attackers].wins = wins;
            let error = Footer::parse(&bytes_of(wrong)).unwrap_err();
            assert!(matches!(error, TableErrorKind::Corrupted(Part::Footer)));
        }
    }

    #[test]
    fn the_largest_code_follows_from_the_longest_win_and_loss() {
        assert_eq!(summary().largest_code(Metric::Wdl), 2);
        assert_eq!(summary().largest_code(Metric::Dtw), 6);
        assert_eq!(SideSummary { max_win: 7, ..summary() }.largest_code(Metric::Dtw), 7);
        assert_eq!(SideSummary::default().largest_code(Metric::Dtw), 0);
        let longest = SideSummary { max_loss: u16::MAX, ..summary() };
        assert_eq!(longest.largest_code(Metric::Dtw), DONT_CARE - 1);
    }
}
