//! The source that the library was compiled from.

/// Returns the commit of the source: the value of the environment variable `TAFLBASE_COMMIT`
/// when the library was compiled. `None` if it was not set, as when Cargo compiles the crate for
/// another package; then only the version identifies the source.
pub fn commit() -> Option<&'static str> {
    option_env!("TAFLBASE_COMMIT").filter(|commit| !commit.is_empty())
}
