//! The user's web browser.

use std::process::{Command, Stdio};
use std::thread;

use super::colour::is_set;

/// Returns whether there is a screen for a browser.
pub(super) fn has_display() -> bool {
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
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
            thread::spawn(move || opener.wait());
            true
        }
        Err(_) => false,
    }
}
