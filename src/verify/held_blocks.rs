//! The blocks of a slice that are in memory, and their offsets there.

/// A set of blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockSet {
    /// A bit for each block.
    words: Vec<u64>,
    len: usize,
}

const BITS: usize = u64::BITS as usize;

impl BlockSet {
    /// Creates an empty set for that many blocks.
    pub(super) fn new(blocks: usize) -> BlockSet {
        BlockSet { words: vec![0; blocks.div_ceil(BITS)], len: 0 }
    }

    pub(super) fn contains(&self, block: usize) -> bool {
        self.words[block / BITS] >> (block % BITS) & 1 == 1
    }

    pub(super) fn insert(&mut self, block: usize) {
        self.len += usize::from(!self.contains(block));
        self.words[block / BITS] |= 1 << (block % BITS);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// The blocks whose rows are in memory, in the order of their numbers.
#[derive(Debug)]
pub(super) enum HeldBlocks {
    /// All blocks; their number.
    All(usize),
    /// A set of blocks, and for each word of the set the number of blocks before it.
    Some(BlockSet, Vec<usize>),
}

impl From<BlockSet> for HeldBlocks {
    fn from(set: BlockSet) -> HeldBlocks {
        let mut counts = Vec::with_capacity(set.words.len());
        let mut sum = 0;
        for word in &set.words {
            counts.push(sum);
            sum += word.count_ones() as usize;
        }
        HeldBlocks::Some(set, counts)
    }
}

impl HeldBlocks {
    pub(super) const NOTHING: HeldBlocks = HeldBlocks::All(0);

    /// Returns the memory that a set of `blocks` blocks takes.
    pub(super) fn set_bytes(blocks: u64) -> u64 {
        blocks.div_ceil(u64::from(u64::BITS)) * (size_of::<u64>() + size_of::<usize>()) as u64
    }

    pub(super) fn is_all(&self) -> bool {
        matches!(self, HeldBlocks::All(_))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            HeldBlocks::All(blocks) => *blocks,
            HeldBlocks::Some(set, _) => set.len,
        }
    }

    /// Returns the number of held blocks before this one: its offset in memory, if it is held.
    #[inline]
    pub(super) fn offset(&self, block: usize) -> usize {
        match self {
            HeldBlocks::All(_) => block,
            HeldBlocks::Some(set, counts) => {
                let (word, bit) = (block / BITS, block % BITS);
                counts[word] + (set.words[word] & !(!0 << bit)).count_ones() as usize
            }
        }
    }

    pub(super) fn contains(&self, block: usize) -> bool {
        match self {
            HeldBlocks::All(blocks) => block < *blocks,
            HeldBlocks::Some(set, _) => set.contains(block),
        }
    }

    /// Returns the held blocks from this offset on, in order.
    pub(super) fn blocks_from(&self, offset: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.at(offset), |&block| self.next(block + 1))
    }

    /// Returns the block at an offset.
    fn at(&self, offset: usize) -> Option<usize> {
        match self {
            _ if offset >= self.len() => None,
            HeldBlocks::All(_) => Some(offset),
            HeldBlocks::Some(set, counts) => {
                let word = counts.partition_point(|&count| count <= offset) - 1;
                let mut bits = set.words[word];
                for _ in counts[word]..offset {
                    bits &= bits - 1;
                }
                Some(word * BITS + bits.trailing_zeros() as usize)
            }
        }
    }

    /// Returns the first held block from this one on.
    fn next(&self, block: usize) -> Option<usize> {
        match self {
            HeldBlocks::All(blocks) => (block < *blocks).then_some(block),
            HeldBlocks::Some(set, _) => {
                let first = set.words.get(block / BITS)? & (!0 << (block % BITS));
                let words = std::iter::once(&first).chain(&set.words[block / BITS + 1..]);
                let (ahead, bits) = words.enumerate().find(|&(_, &bits)| bits != 0)?;
                Some((block / BITS + ahead) * BITS + bits.trailing_zeros() as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_the_held_blocks() {
        let mut set = BlockSet::new(1000);
        let blocks = [0, 1, 63, 64, 130, 640, 641, 703, 704, 999];
        for block in blocks.into_iter().chain([64, 0]) {
            set.insert(block);
        }
        assert_eq!(set.len(), blocks.len());
        let some = HeldBlocks::from(set);
        for offset in 0..=blocks.len() {
            let rest: Vec<usize> = some.blocks_from(offset).collect();
            assert_eq!(rest, blocks[offset..]);
        }
        for block in 0..1000 {
            let before = blocks.iter().filter(|&&held| held < block).count();
            assert_eq!(some.offset(block), before);
            assert_eq!(some.contains(block), blocks.contains(&block));
        }
        let all: Vec<usize> = HeldBlocks::All(5).blocks_from(2).collect();
        assert_eq!(all, [2, 3, 4]);
        assert_eq!(HeldBlocks::NOTHING.blocks_from(0).next(), None);
    }
}
