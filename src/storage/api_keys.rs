//! API keys. The server finds them and notes their use; only the schema's owner makes, lists and revokes them.

use std::time::Duration;

use sqlx::PgConnection;

use super::error::StoreError;
use crate::domain::Timestamp;
use crate::domain::capability::{Capabilities, Capability};
use crate::domain::ids::{AgentId, PrincipalId, TenantId};
use crate::domain::principal::Principal;

/// A key that is neither revoked nor expired.
pub struct FoundKey {
    /// Whose it is.
    pub principal: Principal,
    /// SHA-256 of its secret.
    pub secret_hash: [u8; 32],
    /// How much longer it is accepted; none: it does not expire.
    pub remaining: Option<Duration>,
}

#[derive(sqlx::FromRow)]
struct FoundRow {
    tenant_id: String,
    agent_id: String,
    principal_id: String,
    capabilities: Vec<String>,
    secret_hash: Vec<u8>,
    remaining: Option<i64>,
}

/// The key with this public part, if it is neither revoked nor expired.
pub async fn find_api_key(
    connection: &mut PgConnection,
    key_id: &str,
) -> Result<Option<FoundKey>, StoreError> {
    let row: Option<FoundRow> =
        sqlx::query_as(include_str!("sql/find_api_key.sql")).bind(key_id).fetch_optional(connection).await?;
    row.map(|row| {
        let secret_hash = row.secret_hash.try_into();
        Ok(FoundKey {
            principal: Principal {
                tenant: TenantId::from_stored(row.tenant_id),
                agent: AgentId::from_stored(row.agent_id),
                id: PrincipalId::from_stored(row.principal_id),
                capabilities: known(&row.capabilities),
            },
            secret_hash: secret_hash.map_err(|_| StoreError::Impossible("a hash of another length"))?,
            remaining: row.remaining.map(|micros| Duration::from_micros(micros.try_into().unwrap_or(0))),
        })
    })
    .transpose()
}

/// The capabilities of these names. One that this binary does not know it cannot grant either.
fn known(names: &[String]) -> Capabilities {
    names.iter().filter_map(|name| Capability::from_name(name)).collect()
}

/// Notes how long ago keys were last used. A time that is noted already never goes back.
pub async fn note_api_key_uses(
    connection: &mut PgConnection,
    uses: &[(&str, Duration)],
) -> Result<(), StoreError> {
    let ids: Vec<&str> = uses.iter().map(|(id, _)| *id).collect();
    let ages: Vec<i64> =
        uses.iter().map(|(_, age)| i64::try_from(age.as_micros()).unwrap_or(i64::MAX)).collect();
    sqlx::query(include_str!("sql/note_api_key_uses.sql")).bind(ids).bind(ages).execute(connection).await?;
    Ok(())
}

/// A key to be made.
pub struct NewKey<'key> {
    /// Its public part.
    pub key_id: &'key str,
    /// Whose it is.
    pub principal: &'key Principal,
    /// SHA-256 of its secret.
    pub secret_hash: &'key [u8; 32],
    /// What it is for.
    pub description: Option<&'key str>,
    /// How long it is accepted, to the second; none: until it is revoked.
    pub lifetime: Option<Duration>,
}

/// Makes a key.
pub async fn insert_api_key(connection: &mut PgConnection, key: &NewKey<'_>) -> Result<(), StoreError> {
    let NewKey { key_id, principal, secret_hash, description, lifetime } = *key;
    let capabilities: Vec<&str> = principal.capabilities.iter().map(Capability::name).collect();
    sqlx::query(include_str!("sql/insert_api_key.sql"))
        .bind(key_id)
        .bind(principal.tenant.as_str())
        .bind(principal.agent.as_str())
        .bind(principal.id.as_str())
        .bind(capabilities)
        .bind(&secret_hash[..])
        .bind(description)
        .bind(lifetime.map(|lifetime| i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX)))
        .execute(connection)
        .await?;
    Ok(())
}

/// A key as people see it.
#[derive(Debug, sqlx::FromRow)]
pub struct ListedKey {
    /// Its public part.
    pub key_id: String,
    /// The tenant.
    pub tenant_id: String,
    /// The agent.
    pub agent_id: String,
    /// The principal.
    pub principal_id: String,
    /// What its holder may do.
    pub capabilities: Vec<String>,
    /// What it is for.
    pub description: Option<String>,
    /// When it was made.
    pub create_time: Timestamp,
    /// From when on it is not accepted.
    pub expire_time: Option<Timestamp>,
    /// When it was revoked.
    pub revoke_time: Option<Timestamp>,
    /// When it was last used, to about a minute.
    pub last_use_time: Option<Timestamp>,
    /// Whether it has expired.
    pub is_expired: bool,
}

/// Keys of a tenant, or of all; revoked and expired ones only when asked for.
pub async fn list_api_keys(
    connection: &mut PgConnection,
    tenant: Option<&TenantId>,
    with_dead: bool,
) -> Result<Vec<ListedKey>, StoreError> {
    Ok(sqlx::query_as(include_str!("sql/list_api_keys.sql"))
        .bind(tenant.map(TenantId::as_str))
        .bind(with_dead)
        .fetch_all(connection)
        .await?)
}

/// A key that is revoked.
#[derive(Debug, sqlx::FromRow)]
pub struct RevokedKey {
    /// Its tenant.
    pub tenant_id: String,
    /// When it was revoked.
    pub revoke_time: Timestamp,
    /// Whether it had been before.
    pub was_revoked: bool,
}

/// Revokes a key; none when there is no such key. One that was revoked stays so, and keeps its time.
pub async fn revoke_api_key(
    connection: &mut PgConnection,
    key_id: &str,
) -> Result<Option<RevokedKey>, StoreError> {
    Ok(sqlx::query_as(include_str!("sql/revoke_api_key.sql")).bind(key_id).fetch_optional(connection).await?)
}
