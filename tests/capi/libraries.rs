//! Builds the libraries, and C programs that use them.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

/// Returns where the header and both libraries are installed, as docs/c.md describes.
static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let prefix = temporary.join("capi");
    let mut script = Command::new("scripts/install-c.sh");
    script.current_dir(env!("CARGO_MANIFEST_DIR")).arg(&prefix);
    script.args(["--profile", "dev", "--no-default-features"]);
    script.arg("--target-dir").arg(temporary.parent().unwrap());
    assert!(script.status().unwrap().success(), "{script:?}");
    prefix
});

/// Returns the folder of both libraries.
pub(crate) fn folder() -> PathBuf {
    INSTALLED.join("lib")
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Linking {
    Shared,
    Static,
}

/// A compiled C program.
pub(crate) struct Program(PathBuf);

impl Program {
    /// Compiles a source of the project with strict warnings.
    pub(crate) fn compile(source: &str, linking: Linking) -> Program {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
        let program =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{name}-{linking:?}"));
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
        cc.arg(INSTALLED.join("include")).arg(root.join(source)).arg("-o").arg(&program);
        match linking {
            Linking::Shared => {
                cc.arg("-L").arg(folder()).arg("-ltaflbase");
                cc.arg(format!("-Wl,-rpath,{}", folder().display()));
            }
            Linking::Static => {
                cc.arg(folder().join("libtaflbase.a"));
            }
        }
        cc.args(["-lpthread", "-ldl", "-lm"]);
        let Output { status, stderr, .. } = cc.output().unwrap();
        assert!(status.success(), "{cc:?}\n{}", String::from_utf8_lossy(&stderr));
        Program(program)
    }

    /// Returns the path of the executable.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs the program and returns its output, or its error output if it fails.
    pub(crate) fn run(
        &self,
        arguments: &[impl AsRef<OsStr>],
        input: &str,
    ) -> Result<String, String> {
        let mut command = Command::new(&self.0);
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Cargo sets this variable, to folders with other builds of the library.
        command.env_remove("LD_LIBRARY_PATH");
        let mut child = command.spawn().unwrap();
        // A program that exits before it reads all of its input prints why.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        if status.success() { Ok(stdout) } else { Err(format!("{status}\n{stderr}")) }
    }
}
