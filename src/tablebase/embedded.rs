//! The tables that are part of the library: the smallest complete sets of all
//! built-in rulesets, as many men as fit two MiB together. Distances only, which
//! tell wins, draws and losses too.

/// The files of `tables/<ruleset>/` with these names.
macro_rules! tables {
    ($($rules:literal: $($slice:literal)+;)+) => {
        &[$($(include_bytes!(concat!("../../tables/", $rules, "/", $slice, ".dtw")),)+)+]
    };
}

/// The files. `mcgill` has the same rules as `tablut`, and so the same tables.
pub(super) static TABLES: &[&[u8]] = tables! {
    "brandubh": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "brandubh-online": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "berkeley": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "ashton": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "ashton-server": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "tablut": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "large-hnefatafl": "K0v1" "K1v1" "K0v2";
    "alea-evangelii": "K0v1" "K1v1" "K0v2";
};
