use std::collections::BTreeMap;

use super::told::Kept;

/// The files of the page: the name in the URL, the media type, and what is in it.
/// `index.html` is served at `/` too.
macro_rules! files {
    ($($name:literal $media:literal;)+) => {
        const FILES: &[(&str, &str, &[u8])] =
            &[$(($name, $media, include_bytes!(concat!("web/", $name)))),+];
    };
}

files! {
    "index.html" "text/html; charset=utf-8";
    "robots.txt" "text/plain; charset=utf-8";
}

/// The files of the page, compressed.
pub(super) struct Assets(BTreeMap<&'static str, Kept>);

impl Assets {
    pub(super) fn new() -> Assets {
        Assets(FILES.iter().map(|&(name, media, bytes)| (name, Kept::new(media, bytes))).collect())
    }

    /// The file of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Kept> {
        self.0.get(name)
    }
}
