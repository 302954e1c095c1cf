//! The boards and start positions of the games that the reference implements.

use super::position::Side;
use super::rules::{Family, Rules};

const NINE: &str = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
const SEVEN: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
const FIVE: &str = "/2t2/2T2/tTKTt/2T2/2t2/";
const THIRTEEN: &str = "/4ttttt4/6t6/13/6T6/t5T5t/t5T5t/tt1TTTKTTT1tt/t5T5t/t5T5t/6T6/13/\
                        6t6/4ttttt4/";
const FIFTEEN: &str = "/5ttttt5/7t7/15/15/15/t6T6t/t5TTT5t/tt3TTKTT3tt/t5TTT5t/t6T6t/15/15/15/\
                       7t7/5ttttt5/";
const SEVENTEEN: &str = "/6ttttt6/8t8/17/17/17/17/t7T7t/t6TTT6t/tt4TTKTT4tt/t6TTT6t/t7T7t/17/17/\
                         17/17/8t8/6ttttt6/";
const NINETEEN: &str = "/2t2t7t2t2/19/t4t7t4t/7t1t1t7/6t1T1T1t6/t1t2t7t2t1t/4t4T4t4/\
                        3t4T1T4t3/4T2T1T1T2T4/3t2T1TKT1T2t3/4T2T1T1T2T4/3t4T1T4t3/4t4T4t4/\
                        t1t2t7t2t1t/6t1T1T1t6/7t1t1t7/t4t7t4t/19/2t2t7t2t2/";

const NINE_CAMPS: [[&str; 4]; 4] = [
    ["a4", "a5", "a6", "b5"],
    ["d1", "e1", "f1", "e2"],
    ["i4", "i5", "i6", "h5"],
    ["d9", "e9", "f9", "e8"],
];

const SEVEN_CAMPS: [[&str; 3]; 4] =
    [["d1", "e1", "d2"], ["g4", "g5", "f4"], ["d7", "c7", "d6"], ["a4", "a3", "b4"]];

impl Rules {
    /// Returns the game of this name.
    ///
    /// # Panics
    /// If the reference does not implement it.
    pub(crate) fn named(name: &str) -> Rules {
        use Side::{Attackers, Defenders};
        let camps = NINE_CAMPS.map(Vec::from);
        let small_camps = SEVEN_CAMPS.map(Vec::from);
        match name {
            "ashton" => Rules::new(Family::Ashton, 9, &camps, NINE, Defenders),
            "ashton-server" => Rules::new(Family::AshtonServer, 9, &camps, NINE, Defenders),
            "mcgill" | "tablut" => Rules::new(Family::Winther, 9, &[], NINE, Attackers),
            "berkeley" => Rules::new(Family::Berkeley, 9, &[], NINE, Attackers),
            "brandubh" => Rules::new(Family::Winther, 7, &[], SEVEN, Attackers),
            "brandubh-online" => Rules::new(Family::Online, 7, &[], SEVEN, Attackers),
            "large-hnefatafl" => Rules::new(Family::Winther, 13, &[], THIRTEEN, Attackers),
            "alea-evangelii" => Rules::new(Family::Winther, 19, &[], NINETEEN, Defenders),
            "mini-corner" => Rules::new(Family::Winther, 5, &[], FIVE, Attackers),
            "mini-edge" => Rules::new(Family::Berkeley, 5, &[], FIVE, Attackers),
            "great-corner" => Rules::new(Family::Winther, 15, &[], FIFTEEN, Attackers),
            "huge-corner" => Rules::new(Family::Winther, 17, &[], SEVENTEEN, Attackers),
            "huge-edge" => Rules::new(Family::Berkeley, 17, &[], SEVENTEEN, Attackers),
            "mini-camps" => Rules::new(Family::Ashton, 7, &small_camps, SEVEN, Defenders),
            _ => panic!("the reference does not know the game \"{name}\""),
        }
    }
}
