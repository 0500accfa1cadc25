//! What the memories of a batch say, as far as it matters to what is suppressed: fingerprints, and the suppressions of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::PgConnection;
use uuid::Uuid;

use super::batch_facts::{FactsByTenant, facts_of, reach_of};
use super::error::StoreError;
use super::rows::hash;
use super::suppressions::SuppressionRow;
use crate::domain::command::{Body, Command, NewMemory};
use crate::domain::facts::Facts;
use crate::domain::forget::{Cause, Forget};
use crate::domain::ids::{MemoryId, MemoryKey, SubjectId, SuppressionId, TenantId};
use crate::domain::memory::Memory;
use crate::domain::suppression::{Fingerprint, Fingerprinter};
use crate::domain::text::Query;

/// How many characters of a memory are kept to look for it afterwards: as many as a query may have.
const KEPT_CHARACTERS: i32 = 512;

/// Adds the fingerprints that the commands need, and the suppressions that stand for them.
pub(super) async fn load(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
    fingerprinter: &Fingerprinter,
) -> Result<(), StoreError> {
    load_sayings(connection, facts, commands, fingerprinter).await?;
    load_suppressions(connection, facts, commands, fingerprinter).await?;
    load_named(connection, facts, commands).await
}

/// The stored memories of which a command must know what they say; and whether they are to be looked for afterwards.
fn asked<'facts>(command: &Command, facts: &'facts Facts) -> (Vec<&'facts Memory>, bool) {
    let (is_asked, sought) = match &command.body {
        Body::Forget(Forget { cause, verify, .. }) => (*cause == Cause::UserRequest || *verify, *verify),
        Body::Restore(_) => (true, false),
        Body::Remember(_) | Body::Import(_) | Body::Update(_) | Body::Lift(_) | Body::Expire(_) => {
            (false, false)
        }
    };
    if !is_asked {
        return (Vec::new(), false);
    }
    let named = command.memory_ids().into_iter().filter_map(|id| facts.memory(id));
    let by_operation =
        command.restored_operation().map(|operation| facts.archived_by(operation)).unwrap_or_default();
    // Another command of the batch may have asked for more.
    let in_reach = named.chain(by_operation).filter(|memory| command.call.principal.reaches(memory));
    (in_reach.collect(), sought)
}

#[derive(sqlx::FromRow)]
struct SayingRow {
    tenant_id: String,
    memory_key: MemoryKey,
    fingerprint: Option<Vec<u8>>,
    unprinted: Option<String>,
    beginning: Option<String>,
    is_whole: bool,
}

async fn load_sayings(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
    fingerprinter: &Fingerprinter,
) -> Result<(), StoreError> {
    // Each once, and looked for if anybody looks for it.
    let mut wanted: BTreeMap<(&str, MemoryKey), bool> = BTreeMap::new();
    let mut subjects = HashMap::new();
    for command in commands {
        let tenant = command.tenant();
        let Some(facts) = facts.get(tenant) else { continue };
        let (memories, sought) = asked(command, facts);
        for memory in memories {
            *wanted.entry((tenant.as_str(), memory.key)).or_default() |= sought;
            subjects.insert((tenant.as_str(), memory.key), memory.subject.clone());
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let rows: Vec<SayingRow> = sqlx::query_as(include_str!("sql/load_sayings.sql"))
        .bind(wanted.keys().map(|(tenant, _)| *tenant).collect::<Vec<_>>())
        .bind(wanted.keys().map(|(_, key)| *key).collect::<Vec<_>>())
        .bind(wanted.values().copied().collect::<Vec<_>>())
        .bind(KEPT_CHARACTERS)
        .fetch_all(connection)
        .await?;
    for row in rows {
        let key = row.memory_key;
        let subject = subjects.get(&(row.tenant_id.as_str(), key)).and_then(Option::as_ref);
        let tenant = TenantId::from_stored(row.tenant_id.clone());
        let fingerprint = match (&row.fingerprint, &row.unprinted) {
            (Some(stored), _) => Fingerprint(hash(stored)?),
            (None, Some(normalized)) => fingerprinter.of(&tenant, subject, normalized),
            (None, None) => return Err(StoreError::Impossible("a memory that says nothing")),
        };
        let facts = facts_of(facts, &tenant)?;
        facts.know_fingerprint(key, fingerprint);
        if let Some(beginning) = &row.beginning {
            facts.know_words(key, Query::that_finds(beginning, row.is_whole));
        }
    }
    Ok(())
}

/// Whom or what the memories are about that a batch saves under a label.
type SavedSubjects<'batch> = HashMap<(&'batch TenantId, &'batch MemoryId), Vec<Option<&'batch SubjectId>>>;

/// Only where something is corrected: what for is in `fingerprints`.
fn saved_subjects<'batch>(commands: &[&'batch Command]) -> SavedSubjects<'batch> {
    let mut subjects = SavedSubjects::new();
    if !commands.iter().any(|command| matches!(command.body, Body::Update(_))) {
        return subjects;
    }
    for command in commands {
        let saved: Vec<&NewMemory> = match &command.body {
            Body::Remember(new) => vec![new],
            Body::Import(import) => {
                import.items.iter().filter_map(|item| item.memory.as_ref().ok()).collect()
            }
            Body::Update(_) | Body::Forget(_) | Body::Restore(_) | Body::Lift(_) | Body::Expire(_) => {
                Vec::new()
            }
        };
        for new in saved {
            subjects.entry((command.tenant(), &new.id)).or_default().push(new.subject.as_ref());
        }
    }
    subjects
}

