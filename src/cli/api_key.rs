//! `api-key`: makes, lists and revokes API keys, as the schema's owner.

mod list;

use std::io::Write;

use secrecy::{ExposeSecret, SecretString};
use sqlx::PgConnection;

use super::{CliError, owner};
use crate::auth::api_key::{ApiKey, KeyId};
use crate::clock::Clock;
use crate::config::{ApiKeyAction, ApiKeySettings, CreateKeySettings, ListKeysSettings, RevokeKeySettings};
use crate::domain::principal::{Principal, caller_principal};
use crate::storage::StoreError;
use crate::storage::api_keys::{self, NewKey};
use crate::storage::schema::{SchemaState, schema_state};

pub(super) async fn run(settings: ApiKeySettings) -> Result<(), CliError> {
    match settings.action {
        ApiKeyAction::Create(settings) => create(settings).await,
        ApiKeyAction::List(settings) => list(&settings).await,
        ApiKeyAction::Revoke(settings) => revoke(&settings).await,
    }
}

/// Connects, and makes sure that the schema is one with API keys in it.
async fn connect(database_url: &SecretString) -> Result<PgConnection, CliError> {
    let mut connection = owner::connect(database_url).await?;
    match schema_state(&mut connection).await? {
        SchemaState::Usable => Ok(connection),
        SchemaState::TooOld => {
            Err("the database's schema is missing or older than this binary needs: run `memory-lifecycle \
                                    migrate` first"
                .into())
        }
        SchemaState::TooNew => {
            Err("the database's schema no longer supports this binary: use a newer one".into())
        }
    }
}

async fn create(settings: CreateKeySettings) -> Result<(), CliError> {
    let CreateKeySettings { database_url, tenant, agent, principal, capabilities, expires_in, description } =
        settings;
    let id = match principal {
        Some(principal) => principal,
        None => caller_principal(agent.as_str())?,
    };
    let principal = Principal { tenant, agent, id, capabilities: capabilities.into_iter().collect() };
    let mut connection = connect(&database_url).await?;
    let (key, text) = ApiKey::generate(&Clock::system());
    let new = NewKey {
        key_id: key.id().as_str(),
        principal: &principal,
        secret_hash: key.hash(),
        description: description.as_deref(),
        lifetime: expires_in,
    };
    let made = api_keys::insert_api_key(&mut connection, &new).await;
    made.map_err(|error| owner::with_advice(&error, "make API keys", ""))?;
    // Alone on standard output, so that a script can take it from there.
    writeln!(std::io::stdout(), "{}", text.expose_secret()).map_err(|error| {
        format!(
            "the key {} was made, but could not be printed ({error}): revoke it and make another",
            key.id()
        )
    })?;
    let id = key.id();
    writeln!(
        std::io::stderr(),
        "made the API key {id}; it is not shown again, and `memory-lifecycle api-key revoke {id}` revokes it"
    )?;
    Ok(())
}

async fn list(settings: &ListKeysSettings) -> Result<(), CliError> {
    let mut connection = connect(&settings.database_url).await?;
    let keys = api_keys::list_api_keys(&mut connection, settings.tenant.as_ref(), settings.all).await;
    let keys = keys.map_err(|error| owner::with_advice(&error, "list API keys", ""))?;
    std::io::stdout().write_all(list::table(&keys).as_bytes())?;
    Ok(())
}

async fn revoke(settings: &RevokeKeySettings) -> Result<(), CliError> {
    let id = KeyId::parse(settings.key.expose_secret().trim()).ok_or(
        "KEY_ID is neither the id of an API key (16 lower-case letters and digits from 2 to 7) nor a whole key \
         (mlk_…); `memory-lifecycle api-key list` shows the ids",
    )?;
    let mut connection = connect(&settings.database_url).await?;
    let revoked = api_keys::revoke_api_key(&mut connection, id.as_str()).await;
    let revoked = revoked.map_err(|error: StoreError| owner::with_advice(&error, "revoke API keys", ""))?;
    let Some(revoked) = revoked else {
        return Err(
            format!("there is no API key {id}; `memory-lifecycle api-key list --all` shows all").into()
        );
    };
    let (tenant, at) = (&revoked.tenant_id, list::time(revoked.revoke_time));
    let mut out = std::io::stdout();
    if revoked.was_revoked {
        writeln!(out, "the API key {id} of tenant {tenant} had been revoked at {at} already")?;
    } else {
        writeln!(
            out,
            "the API key {id} of tenant {tenant} was revoked at {at}; a server that used it just now goes on \
             accepting it for at most its --api-key-remembered"
        )?;
    }
    Ok(())
}
