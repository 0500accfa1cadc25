//! Reads values of the configuration.

use std::time::Duration;

use chrono::TimeDelta;

use crate::domain::policy::Retention;

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number with s, m, h or d, for example 30s or 12h".to_owned();
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| expected())?;
    let seconds = match text.strip_prefix(digits) {
        Some("s") => Some(number),
        Some("m") => number.checked_mul(60),
        Some("h") => number.checked_mul(60 * 60),
        Some("d") => number.checked_mul(24 * 60 * 60),
        _ => return Err(expected()),
    };
    match seconds {
        Some(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
        Some(0) => Err("must be at least 1s".to_owned()),
        None => Err("is longer than can be counted".to_owned()),
    }
}

pub(super) fn parse_retention(text: &str) -> Result<Retention, String> {
    if text == "never" {
        return Ok(Retention::Never);
    }
    let duration = parse_duration(text).map_err(|fault| format!("{fault}, or never"))?;
    TimeDelta::from_std(duration)
        .map(Retention::For)
        .map_err(|_| "is longer than can be counted; say never".to_owned())
}

pub(super) fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("expected a number from 1 to 1000000".to_owned()),
    }
}

pub(super) fn parse_selection(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=100_000).contains(count));
    count.ok_or_else(|| "expected a number from 1 to 100000".to_owned())
}

/// Checks the name of a claim: a name, or a JSON pointer (RFC 6901).
pub(super) fn parse_names(name: &str) -> Result<(), &'static str> {
    let ends_well = !name.is_empty() && !name.ends_with('/') && name.trim() == name;
    if ends_well { Ok(()) } else { Err("must name a claim, or point to one (/app/tenant)") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_are_at_least_a_second() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("2d"), Ok(Duration::from_hours(48)));
        for text in [
            "",
            "s",
            "10",
            "0s",
            "-1s",
            "1.5h",
            "1w",
            "1 s",
            "99999999999999999999d",
            "18446744073709551615d",
        ] {
            assert!(parse_duration(text).is_err(), "{text:?}");
        }
        assert_eq!(parse_retention("never"), Ok(Retention::Never));
    }
}
