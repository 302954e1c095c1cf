use std::fmt;
use std::path::PathBuf;

use hyper::StatusCode;
use hyper::header::LOCATION;
use serde::Deserialize;

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::study::manifest::{
    FileEntry, MANIFEST_FILE, Manifest, ManifestError, ManifestErrorKind,
};
use crate::table::Metric;

use super::PullOptions;
use super::address::Address;
use super::client::{Client, Response};
use super::error::{PullError, ServerFault};

/// The maximum size of a manifest in bytes: some ten thousand slices.
const MANIFEST_BYTES: u64 = 16 << 20;
/// The maximum size of the text that comes with a refusal, in bytes.
const REFUSAL_BYTES: u64 = 64 << 10;

/// The tables of one ruleset on a server.
#[derive(Debug)]
pub struct Remote {
    pub(super) client: Client,
    /// The folder of the files.
    folder: Address,
    files: Vec<RemoteFile>,
    /// How often to continue a file.
    pub(super) retries: u32,
}

/// A table file that a server lists; displayed as its name, like `K2v4.dtw`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteFile {
    /// The slice.
    pub slice: Slice,
    /// The metric.
    pub metric: Metric,
    /// Size and checksums.
    pub entry: FileEntry,
}

impl fmt::Display for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.metric.file_name(self.slice))
    }
}

impl Remote {
    /// Asks a server for its manifest of these rules. The address is that of an explorer, of a folder
    /// of tables with a folder for each ruleset, of the ruleset's folder, or of the manifest.
    ///
    /// # Errors
    /// If the server cannot be reached or refuses, or has no sound manifest of these rules.
    pub fn find(url: &str, rules: &Ruleset, options: &PullOptions) -> Result<Remote, PullError> {
        let base = Address::parse(url)
            .map_err(|reason| PullError::Address { text: url.to_owned(), reason })?;
        let client = Client::new(options.timeout).map_err(|source| PullError::Server {
            url: base.to_string(),
            fault: ServerFault::Connect(source),
        })?;
        let mut refused = None;
        for folder in folders(&base, &rules.name) {
            let address = folder.join(MANIFEST_FILE);
            let text = read_manifest(&client, &address)
                .map_err(|fault| PullError::Server { url: address.to_string(), fault });
            match text.and_then(|text| listed_files(&text, &address, rules)) {
                Ok(files) => {
                    return Ok(Remote { client, folder, files, retries: options.retries });
                }
                Err(PullError::Server { fault: ServerFault::Status { code: 404, .. }, .. }) => {}
                // Instead of saying that there is no such file, some servers send a page, and others
                // refuse.
                Err(
                    error @ (PullError::Manifest(_)
                    | PullError::Server { fault: ServerFault::Status { .. }, .. }),
                ) => _ = refused.get_or_insert(error),
                Err(error) => return Err(error),
            }
        }
        let [url, rules] = [base.to_string(), rules.name.clone()];
        Err(refused.unwrap_or(PullError::NoManifest { url, rules }))
    }

    /// Returns the files, smallest slice first, WDL before DTW.
    pub fn files(&self) -> &[RemoteFile] {
        &self.files
    }

    /// Returns the address of the manifest.
    pub(super) fn manifest(&self) -> Address {
        self.folder.join(MANIFEST_FILE)
    }

    /// Returns the address of a file.
    pub(super) fn address_of(&self, file: &RemoteFile) -> Address {
        self.folder.join(&file.to_string())
    }
}

/// Returns the folders in which the ruleset's manifest may be, in the order of asking.
fn folders(base: &Address, rules: &str) -> Vec<Address> {
    match base.folder_of(MANIFEST_FILE) {
        Some(folder) => vec![folder],
        None => vec![
            base.join(&format!("api/v1/rulesets/{rules}/tables")),
            base.join(rules),
            base.clone(),
        ],
    }
}

fn read_manifest(client: &Client, address: &Address) -> Result<Vec<u8>, ServerFault> {
    let mut response = client.get(address, 0)?;
    match response.status {
        StatusCode::OK => response.read(MANIFEST_BYTES),
        _ => Err(refusal(&mut response)),
    }
}

