//! Downloads of table files.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use taflbase::serve::ServeOptions;
use tower::ServiceExt;

use super::answers::counted;
use super::{Got, get, send, served, served_with};

const FILE: &str = "/api/v1/rulesets/brandubh/tables/K1v2.dtw";

fn sharing() -> Router {
    served_with(ServeOptions { downloads: true, ..ServeOptions::default() })
}

async fn with_headers(router: &Router, headers: &[(&str, &str)]) -> Got {
    let mut request = Request::get(FILE);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(router, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn files_are_sent_whole_or_in_part() {
    let router = sharing();
    let expected = std::fs::read("tables/brandubh/K1v2.dtw").unwrap();
    let whole = get(&router, FILE).await;
    assert_eq!((whole.status, whole.header("content-type")), (200, "application/octet-stream"));
    assert_eq!(
        (whole.header("accept-ranges"), whole.header("cache-control")),
        ("bytes", "no-cache")
    );
    assert!(whole.body == expected);
    let (tag, all) = (whole.header("etag"), expected.len());
    let part = with_headers(&router, &[("range", "bytes=100-199")]).await;
    assert_eq!(
        (part.status, part.header("content-range")),
        (206, &*format!("bytes 100-199/{all}"))
    );
    assert!(part.body == expected[100..200]);
    for (range, version, status, from) in [
        ("bytes=200-", tag, 206, 200),
        ("bytes=-50", tag, 206, all - 50),
        ("bytes=200-", "\"other\"", 200, 0),
        ("rows=200-", tag, 200, 0),
    ] {
        let got = with_headers(&router, &[("range", range), ("if-range", version)]).await;
        assert_eq!(got.status, status, "{range} {version}");
        assert!(got.body == expected[from..], "{range} {version}");
        assert_eq!(got.header("etag"), tag);
    }
    let behind = with_headers(&router, &[("range", &format!("bytes={all}-"))]).await;
    assert_eq!((behind.status, behind.code().as_str()), (416, "no-such-range"));
    assert_eq!(behind.header("content-range"), format!("bytes */{all}"));
    let known = with_headers(&router, &[("if-none-match", tag)]).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    let head = send(&router, Request::head(FILE).body(Body::empty()).unwrap()).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), all.to_string());
}

#[tokio::test]
async fn a_slice_and_the_manifest_name_its_files() {
    let router = sharing();
    let manifest = get(&router, "/api/v1/rulesets/brandubh/tables/MANIFEST.json").await.json();
    assert_eq!(manifest, get(&router, "/api/v1/rulesets/brandubh/slices").await.json());
    let path = "/api/v1/rulesets/brandubh/slices/K1v2";
    let slice = counted(&router, path).await.json();
    let downloads = slice["downloads"].as_array().unwrap();
    let listed = manifest["slices"].as_array().unwrap().iter().find(|one| one["slice"] == "K1v2");
    let files = listed.unwrap()["files"].as_array().unwrap();
    assert_eq!(downloads.len(), files.len());
    for (download, file) in downloads.iter().zip(files) {
        for (key, value) in file.as_object().unwrap() {
            assert_eq!(download[key], *value);
        }
        let got = get(&router, download["path"].as_str().unwrap()).await;
        assert_eq!((got.status, got.body.len()), (200, file["bytes"].as_u64().unwrap() as usize));
        assert_eq!(got.header("etag"), format!("\"{}\"", file["blake3"].as_str().unwrap()));
    }
    assert_eq!(counted(&served(), path).await.json().get("downloads"), None);
}

#[tokio::test]
async fn only_tables_are_sent_and_only_if_allowed() {
    let (open, closed) = (sharing(), served());
    for (name, status, code) in [
        ("K9v9.dtw", 404, "missing-table"),
        ("K1v2.txt", 404, "not-found"),
        ("k1v2.dtw", 404, "not-found"),
        ("..%2f..%2f..%2fetc%2fpasswd", 404, "not-found"),
        ("%2e%2e", 404, "not-found"),
        ("%ff", 404, "not-found"),
        ("K1v2.dtw%00", 404, "not-found"),
        ("LICENSE", 404, "not-found"),
    ] {
        let path = format!("/api/v1/rulesets/brandubh/tables/{name}");
        let got = get(&open, &path).await;
        assert_eq!((got.status, got.code().as_str()), (status, code), "{name}");
    }
    for name in ["K1v2.dtw", "MANIFEST.json", "nix"] {
        let got = get(&closed, &format!("/api/v1/rulesets/brandubh/tables/{name}")).await;
        assert_eq!((got.status, got.code().as_str()), (403, "forbidden"), "{name}");
    }
}

#[tokio::test]
async fn downloads_are_limited_and_nothing_else_waits_for_them() {
    let router = sharing();
    let ask = || router.clone().oneshot(Request::get(FILE).body(Body::empty()).unwrap());
    let mut held = Vec::new();
    for _ in 0..16 {
        let response = ask().await.unwrap();
        assert_eq!(response.status(), 200);
        held.push(response);
    }
    let refused = get(&router, FILE).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(get(&router, "/api/v1/rulesets/brandubh/slices").await.status, 200);
    // A client that disconnects makes room.
    held.pop();
    assert_eq!(ask().await.unwrap().status(), 200);
}