/// The contents that a command brings or brings back, or bars.
fn fingerprints(
    command: &Command,
    facts: &Facts,
    saved: &SavedSubjects<'_>,
    fingerprinter: &Fingerprinter,
) -> Vec<Fingerprint> {
    let tenant = command.tenant();
    let of_new = |new: &NewMemory| fingerprinter.of(tenant, new.subject.as_ref(), new.content.normalized());
    match &command.body {
        Body::Remember(new) => vec![of_new(new)],
        Body::Import(import) => {
            import.items.iter().filter_map(|item| Some(of_new(item.memory.as_ref().ok()?))).collect()
        }
        Body::Update(update) => {
            let memory = facts.memory(&update.memory_id);
            let memory = memory.filter(|memory| command.call.principal.reaches(memory));
            let stored = memory.and_then(|memory| facts.content(memory.key));
            let Some(said) = update.content.as_ref().or(stored) else { return Vec::new() };
            // Of the memory that is there, and of those that commands of the same batch bring under its label.
            let stored_subject = memory.map(|memory| memory.subject.as_ref());
            let saved = saved.get(&(tenant, &update.memory_id)).into_iter().flatten().copied();
            stored_subject
                .into_iter()
                .chain(saved)
                .map(|subject| fingerprinter.of(tenant, subject, said.normalized()))
                .collect()
        }
        Body::Forget(Forget { cause: Cause::UserRequest, .. }) | Body::Restore(_) => asked(command, facts)
            .0
            .iter()
            .filter_map(|memory| facts.fingerprint(memory.key))
            .copied()
            .collect(),
        Body::Forget(_) | Body::Lift(_) | Body::Expire(_) => Vec::new(),
    }
}

async fn load_suppressions(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
    fingerprinter: &Fingerprinter,
) -> Result<(), StoreError> {
    let saved = saved_subjects(commands);
    let mut wanted: BTreeSet<(&str, Fingerprint)> = BTreeSet::new();
    for command in commands {
        let Some(facts) = facts.get(command.tenant()) else { continue };
        let of_command = fingerprints(command, facts, &saved, fingerprinter);
        wanted.extend(of_command.into_iter().map(|fingerprint| (command.tenant().as_str(), fingerprint)));
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let rows: Vec<SuppressionRow> = sqlx::query_as(include_str!("sql/load_suppressions.sql"))
        .bind(wanted.iter().map(|(tenant, _)| *tenant).collect::<Vec<_>>())
        .bind(wanted.iter().map(|(_, fingerprint)| fingerprint.0.to_vec()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    know_suppressions(facts, rows)
}

async fn load_named(
    connection: &mut PgConnection,
    facts: &mut FactsByTenant,
    commands: &[&Command],
) -> Result<(), StoreError> {
    let named: Vec<(&Command, SuppressionId)> = commands
        .iter()
        .filter_map(|command| match &command.body {
            Body::Lift(suppression) => Some((*command, *suppression)),
            _ => None,
        })
        .collect();
    if named.is_empty() {
        return Ok(());
    }
    let rows: Vec<SuppressionRow> = sqlx::query_as(include_str!("sql/load_suppressions_named.sql"))
        .bind(named.iter().map(|(command, _)| command.tenant().as_str()).collect::<Vec<_>>())
        .bind(named.iter().map(|(_, suppression)| suppression.0).collect::<Vec<Uuid>>())
        .bind(named.iter().map(|(command, _)| reach_of(command)).collect::<Vec<_>>())
        .bind(named.iter().map(|(command, _)| command.call.principal.id.as_str()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    know_suppressions(facts, rows)
}

fn know_suppressions(facts: &mut FactsByTenant, rows: Vec<SuppressionRow>) -> Result<(), StoreError> {
    for row in rows {
        let (tenant, suppression) = row.into_suppression()?;
        facts_of(facts, &tenant)?.know_suppression(suppression);
    }
    Ok(())
}