/// Returns the files of a manifest. Their names are made here, from slices and metrics.
fn listed_files(
    text: &[u8],
    address: &Address,
    rules: &Ruleset,
) -> Result<Vec<RemoteFile>, PullError> {
    let manifest = Manifest::parse(text, rules).map_err(|kind| {
        PullError::Manifest(ManifestError {
            path: PathBuf::from(address.to_string()),
            kind: printable_kind(kind),
        })
    })?;
    let mut files = Vec::new();
    for slice in manifest.slices {
        for entry in slice.files {
            let file = remote_file(slice.slice, entry)
                .map_err(|reason| PullError::Listed { url: address.to_string(), reason })?;
            files.push(file);
        }
    }
    files.sort_by_key(|file| (file.slice, file.metric));
    if let Some(twice) = files.windows(2).find(|pair| pair[0].to_string() == pair[1].to_string()) {
        let reason = format!("the manifest lists {} twice", twice[0]);
        return Err(PullError::Listed { url: address.to_string(), reason });
    }
    Ok(files)
}

/// Removes what could control a terminal from the name that a server sent.
fn printable_kind(kind: ManifestErrorKind) -> ManifestErrorKind {
    match kind {
        ManifestErrorKind::WrongRules { found, wanted } => {
            ManifestErrorKind::WrongRules { found: printable(&found), wanted }
        }
        kind => kind,
    }
}

fn remote_file(slice: Slice, entry: FileEntry) -> Result<RemoteFile, String> {
    let metric =
        Metric::ALL.into_iter().find(|metric| metric.name() == entry.metric).ok_or_else(|| {
            format!("the manifest lists {slice} with the unknown metric {:?}", entry.metric)
        })?;
    let name = metric.file_name(slice);
    if blake3::Hash::from_hex(&entry.blake3).is_err() {
        return Err(format!("the manifest has no checksum of {name}"));
    }
    match entry.bytes {
        0 => Err(format!("the manifest lists {name} with 0 bytes")),
        _ => Ok(RemoteFile { slice, metric, entry }),
    }
}

/// Converts a response without the file into the reason for it.
pub(super) fn refusal(response: &mut Response<'_>) -> ServerFault {
    /// An error as the explorer reports it (RFC 9457).
    #[derive(Deserialize)]
    struct Problem {
        detail: String,
    }
    let target = response.headers.get(LOCATION).and_then(|to| to.to_str().ok());
    let redirect = target
        .filter(|_| response.status.is_redirection())
        .map(|to| format!("it redirects to {to}"));
    let detail = redirect.unwrap_or_else(|| {
        let body = response.read(REFUSAL_BYTES).unwrap_or_default();
        serde_json::from_slice(&body).map_or(String::new(), |problem: Problem| problem.detail)
    });
    ServerFault::Status { code: response.status.as_u16(), detail: printable(&detail) }
}

/// Returns the text of a server without line breaks and other control characters, and at most 300
/// characters of it.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_no_paths() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let address = Address::parse("http://h/MANIFEST.json").unwrap();
        let hash = "0".repeat(64);
        let read = |slice: &str, metric: &str, hash: &str| {
            let file =
                format!(r#"{{"metric":"{metric}","bytes":9,"blake3":"{hash}","values":"{hash}"}}"#);
            let side = r#"{"to_move":"attackers","positions":0,"win":0,"loss":0,"draw":0,"undecided":0,"max_win":0,"max_loss":0}"#;
            let fingerprint = rules.fingerprint();
            let text = format!(
                r#"{{"rules":"x","fingerprint":"{fingerprint}","slices":[{{"slice":"{slice}","sides":[{side},{side}],"files":[{file}]}}]}}"#
            );
            listed_files(text.as_bytes(), &address, &rules)
        };
        assert_eq!(read("K1v2", "dtw", &hash).unwrap()[0].to_string(), "K1v2.dtw");
        for (slice, metric, hash) in [
            ("../K1v2", "dtw", &*hash),
            ("K1v2/../x", "dtw", &hash),
            ("/K1v2", "dtw", &hash),
            ("K1v2\\u0000", "dtw", &hash),
            ("K1v2", "../../dtw", &hash),
            ("K1v2", "dtw/..", &hash),
            ("K1v2", "", &hash),
            ("K1v2", "dtw", "../../../../etc"),
            ("K1v2", "dtw", ""),
        ] {
            let error = read(slice, metric, hash).unwrap_err().to_string();
            assert!(
                error.starts_with("http://h/MANIFEST.json: ") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
