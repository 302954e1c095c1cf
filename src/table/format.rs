use std::fmt;

use crate::game::slice::Slice;

/// The format version that this program writes, and the only one it reads.
pub const FORMAT_VERSION: u16 = 2;

/// The meaning of a table's values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Distance to win: plies to the end of the game.
    Dtw,
}

impl Metric {
    /// Both metrics.
    pub const ALL: [Metric; 2] = [Metric::Wdl, Metric::Dtw];

    /// Returns the metric's name, which is also the extension of its files: `wdl` or `dtw`.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtw => "dtw",
        }
    }

    /// Returns the name of a slice's file, as in `K2v4.dtw`.
    pub fn file_name(self, slice: Slice) -> String {
        format!("{slice}.{}", self.name())
    }

    /// Returns the slice and the metric of a file with this name; `None` if
    /// [`file_name`](Metric::file_name) never writes it.
    pub fn of_file_name(name: &str) -> Option<(Slice, Metric)> {
        let (slice, extension) = name.split_once('.')?;
        let slice = slice.parse().ok()?;
        let metric = Metric::ALL.into_iter().find(|metric| metric.name() == extension)?;
        (metric.file_name(slice) == name).then_some((slice, metric))
    }

    /// Returns the number in the header.
    pub(super) fn id(self) -> u8 {
        match self {
            Metric::Wdl => 1,
            Metric::Dtw => 2,
        }
    }

    /// Returns the metric with this number in the header.
    pub(super) fn from_id(id: u8) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.id() == id)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
