use crate::game::board::Symmetry;
use crate::solve::rows::row::Row;

/// What each symmetry of the board does to the lanes.
#[derive(Clone, Debug)]
pub(crate) struct Transforms<const N: usize> {
    each: [Transform<N>; 8],
    /// The same for words that are squares of eight bytes, if all are so simple.
    pub of_bytes: Option<BitMatrices>,
}

/// By symmetry: what [`BitMatrix`] says of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitMatrices {
    pub bytes: [u64; 8],
    pub bits: [u64; 8],
    /// All bits set, or none.
    pub transposed: [u64; 8],
}

/// A symmetry of the lanes: where each lane of a row goes.
#[derive(Clone, Debug)]
pub(crate) struct Transform<const N: usize> {
    /// For every byte of a row and its content: what the lanes become.
    bytes: Vec<[Row<N>; 256]>,
    /// For every word of the image and of the row, what goes from one to the
    /// other.
    pub picks: [[Pick; N]; N],
    /// The same for a word that is a square of eight bytes, if it is so simple.
    pub of_bytes: Option<BitMatrix>,
}

/// A symmetry of a square of 8 x 8 bits, a word's bytes: turned round, mirrored, or
/// moved, or several of that. What comes from beyond the square is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitMatrix {
    /// For every byte of the image, or if they change with its bits, for every bit, the
    /// last one first: the number of the byte that it comes from; 128: of none.
    pub bytes: u64,
    /// For every bit of the image, the last one first, or if they change with its bytes,
    /// for every byte: the bit that it comes from, as a byte of that bit; 0: of none.
    pub bits: u64,
    /// Whether bytes become bits and bits bytes.
    pub transposed: bool,
}

/// Which bits of one word make up another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    /// For every bit, the number of its source.
    pub bits: [u8; 64],
    /// The bits that have a source there.
    pub mask: u64,
}

impl<const N: usize> Transforms<N> {
    /// Of each symmetry.
    pub(crate) fn new(transform: impl Fn(Symmetry) -> Transform<N>) -> Transforms<N> {
        let each = Symmetry::ALL.map(transform);
        let all_simple = each.iter().all(|transform| transform.of_bytes.is_some());
        let of_bytes = all_simple.then(|| {
            let words = |word: fn(BitMatrix) -> u64| {
                std::array::from_fn(|i| each[i].of_bytes.map_or(0, word))
            };
            BitMatrices {
                bytes: words(|of_bytes| of_bytes.bytes),
                bits: words(|of_bytes| of_bytes.bits),
                transposed: words(|of_bytes| if of_bytes.transposed { u64::MAX } else { 0 }),
            }
        });
        Transforms { each, of_bytes }
    }

    /// Of one symmetry.
    #[inline(always)]
    pub(crate) fn of(&self, symmetry: Symmetry) -> &Transform<N> {
        &self.each[symmetry.index()]
    }
}

impl<const N: usize> Transform<N> {
    /// Moves each lane to its image, if it has one, and leaves the others out.
    pub(crate) fn new(image: impl Fn(usize) -> Option<usize>) -> Transform<N> {
        let byte = |first: usize| {
            std::array::from_fn(|content| {
                let lanes = (0..8).filter(|bit| content >> bit & 1 == 1);
                let images = lanes.filter_map(|bit| image(first + bit));
                images.fold(Row::EMPTY, |row, to| row | Row::bit(to))
            })
        };
        let mut picks = [[Pick { bits: [0; 64], mask: 0 }; N]; N];
        for lane in 0..64 * N {
            let Some(to) = image(lane) else { continue };
            let pick = &mut picks[to / 64][lane / 64];
            pick.bits[to % 64] = (lane % 64) as u8;
            pick.mask |= 1 << (to % 64);
        }
        let last = (0..64 * N).rev().find(|&lane| image(lane).is_some());
        let used = last.map_or(0, |last| last + 1);
        Transform {
            bytes: (0..used).step_by(8).map(byte).collect(),
            of_bytes: [false, true].into_iter().find_map(|t| BitMatrix::of(&picks[0][0], t)),
            picks,
        }
    }

    /// The image of a row, byte by byte.
    #[inline(always)]
    pub(crate) fn apply_bytewise(&self, row: Row<N>) -> Row<N> {
        let mut image = Row::EMPTY;
        for (i, table) in self.bytes.iter().enumerate() {
            image |= table[(row.0[i / 8] >> (i % 8 * 8)) as usize & 0xff];
        }
        image
    }
}

impl BitMatrix {
    /// What these picks do, if they do the same to all bytes.
    fn of(picks: &Pick, transposed: bool) -> Option<BitMatrix> {
        // By byte of the image and by bit: what they come from.
        let (mut from_byte, mut from_bit) = ([None; 8], [None; 8]);
        for to in (0..64).filter(|to| picks.mask >> to & 1 == 1) {
            let source = picks.bits[to];
            let (byte, bit) = (source / 8, source % 8);
            let wanted = if transposed { [bit, byte] } else { [byte, bit] };
            for (from, wanted) in
                [&mut from_byte[to / 8], &mut from_bit[to % 8]].into_iter().zip(wanted)
            {
                if *from.get_or_insert(wanted) != wanted {
                    return None;
                }
            }
        }
        let all = |i: usize| from_byte[i / 8].is_some() && from_bit[i % 8].is_some();
        if (0..64).any(|to| all(to) != (picks.mask >> to & 1 == 1)) {
            return None;
        }
        from_bit.reverse();
        let (bytes, bits) = if transposed { (from_bit, from_byte) } else { (from_byte, from_bit) };
        Some(BitMatrix {
            bytes: u64::from_le_bytes(bytes.map(|byte| byte.unwrap_or(128))),
            bits: u64::from_le_bytes(bits.map(|bit| bit.map_or(0, |bit| 1 << bit))),
            transposed,
        })
    }
}
