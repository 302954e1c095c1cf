//! Rasterizes shapes.

use std::io;
use std::ops::Range;

use super::Sheet;
use super::glyphs::text_lines;
use super::shapes::{Ink, Point, Shape};

/// Pixels per unit, for sharp pictures on high-resolution screens.
const SCALE: f32 = 2.0;
/// Pixel rows in memory at a time: the sheet of a long line has tens of thousands.
const BAND: u32 = 128;

impl Sheet {
    /// Writes the sheet as a PNG file, with two pixels for each unit of the SVG document.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_png(&self, out: impl io::Write) -> io::Result<()> {
        let size = self.size();
        let (width, height) = ((SCALE * size.0) as u32, (SCALE * size.1) as u32);
        let mut encoder = png::Encoder::new(out, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.add_text_chunk("Title".to_owned(), self.title.clone())?;
        let mut writer = encoder.write_header()?;
        let mut pixels = writer.stream_writer()?;
        let primitives = self.primitives();
        for first in (0..height).step_by(BAND as usize) {
            let mut band = Band::new(width, first, BAND.min(height - first));
            for primitive in &primitives {
                band.draw(primitive);
            }
            io::Write::write_all(&mut pixels, &band.pixels)?;
        }
        pixels.finish()?;
        writer.finish()?;
        Ok(())
    }

    /// Converts all shapes to primitives in pixel coordinates.
    fn primitives(&self) -> Vec<Primitive> {
        let mut primitives = Vec::new();
        for (corner, shapes) in self.placed() {
            shapes.iter().for_each(|shape| add_primitives(&mut primitives, shape, corner));
        }
        primitives
    }
}

/// Adds a shape of a board whose upper left corner is at `corner`.
fn add_primitives(primitives: &mut Vec<Primitive>, shape: &Shape, corner: Point) {
    match shape {
        Shape::Rect { at: (x, y), size: (width, height), ink } => {
            let corners = [(*x, *y), (x + width, *y), (x + width, y + height), (*x, y + height)];
            primitives.push(Primitive::new(Outline::polygon(&corners, corner), *ink));
        }
        Shape::Disc { centre, radius, ink } => {
            let outline = Outline::line([*centre; 2], 2.0 * radius, corner);
            primitives.push(Primitive::new(outline, *ink));
        }
        Shape::Line { from, to, width, ink } => {
            primitives.push(Primitive::new(Outline::line([*from, *to], *width, corner), *ink));
        }
        Shape::Triangle { corners, ink } => {
            primitives.push(Primitive::new(Outline::polygon(corners, corner), *ink));
        }
        Shape::Text { at, size, is_centred, text, ink } => {
            let (lines, width) = text_lines(*at, *size, *is_centred, text);
            primitives.extend(
                lines
                    .into_iter()
                    .map(|ends| Primitive::new(Outline::line(ends, width, corner), *ink)),
            );
        }
    }
}

/// Converts a point of a board whose upper left corner is at `corner` to pixels.
fn to_pixels((x, y): Point, corner: Point) -> Point {
    (SCALE * (corner.0 + x), SCALE * (corner.1 + y))
}

/// An outline to fill with a colour.
struct Primitive {
    outline: Outline,
    bounds: (Point, Point),
    colour: [u8; 3],
}

impl Primitive {
    fn new(outline: Outline, ink: Ink) -> Primitive {
        Primitive { bounds: outline.bounds(), outline, colour: ink.rgb() }
    }
}

/// The outlines to which all shapes are reduced.
enum Outline {
    /// The points within `radius` of a line segment; a disc if its length is 0.
    Round { from: Point, to: Point, radius: f32 },
    /// The corners of a convex polygon, clockwise on the screen, each with the direction to the
    /// next.
    Convex(Vec<(Point, Point)>),
}

impl Outline {
    fn line(ends: [Point; 2], width: f32, corner: Point) -> Outline {
        let [from, to] = ends.map(|end| to_pixels(end, corner));
        Outline::Round { from, to, radius: SCALE * width / 2.0 }
    }

    fn polygon(points: &[Point], corner: Point) -> Outline {
        let corners = points.iter().map(|&point| to_pixels(point, corner));
        let next = corners.clone().cycle().skip(1);
        let sides = corners.zip(next).map(|(from, to)| {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            (from, (dx / length, dy / length))
        });
        Outline::Convex(sides.collect())
    }

    /// Returns the signed distance of a point from the outline; negative inside.
    fn distance(&self, (x, y): Point) -> f32 {
        match self {
            Outline::Round { from, to, radius } => {
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let square = dx * dx + dy * dy;
                let projection = (x - from.0) * dx + (y - from.1) * dy;
                let along = if square > 0.0 { (projection / square).clamp(0.0, 1.0) } else { 0.0 };
                let (away_x, away_y) = (x - from.0 - along * dx, y - from.1 - along * dy);
                // This runs for every pixel, and `hypot` is many times slower.
                (away_x * away_x + away_y * away_y).sqrt() - radius
            }
            Outline::Convex(sides) => {
                let distances = sides
                    .iter()
                    .map(|(from, along)| (x - from.0) * along.1 - (y - from.1) * along.0);
                distances.fold(f32::MIN, f32::max)
            }
        }
    }

    /// Returns the bounding box: its upper left and lower right corners.
    fn bounds(&self) -> (Point, Point) {
        let (points, radius) = match self {
            Outline::Round { from, to, radius } => (vec![*from, *to], *radius),
            Outline::Convex(sides) => (sides.iter().map(|(from, _)| *from).collect(), 0.0),
        };
        let (mut least, mut most) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
        for (x, y) in points {
            least = (x.min(least.0), y.min(least.1));
            most = (x.max(most.0), y.max(most.1));
        }
        ((least.0 - radius, least.1 - radius), (most.0 + radius, most.1 + radius))
    }
}

/// A band of pixel rows.
struct Band {
    width: u32,
    first: u32,
    rows: u32,
    pixels: Vec<u8>,
}

impl Band {
    fn new(width: u32, first: u32, rows: u32) -> Band {
        Band { width, first, rows, pixels: Ink::Frame.rgb().repeat((width * rows) as usize) }
    }

    /// Draws the part of a primitive in these rows. The coverage of a border pixel (anti-aliasing)
    /// is estimated from the distance between its centre and the border.
    fn draw(&mut self, primitive: &Primitive) {
        let (least, most) = primitive.bounds;
        let columns = pixel_range(least.0, most.0, 0..self.width);
        for y in pixel_range(least.1, most.1, self.first..self.first + self.rows) {
            for x in columns.clone() {
                let distance = primitive.outline.distance((x as f32 + 0.5, y as f32 + 0.5));
                let coverage = (0.5 - distance).clamp(0.0, 1.0);
                if coverage > 0.0 {
                    self.blend(x, y, primitive.colour, coverage);
                }
            }
        }
    }

    fn blend(&mut self, x: u32, y: u32, colour: [u8; 3], coverage: f32) {
        let at = 3 * ((y - self.first) * self.width + x) as usize;
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            *old = (f32::from(*old) + coverage * (f32::from(new) - f32::from(*old))).round() as u8;
        }
    }
}

/// Returns the pixels between two coordinates, with a margin for anti-aliasing, within `limits`.
fn pixel_range(least: f32, most: f32, limits: Range<u32>) -> Range<u32> {
    let (first, end) = ((least - 1.0).max(0.0) as u32, (most + 2.0).max(0.0) as u32);
    first.clamp(limits.start, limits.end)..end.clamp(limits.start, limits.end)
}
