//! The equations of A. Galassi, "An Upper Bound on the Complexity of Tablut", University of
//! Bologna, arXiv:2101.11934: computed from their definitions, with the numbers that the paper
//! prints.

use std::ops::RangeInclusive;

use num_bigint::BigUint;

use super::count::BigBinomials;
use super::number::{Printed, scientific};

/// One of the paper's equations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// Its number.
    pub number: u8,
    /// Its name in the paper.
    pub name: &'static str,
    /// A description of what it counts.
    pub words: &'static str,
    /// Its value, from the definition.
    pub value: BigUint,
    /// The number that the paper prints, if any.
    pub printed: Option<&'static str>,
    /// Whether the value, rounded to the printed digits, is the printed number.
    pub agrees: Option<bool>,
    /// The interpretation, where the text is ambiguous or the numbers differ.
    pub followed: String,
}

/// Equation 12 with other limits than the paper states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Cells for the other pieces; the paper states 61.
    pub cells: usize,
    /// The maximum number of black soldiers that take no part in the capture; the paper
    /// states 14.
    pub black: usize,
    /// The values of equations 12, 13 and 14.
    pub values: [BigUint; 3],
}

/// A row of the paper's Table 1: the state space of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherGame {
    /// The game.
    pub game: &'static str,
    /// The bound, as printed.
    pub bound: &'static str,
    /// Whether the game is solved: `no`, `weak` or `strong`.
    pub solution: &'static str,
    /// The source that the paper cites.
    pub source: &'static str,
}

/// Table 1, Tablut first.
pub const TABLE_1: [OtherGame; 7] = [
    OtherGame { game: "Tablut", bound: "1.4e27", solution: "no", source: "Galassi" },
    OtherGame {
        game: "Nine Men's Morris",
        bound: "3e11",
        solution: "strong",
        source: "Gasser 1996",
    },
    OtherGame {
        game: "English Draughts",
        bound: "5e20",
        solution: "weak",
        source: "Schaeffer and others 2007",
    },
    OtherGame {
        game: "International Draughts",
        bound: "1e30",
        solution: "no",
        source: "Allis 1994",
    },
    OtherGame { game: "Othello", bound: "1e28", solution: "no", source: "Allis 1994" },
    OtherGame { game: "Chess", bound: "1e43, 1e50", solution: "no", source: "Allis 1994" },
    OtherGame { game: "Go", bound: "2e170", solution: "no", source: "Tromp and Farnebäck 2007" },
];

/// The sums over black men b, white soldiers w up to 8, and black men in camps c.
struct Sums(BigBinomials);

impl Sums {
    /// Sums the ways to place them on `cells` cells outside the camps and `camps` cells in
    /// camps.
    fn of(&self, cells: usize, black: RangeInclusive<usize>, camps: usize) -> BigUint {
        let mut sum = BigUint::ZERO;
        for b in black {
            for inside in 0..=b.min(camps) {
                let outside = b - inside;
                for w in 0..=8 {
                    // The paper's P(b - c, w, e): cells! / (outside! w! e!).
                    let ways = self.0.get(cells, outside) * self.0.get(cells - outside, w);
                    sum += self.0.get(camps, inside) * ways;
                }
            }
        }
        sum
    }

    /// Computes equations 4 and 5.
    fn running(&self) -> [BigUint; 2] {
        [self.of(64, 1..=16, 16), 44_u8 * self.of(63, 1..=16, 16)]
    }

    /// Computes equations 7 to 11.
    fn finished(&self) -> [BigUint; 5] {
        [
            self.of(64, 0..=0, 16) + 44_u8 * self.of(63, 0..=0, 16),
            16_u8 * self.of(62, 1..=16, 16),
            self.of(60, 0..=12, 16),
            4_u8 * self.of(60, 0..=13, 16),
            20_u8 * self.of(62, 0..=15, 16),
        ]
    }

    /// Computes equation 12 with these limits.
    fn zeta(&self, cells: usize, black: usize) -> BigUint {
        56_u8 * self.of(cells, 0..=black, 16)
    }
}

