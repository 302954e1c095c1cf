//! The user's web browser.

use std::process::{Command, Stdio};
use std::thread;

use super::colour::is_set;
use super::error::CliError;

/// Checks that there is a screen for the browser that this option opens.
///
/// # Errors
/// If there is none.
pub(super) fn check_display(option: &str) -> Result<(), CliError> {
    if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        return Ok(());
    }
    let reason = "no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
    Err(CliError::new(format!("{reason}: leave out {option}")))
}

/// Opens a page in the user's browser; returns whether a program was found for it.
pub(super) fn open_in_browser(url: &str) -> bool {
    let opener = Command::new("xdg-open")
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match opener {
        Ok(mut opener) => {
            // Without a thread it stays a zombie until this program ends.
            let _ = thread::Builder::new().spawn(move || opener.wait());
            true
        }
        Err(_) => false,
    }
}
