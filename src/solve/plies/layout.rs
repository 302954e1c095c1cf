//! The division of a slice into partitions, in two ways. *By attackers*: a partition has some
//! chunks of blocks with all sets of defenders; moves of the king and of defenders stay inside. *By
//! defenders*: a partition has all blocks with some sets of defenders and all their images; moves
//! of attackers stay inside.

use std::cmp::Reverse;
use std::ops::Range;

use crate::game::board::SymmetryGroup;
use crate::game::rules::{BySide, Side};
use crate::solve::communicator::even_split;
use crate::solve::frame::Frame;
use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::moves::Moves;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::ply::Domain;
use crate::solve::rows::numbers::{ChunkNumber, PartitionRow, Rank};
use crate::solve::rows::row::Event;

/// The partitions of a slice.
pub(crate) struct PartitionLayout {
    /// The chunks of the whole slice.
    chunks: Chunks,
    /// By attackers: the chunks of each partition.
    ranges: Vec<Range<usize>>,
    /// By defenders: the ranks of each partition's sets, ascending.
    sets: Vec<Vec<Rank>>,
    /// By rank: the set's partition by defenders, and its rank there.
    places: Vec<(usize, Rank)>,
}

impl PartitionLayout {
    /// Divides a slice with these sets of defenders into `count` partitions either way, or into as
    /// many as possible.
    pub(crate) fn new(
        defenders: &DefenderSets,
        symmetries: SymmetryGroup,
        chunks: Chunks,
        count: usize,
    ) -> PartitionLayout {
        let orbits = set_orbits(defenders, symmetries);
        let count = count.min(orbits.len()).min(chunks.count()).max(1);
        let ranges = (0..count).map(|at| even_split(chunks.count(), at, count)).collect();
        let sets = distribute(orbits, count);
        let mut places = vec![(0, Rank::FIRST); defenders.len()];
        for (partition, sets) in sets.iter().enumerate() {
            for (place, rank) in sets.iter().enumerate() {
                places[rank.index()] = (partition, Rank::new(place));
            }
        }
        PartitionLayout { chunks, ranges, sets, places }
    }

    /// Returns the number of partitions, which is the same either way.
    pub(crate) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the chunks of some partitions by attackers.
    pub(crate) fn chunks_of(&self, partitions: &Range<usize>) -> Range<usize> {
        self.first_chunk(partitions.start)..self.first_chunk(partitions.end)
    }

    /// Returns the first chunk of a partition by attackers, or the end of the chunks after the last
    /// partition.
    fn first_chunk(&self, partition: usize) -> usize {
        self.ranges.get(partition).map_or(self.chunks.count(), |range| range.start)
    }

