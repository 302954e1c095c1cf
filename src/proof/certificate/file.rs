//! Reading and writing certificates.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};
use zstd::zstd_safe::CParameter;

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::table::{Metric, ValueHash};

use super::code::{Coder, MAX_BYTES};
use super::part::{Part, StoredMove};
use super::{Certificate, CertificateError, TableReference, claimed_value};

const MAGIC: &str = "taflbase certificate 1\n";
/// The most bytes of a header.
const MAX_HEADER: u64 = 1 << 20;
const TOO_LONG: &str = "it has bytes beyond what its header says";
/// The zstd level of certificates that are written once and read often.
const LEVEL: i32 = 19;
/// From so many bytes on, compressing at that level takes minutes.
const LARGE: usize = 256 << 20;
/// The level of such certificates: a tenth of the time, for a seventh more bytes.
const LEVEL_OF_LARGE: i32 = 12;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    rules: String,
    fingerprint: String,
    position: String,
    value: String,
    parts: Vec<PartHeader>,
    tables: Vec<TableHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartHeader {
    holder: Side,
    wins: bool,
    moves: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableHeader {
    slice: String,
    metric: String,
    values: String,
}

impl Certificate {
    /// Writes the certificate.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let level = if self.max_stored_bytes() < LARGE { LEVEL } else { LEVEL_OF_LARGE };
        self.write_at(level, out)
    }

    /// Writes the certificate with this zstd level.
    pub(in crate::proof) fn write_at(&self, level: i32, mut out: impl Write) -> io::Result<()> {
        let parts = self.parts.iter().map(|part| PartHeader {
            holder: part.holder,
            wins: part.wins,
            moves: part.len() as u64,
        });
        let tables = self.tables.iter().map(|reference| TableHeader {
            slice: reference.slice.to_string(),
            metric: reference.metric.name().to_owned(),
            values: reference.values.to_string(),
        });
        let header = Header {
            rules: self.rules.clone(),
            fingerprint: hexadecimal(self.fingerprint.0),
            position: self.text.clone(),
            value: self.value.to_string(),
            parts: parts.collect(),
            tables: tables.collect(),
        };
        out.write_all(MAGIC.as_bytes())?;
        serde_json::to_writer(&mut out, &header)?;
        out.write_all(b"\n")?;
        let mut encoder = zstd::Encoder::new(out, level)?;
        encoder.include_checksum(true)?;
        // Without this hint zstd prepares for any size, and clears 80 MB for a few moves.
        let hint = self.max_stored_bytes().clamp(1, i32::MAX as usize);
        encoder.set_parameter(CParameter::SrcSizeHint(hint as u32))?;
        for part in &self.parts {
            write_moves(part, &mut encoder)?;
        }
        encoder.finish()?.flush()
    }

    fn max_stored_bytes(&self) -> usize {
        self.parts.iter().map(Part::max_stored_bytes).sum()
    }

    /// Reads a certificate of these rules. Its strategies are not yet checked.
    ///
    /// # Errors
    /// If it cannot be read, violates the format, or is for other rules.
    pub fn read(input: impl Read, rules: &Ruleset) -> Result<Certificate, CertificateError> {
        let mut input = BufReader::new(input);
        let header = read_header(&mut input)?;
        if header.fingerprint != hexadecimal(rules.fingerprint().0) {
            return Err(CertificateError::OtherRules { rules: header.rules });
        }
        check_claims(&header.parts)?;
        let position = Position::parse(&header.position, rules)
            .map_err(|error| malformed(format!("position: {error}")))?;
        let tables = header.tables.iter().map(table_reference).collect::<Result<_, _>>()?;
        let coder = Coder::new(rules);
        let mut body = BufReader::new(body(input)?);
        let mut parts = Vec::new();
        for part in &header.parts {
            parts.push(read_moves(part, coder.bytes, &mut body)?);
        }
        if body.read(&mut [0]).map_err(unreadable)? > 0 {
            return Err(malformed(TOO_LONG));
        }
        check_end(body.into_inner())?;
        let value = claimed_value(rules, &parts);
        if value.to_string() != header.value {
            return Err(malformed("its value is not what its parts claim"));
        }
        Ok(Certificate {
            rules: header.rules,
            fingerprint: rules.fingerprint(),
            position,
            text: header.position,
            value,
            parts,
            tables,
        })
    }

    /// Reads the name of a certificate's rules.
    ///
    /// # Errors
    /// If the file is not a certificate.
    pub fn read_rules_name(input: impl Read) -> Result<String, CertificateError> {
        Ok(read_header(&mut BufReader::new(input))?.rules)
    }
}

/// Reads the name of a certificate's rules, and their fingerprint in hexadecimal digits.
pub(in crate::proof) fn read_rules(input: impl Read) -> Result<(String, String), CertificateError> {
    let header = read_header(&mut BufReader::new(input))?;
    Ok((header.rules, header.fingerprint))
}

