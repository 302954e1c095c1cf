use std::fmt::{self, Display, Write};

use super::shapes::{Ink, Point, Shape};
use super::sheet::{Picture, Sheet};

impl Sheet {
    /// Draws the sheet as an SVG document, which can also be part of an HTML page. It has a title
    /// and a description of every board in words.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = self.write_svg(&mut svg);
        svg
    }

    fn write_svg(&self, svg: &mut String) -> fmt::Result {
        let (width, height) = self.size();
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\">"
        )?;
        writeln!(svg, "<title>{}</title>", Escaped(&self.title))?;
        let descriptions: Vec<String> = self.pictures.iter().map(Picture::description).collect();
        writeln!(svg, "<desc>{}</desc>", Escaped(&descriptions.join(". ")))?;
        let frame = Hex(Ink::Frame);
        writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{frame}\"/>")?;
        for ((x, y), shapes) in self.placed() {
            writeln!(
                svg,
                "<g transform=\"translate({x} {y})\" stroke-linecap=\"round\" \
                 font-family=\"sans-serif\">"
            )?;
            for shape in &shapes {
                write_shape(svg, shape)?;
            }
            writeln!(svg, "</g>")?;
        }
        writeln!(svg, "</svg>")
    }
}

fn write_shape(svg: &mut String, shape: &Shape) -> fmt::Result {
    match shape {
        Shape::Rect { at, size: (width, height), ink } => {
            let ((x, y), ink) = (rounded(*at), Hex(*ink));
            writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{ink}\"/>"
            )
        }
        Shape::Disc { centre, radius, ink } => {
            let ((x, y), (radius, _), ink) = (rounded(*centre), rounded((*radius, 0.0)), Hex(*ink));
            writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{ink}\"/>")
        }
        Shape::Line { from, to, width, ink } => {
            let ((x, y), (to_x, to_y), ink) = (rounded(*from), rounded(*to), Hex(*ink));
            writeln!(
                svg,
                "<path d=\"M{x} {y}L{to_x} {to_y}\" stroke=\"{ink}\" stroke-width=\"{width}\"/>"
            )
        }
        Shape::Triangle { corners, ink } => {
            let [(ax, ay), (bx, by), (cx, cy)] = corners.map(rounded);
            let ink = Hex(*ink);
            writeln!(svg, "<path d=\"M{ax} {ay}L{bx} {by}L{cx} {cy}Z\" fill=\"{ink}\"/>")
        }
        Shape::Text { at, size, is_centred, text, ink } => {
            let ((x, y), text, ink) = (rounded(*at), Escaped(text), Hex(*ink));
            let anchor = if *is_centred { " text-anchor=\"middle\"" } else { "" };
            writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{ink}\"{anchor}>{text}\
                 </text>"
            )
        }
    }
}

/// Rounds to a hundredth of a unit, which avoids the digits of inexact `f32` values.
fn rounded((x, y): Point) -> (f32, f32) {
    ((100.0 * x).round() / 100.0, (100.0 * y).round() / 100.0)
}

#[derive(Clone, Copy)]
struct Hex(Ink);

impl Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0.rgb();
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Text escaped for XML, also within attributes.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                letter if letter.is_control() => f.write_char(' ')?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}