    /// Returns the frame of each of these partitions by defenders.
    pub(crate) fn frames<'a, const N: usize>(
        &self,
        whole: &Frame<'a, N>,
        partitions: Range<usize>,
    ) -> Vec<Frame<'a, N>> {
        self.sets[partitions].iter().map(|sets| whole.subset(sets)).collect()
    }

    /// Returns the domains of some partitions, by the side whose moves stay inside. `whole` has the
    /// moves of all rows, `by_defenders` those of each partition by defenders.
    pub(crate) fn domains<'a, const N: usize>(
        &self,
        partitions: Range<usize>,
        winner: Side,
        whole: &'a Moves<'a, N>,
        by_defenders: &'a [Moves<'a, N>],
    ) -> BySide<Vec<Domain<'a, N>>> {
        let of_attackers = by_defenders.iter().map(|moves| {
            let chunks = Chunks::new(self.chunks.blocks, moves.frame.block_rows());
            Domain { moves, winner, chunks }
        });
        let of_defenders = self.ranges[partitions].iter().map(|range| {
            let chunks = self.chunks.some(range.clone());
            Domain { moves: whole, winner, chunks }
        });
        BySide([of_attackers.collect(), of_defenders.collect()])
    }

    /// Assigns events of a chunk of the whole slice to partitions by defenders and to rows there.
    pub(crate) fn by_defenders<const N: usize>(
        &self,
        chunk: ChunkNumber,
        events: &[Event<N>],
    ) -> Vec<Vec<Event<N, PartitionRow>>> {
        let mut by_partition = vec![Vec::new(); self.count()];
        let (first, sets) = (self.chunks.blocks_of(chunk).start, self.chunks.block_rows);
        for &Event { row, lanes } in events {
            let (partition, rank) = self.places[row.index() % sets];
            let block = first + row.index() / sets;
            let row = PartitionRow::new(block * self.sets[partition].len() + rank.index());
            by_partition[partition].push(Event { row, lanes });
        }
        by_partition
    }

    /// Assigns events of a chunk of partition `from` by defenders, which has these chunks, to
    /// partitions by attackers and to rows there.
    pub(crate) fn by_attackers<const N: usize>(
        &self,
        from: usize,
        chunks: Chunks,
        chunk: ChunkNumber,
        events: &[Event<N>],
    ) -> Vec<Vec<Event<N, PartitionRow>>> {
        let mut by_partition = vec![Vec::new(); self.count()];
        let (first, sets) = (chunks.blocks_of(chunk).start, &self.sets[from]);
        for &Event { row, lanes } in events {
            let block = first + row.index() / sets.len();
            let in_chunk = block / self.chunks.chunk_blocks;
            let partition = self.ranges.partition_point(|range| range.end <= in_chunk);
            let place = block - self.ranges[partition].start * self.chunks.chunk_blocks;
            let rank = sets[row.index() % sets.len()];
            let row = PartitionRow::new(place * self.chunks.block_rows + rank.index());
            by_partition[partition].push(Event { row, lanes });
        }
        by_partition
    }
}

/// Returns the orbits of the sets of defenders under the symmetries.
fn set_orbits(sets: &DefenderSets, symmetries: SymmetryGroup) -> Vec<Vec<Rank>> {
    let mut seen = vec![false; sets.len()];
    let mut orbits = Vec::new();
    for rank in sets.ranks() {
        if seen[rank.index()] {
            continue;
        }
        let images = symmetries.iter().map(|g| sets.images(g)[rank.index()]);
        let mut orbit: Vec<Rank> = images.collect();
        orbit.sort_unstable();
        orbit.dedup();
        orbit.iter().for_each(|rank| seen[rank.index()] = true);
        orbits.push(orbit);
    }
    orbits
}

