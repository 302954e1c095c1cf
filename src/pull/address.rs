use std::fmt;

use hyper::Uri;

const EXAMPLE: &str = "write an address like http://127.0.0.1:8080";

/// The address of a folder or file on an HTTP server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Address {
    /// The host's name or number, without brackets.
    pub host: String,
    pub port: u16,
    /// The host and, if it was given, the port: the header `Host`.
    pub authority: String,
    /// The path from its first slash on; empty for the root folder.
    path: String,
}

impl Address {
    /// Parses an address; a fragment, as the explorer's page has, is ignored.
    pub(super) fn parse(text: &str) -> Result<Address, &'static str> {
        let uri: Uri = text.parse().map_err(|_| EXAMPLE)?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err("https is not supported: use http, or fetch the files with another \
                            program and run `taflbase check`");
            }
            _ => return Err(EXAMPLE),
        }
        let authority = uri.authority().ok_or(EXAMPLE)?;
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err("neither a user nor a query may be part of the address");
        }
        let port = match authority.as_str() == authority.host() {
            true => 80,
            false => authority.port_u16().ok_or(EXAMPLE)?,
        };
        Ok(Address {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port,
            authority: authority.to_string(),
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Returns the address of a file in this folder; the name may have slashes.
    pub(super) fn join(&self, name: &str) -> Address {
        Address { path: format!("{}/{name}", self.path), ..self.clone() }
    }

    /// Returns the folder if this is the address of the file `name` in it.
    pub(super) fn folder_of(&self, name: &str) -> Option<Address> {
        let path = self.path.strip_suffix(name)?.strip_suffix('/')?.to_owned();
        Some(Address { path, ..self.clone() })
    }

    /// Returns the path as requests have it.
    pub(super) fn target(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folders_of_http_servers() {
        for (text, host, port, shown) in [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, "http://127.0.0.1:8080"),
            ("http://example.org/", "example.org", 80, "http://example.org"),
            ("HTTP://example.org/a/b//", "example.org", 80, "http://example.org/a/b"),
            ("http://[::1]:81/a", "::1", 81, "http://[::1]:81/a"),
            ("http://h:1/#brandubh/K1v3", "h", 1, "http://h:1"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((&*address.host, address.port), (host, port), "{text}");
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.join("x/y").to_string(), format!("{shown}/x/y"));
            assert_eq!(address.join("x").folder_of("x"), Some(address.clone()));
            assert_eq!(address.join("ax").folder_of("x"), None);
        }
        for wrong in [
            "",
            "localhost",
            "localhost:8080",
            "/tables",
            "ftp://h",
            "http://",
            "http://h:x",
            "http://h:",
            "http://h:70000",
            "http://h/?a=b",
            "http://me:secret@h/",
            "https://h",
            "http://h/a b",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
