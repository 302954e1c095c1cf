use crate::game::board::Symmetry;
use crate::solve::rows::row::Row;

/// The permutations of the lanes by all symmetries of the board.
#[derive(Clone, Debug)]
pub(crate) struct Transforms<const N: usize> {
    each: [Transform<N>; 8],
    /// The same as bit matrices, if every symmetry has that form.
    pub matrices: Option<BitMatrices>,
}

/// The fields of [`BitMatrix`] by symmetry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitMatrices {
    pub bytes: [u64; 8],
    pub bits: [u64; 8],
    /// All bits set if transposed, otherwise none.
    pub transposed: [u64; 8],
}

/// A permutation of the lanes: the destination of each lane of a row.
#[derive(Clone, Debug)]
pub(crate) struct Transform<const N: usize> {
    /// By byte of the row and by its value: the image of those lanes.
    bytes: Vec<[Row<N>; 256]>,
    /// By word of the image and by word of the row: the bits that the one takes from the other.
    pub picks: [[Pick; N]; N],
    /// The same as a bit matrix, if rows have one word and the permutation has that form.
    pub matrix: Option<BitMatrix>,
}

/// A symmetry of the 8 x 8 bits of a word: a rotation, reflection or shift, or a combination. Bits
/// from beyond the square are dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitMatrix {
    /// For each byte of the image (for each bit, last one first, if transposed): the number of its
    /// source byte, or 128 for none.
    pub bytes: u64,
    /// For each bit of the image, last one first (for each byte, if transposed): its source bit as
    /// a mask, or 0 for none.
    pub bits: u64,
    /// Whether bytes become bits and bits become bytes.
    pub transposed: bool,
}

/// The bits of one word that make up another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    /// For each bit, the number of its source.
    pub bits: [u8; 64],
    /// The bits that have a source in the word.
    pub mask: u64,
}

impl<const N: usize> Transforms<N> {
    /// Builds the permutation of each symmetry.
    pub(crate) fn new(transform: impl Fn(Symmetry) -> Transform<N>) -> Transforms<N> {
        let each = Symmetry::ALL.map(transform);
        let matrices = BitMatrices::of(&each);
        Transforms { each, matrices }
    }

    /// Returns the permutation of a symmetry.
    #[inline(always)]
    pub(crate) fn of(&self, symmetry: Symmetry) -> &Transform<N> {
        &self.each[symmetry.index()]
    }
}

impl BitMatrices {
    /// Returns the matrices of all symmetries, if each has one.
    fn of<const N: usize>(each: &[Transform<N>; 8]) -> Option<BitMatrices> {
        let mut all = BitMatrices { bytes: [0; 8], bits: [0; 8], transposed: [0; 8] };
        for (i, transform) in each.iter().enumerate() {
            let BitMatrix { bytes, bits, transposed } = transform.matrix?;
            all.bytes[i] = bytes;
            all.bits[i] = bits;
            all.transposed[i] = if transposed { u64::MAX } else { 0 };
        }
        Some(all)
    }
}

impl<const N: usize> Transform<N> {
    /// Builds the permutation that moves each lane to its image and drops lanes without one.
    pub(crate) fn new(image: impl Fn(usize) -> Option<usize>) -> Transform<N> {
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
            bytes: (0..used).step_by(8).map(|first| byte_images(first, &image)).collect(),
            matrix: [false, true]
                .into_iter()
                .filter(|_| N == 1)
                .find_map(|transposed| BitMatrix::of(&picks[0][0], transposed)),
            picks,
        }
    }

    /// Returns the image of a row, by table lookups of its bytes.
    #[inline(always)]
    pub(crate) fn apply_bytewise(&self, row: Row<N>) -> Row<N> {
        let mut image = Row::EMPTY;
        for (i, table) in self.bytes.iter().enumerate() {
            image |= table[(row.0[i / 8] >> (i % 8 * 8)) as usize & 0xff];
        }
        image
    }
}

/// Returns, by the value of the byte that starts at lane `first`, the image of its lanes.
fn byte_images<const N: usize>(
    first: usize,
    image: impl Fn(usize) -> Option<usize>,
) -> [Row<N>; 256] {
    std::array::from_fn(|value| {
        let lanes = (0..8).filter(|bit| value >> bit & 1 == 1);
        let images = lanes.filter_map(|bit| image(first + bit));
        images.fold(Row::EMPTY, |row, to| row | Row::bit(to))
    })
}

impl BitMatrix {
    /// Returns the matrix that does the same as the picks, if there is one.
    fn of(picks: &Pick, transposed: bool) -> Option<BitMatrix> {
        // The source of each byte of the image, and of each bit within a byte.
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
        // The matrix fills every bit whose byte and bit have a source, so the picks must, too.
        let filled = (0..64)
            .filter(|to| from_byte[to / 8].is_some() && from_bit[to % 8].is_some())
            .fold(0, |mask, to| mask | 1_u64 << to);
        if filled != picks.mask {
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
