//! A stroke font, for pictures without font files.

use super::shapes::Point;

/// The space between letters, in glyph units.
const GAP: f32 = 2.0;
/// The width of a blank, in glyph units.
const BLANK: f32 = 2.5;
/// The size of a glyph unit, as a fraction of the font size.
const SCALE: f32 = 0.118;

/// Returns the strokes of a letter, separated by commas. Two digits are a point: x from the left
/// and y from the top. Capitals extend from 0 to 6, small letters from 2, descenders to 8.
fn strokes(letter: char) -> &'static str {
    match letter {
        '0' => "10 30 41 45 36 16 05 01 10",
        '1' => "11 20 26",
        '2' => "01 10 30 41 42 06 46",
        '3' => "01 10 30 41 42 33 13 33 44 45 36 16 05",
        '4' => "36 30 04 44",
        '5' => "40 00 02 32 43 45 36 16 05",
        '6' => "30 10 01 05 16 36 45 43 32 02",
        '7' => "00 40 16",
        '8' => "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
        '9' => "44 14 03 01 10 30 41 45 36 16",
        'a' => "12 32 43 46 44 14 05 16 36 45",
        'b' => "00 06 05 16 36 45 43 32 12 03",
        'c' => "43 32 12 03 05 16 36 45",
        'd' => "40 46 45 36 16 05 03 12 32 43",
        'e' => "04 44 43 32 12 03 05 16 36",
        'f' => "40 30 21 26,12 32",
        'g' => "42 47 38 18 07,43 32 12 03 05 16 36 45",
        'H' => "00 06,40 46,03 43",
        'h' => "00 06 03 12 32 43 46",
        'i' => "22 26,20 20",
        'j' => "22 27 18 08,20 20",
        'k' => "00 06,42 04,23 46",
        'K' => "00 06,40 03,12 46",
        'l' => "20 26",
        'm' => "02 06 03 12 23 26 23 32 43 46",
        'n' => "02 06 03 12 32 43 46",
        'o' => "12 32 43 45 36 16 05 03 12",
        'p' => "02 08 03 12 32 43 45 36 16 05",
        'P' => "06 00 30 41 42 33 03",
        'q' => "42 48 43 32 12 03 05 16 36 45",
        'r' => "02 06 04 22 32",
        'R' => "06 00 30 41 42 33 03,23 46",
        's' => "43 32 12 03 14 34 45 36 16 05",
        't' => "10 15 26 36,02 32",
        'u' => "02 05 16 36 45 42 46",
        'v' => "02 26 42",
        'V' => "00 26 40",
        'w' => "02 16 23 36 42",
        'x' => "02 46,06 42",
        'y' => "02 26,42 18",
        'z' => "02 42 06 46",
        '-' => "14 34",
        '+' => "04 44,22 26",
        '/' => "06 40",
        ':' => "23 23,26 26",
        '.' => "26 26",
        ',' => "26 17",
        _ => "",
    }
}

/// Returns a letter's strokes, shifted to start at x = 0, and its width.
fn glyph(letter: char) -> (Vec<Vec<Point>>, f32) {
    let mut lines: Vec<Vec<Point>> = strokes(letter)
        .split(',')
        .map(|stroke| stroke.split_whitespace().map(parse_point).collect())
        .collect();
    let (mut least, mut most) = (f32::MAX, 0.0_f32);
    for &(x, _) in lines.iter().flatten() {
        (least, most) = (least.min(x), most.max(x));
    }
    if least > most {
        return (Vec::new(), BLANK - GAP);
    }
    lines.iter_mut().flatten().for_each(|(x, _)| *x -= least);
    (lines, most - least)
}

fn parse_point(text: &str) -> Point {
    let mut digits = text.bytes().map(|digit| f32::from(digit - b'0'));
    digits.next().zip(digits.next()).unwrap_or_default()
}

/// Returns the line segments of a text, and the stroke width. The baseline starts at `at`, or is
/// centred there. Unknown letters are blank.
pub(super) fn text_lines(
    at: Point,
    size: f32,
    is_centred: bool,
    text: &str,
) -> (Vec<[Point; 2]>, f32) {
    let scale = SCALE * size;
    let glyphs: Vec<_> = text.chars().map(glyph).collect();
    let total: f32 = glyphs.iter().map(|(_, width)| width + GAP).sum::<f32>() - GAP;
    let mut left = if is_centred { -total / 2.0 } else { 0.0 };
    let mut lines = Vec::new();
    for (strokes, width) in glyphs {
        for stroke in strokes {
            lines.extend(stroke.windows(2).map(|ends| {
                [ends[0], ends[1]]
                    .map(|(x, y)| (at.0 + scale * (left + x), at.1 + scale * (y - 6.0)))
            }));
        }
        left += width + GAP;
    }
    (lines, 0.1 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The coordinates of the largest board, and the marks of pictures.
    #[test]
    fn what_pictures_write_has_strokes() {
        for letter in ('a'..='s').chain('0'..='9').chain("KHPRV".chars()) {
            assert!(!glyph(letter).0.is_empty(), "{letter}");
        }
    }
}
