//! The small numbers that columns hold, both ways.

use super::error::StoreError;
use crate::domain::audit::Action;
use crate::domain::forget::{Cause, Mode};
use crate::domain::memory::{Kind, Origin, State};

pub(super) fn kind_code(kind: Kind) -> i16 {
    match kind {
        Kind::Memory => 1,
        Kind::Todo => 2,
        Kind::Ledger => 3,
        Kind::Fact => 4,
    }
}

pub(super) fn kind(code: i16) -> Result<Kind, StoreError> {
    [Kind::Memory, Kind::Todo, Kind::Ledger, Kind::Fact]
        .into_iter()
        .find(|kind| kind_code(*kind) == code)
        .ok_or(StoreError::Impossible("an unknown kind"))
}

pub(super) fn origin_code(origin: Origin) -> i16 {
    match origin {
        Origin::Saved => 1,
        Origin::Imported => 2,
    }
}

pub(super) fn origin(code: i16) -> Result<Origin, StoreError> {
    [Origin::Saved, Origin::Imported]
        .into_iter()
        .find(|origin| origin_code(*origin) == code)
        .ok_or(StoreError::Impossible("an unknown origin"))
}

pub(super) fn state(code: i16) -> Result<Option<State>, StoreError> {
    [None, Some(State::Active), Some(State::Archived), Some(State::Erased)]
        .into_iter()
        .find(|state| crate::domain::audit::state_number(*state) == code)
        .ok_or(StoreError::Impossible("an unknown state"))
}

pub(super) fn mode(code: i16) -> Result<Option<Mode>, StoreError> {
    [None, Some(Mode::Soft), Some(Mode::Hard)]
        .into_iter()
        .find(|mode| crate::domain::audit::mode_number(*mode) == code)
        .ok_or(StoreError::Impossible("an unknown mode"))
}

pub(super) fn cause(code: i16) -> Result<Option<Cause>, StoreError> {
    [None, Some(Cause::Correction), Some(Cause::UserRequest)]
        .into_iter()
        .find(|cause| crate::domain::audit::cause_number(*cause) == code)
        .ok_or(StoreError::Impossible("an unknown cause"))
}

pub(super) fn action(code: i16) -> Result<Action, StoreError> {
    Action::ALL
        .into_iter()
        .find(|action| action.number() == code)
        .ok_or(StoreError::Impossible("an unknown action"))
}
