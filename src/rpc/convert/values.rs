//! Numbers, days and times: read with their rules, and written.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta};
use sha2::{Digest, Sha256};

use super::faults::Faults;
use crate::domain::Timestamp;
use crate::domain::forget::{Cause, Mode};
use crate::domain::memory::{Kind, Origin, State};
use crate::domain::refusal::Refusal;
use crate::ops::PageRequest;
use crate::ops::page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE};
use crate::proto::v1;

const NANOS_PER_MICRO: i32 = 1000;

/// Reads a moment of the years 1 to 9999, to the microsecond: what is finer is cut off.
pub(super) fn timestamp(
    faults: &mut Faults,
    field: &str,
    sent: Option<prost_types::Timestamp>,
) -> Option<Timestamp> {
    let prost_types::Timestamp { seconds, nanos } = sent?;
    let moment = (0..1_000_000_000)
        .contains(&nanos)
        .then(|| DateTime::from_timestamp(seconds, (nanos - nanos % NANOS_PER_MICRO).unsigned_abs()))
        .flatten()
        .filter(|moment| (1..=9999).contains(&moment.year()));
    faults.take(field, moment.ok_or("must be a time of the years 1 to 9999 with nanos from 0 to 999999999"))
}

/// Reads a bound of a span of time. Stored times are whole microseconds, so what is finer is rounded up: the same
/// times are at or after a bound, and before it, as with the bound itself.
pub(super) fn bound(
    faults: &mut Faults,
    field: &str,
    sent: Option<prost_types::Timestamp>,
) -> Option<Timestamp> {
    let is_whole = sent.is_none_or(|sent| sent.nanos % NANOS_PER_MICRO == 0);
    let moment = timestamp(faults, field, sent)?;
    Some(if is_whole { moment } else { moment + TimeDelta::microseconds(1) })
}

/// Writes a moment.
pub(super) fn timestamp_sent(moment: Timestamp) -> prost_types::Timestamp {
    let nanos = i32::try_from(moment.timestamp_subsec_nanos()).unwrap_or_default();
    prost_types::Timestamp { seconds: moment.timestamp(), nanos }
}

/// Reads a day in just the form `YYYY-MM-DD`.
pub(super) fn date(text: &str) -> Result<NaiveDate, &'static str> {
    let has_form = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let day = has_form.then(|| text.parse::<NaiveDate>().ok()).flatten().filter(|day| day.year() >= 1);
    day.ok_or("must be a day of the calendar as YYYY-MM-DD, for example 2026-01-31")
}

/// Reads the kind to save: unset is an ordinary memory.
pub(super) fn kind_to_save(number: i32) -> Result<Kind, &'static str> {
    if number == 0 { Ok(Kind::Memory) } else { kind(number) }
}

/// Reads a kind to filter by.
pub(super) fn kind(number: i32) -> Result<Kind, &'static str> {
    match v1::MemoryKind::try_from(number) {
        Ok(v1::MemoryKind::Memory) => Ok(Kind::Memory),
        Ok(v1::MemoryKind::Todo) => Ok(Kind::Todo),
        Ok(v1::MemoryKind::Ledger) => Ok(Kind::Ledger),
        Ok(v1::MemoryKind::Fact) => Ok(Kind::Fact),
        Ok(v1::MemoryKind::Unspecified) | Err(_) => Err("must be one of the kinds of MemoryKind"),
    }
}

/// Reads a state to filter by.
pub(super) fn state(number: i32) -> Result<State, &'static str> {
    match v1::MemoryState::try_from(number) {
        Ok(v1::MemoryState::Active) => Ok(State::Active),
        Ok(v1::MemoryState::Archived) => Ok(State::Archived),
        Ok(v1::MemoryState::Unspecified | v1::MemoryState::Erased) | Err(_) => {
            Err("must be MEMORY_STATE_ACTIVE or MEMORY_STATE_ARCHIVED")
        }
    }
}

