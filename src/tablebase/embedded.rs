//! The tables embedded in the library: the smallest complete sets of all built-in rulesets,
//! as far as they fit two MiB in total. They are DTW tables, and for some rulesets WDL tables
//! with one more man.

/// Embeds the files of `tables/<ruleset>/` of a metric for some slices.
macro_rules! tables {
    ($($rules:literal $metric:literal: $($slice:literal)+;)+) => {
        &[$($(include_bytes!(concat!("../../tables/", $rules, "/", $slice, ".", $metric)),)+)+]
    };
}

/// The embedded files. `mcgill` has the same rules as `tablut`, and so the same tables;
/// `tawlbwrdd-bell` has those of `tawlbwrdd-lewis`.
pub(super) static TABLES: &[&[u8]] = tables! {
    "brandubh" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "brandubh" "wdl": "K4v1" "K3v2" "K2v3" "K1v4" "K0v5";
    "brandubh-online" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "berkeley" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3" "K3v1" "K2v2" "K1v3" "K0v4";
    "ashton" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "ashton-server" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "tablut" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "tablut" "wdl": "K3v1" "K2v2" "K1v3" "K0v4";
    "large-hnefatafl" "dtw": "K0v1" "K1v1" "K0v2";
    "large-hnefatafl" "wdl": "K2v1" "K1v2" "K0v3";
    "alea-evangelii" "dtw": "K0v1" "K1v1" "K0v2";
    "brandubh-1" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "brandubh-1" "wdl": "K3v1" "K2v2" "K1v3" "K0v4";
    "magpie" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "saami-tablut" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "sea-battle-9" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "copenhagen" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "fetlar" "dtw": "K0v1" "K1v1" "K0v2";
    "fetlar" "wdl": "K2v1" "K1v2" "K0v3";
    "tawlbwrdd-lewis" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "sea-battle-11" "dtw": "K0v1" "K1v1" "K0v2" "K2v1" "K1v2" "K0v3";
    "copenhagen-13" "dtw": "K0v1" "K1v1" "K0v2";
    "copenhagen-13" "wdl": "K2v1" "K1v2" "K0v3";
};
