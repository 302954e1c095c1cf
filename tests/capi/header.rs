//! Checks that the checked-in header is what cbindgen generates from the source.

use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config, EnumConfig, Language, RenameRule, Style};

/// If this variable is set, the test writes the header.
const WRITE: &str = "TAFLBASE_WRITE_HEADER";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/capi")
}

/// Returns the module's documentation as a C comment.
fn introduction() -> String {
    let source = fs::read_to_string(folder().join("mod.rs")).unwrap();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: String = lines.map(|line| format!(" *{line}\n")).collect();
    format!("/*\n{lines} */")
}

/// Returns the version as C macros.
fn version() -> String {
    let macros = [
        ("", format!("{:?}", env!("CARGO_PKG_VERSION"))),
        ("_MAJOR", env!("CARGO_PKG_VERSION_MAJOR").to_owned()),
        ("_MINOR", env!("CARGO_PKG_VERSION_MINOR").to_owned()),
        ("_PATCH", env!("CARGO_PKG_VERSION_PATCH").to_owned()),
    ];
    let lines = macros.map(|(name, value)| format!("\n#define TAFLBASE_VERSION{name} {value}"));
    let comment = "/**\n * The version of the header, as taflbase_version has the library's.\n */";
    format!("\n{comment}{}", lines.concat())
}

fn generated() -> String {
    let config = Config {
        header: Some(introduction()),
        include_guard: Some("TAFLBASE_H".to_owned()),
        autogen_warning: Some("/* Made by cbindgen from src/capi: see tests/capi. */".to_owned()),
        no_includes: true,
        after_includes: Some(version()),
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        language: Language::C,
        cpp_compat: true,
        style: Style::Type,
        usize_is_size_t: true,
        line_length: 90,
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    let sources = ["status.rs", "types.rs", "mod.rs"];
    let builder = sources.iter().fold(Builder::new().with_config(config), |builder, source| {
        builder.with_src(folder().join(source))
    });
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_matches_the_source() {
    let path = folder().join("taflbase.h");
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, generated()).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated(),
        "src/capi/taflbase.h is not of this source; run `{WRITE}=1 cargo test --features capi \
         --test capi header` and look at what has changed"
    );
}
