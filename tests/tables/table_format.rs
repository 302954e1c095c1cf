//! The table file: what is written is read back, and damage is found.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use taflbase::rules::{BySide, Fingerprint, Side};
use taflbase::slice::Slice;
use taflbase::table::*;
use tempfile::tempdir;

use crate::forge::{FOOTER, HEADER, Hollow, put_checksums_right};

/// A table in memory: its header and the values of its blocks.
#[derive(Clone, Debug)]
struct Model {
    header: Header,
    blocks: Vec<Vec<Code>>,
}

fn header(metric: Metric, packing: Packing, grid: Grid) -> Header {
    Header {
        metric,
        packing,
        fingerprint: Fingerprint([7; 32]),
        slice: Slice { defenders: 2, attackers: 4 },
        grid,
    }
}

impl Model {
    /// Creates the table that holds `code(side, lane, row)`.
    fn new(header: Header, mut code: impl FnMut(Side, usize, u64) -> Code) -> Model {
        let blocks = (0..header.grid.blocks()).map(|block| {
            let extent = header.grid.block_extent(block).unwrap();
            let slots =
                extent.lanes.flat_map(|lane| extent.rows.clone().map(move |row| (lane, row)));
            slots.map(|(lane, row)| code(extent.side, lane, row)).collect()
        });
        Model { header, blocks: blocks.collect() }
    }

    /// Returns the summary of one side's values, without don't-cares.
    fn summary(&self, side: Side) -> SideSummary {
        let per_side = self.blocks.len() / 2;
        let mut summary = SideSummary::default();
        for &code in self.blocks[side as usize * per_side..][..per_side].iter().flatten() {
            summary.positions += u64::from(code != DONT_CARE);
            match code {
                DONT_CARE => {}
                0 => summary.draws += 1,
                odd if odd % 2 == 1 => {
                    summary.wins += 1;
                    summary.max_win = summary.max_win.max(odd);
                }
                even => {
                    summary.losses += 1;
                    summary.max_loss = summary.max_loss.max(even - 2);
                }
            }
        }
        summary
    }

    fn value_hash(&self) -> ValueHash {
        let grid = self.header.grid;
        let mut hasher = ValueHasher::new(grid.lanes());
        for side in Side::ALL {
            for lane in 0..grid.lanes() {
                let slot = |row| grid.locate(side, lane, row).unwrap();
                let code = |(block, offset)| self.blocks[block as usize][offset];
                hasher.update(side, lane, (0..grid.rows()).map(|row| code(slot(row))));
            }
        }
        hasher.finish()
    }

    fn write_in(&self, order: &[usize], level: i32, path: &Path) -> u64 {
        let mut writer = TableWriter::create(path, self.header).unwrap();
        for &block in order {
            writer.append(block as u64, level, &self.blocks[block]).unwrap();
        }
        writer.finish(BySide::from_fn(|side| self.summary(side)), self.value_hash()).unwrap()
    }

    fn bytes(&self, level: i32) -> Vec<u8> {
        let folder = tempdir().unwrap();
        let path = folder.path().join("K2v4.dtw");
        let order: Vec<usize> = (0..self.blocks.len()).collect();
        let size = self.write_in(&order, level, &path);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, size);
        bytes
    }

    /// Returns whether a block that was read equals this one's.
    fn matches(&self, block: u64, read: &[Code]) -> bool {
        let values = &self.blocks[block as usize];
        let same = |(value, read): (&Code, &Code)| *value == DONT_CARE || value == read;
        values.len() == read.len() && values.iter().zip(read).all(same)
    }

    fn assert_read<S: Source>(&self, table: &Table<S>) {
        assert_eq!(table.header(), &self.header);
        let mut values = Vec::new();
        for block in 0..self.header.grid.blocks() {
            table.read_block(block, &mut values).unwrap();
            assert!(self.matches(block, &values), "block {block}");
        }
        for side in Side::ALL {
            assert_eq!(table.summary(side), &self.summary(side));
        }
        assert_eq!(table.value_hash(), self.value_hash());
        assert!(table.check().is_ok());
    }
}

fn no_hash() -> ValueHash {
    ValueHash([0; 32])
}

fn models() -> impl Strategy<Value = Model> {
    let sizes = (1..9usize, 1..120u64)
        .prop_flat_map(|(lanes, rows)| (Just(lanes), Just(rows), 1..=lanes, 1..=rows));
    let largest = prop::sample::select(
        &[(Metric::Wdl, 2), (Metric::Dtw, 2), (Metric::Dtw, 255), (Metric::Dtw, 65534)][..],
    );
    (sizes, largest, any::<u64>(), 1..200u64).prop_map(|(sizes, (metric, largest), seed, run)| {
        let (lanes, rows, lanes_per_block, rows_per_block) = sizes;
        let shape = BlockShape { lanes_per_block, rows_per_block };
        let grid = Grid::new(lanes, rows, shape).unwrap();
        let header = header(metric, Packing::for_codes_up_to(largest), grid);
        Model::new(header, |side, lane, row| scattered(seed, side, lane, row / run, largest))
    })
}