/// Computes equations 1 to 14.
pub fn equations() -> Vec<Equation> {
    let sums = Sums(BigBinomials::new(81, 16));
    let two: BigUint = 2_u8.into();
    let naive = &two * two.pow(16) * BigUint::from(3_u8).pow(20) * BigUint::from(4_u8).pow(44);
    let start = sums.0.get(80, 16) * sums.0.get(64, 8);
    let third = sums.of(80, 1..=16, 0) + 44_u8 * sums.of(79, 1..=16, 0);
    let [castle, outside] = sums.running();
    let no_end = &castle + &outside;
    let [alpha, beta, gamma, delta, epsilon] = sums.finished();
    let zeta = sums.zeta(61, 14);
    let end = [&alpha, &beta, &gamma, &delta, &epsilon, &zeta].into_iter().sum::<BigUint>();
    let all = &no_end + &end;
    let values = [
        naive, start, third, castle, outside, no_end, alpha, beta, gamma, delta, epsilon, zeta,
        end, all,
    ];
    let lines = LINES.iter().zip(1..).zip(values);
    lines
        .map(|((&(name, words, printed, followed), number), value)| Equation {
            number,
            name,
            words,
            agrees: printed.map(|printed| Printed(printed).is(&value)),
            followed: followed.to_owned()
                + &if number == 12 { printed_by() } else { String::new() },
            value,
            printed,
        })
        .collect()
}

/// Names, descriptions, printed numbers and interpretations, in the order of the equations.
const LINES: [(&str, &str, Option<&str>, &str); 14] = [
    ("UB_naive", "each cell independently", Some("1e41"), "printed as a power of ten only"),
    (
        "P_80^(b,w,e)",
        "king in the castle, b black and w white soldiers on 80 cells",
        None,
        "a formula; the value is for b = 16, w = 8",
    ),
    ("UB_no_end", "pieces counted, on any cell", Some("6.1e27"), ""),
    ("UB_no_end^castle", "camps for black only, king in the castle", Some("3e25"), ""),
    ("UB_no_end^no_castle", "the same, king on 44 other cells", Some("9.2e26"), ""),
    ("UB'_no_end", "equations 4 and 5", Some("9.5e26"), ""),
    (
        "UB_alpha",
        "no black soldier left",
        Some("2.0e11"),
        "the sum over w includes both terms; with the first only, the result is not the printed \
         number",
    ),
    ("UB_beta", "the king on an escape", Some("2.3e26"), ""),
    ("UB_gamma", "captured in the castle", Some("2.8e22"), ""),
    ("UB_delta", "captured beside the castle", Some("5.1e23"), ""),
    ("UB_epsilon", "captured beside a camp", Some("8.0e25"), ""),
    (
        "UB_zeta",
        "captured elsewhere",
        Some("1.6e26"),
        "the sum as stated, b up to 14; the numbers printed ",
    ),
    ("UB_end", "equations 7 to 12", Some("4.6e26"), "with equation 12 as stated"),
    ("UB_end", "equations 6 and 13", Some("1.4e27"), "with equation 12 as stated"),
];

/// Describes the limits of equation 12 that give the printed numbers.
fn printed_by() -> String {
    let limits: Vec<String> = readings()
        .iter()
        .map(|Reading { cells, black, values }| {
            let [zeta, end, all] = values.each_ref().map(|value| scientific(value, 3));
            format!("b up to {black} and {cells} cells: {zeta}, {end} and {all}")
        })
        .collect();
    format!("here and for equations 13 and 14 result from {}", limits.join(", or from "))
}

/// Finds the limits of equation 12 for which equations 12, 13 and 14 have the printed values,
/// among 55 to 64 cells and 8 to 16 black soldiers.
pub fn readings() -> Vec<Reading> {
    let sums = Sums(BigBinomials::new(81, 16));
    let no_end: BigUint = sums.running().into_iter().sum();
    let others: BigUint = sums.finished().into_iter().sum();
    let mut found = Vec::new();
    for cells in 55..=64 {
        for black in 8..=16 {
            let zeta = sums.zeta(cells, black);
            let end = &others + &zeta;
            let values = [zeta, end.clone(), &no_end + end];
            if are_printed(&values) {
                found.push(Reading { cells, black, values });
            }
        }
    }
    found
}

/// Returns whether equations 12 to 14 have these values in the paper.
fn are_printed(values: &[BigUint; 3]) -> bool {
    let printed = LINES[11..].iter().map(|&(_, _, printed, _)| printed);
    printed.zip(values).all(|(printed, value)| printed.is_some_and(|p| Printed(p).is(value)))
}
