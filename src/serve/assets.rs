use std::collections::BTreeMap;

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use super::response::CachedBody;

/// The files of the page: name in the URL, media type and contents. `index.html` is also served
/// at `/`.
macro_rules! files {
    ($($name:literal $media:literal;)+) => {
        const FILES: &[(&str, &str, &[u8])] =
            &[$(($name, $media, include_bytes!(concat!("web/", $name)))),+];
    };
}

files! {
    "index.html" "text/html; charset=utf-8";
    "answer.js" "text/javascript; charset=utf-8";
    "api.js" "text/javascript; charset=utf-8";
    "app.js" "text/javascript; charset=utf-8";
    "base.css" "text/css; charset=utf-8";
    "beside.js" "text/javascript; charset=utf-8";
    "board.js" "text/javascript; charset=utf-8";
    "charts.js" "text/javascript; charset=utf-8";
    "clock.js" "text/javascript; charset=utf-8";
    "dom.js" "text/javascript; charset=utf-8";
    "drag.js" "text/javascript; charset=utf-8";
    "edit.js" "text/javascript; charset=utf-8";
    "engine.js" "text/javascript; charset=utf-8";
    "explorer.js" "text/javascript; charset=utf-8";
    "field.js" "text/javascript; charset=utf-8";
    "formations.js" "text/javascript; charset=utf-8";
    "game.js" "text/javascript; charset=utf-8";
    "games.js" "text/javascript; charset=utf-8";
    "help.js" "text/javascript; charset=utf-8";
    "icon.svg" "image/svg+xml";
    "keys.js" "text/javascript; charset=utf-8";
    "line.js" "text/javascript; charset=utf-8";
    "live.js" "text/javascript; charset=utf-8";
    "mini.js" "text/javascript; charset=utf-8";
    "opponent.js" "text/javascript; charset=utf-8";
    "pieces.js" "text/javascript; charset=utf-8";
    "position.js" "text/javascript; charset=utf-8";
    "puzzles.js" "text/javascript; charset=utf-8";
    "review.js" "text/javascript; charset=utf-8";
    "rules.js" "text/javascript; charset=utf-8";
    "search.js" "text/javascript; charset=utf-8";
    "settings.js" "text/javascript; charset=utf-8";
    "sounds.js" "text/javascript; charset=utf-8";
    "study.css" "text/css; charset=utf-8";
    "tables.js" "text/javascript; charset=utf-8";
    "theme.js" "text/javascript; charset=utf-8";
    "tree.js" "text/javascript; charset=utf-8";
    "views.css" "text/css; charset=utf-8";
    "words.js" "text/javascript; charset=utf-8";
    "robots.txt" "text/plain; charset=utf-8";
}

/// The files of the page.
pub(super) struct Assets(BTreeMap<&'static str, CachedBody>);

impl Assets {
    pub(super) fn new() -> Assets {
        Assets(
            FILES
                .iter()
                .map(|&(name, media, bytes)| (name, CachedBody::new(media, bytes)))
                .collect(),
        )
    }

    /// Compresses all files, so that no request waits for it.
    pub(super) fn compress(&self) {
        self.0.values().for_each(CachedBody::compress);
    }

    /// Returns whether there is a file with that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the file with that name, or 404.
    pub(super) fn response(&self, name: &str, request: &HeaderMap) -> Response {
        match self.0.get(name) {
            Some(body) => body.response(request),
            None => Problem::not_found("no such page").into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody;
    use axum::http::header::ACCEPT_ENCODING;
    use axum::http::{HeaderMap, HeaderValue};

    use super::{Assets, FILES};

    /// Returns the bytes of all files, as they are sent to a client that accepts this encoding.
    fn bytes_sent(encoding: &'static str) -> u64 {
        let request = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(encoding))]);
        let assets = Assets::new();
        let body = |name: &str| assets.response(name, &request).into_body();
        FILES.iter().filter_map(|(name, _, _)| body(name).size_hint().exact()).sum()
    }

    #[test]
    fn the_page_is_small() {
        let (compressed, plain) = (bytes_sent("zstd"), bytes_sent("identity"));
        assert!(compressed > 50_000 && compressed <= 80 << 10, "{compressed} bytes compressed");
        assert!(plain > 150_000 && plain <= 200 << 10, "{plain} bytes");
    }

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/serve/web");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(FILES.iter().any(|(file, _, _)| name == *file), "{name:?} is not in the list");
        }
    }
}
