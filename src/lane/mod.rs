//! The lanes: every write of a tenant goes through one, and what waits there is committed together.

mod failure;

pub use failure::Failure;

use crate::domain::answer::Answer;
use crate::domain::command::Command;
use crate::domain::policy::Policy;
use crate::storage::Store;

/// The lanes of this replica. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Lanes {}

impl Lanes {
    /// Waits for a place and for the answer.
    pub async fn submit(&self, _command: Command) -> Result<Answer, Failure> {
        Err(Failure::Internal)
    }
}

/// Says what a command would do.
pub async fn rehearse(_store: &Store, _command: &Command, _policy: &Policy) -> Result<Answer, Failure> {
    Err(Failure::Internal)
}