/// Returns some value up to `largest`, or a don't-care. The golden files hold these values, so
/// the hash never changes.
fn scattered(seed: u64, side: Side, lane: usize, row: u64, largest: Code) -> Code {
    let slot = (row * 512 + lane as u64) * 2 + side as u64;
    let random = (slot ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ seed >> 7;
    let random = random.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24;
    if random.is_multiple_of(5) {
        DONT_CARE
    } else {
        (random / 5 % (u64::from(largest) + 1)) as Code
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tables_round_trip_through_files(
        (model, order) in models().prop_flat_map(|model| {
            let order: Vec<usize> = (0..model.blocks.len()).collect();
            (Just(model), Just(order).prop_shuffle())
        }),
        level in 1..6,
    ) {
        let folder = tempdir().unwrap();
        let path = folder.path().join("K2v4.dtw");
        let size = model.write_in(&order, level, &path);
        prop_assert_eq!(size, fs::metadata(&path).unwrap().len());
        model.assert_read(&Table::open(&path, Access::Mapped).unwrap());
        model.assert_read(&Table::open(&path, Access::Read).unwrap());
        let table = Table::new(fs::read(&path).unwrap()).unwrap();
        model.assert_read(&table);
        let grid = model.header.grid;
        for side in Side::ALL {
            let (lane, row) = (grid.lanes() - 1, grid.rows() - 1);
            let (block, offset) = grid.locate(side, lane, row).unwrap();
            let value = model.blocks[block as usize][offset];
            prop_assert!(value == DONT_CARE || table.value(side, lane, row).unwrap() == value);
            let outside = table.value(side, lane + 1, row).unwrap_err();
            prop_assert!(matches!(outside.kind, TableErrorKind::OutsideTable));
        }
        let outside = table.read_block(grid.blocks(), &mut vec![]).unwrap_err();
        prop_assert!(matches!(outside.kind, TableErrorKind::OutsideTable));
    }

    #[test]
    fn forged_tables_do_not_make_the_reader_panic(
        model in models(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_header_or_footer in any::<bool>(),
    ) {
        let mut bytes = model.bytes(1);
        let length = bytes.len();
        for (at, byte) in changes {
            let at = at.index(if in_header_or_footer { HEADER + FOOTER } else { length });
            let at = if in_header_or_footer && at >= HEADER { length - FOOTER + at - HEADER } else { at };
            bytes[at] = byte;
        }
        put_checksums_right(&mut bytes);
        if let Ok(table) = Table::new(bytes) {
            let _ = table.check();
            let _ = table.value(Side::Defenders, 0, 0);
            let mut values = vec![];
            for block in 0..table.header().grid.blocks().min(99) {
                let _ = table.read_block(block, &mut values);
                prop_assert!(values.len() <= MAX_BLOCK_VALUES);
            }
        }
    }
}

/// Creates a table with a compressed record, a stored one, blocks of one value, and a side of
/// one value.
fn small() -> Model {
    let shape = BlockShape { lanes_per_block: 2, rows_per_block: 40 };
    let grid = Grid::new(3, 50, shape).unwrap();
    let header = header(Metric::Dtw, Packing::Bytes, grid);
    Model::new(header, |side, lane, row| match (side, lane, row) {
        (Side::Defenders, _, _) => 2,
        (_, 0..2, 0..40) => (row / 15) as Code,
        (_, 0..2, _) => row as Code,
        (_, _, 0..40) => 5,
        _ => DONT_CARE,
    })
}

#[test]
fn every_flipped_bit_is_found() {
    let (model, bytes) = (small(), small().bytes(19));
    assert!(bytes.len() < 440, "{}", bytes.len());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            // A table that cannot be opened has been refused.
            let Ok(table) = Table::new(damaged) else {
                continue;
            };
            assert!(table.check().is_err(), "byte {at}");
            let mut values = Vec::new();
            for block in 0..model.header.grid.blocks() {
                if let Err(error) = table.read_block(block, &mut values) {
                    let named = matches!(error.kind, TableErrorKind::Corrupted(Part::Block(b)) if b == block);
                    assert!(named, "byte {at}: {error}");
                } else {
                    assert!(model.matches(block, &values), "byte {at}, block {block}");
                }
            }
        }
    }
}

#[test]
fn every_truncation_is_found() {
    let bytes = small().bytes(19);
    for length in 0..bytes.len() {
        let error = Table::new(&bytes[..length]).unwrap_err();
        assert!(matches!(error.kind, TableErrorKind::Truncated), "{length}: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Table::new(longer).is_err());
    let doubled = [&bytes[..bytes.len() - FOOTER], &bytes[bytes.len() - FOOTER - 8..]].concat();
    let error = Table::new(doubled).unwrap_err();
    assert!(matches!(error.kind, TableErrorKind::Corrupted(Part::Footer)), "{error}");
}

#[test]
fn check_names_each_damaged_block() {
    let bytes = small().bytes(19);
    let mut damaged = bytes.clone();
    damaged[HEADER + 12] ^= 1;
    let table = Table::new(damaged).unwrap();
    let errors: Vec<String> = table.check().unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "the table's block 0 is damaged; delete the table, then build or copy it again",
            "the table's file checksum is damaged; delete the table, then build or copy it again"
        ]
    );
}

#[test]
fn values_beyond_the_longest_win_are_damage() {
    let mut bytes = small().bytes(19);
    let footer = bytes.len() - FOOTER;
    let (max_win, max_loss) = (footer + 16 + 32, footer + 16 + 34);
    bytes[max_win..][..2].copy_from_slice(&3u16.to_le_bytes());
    bytes[max_loss..][..2].copy_from_slice(&2u16.to_le_bytes());
    put_checksums_right(&mut bytes);
    let table = Table::new(bytes).unwrap();
    let mut values = Vec::new();
    let damaged = (0..8).filter(|&block| table.read_block(block, &mut values).is_err());
    assert_eq!(damaged.collect::<Vec<_>>(), [1, 2]);
}

/// The bytes of a hollow table, and the number of bytes that have been read.
struct HollowSource(Hollow, Cell<u64>);

impl Source for HollowSource {
    fn size_bytes(&self) -> u64 {
        (HEADER + FOOTER) as u64 + self.0.hole_bytes
    }

    fn bytes(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let HollowSource(Hollow { header, footer, hole_bytes }, read) = self;
        read.set(read.get() + length as u64);
        assert!(read.get() <= 2 << 20, "reads the hole");
        Ok(match start.checked_sub(HEADER as u64) {
            None => header[start as usize..][..length].into(),
            Some(behind) if behind == *hole_bytes => footer[..length].into(),
            Some(_) => vec![0; length].into(),
        })
    }
}

#[test]
fn a_hole_of_a_file_takes_no_memory() {
    let sound = small().bytes(19);
    // The smallest possible blocks, with an index of 96 GiB.
    let hollow = Hollow::new(&sound, 1 << 40, 512);
    assert_eq!(hollow.hole_bytes, 96 << 30);
    let error = Table::new(HollowSource(hollow, Cell::new(0))).err().unwrap();
    assert!(matches!(error.kind, TableErrorKind::Corrupted(Part::Index)), "{error}");
    // Smaller tables.
    let hollow = Hollow::new(&sound, 1 << 40, 511);
    let error = Table::new(HollowSource(hollow, Cell::new(0))).err().unwrap();
    assert!(matches!(error.kind, TableErrorKind::Corrupted(Part::Header)), "{error}");
}

#[test]
fn a_header_is_read_before_anything_else() {
    let sound = small().bytes(19);
    let head = TableHead::new(&sound[..HEADER]).unwrap();
    assert_eq!((head.header(), head.path()), (&small().header, None));
    let error = head.into_table().unwrap_err();
    assert!(matches!(error.kind, TableErrorKind::Truncated), "{error}");
    small().assert_read(&TableHead::new(sound).unwrap().into_table().unwrap());
}

#[test]
fn a_table_of_one_value_is_header_and_footer() {
    let shape = BlockShape { lanes_per_block: 1, rows_per_block: 10 };
    let grid = Grid::new(45, 1000, shape).unwrap();
    let wdl = header(Metric::Wdl, Packing::Base3, grid);
    let model = Model::new(wdl, |side, _, row| match (side, row) {
        (_, 0..10) => DONT_CARE,
        (Side::Attackers, _) => 2,
        (Side::Defenders, _) => 1,
    });
    let bytes = model.bytes(19);
    assert_eq!(bytes.len(), HEADER + FOOTER);
    let table = Table::new(bytes).unwrap();
    model.assert_read(&table);
    assert_eq!(table.value(Side::Attackers, 3, 0).unwrap(), 2);
    assert_eq!(table.value(Side::Defenders, 44, 999).unwrap(), 1);
}

#[test]
fn a_writer_that_does_not_finish_leaves_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("K2v4.dtw");
    let model = small();
    let mut writer = TableWriter::create(&path, model.header).unwrap();
    let mut second = TableWriter::create(&path, model.header).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    writer.append(0, 3, &model.blocks[0]).unwrap();
    for number in [0, 1] {
        let error = writer.append(number, 3, &model.blocks[0]).unwrap_err();
        assert!(matches!(error.kind, TableErrorKind::UnexpectedBlock(n) if n == number), "{error}");
    }
    let outside = writer.append(8, 3, &model.blocks[0]).unwrap_err();
    assert!(matches!(outside.kind, TableErrorKind::OutsideTable));
    writer.append(2, 3, &model.blocks[2]).unwrap();
    let error = writer.finish(Default::default(), no_hash()).unwrap_err();
    assert!(
        matches!(error.kind, TableErrorKind::MissingBlocks { missing: 6, first: 1 }),
        "{error}"
    );
    assert!(!path.exists());
    for (number, values) in (0..).zip(&model.blocks) {
        second.append(number, 3, values).unwrap();
    }
    let error = second.finish(Default::default(), no_hash()).unwrap_err();
    assert!(matches!(error.kind, TableErrorKind::CodeTooLarge { .. }), "{error}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn system_errors_name_the_path() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("missing").join("K2v4.dtw");
    let error = TableWriter::create(&path, small().header).unwrap_err().to_string();
    assert!(error.contains("missing") && error.contains("cannot create the table"), "{error}");
    for error in [Access::Mapped, Access::Read].map(|a| Table::open(&path, a).unwrap_err()) {
        assert!(matches!(error.kind, TableErrorKind::Io { .. }));
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
    }
    let text = folder.path().join("text.dtw");
    fs::write(&text, "not a table, but as long as one could be").unwrap();
    let error = Table::open(&text, Access::Mapped).unwrap_err();
    assert!(matches!(error.kind, TableErrorKind::NotATable), "{error}");
    fs::write(&text, "").unwrap();
    let error = Table::open(&text, Access::Mapped).unwrap_err();
    assert!(matches!(error.kind, TableErrorKind::Truncated), "{error}");
}

/// Blocks of so few values that they are stored uncompressed, and do not depend on the
/// compressor's version.
fn golden_stored() -> Model {
    let shape = BlockShape { lanes_per_block: 1, rows_per_block: 8 };
    let grid = Grid::new(5, 12, shape).unwrap();
    let dtw = header(Metric::Dtw, Packing::Bytes, grid);
    Model::new(dtw, |side, lane, row| match (side, lane) {
        (Side::Attackers, 0) => 3,
        (Side::Attackers, 1) => DONT_CARE,
        _ => scattered(1, side, lane, row, 9),
    })
}

fn golden_compressed() -> Model {
    let shape = BlockShape { lanes_per_block: 1, rows_per_block: 2000 };
    let grid = Grid::new(3, 3000, shape).unwrap();
    let wdl = header(Metric::Wdl, Packing::Base3, grid);
    Model::new(wdl, |side, lane, row| match side {
        Side::Attackers => 2,
        Side::Defenders => scattered(2, side, lane, row / 90, 2),
    })
}

/// Blocks of runs: of many values and of few, short runs and runs that continue in the next
/// byte; and a block that is stored.
fn golden_runs() -> Model {
    let shape = BlockShape { lanes_per_block: 1, rows_per_block: 2000 };
    let grid = Grid::new(4, 2003, shape).unwrap();
    let dtw = header(Metric::Dtw, Packing::Runs, grid);
    Model::new(dtw, |side, lane, row| match lane {
        0 => scattered(3, side, lane, row / 600, 1),
        1 => scattered(3, side, lane, row / 9, 6),
        2 => scattered(3, side, lane, row / 40, 255),
        _ => scattered(3, side, lane, row.saturating_sub(1900), 2),
    })
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// With `WRITE_GOLDEN` set, which a new format version requires, the files are written first.
#[test]
fn golden_files_are_read_and_reproduced() {
    let (stored, compressed) = (golden("stored-v2.dtw"), golden("compressed-v2.wdl"));
    let runs = golden("runs-v2.dtw");
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        fs::write(&stored, golden_stored().bytes(19)).unwrap();
        fs::write(&compressed, golden_compressed().bytes(19)).unwrap();
        fs::write(&runs, golden_runs().bytes(19)).unwrap();
    }
    golden_stored().assert_read(&Table::open(&stored, Access::Mapped).unwrap());
    golden_compressed().assert_read(&Table::open(&compressed, Access::Mapped).unwrap());
    golden_runs().assert_read(&Table::open(&runs, Access::Mapped).unwrap());
    assert_eq!(golden_stored().bytes(19), fs::read(stored).unwrap());
    // The version of the compressor is pinned.
    assert_eq!(golden_runs().bytes(19), fs::read(runs).unwrap());
    let (old, new) = (fs::read(compressed).unwrap(), golden_compressed().bytes(19));
    assert_eq!(old[..HEADER], new[..HEADER]);
    assert_eq!(old[old.len() - FOOTER + 16..][..108], new[new.len() - FOOTER + 16..][..108]);
}
