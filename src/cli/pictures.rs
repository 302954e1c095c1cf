use std::path::PathBuf;

use taflbase::draw::Sheet;

use super::error::CliError;
use super::file;
use super::output::is_standard;

/// What errors call a picture.
const PICTURE: &str = "the picture";

/// The pictures to write.
#[derive(clap::Args)]
pub(super) struct Pictures {
    /// Write a picture as SVG to this file; - for standard output, without other results
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a picture as PNG to this file; - for standard output, without other results
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

impl Pictures {
    /// Writes the requested pictures; returns whether standard output is free for results.
    pub(super) fn write(&self, sheet: impl FnOnce() -> Sheet) -> Result<bool, CliError> {
        let wanted = [self.svg.as_deref(), self.png.as_deref()];
        let standard = wanted.iter().flatten().filter(|path| is_standard(path)).count();
        if standard > 1 {
            return Err(CliError::new("--svg and --png cannot both go to standard output"));
        }
        if wanted == [None, None] {
            return Ok(true);
        }
        if self.svg == self.png {
            return Err(CliError::new("--svg and --png cannot both be written to one file"));
        }
        let drawn = sheet();
        if let Some(path) = &self.svg {
            let svg = drawn.to_svg();
            file::write_or_print(path, PICTURE, |out| out.write_all(svg.as_bytes()))?;
        }
        if let Some(path) = &self.png {
            file::write_or_print(path, PICTURE, |out| drawn.write_png(out))?;
        }
        Ok(standard == 0)
    }
}