/// Assigns orbits to partitions, the largest first, each to the one that has the fewest sets.
fn distribute(mut orbits: Vec<Vec<Rank>>, count: usize) -> Vec<Vec<Rank>> {
    orbits.sort_by_key(|orbit| Reverse(orbit.len()));
    let mut partitions: Vec<Vec<Rank>> = vec![Vec::new(); count];
    for orbit in orbits {
        if let Some(smallest) = partitions.iter_mut().min_by_key(|partition| partition.len()) {
            smallest.extend(orbit);
        }
    }
    partitions.iter_mut().for_each(|partition| partition.sort_unstable());
    partitions
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::solve::rows::numbers::ChunkRow;
    use crate::solve::rows::row::Row;
    use crate::solve::test_support::{load, with_words};

    fn check<const N: usize>(
        rules: &crate::game::rules::Ruleset,
        slice: crate::game::slice::Slice,
    ) {
        let whole: Frame<N> = Frame::new(rules, slice).unwrap();
        let chunks = Chunks::new(whole.blocks(), whole.block_rows());
        let moves = Moves::new(&whole);
        for count in [1, 2, 3, 7, 1000] {
            let layout = PartitionLayout::new(&whole.defenders, rules.symmetries(), chunks, count);
            assert!((1..=count).contains(&layout.count()));
            let frames = layout.frames(&whole, 0..layout.count());
            let by_defenders: Vec<Moves<N>> = frames.iter().map(Moves::new).collect();
            let domain = layout.domains(0..layout.count(), Side::Attackers, &moves, &by_defenders);
            for partitions in domain.iter() {
                let rows: usize = partitions.iter().map(|domain| domain.chunks.rows()).sum();
                assert_eq!(rows, chunks.rows());
            }
            assert!(layout.places.iter().all(|&(partition, _)| partition < layout.count()));
            mappings_are_inverse(&layout, &domain, chunks);
            for rank in 0..3 {
                let partitions = even_split(layout.count(), rank, 3);
                let ranges = layout.ranges[partitions.clone()].iter().cloned();
                assert!(ranges.flatten().eq(layout.chunks_of(&partitions)), "{count} partitions");
            }
            assert_eq!(even_split(layout.count(), 2, 3).end, layout.count());
        }
    }

    /// Every row is in one partition either way, and the two mappings are inverse.
    fn mappings_are_inverse<const N: usize>(
        layout: &PartitionLayout,
        domain: &BySide<Vec<Domain<N>>>,
        chunks: Chunks,
    ) {
        let mut there = BTreeSet::new();
        for chunk in chunks.numbers() {
            let rows = chunks.places_of(chunk).len() * chunks.block_rows;
            let events: Vec<Event<N>> = (0..rows)
                .map(|row| Event { row: ChunkRow::new(row), lanes: Row::bit(1) })
                .collect();
            for (partition, events) in layout.by_defenders(chunk, &events).into_iter().enumerate() {
                assert!(events.is_sorted_by(|one, next| one.row < next.row));
                there.extend(events.iter().map(|event| (partition, event.row)));
            }
        }
        assert_eq!(there.len(), chunks.rows());
        let mut back = BTreeSet::new();
        for (partition, domain) in domain[Side::Attackers].iter().enumerate() {
            for chunk in domain.chunks.numbers() {
                let height = domain.chunks.chunk_rows();
                let first = chunk.index() * height;
                let own = (0..height)
                    .filter(|row| there.contains(&(partition, PartitionRow::new(first + row))));
                let events: Vec<Event<N>> =
                    own.map(|row| Event { row: ChunkRow::new(row), lanes: Row::bit(1) }).collect();
                let by_partition = layout.by_attackers(partition, domain.chunks, chunk, &events);
                for (other, events) in by_partition.into_iter().enumerate() {
                    assert!(events.is_sorted_by(|one, next| one.row < next.row));
                    back.extend(events.iter().map(|event| (other, event.row)));
                }
            }
        }
        assert_eq!(back.len(), chunks.rows());
        for (partition, domain) in domain[Side::Defenders].iter().enumerate() {
            let rows = (0..domain.chunks.rows()).map(|row| (partition, PartitionRow::new(row)));
            assert!(rows.into_iter().all(|row| back.contains(&row)));
        }
    }

    #[test]
    fn every_row_is_in_one_partition_either_way() {
        for (rules, slices) in
            [("brandubh", "K2v2 K0v3 K1v3"), ("strange", "K2v1"), ("tablut", "K1v2")]
        {
            let rules = &load(rules);
            for slice in slices.split(' ') {
                with_words!(check, rules, slice.parse().unwrap());
            }
        }
    }

    /// The images of a set are in its partition and keep their properties.
    fn images_stay<const N: usize>(
        rules: &crate::game::rules::Ruleset,
        slice: crate::game::slice::Slice,
    ) {
        let whole: Frame<N> = Frame::new(rules, slice).unwrap();
        let chunks = Chunks::new(whole.blocks(), whole.block_rows());
        let layout = PartitionLayout::new(&whole.defenders, rules.symmetries(), chunks, 3);
        for (frame, ranks) in layout.frames(&whole, 0..3).iter().zip(&layout.sets) {
            let (some, all) = (&frame.defenders, &whole.defenders);
            for (rank, &old) in some.ranks().zip(ranks) {
                assert_eq!(some.set(rank), all.set(old));
                assert_eq!(frame.defender_lanes[rank.index()], whole.defender_lanes[old.index()]);
                for g in rules.symmetries().iter() {
                    let image = some.images(g)[rank.index()];
                    assert_eq!(ranks[image.index()], all.images(g)[old.index()]);
                }
                for square in rules.board.squares() {
                    let holds = some.ranks_holding(square).contains(&rank);
                    assert_eq!(holds, all.set(old).contains(square));
                }
            }
        }
    }

    #[test]
    fn images_are_in_the_same_partition() {
        for (rules, slice) in [("brandubh", "K2v2"), ("strange", "K2v1"), ("tablut", "K2v1")] {
            with_words!(images_stay, &load(rules), slice.parse().unwrap());
        }
    }
}