/// Checks the whole file as far as that needs no rules.
///
/// # Errors
/// If it is not a certificate, cannot be read or is damaged.
pub(in crate::proof) fn check_file(input: impl Read) -> Result<(), CertificateError> {
    let mut input = BufReader::new(input);
    check_claims(&read_header(&mut input)?.parts)?;
    let mut body = body(input)?;
    io::copy(&mut body, &mut io::sink()).map_err(unreadable)?;
    check_end(body)
}

/// Decompresses the strategies.
fn body<R: BufRead>(input: R) -> Result<zstd::Decoder<'static, R>, CertificateError> {
    Ok(zstd::Decoder::with_buffer(input).map_err(unreadable)?.single_frame())
}

/// Checks that nothing follows the strategies.
fn check_end(body: zstd::Decoder<impl BufRead>) -> Result<(), CertificateError> {
    match body.finish().read(&mut [0]).map_err(CertificateError::Io)? {
        0 => Ok(()),
        _ => Err(malformed(TOO_LONG)),
    }
}

fn malformed(fault: impl Into<String>) -> CertificateError {
    CertificateError::Malformed(fault.into())
}

/// Classifies an error of the compressed body.
fn unreadable(error: io::Error) -> CertificateError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => malformed("it is cut short"),
        _ => malformed(error.to_string()),
    }
}

fn read_header(input: &mut impl BufRead) -> Result<Header, CertificateError> {
    if !begins_with(input, MAGIC).map_err(CertificateError::Io)? {
        return Err(CertificateError::NotACertificate);
    }
    let mut line = Vec::new();
    input.take(MAX_HEADER).read_until(b'\n', &mut line).map_err(CertificateError::Io)?;
    if line.last() != Some(&b'\n') {
        return Err(malformed("its header is cut short or too long"));
    }
    serde_json::from_slice(&line).map_err(|error| malformed(format!("its header: {error}")))
}

/// Reads the beginning of a file, and returns whether it is this text.
pub(in crate::proof) fn begins_with(input: &mut impl Read, text: &str) -> io::Result<bool> {
    let mut start = vec![0; text.len()];
    match input.read_exact(&mut start) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| start == text.as_bytes()),
    }
}

/// Checks that the parts claim something, and nothing twice.
fn check_claims(parts: &[PartHeader]) -> Result<(), CertificateError> {
    if parts.is_empty() {
        return Err(malformed("it has no part, and so claims nothing"));
    }
    let claims: HashSet<(Side, bool)> = parts.iter().map(|part| (part.holder, part.wins)).collect();
    if claims.len() < parts.len() {
        return Err(malformed("two of its parts make the same claim"));
    }
    Ok(())
}

fn table_reference(header: &TableHeader) -> Result<TableReference, CertificateError> {
    let slice = header.slice.parse().ok();
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == header.metric);
    let values = blake3::Hash::from_hex(&header.values).ok().map(|hash| ValueHash(hash.into()));
    match (slice, metric, values) {
        (Some(slice), Some(metric), Some(values)) => Ok(TableReference { slice, metric, values }),
        _ => Err(malformed("a table of its header")),
    }
}

fn write_moves(part: &Part, out: &mut impl Write) -> io::Result<()> {
    let mut last: &[u8] = &[];
    for number in 0..part.len() {
        let (code, StoredMove { from, to, rank }) = part.get(number);
        let shared = code.iter().zip(last).take_while(|(one, other)| one == other).count();
        out.write_all(&[shared as u8])?;
        out.write_all(&code[shared..])?;
        out.write_all(&from.to_le_bytes())?;
        out.write_all(&to.to_le_bytes())?;
        if part.wins {
            out.write_all(&rank.to_le_bytes())?;
        }
        last = code;
    }
    Ok(())
}

fn read_moves(
    header: &PartHeader,
    code_bytes: usize,
    body: &mut impl Read,
) -> Result<Part, CertificateError> {
    let mut part = Part::empty(header.holder, header.wins, code_bytes);
    let mut code = [0; MAX_BYTES];
    for number in 0..header.moves {
        let before = code;
        let [shared] = read_array(body)?;
        let shared = usize::from(shared);
        if shared >= code_bytes || number == 0 && shared > 0 {
            return Err(malformed("a code shares more bytes than the one before has"));
        }
        body.read_exact(&mut code[shared..code_bytes]).map_err(unreadable)?;
        if number > 0 && code[..code_bytes] <= before[..code_bytes] {
            return Err(malformed("its codes are not in order"));
        }
        let (from, to) =
            (u16::from_le_bytes(read_array(body)?), u16::from_le_bytes(read_array(body)?));
        let rank = if header.wins { u32::from_le_bytes(read_array(body)?) } else { 0 };
        part.push(&code[..code_bytes], StoredMove { from, to, rank });
    }
    Ok(part)
}

fn read_array<const N: usize>(body: &mut impl Read) -> Result<[u8; N], CertificateError> {
    let mut bytes = [0; N];
    body.read_exact(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Returns the 64 hexadecimal digits of a hash.
pub(in crate::proof) fn hexadecimal(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
}
