//! The compiled part of the Python package `taflbase`; `package/` has the rest: the
//! classes of answers and errors, and the types of what is here.

mod answers;
mod bulk;
mod errors;
mod open;
mod parameters;
mod slice_values;
mod tablebase;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::open::{open, rulesets};
    #[pymodule_export]
    use crate::tablebase::Tablebase;
}