/// Reads an origin to filter by.
pub(super) fn origin(number: i32) -> Result<Origin, &'static str> {
    match v1::MemoryOrigin::try_from(number) {
        Ok(v1::MemoryOrigin::Saved) => Ok(Origin::Saved),
        Ok(v1::MemoryOrigin::Imported) => Ok(Origin::Imported),
        Ok(v1::MemoryOrigin::Unspecified) | Err(_) => {
            Err("must be MEMORY_ORIGIN_SAVED or MEMORY_ORIGIN_IMPORTED")
        }
    }
}

/// Reads the mode of a forget: unset is soft, an unknown number is never a guess.
pub(super) fn mode(faults: &mut Faults, number: i32) -> Mode {
    match v1::ForgetMode::try_from(number) {
        Ok(v1::ForgetMode::Hard) => Mode::Hard,
        Ok(v1::ForgetMode::Unspecified | v1::ForgetMode::Soft) => Mode::Soft,
        Err(_) => {
            faults.broke(Refusal::UnknownMode(number));
            Mode::Soft
        }
    }
}

/// Reads why something is forgotten: unset is a correction.
pub(super) fn cause(faults: &mut Faults, number: i32) -> Cause {
    let read = match v1::ForgetCause::try_from(number) {
        Ok(v1::ForgetCause::UserRequest) => Ok(Cause::UserRequest),
        Ok(v1::ForgetCause::Unspecified | v1::ForgetCause::Correction) => Ok(Cause::Correction),
        Err(_) => Err("must be FORGET_CAUSE_CORRECTION or FORGET_CAUSE_USER_REQUEST"),
    };
    faults.take("cause", read).unwrap_or(Cause::Correction)
}

/// Writes why something was forgotten.
pub(super) fn cause_sent(cause: Option<Cause>) -> i32 {
    match cause {
        None => v1::ForgetCause::Unspecified,
        Some(Cause::Correction) => v1::ForgetCause::Correction,
        Some(Cause::UserRequest) => v1::ForgetCause::UserRequest,
    }
    .into()
}

/// Reads which page is wanted. `arguments` stands for all that the request says beside it.
pub(super) fn page(faults: &mut Faults, size: i32, token: String, arguments: [u8; 32]) -> PageRequest {
    let size = faults
        .take("page_size", usize::try_from(size).map_err(|_| "must not be negative"))
        .filter(|size| *size > 0)
        .unwrap_or(DEFAULT_PAGE_SIZE)
        .min(MAX_PAGE_SIZE);
    PageRequest { size, token, arguments }
}

/// SHA-256 of a method's name and a message.
pub(super) fn digest(method: &str, message: &impl prost::Message) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(method.as_bytes());
    // No method's name holds this byte, so no other method and message make the same bytes.
    hasher.update([0]);
    hasher.update(message.encode_to_vec());
    hasher.finalize().into()
}

/// Writes a kind.
pub(super) fn kind_sent(kind: Kind) -> i32 {
    match kind {
        Kind::Memory => v1::MemoryKind::Memory,
        Kind::Todo => v1::MemoryKind::Todo,
        Kind::Ledger => v1::MemoryKind::Ledger,
        Kind::Fact => v1::MemoryKind::Fact,
    }
    .into()
}

/// Writes an origin.
pub(super) fn origin_sent(origin: Option<Origin>) -> i32 {
    match origin {
        None => v1::MemoryOrigin::Unspecified,
        Some(Origin::Saved) => v1::MemoryOrigin::Saved,
        Some(Origin::Imported) => v1::MemoryOrigin::Imported,
    }
    .into()
}

/// Writes a state.
pub(super) fn state_sent(state: Option<State>) -> i32 {
    match state {
        None => v1::MemoryState::Unspecified,
        Some(State::Active) => v1::MemoryState::Active,
        Some(State::Archived) => v1::MemoryState::Archived,
        Some(State::Erased) => v1::MemoryState::Erased,
    }
    .into()
}

/// Writes the mode of a forget.
pub(super) fn mode_sent(mode: Option<Mode>) -> i32 {
    match mode {
        None => v1::ForgetMode::Unspecified,
        Some(Mode::Soft) => v1::ForgetMode::Soft,
        Some(Mode::Hard) => v1::ForgetMode::Hard,
    }
    .into()
}

/// Writes how many there are.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
