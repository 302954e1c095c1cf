//! Charts as SVG elements of the page. Lengths are in the page's pixels at full size; classes
//! refer to `page.css`.

use std::fmt::{self, Display, Write};

use crate::draw::Escaped;

use super::words::power_of_ten;

/// A chart, drawn from back to front.
pub(super) struct Chart {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// The place of a text relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Chart {
    /// Creates an empty chart; the title describes it to those who cannot see it.
    pub(super) fn new(width: f64, height: f64, title: impl Into<String>) -> Chart {
        Chart { width, height, title: title.into(), body: String::new() }
    }

    // Writing to a string does not fail.

    /// Draws a rectangle by its left, top, width and height; the tip is shown to a pointer.
    pub(super) fn rect(&mut self, class: &str, place: [f64; 4], tip: &str) {
        let [x, y, width, height] = place.map(Short);
        let tip = Tip(tip);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">\
             {tip}</rect>"
        );
    }

    /// Draws a square of a colour that does not depend on the page's theme.
    pub(super) fn cell(&mut self, colour: [u8; 3], place: [f64; 4], tip: &str) {
        let [x, y, width, height] = place.map(Short);
        let ([red, green, blue], tip) = (colour, Tip(tip));
        let _ = writeln!(
            self.body,
            "<rect fill=\"#{red:02x}{green:02x}{blue:02x}\" x=\"{x}\" y=\"{y}\" \
             width=\"{width}\" height=\"{height}\">{tip}</rect>"
        );
    }

    /// Writes a text on a baseline.
    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let (x, y, text) = (Short(at.0), Short(at.1), Escaped(text));
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    /// Writes a text that runs upwards, centred at a point.
    pub(super) fn upright(&mut self, at: (f64, f64), text: &str) {
        let (x, y, text) = (Short(at.0), Short(at.1), Escaped(text));
        let _ = writeln!(
            self.body,
            "<text transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{text}\
             </text>"
        );
    }

    /// Draws a line through the points.
    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> =
            points.iter().map(|&(x, y)| format!("{},{}", Short(x), Short(y))).collect();
        let _ =
            writeln!(self.body, "<polyline class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }

    /// Draws a dot.
    pub(super) fn dot(&mut self, class: &str, at: (f64, f64), tip: &str) {
        let (x, y, tip) = (Short(at.0), Short(at.1), Tip(tip));
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"3.5\">{tip}</circle>"
        );
    }

    /// Returns the finished element.
    pub(super) fn finish(self) -> String {
        let Chart { width, height, title, body } = self;
        let (width, height, title) = (Short(width), Short(height), Escaped(&title));
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\" \
             role=\"img\" aria-label=\"{title}\"><title>{title}</title>\n{body}</svg>\n"
        )
    }
}

/// A length with at most two decimals.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ((100.0 * self.0).round() / 100.0).fmt(f)
    }
}

struct Tip<'a>(&'a str);

impl Display for Tip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            tip => write!(f, "<title>{}</title>", Escaped(tip)),
        }
    }
}

/// The axis of a chart's values.
pub(super) enum Scale {
    Linear { max: f64 },
    Log { low: f64, high: f64 },
}

/// The largest number of marks on an axis.
const MAX_TICKS: i32 = 7;
/// The logarithm from which counts are drawn on a logarithmic axis, so that 1 is visible.
const BELOW_ONE: f64 = -0.3;

impl Scale {
    /// Chooses the scale for counts of at least 1: logarithmic if the small ones would be
    /// invisible otherwise.
    pub(super) fn of_counts(counts: impl Iterator<Item = u64> + Clone) -> Scale {
        let max = counts.clone().max().unwrap_or(1).max(1) as f64;
        let min = counts.min().unwrap_or(1).max(1) as f64;
        match max > 50.0 * min {
            true => Scale::Log { low: BELOW_ONE, high: max.log10().ceil() },
            false => Scale::Linear { max },
        }
    }

    /// Creates a logarithmic scale for positive values.
    pub(super) fn log(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let logs = values.filter(|&value| value > 0.0).map(f64::log10);
        let low = logs.clone().fold(f64::INFINITY, f64::min).floor();
        let high = logs.fold(f64::NEG_INFINITY, f64::max).ceil();
        match low < high {
            true => Scale::Log { low, high },
            // Equal values, or none.
            false if low.is_finite() => Scale::Log { low, high: low + 1.0 },
            false => Scale::Log { low: 0.0, high: 1.0 },
        }
    }

    /// Returns whether the scale is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        matches!(self, Scale::Log { .. })
    }

    /// Returns the place of a value, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        match *self {
            Scale::Linear { max } => value / max,
            Scale::Log { low, high } => ((value.log10() - low) / (high - low)).max(0.0),
        }
    }

    /// Returns the places and labels of the marks.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match *self {
            Scale::Linear { max } => {
                let step = round_step(max / 4.0);
                let marks = (0..).map(|i| f64::from(i) * step).take_while(|&mark| mark <= max);
                marks.map(|mark| (self.place(mark), super::words::count(mark))).collect()
            }
            Scale::Log { low, high } => {
                let (first, last) = (low.ceil() as i32, high as i32);
                let step = (last - first).div_euclid(MAX_TICKS) + 1;
                let exponents = (first..=last).step_by(step as usize);
                exponents
                    .map(|exponent| (f64::from(exponent), power_of_ten(exponent)))
                    .map(|(exponent, label)| ((exponent - low) / (high - low), label))
                    .collect()
            }
        }
    }
}

/// Draws the marks of the vertical axis, with lines across an area by its left, top, width and
/// height.
pub(super) fn draw_values(chart: &mut Chart, scale: &Scale, area: [f64; 4]) {
    let [left, top, width, height] = area;
    for (place, label) in scale.ticks() {
        let y = top + height * (1.0 - place);
        chart.line("grid", &[(left, y), (left + width, y)]);
        chart.text("", (left - 6.0, y + 4.0), Anchor::End, &label);
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten, at least 1.
pub(super) fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.max(1.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|&round| round >= step).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn axes_have_round_marks() {
        let linear = Scale::of_counts([7_u64, 20].into_iter());
        assert!(!linear.is_log());
        assert_eq!(labels(&linear), ["0", "5", "10", "15", "20"]);
        let log = Scale::of_counts([1_u64, 20_000].into_iter());
        assert_eq!(labels(&log), ["1", "10", "100", "10³", "10⁴", "10⁵"]);
        assert!(log.place(1.0) > 0.0 && log.place(1e5) == 1.0);
        let wide = Scale::log([3.0, 2e40].into_iter());
        assert_eq!(labels(&wide), ["1", "10⁶", "10¹²", "10¹⁸", "10²⁴", "10³⁰", "10³⁶"]);
        for one in [Scale::log([5.0].into_iter()), Scale::log([].into_iter())] {
            assert!(one.place(5.0).is_finite());
        }
    }

    #[test]
    fn texts_are_escaped() {
        let mut chart = Chart::new(10.0, 10.333_333, "a \"b\" & c");
        chart.text("", (0.0, 1.0), Anchor::Middle, "<x>");
        chart.rect("bar", [0.0; 4], "");
        let svg = chart.finish();
        assert!(svg.contains("aria-label=\"a &quot;b&quot; &amp; c\""), "{svg}");
        assert!(svg.contains(">&lt;x&gt;</text>") && svg.contains("0 0 10 10.33"), "{svg}");
    }
}
