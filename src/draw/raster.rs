//! Shapes as pixels.

use std::io;

use super::Sheet;
use super::glyphs::text_lines;
use super::shapes::{Ink, Point, Shape};

/// Pixels for a unit, so that pictures are sharp on screens that are.
const SCALE: f32 = 2.0;
/// The rows that are in memory at a time: a sheet of a long line has ten thousands.
const BAND: u32 = 128;

impl Sheet {
    /// Writes the sheet as a PNG file of two pixels for each unit of the SVG document.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_png(&self, out: impl io::Write) -> io::Result<()> {
        let (width, height) = self.size();
        let (width, height) = ((SCALE * width) as u32, (SCALE * height) as u32);
        let mut encoder = png::Encoder::new(out, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.add_text_chunk("Title".to_owned(), self.title.clone())?;
        let mut writer = encoder.write_header()?;
        let mut pixels = writer.stream_writer()?;
        let forms = self.forms();
        for first in (0..height).step_by(BAND as usize) {
            let mut band = Band::new(width, first, BAND.min(height - first));
            for form in &forms {
                band.draw(form);
            }
            io::Write::write_all(&mut pixels, &band.pixels)?;
        }
        pixels.finish()?;
        writer.finish()?;
        Ok(())
    }

    /// What is to be drawn, in pixels.
    fn forms(&self) -> Vec<Form> {
        let mut forms = Vec::new();
        for (corner, shapes) in self.placed() {
            shapes.iter().for_each(|shape| add_forms(&mut forms, shape, corner));
        }
        forms
    }
}

/// Adds a shape of a board that has its upper left corner there.
fn add_forms(forms: &mut Vec<Form>, shape: &Shape, corner: Point) {
    let place = |(x, y): Point| (SCALE * (corner.0 + x), SCALE * (corner.1 + y));
    let mut add = |outline: Outline, ink: Ink| {
        forms.push(Form { bounds: outline.bounds(), outline, colour: ink.rgb() });
    };
    let line = |from, to, width: f32| Outline::Round {
        from: place(from),
        to: place(to),
        radius: SCALE * width / 2.0,
    };
    match shape {
        Shape::Rect { at: (x, y), size: (width, height), ink } => {
            let corners = [(*x, *y), (x + width, *y), (x + width, y + height), (*x, y + height)];
            add(Outline::convex(&corners.map(place)), *ink);
        }
        Shape::Disc { centre, radius, ink } => add(line(*centre, *centre, 2.0 * radius), *ink),
        Shape::Line { from, to, width, ink } => add(line(*from, *to, *width), *ink),
        Shape::Triangle { corners, ink } => {
            add(Outline::convex(&corners.map(place)), *ink);
        }
        Shape::Text { at, size, is_centred, text, ink } => {
            let (lines, width) = text_lines(*at, *size, *is_centred, text);
            lines.into_iter().for_each(|[from, to]| add(line(from, to, width), *ink));
        }
    }
}

struct Form {
    outline: Outline,
    bounds: (Point, Point),
    colour: [u8; 3],
}

/// What every shape is in the end.
enum Outline {
    /// All that is near enough to a line; a disc, if it has no length.
    Round { from: Point, to: Point, radius: f32 },
    /// Corners, clockwise as they are seen, each with the direction to the next one.
    Convex(Vec<(Point, Point)>),
}

impl Outline {
    fn convex(corners: &[Point]) -> Outline {
        let next = corners.iter().cycle().skip(1);
        let sides = corners.iter().zip(next).map(|(&from, to)| {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            (from, (dx / length, dy / length))
        });
        Outline::Convex(sides.collect())
    }

    /// How far outside a point is; less than 0 inside.
    fn distance(&self, (x, y): Point) -> f32 {
        match self {
            Outline::Round { from, to, radius } => {
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let square = dx * dx + dy * dy;
                let along = (x - from.0) * dx + (y - from.1) * dy;
                let along = if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
                let (dx, dy) = (x - from.0 - along * dx, y - from.1 - along * dy);
                // It is a step for each pixel, and `hypot` is many times slower.
                (dx * dx + dy * dy).sqrt() - radius
            }
            Outline::Convex(sides) => {
                let sides = sides
                    .iter()
                    .map(|(from, along)| (x - from.0) * along.1 - (y - from.1) * along.0);
                sides.fold(f32::MIN, f32::max)
            }
        }
    }

    /// The least and the greatest x and y of all that is inside.
    fn bounds(&self) -> (Point, Point) {
        let (points, radius) = match self {
            Outline::Round { from, to, radius } => (vec![*from, *to], *radius),
            Outline::Convex(sides) => (sides.iter().map(|(from, _)| *from).collect(), 0.0),
        };
        let fold = |of: fn(&Point) -> f32, start, choose: fn(f32, f32) -> f32| {
            points.iter().map(of).fold(start, choose)
        };
        let least = (fold(|p| p.0, f32::MAX, f32::min), fold(|p| p.1, f32::MAX, f32::min));
        let most = (fold(|p| p.0, f32::MIN, f32::max), fold(|p| p.1, f32::MIN, f32::max));
        ((least.0 - radius, least.1 - radius), (most.0 + radius, most.1 + radius))
    }
}

/// Some rows of the picture.
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

    /// Draws the part of a form that is in these rows. A pixel at its border is covered
    /// as far as the border is away from the pixel's middle.
    fn draw(&mut self, form: &Form) {
        let (least, most) = form.bounds;
        let pixels = |least: f32, most: f32, from: u32, to: u32| {
            let (least, most) = ((least - 1.0).max(0.0) as u32, (most + 2.0).max(0.0) as u32);
            least.clamp(from, to)..most.clamp(from, to)
        };
        let columns = pixels(least.0, most.0, 0, self.width);
        for y in pixels(least.1, most.1, self.first, self.first + self.rows) {
            for x in columns.clone() {
                let distance = form.outline.distance((x as f32 + 0.5, y as f32 + 0.5));
                let cover = (0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.cover(x, y, form.colour, cover);
                }
            }
        }
    }

    fn cover(&mut self, x: u32, y: u32, colour: [u8; 3], cover: f32) {
        let at = 3 * ((y - self.first) * self.width + x) as usize;
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            *old = (f32::from(*old) + cover * (f32::from(new) - f32::from(*old))).round() as u8;
        }
    }
}
