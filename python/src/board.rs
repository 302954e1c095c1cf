use pyo3::{pyclass, pymethods};
use taflbase::draw::{BoardPicture, Sheet, Style};

/// A board to look at: in a notebook as a picture, by print as text, made by
/// Tablebase.board.
#[pyclass(frozen, module = "taflbase")]
pub struct Board {
    title: String,
    picture: BoardPicture,
}

impl Board {
    pub fn new(title: String, picture: BoardPicture) -> Board {
        Board { title, picture }
    }
}

#[pymethods]
impl Board {
    /// The picture as an SVG document.
    fn svg(&self) -> String {
        Sheet::new(&self.title, vec![self.picture.clone()]).to_svg()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __str__(&self) -> String {
        self.picture.to_text(Style::Plain)
    }

    fn __repr__(&self) -> String {
        format!("<taflbase.Board {}>", self.title)
    }
}
