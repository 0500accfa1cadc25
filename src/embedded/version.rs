//! The version of a Postgres.

use std::fmt;

/// The oldest major version that serves.
pub(super) const OLDEST_MAJOR: u32 = 15;

/// The version of a Postgres, such as 15.14. Orders by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerVersion {
    /// The major version.
    pub major: u32,
    /// The minor version; 0 for a beta or a development version.
    pub minor: u32,
}

impl ServerVersion {
    /// Reads what `postgres --version` prints, such as `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
    pub(super) fn parse(printed: &str) -> Option<Self> {
        let number = printed.split_once("(PostgreSQL)")?.1.split_whitespace().next()?;
        let digits = |text: &str| -> Option<u32> {
            text.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok())
        };
        let minor = number.split_once('.').and_then(|(_, rest)| digits(rest)).unwrap_or(0);
        Some(Self { major: digits(number)?, minor })
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::ServerVersion;

    #[test]
    fn reads_what_postgres_prints() {
        let version = |text| ServerVersion::parse(text).map(|v| (v.major, v.minor));
        assert_eq!(version("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n"), Some((15, 14)));
        assert_eq!(version("postgres (PostgreSQL) 17.0"), Some((17, 0)));
        assert_eq!(version("postgres (PostgreSQL) 18beta2"), Some((18, 0)));
        assert_eq!(version("postgres (PostgreSQL) 19devel"), Some((19, 0)));
        assert_eq!(version("postgres (PostgreSQL) 9.6.24"), Some((9, 6)));
        assert_eq!(version("mysqld 8.0"), None);
    }
}
