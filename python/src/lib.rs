//! The compiled part of the Python package `taflbase`. `package/` has the classes of results
//! and errors, and the type stubs of this module.

mod analysis;
mod answers;
mod board;
mod build;
mod bulk;
mod engine;
mod errors;
mod external;
mod find;
mod game;
mod open;
mod parameters;
mod search;
mod slice_values;
mod squares;
mod tablebase;
mod verify;
mod work;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::analysis::Analysis;
    #[pymodule_export]
    use crate::board::Board;
    #[pymodule_export]
    use crate::build::{build, read_manifest};
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::external::ExternalPlayer;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::open::{open, rulesets};
    #[pymodule_export]
    use crate::tablebase::Tablebase;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python has for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
