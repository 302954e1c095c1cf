use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use pyo3::{pyclass, pymethods};
use taflbase::Game;
use taflbase::draw::{BoardPicture, Sheet, Style};
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

/// A board for display: a picture in a notebook, text with print. Created by Tablebase.board
/// and Game.board.
#[pyclass(frozen, eq, hash, module = "taflbase")]
pub struct Board {
    title: String,
    /// Drawn on first use, because drawing takes as long as probing all moves.
    drawn: LazyLock<Drawn, Box<dyn FnOnce() -> Drawn + Send>>,
}

/// The picture with its title, and the text.
#[derive(PartialEq, Eq, Hash)]
struct Drawn {
    text: String,
    svg: String,
}

impl Board {
    /// Creates the board of a position, with an arrow for the move.
    pub fn of(rules: &Ruleset, position: &Position, played: Option<&Move>) -> Board {
        let picture = BoardPicture::new(rules, position.layout());
        let picture = match played {
            Some(played) => picture.with_move(played),
            None => picture,
        };
        Board::new_drawing(rules, position, picture)
    }

    /// Creates the board of a game, with the squares of the last move marked.
    pub fn of_game(game: &Game) -> Board {
        let (rules, position) = (game.rules(), game.position());
        let picture = BoardPicture::new(rules, position.layout());
        let picture = match game.moves().last() {
            Some(last) => picture.with_last_move(last),
            None => picture,
        };
        Board::new_drawing(rules, position, picture)
    }

    fn new_drawing(rules: &Ruleset, position: &Position, picture: BoardPicture) -> Board {
        let title = format!("{}: {}", rules.title, position.to_text(rules));
        let sheet_title = title.clone();
        let draw = move || Drawn {
            text: picture.to_text(Style::Plain),
            svg: Sheet::new(sheet_title, vec![picture]).to_svg(),
        };
        Board { title, drawn: LazyLock::new(Box::new(draw)) }
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        *self.drawn == *other.drawn
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.drawn.hash(state);
    }
}

#[pymethods]
impl Board {
    /// Restores a pickled board.
    #[new]
    fn new(title: String, text: String, svg: String) -> Board {
        Board { title, drawn: LazyLock::new(Box::new(|| Drawn { text, svg })) }
    }

    fn __getnewargs__(&self) -> (&str, &str, &str) {
        (&self.title, &self.drawn.text, &self.drawn.svg)
    }

    /// Returns the picture as an SVG document.
    pub fn svg(&self) -> &str {
        &self.drawn.svg
    }

    fn _repr_svg_(&self) -> &str {
        &self.drawn.svg
    }

    fn __str__(&self) -> &str {
        &self.drawn.text
    }

    fn __repr__(&self) -> String {
        format!("<taflbase.Board {}>", self.title)
    }
}
