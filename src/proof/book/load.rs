//! Opening certificates in files and folders.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::game::rules::Ruleset;
use crate::proof::certificate::{
    Certificate, CertificateError, EXTENSION, STORE_FOLDER, check_file, hexadecimal, read_rules,
};
use crate::tablebase::Tablebase;

use super::ProofBook;

/// Why certificates cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookError {
    /// A folder contains no certificate.
    Empty(PathBuf),
    /// A file or folder cannot be used.
    Certificate {
        /// The file or folder.
        path: PathBuf,
        /// Why it cannot be used.
        error: CertificateError,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Empty(path) => write!(
                f,
                "{}: no certificates (*.{EXTENSION}) in this folder or in its subfolder {STORE_FOLDER}",
                path.display()
            ),
            BookError::Certificate { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl Error for BookError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BookError::Empty(_) => None,
            BookError::Certificate { error, .. } => Some(error),
        }
    }
}

impl ProofBook {
    /// Opens certificates for the tables' rules: files, folders of files `*.cert`, and stores, whose
    /// certificates are in their subfolder `proofs`. In folders, those for other rules are skipped.
    ///
    /// # Errors
    /// If a file cannot be read, is damaged, or depends on a table with other values than the given
    /// one; if a file named in `paths` is for other rules; if a folder contains no certificate.
    pub fn open(paths: &[PathBuf], tables: Arc<Tablebase>) -> Result<ProofBook, BookError> {
        let certificates = read_all(paths, &[&tables], OtherRules::Refused)?.remove(0);
        Ok(ProofBook::new(certificates, tables))
    }

    /// As [`open`](ProofBook::open), for rules that somebody else chooses: a file named in `paths` may
    /// be for other rules, and is skipped then.
    ///
    /// # Errors
    /// As [`open`](ProofBook::open), except for other rules.
    pub fn open_fitting(paths: &[PathBuf], tables: Arc<Tablebase>) -> Result<ProofBook, BookError> {
        let certificates = read_all(paths, &[&tables], OtherRules::Skipped)?.remove(0);
        Ok(ProofBook::new(certificates, tables))
    }

    /// Reads all certificates before it is known for which rules, to find damage.
    ///
    /// # Errors
    /// If a file cannot be read, is not a certificate or is damaged, or a folder contains none.
    pub fn check_paths(paths: &[PathBuf]) -> Result<(), BookError> {
        each_file(paths, OtherRules::Refused, &mut |file| {
            check_file(File::open(file).map_err(CertificateError::Io)?)
        })
    }

    /// As [`open`](ProofBook::open), for several rulesets. Returns a book for each, in this order;
    /// those with the same rules share one.
    ///
    /// # Errors
    /// As [`open`](ProofBook::open); a file named in `paths` must be for one of the rulesets.
    pub fn open_for_all(
        paths: &[PathBuf],
        tables: &[Arc<Tablebase>],
    ) -> Result<Vec<Arc<ProofBook>>, BookError> {
        let mut distinct: Vec<&Arc<Tablebase>> = Vec::new();
        for base in tables {
            if !distinct.iter().any(|other| have_same_rules(other, base)) {
                distinct.push(base);
            }
        }
        let read = read_all(paths, &distinct, OtherRules::Refused)?;
        let books: Vec<Arc<ProofBook>> = read
            .into_iter()
            .zip(&distinct)
            .map(|(certificates, base)| Arc::new(ProofBook::new(certificates, Arc::clone(base))))
            .collect();
        let of_base = |base: &Arc<Tablebase>| {
            let number = distinct.iter().position(|other| have_same_rules(other, base));
            Arc::clone(&books[number.unwrap_or_default()])
        };
        Ok(tables.iter().map(of_base).collect())
    }
}

/// Certificates with their names.
type NamedCertificates = Vec<(String, Certificate)>;

fn have_same_rules(one: &Tablebase, other: &Tablebase) -> bool {
    one.rules().fingerprint() == other.rules().fingerprint()
}

/// What happens to a named file for other rules. In folders, such files are always skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherRules {
    Refused,
    Skipped,
}

/// Reads the certificates of each ruleset.
fn read_all(
    paths: &[PathBuf],
    tables: &[&Arc<Tablebase>],
    others: OtherRules,
) -> Result<Vec<NamedCertificates>, BookError> {
    let mut found: Vec<NamedCertificates> = tables.iter().map(|_| Vec::new()).collect();
    each_file(paths, others, &mut |file| {
        let (number, certificate) = read(file, tables)?;
        let name = file.file_name().unwrap_or(file.as_os_str());
        found[number].push((name.to_string_lossy().into_owned(), certificate));
        Ok(())
    })?;
    Ok(found)
}

/// Reads the certificates of one ruleset, as [`ProofBook::open`] does, but one after the other, since
/// one may take gigabytes. All of their tables must be there.
pub(in crate::proof) fn each_certificate(
    paths: &[PathBuf],
    rules: &Ruleset,
    tables: Option<&Tablebase>,
    found: &mut dyn FnMut(&Certificate),
) -> Result<(), BookError> {
    each_file(paths, OtherRules::Refused, &mut |file| {
        let certificate =
            Certificate::read(File::open(file).map_err(CertificateError::Io)?, rules)?;
        certificate.require_tables(tables)?;
        found(&certificate);
        Ok(())
    })
}

/// Reads the files of certificates.
fn each_file(
    paths: &[PathBuf],
    others: OtherRules,
    read: &mut dyn FnMut(&Path) -> Result<(), CertificateError>,
) -> Result<(), BookError> {
    for path in paths {
        let is_folder = path.is_dir();
        let files = if is_folder { files(path)? } else { vec![path.clone()] };
        let skips_others = is_folder || others == OtherRules::Skipped;
        for file in files {
            match read(&file) {
                Err(CertificateError::OtherRules { .. }) if skips_others => {}
                read => read.map_err(|error| BookError::Certificate { path: file, error })?,
            }
        }
    }
    Ok(())
}

/// Reads a certificate and compares its tables with the given ones. Also returns the index of the
/// tablebase with its rules.
fn read(path: &Path, tables: &[&Arc<Tablebase>]) -> Result<(usize, Certificate), CertificateError> {
    let open = || File::open(path).map_err(CertificateError::Io);
    let (rules, fingerprint) = read_rules(open()?)?;
    let is_for = |base: &&Arc<Tablebase>| hexadecimal(base.rules().fingerprint().0) == fingerprint;
    let Some(number) = tables.iter().position(is_for) else {
        return Err(CertificateError::OtherRules { rules });
    };
    let certificate = Certificate::read(open()?, tables[number].rules())?;
    certificate.compare_tables(tables[number])?;
    Ok((number, certificate))
}

/// Returns the certificates in a folder and in its subfolder `proofs`, sorted by path.
fn files(folder: &Path) -> Result<Vec<PathBuf>, BookError> {
    let mut files = Vec::new();
    let of_store = folder.join(STORE_FOLDER);
    for folder in [folder, &of_store] {
        if !folder.is_dir() {
            continue;
        }
        let unreadable = |error: io::Error| {
            let error = CertificateError::Io(error);
            BookError::Certificate { path: folder.to_owned(), error }
        };
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                files.push(path);
            }
        }
    }
    // A store that was just created has no certificates yet.
    if files.is_empty() && !of_store.is_dir() {
        return Err(BookError::Empty(folder.to_owned()));
    }
    files.sort();
    Ok(files)
}
