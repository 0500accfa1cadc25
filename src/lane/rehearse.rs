//! The same decision on the same facts, without the transaction: what `validate_only` answers.

use super::Failure;
use crate::domain::answer::{Answer, Receipt};
use crate::domain::command::Command;
use crate::domain::decide::settle;
use crate::domain::facts::Facts;
use crate::domain::policy::Policy;
use crate::storage::batch_facts::{self, FactsByTenant};
use crate::storage::tx::Unit;
use crate::storage::{Store, heads};

/// Says what a command would do now, on a snapshot; holds no head and changes nothing.
pub async fn rehearse(store: &Store, command: &Command, policy: &Policy) -> Result<Answer, Failure> {
    let mut connection = store.read_connection().await?;
    let mut unit = Unit::begin_snapshot(&mut connection).await?;
    let answer = rehearse_on(&mut unit, command, policy).await;
    unit.rollback().await?;
    answer
}

/// The same on a snapshot that is there already.
pub async fn rehearse_on(unit: &mut Unit<'_>, command: &Command, policy: &Policy) -> Result<Answer, Failure> {
    let tenant = command.tenant();
    let head = heads::read_head(unit.connection(), tenant).await?;
    let mut facts = FactsByTenant::from([(tenant.clone(), Facts::new(tenant.clone(), head))]);
    let clock = batch_facts::load(unit.connection(), &mut facts, &[command], &policy.fingerprinter).await?;
    let facts = facts.get_mut(tenant).ok_or(Failure::Internal)?;
    let answer = settle(facts, command, policy, head.time_of_decision(clock))?;
    Ok(Answer { receipt: Receipt::default(), validate_only: true, ..answer })
}
