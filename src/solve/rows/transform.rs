use crate::solve::rows::row::Row;

/// A symmetry of the lanes: where each lane of a row goes.
#[derive(Clone, Debug)]
pub(crate) struct Transform<const N: usize> {
    /// For every byte of a row and its content: what the lanes become.
    bytes: Vec<[Row<N>; 256]>,
    /// For every word of the image and of the row, what goes from one to the
    /// other.
    pub picks: [[Pick; N]; N],
}

/// Which bits of one word make up another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    /// For every bit, the number of its source.
    pub bits: [u8; 64],
    /// The bits that have a source there.
    pub mask: u64,
}

impl<const N: usize> Transform<N> {
    /// Moves each of the first `lanes` to its image.
    pub(crate) fn new(lanes: usize, image: impl Fn(usize) -> usize) -> Transform<N> {
        let byte = |first: usize| {
            std::array::from_fn(|content| {
                (0..8)
                    .filter(|bit| content >> bit & 1 == 1 && first + bit < lanes)
                    .fold(Row::EMPTY, |row, bit| row | Row::bit(image(first + bit)))
            })
        };
        let mut picks = [[Pick { bits: [0; 64], mask: 0 }; N]; N];
        for lane in 0..lanes {
            let to = image(lane);
            let pick = &mut picks[to / 64][lane / 64];
            pick.bits[to % 64] = (lane % 64) as u8;
            pick.mask |= 1 << (to % 64);
        }
        Transform { bytes: (0..lanes).step_by(8).map(byte).collect(), picks }
    }

    /// The image of a row, byte by byte.
    #[inline(always)]
    pub(crate) fn by_bytes(&self, row: Row<N>) -> Row<N> {
        let mut image = Row::EMPTY;
        for (i, table) in self.bytes.iter().enumerate() {
            image |= table[(row.0[i / 8] >> (i % 8 * 8)) as usize & 0xff];
        }
        image
    }
}
