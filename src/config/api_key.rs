//! `api-key` and its subcommands.

use std::time::Duration;

use clap::{Args, Subcommand};
use secrecy::SecretString;

use super::parse::parse_duration;
use crate::domain::capability::Capability;
use crate::domain::ids::{AgentId, PrincipalId, TenantId};
use crate::domain::line::parse_description;
use crate::domain::principal::{CallerFault, caller_agent, caller_principal};

/// The longest that a key which expires may be good for: a hundred years.
const LONGEST: Duration = Duration::from_hours(36_500 * 24);

/// `api-key`.
#[derive(Debug, Clone, Args)]
pub struct ApiKeySettings {
    /// What to do.
    #[command(subcommand)]
    pub action: ApiKeyAction,
}

/// What there is to do with API keys.
#[derive(Debug, Clone, Subcommand)]
pub enum ApiKeyAction {
    /// Make a key. It is printed once, alone on standard output, and cannot be shown again.
    Create(CreateKeySettings),
    /// List keys, without their secrets.
    List(ListKeysSettings),
    /// Revoke a key for good. Revoking it again changes nothing.
    Revoke(RevokeKeySettings),
}

/// `api-key create`.
#[derive(Debug, Clone, Args)]
pub struct CreateKeySettings {
    /// Where Postgres is, as the schema's owner.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: SecretString,
    /// The tenant that its holder belongs to.
    #[arg(long, value_parser = TenantId::parse)]
    pub tenant: TenantId,
    /// The agent that its holder acts as.
    #[arg(long, value_parser = caller_agent)]
    pub agent: AgentId,
    /// Its holder's name in the audit log. Not given: the agent's.
    #[arg(long, value_parser = parse_principal)]
    pub principal: Option<PrincipalId>,
    /// What its holder may do, for example memory:read. Given once for each, or with several between commas.
    #[arg(long = "capability", required = true, value_delimiter = ',', value_parser = parse_capability)]
    pub capabilities: Vec<Capability>,
    /// How long it is good for, for example 90d. Not given: until it is revoked.
    #[arg(long, value_parser = parse_lifetime)]
    pub expires_in: Option<Duration>,
    /// What it is for: one line, for whoever lists keys.
    #[arg(long, value_parser = parse_text)]
    pub description: Option<String>,
}

/// `api-key list`.
#[derive(Debug, Clone, Args)]
pub struct ListKeysSettings {
    /// Where Postgres is, as the schema's owner.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: SecretString,
    /// Only keys of this tenant.
    #[arg(long, value_parser = TenantId::parse)]
    pub tenant: Option<TenantId>,
    /// Also keys that were revoked or have expired.
    #[arg(long)]
    pub all: bool,
}

/// `api-key revoke`.
#[derive(Debug, Clone, Args)]
pub struct RevokeKeySettings {
    /// Where Postgres is, as the schema's owner.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: SecretString,
    /// The key's id, as create and list show it. A whole key is taken too, and its id used.
    // Kept as a secret, so that no error repeats it.
    #[arg(value_name = "KEY_ID")]
    pub key: SecretString,
}

fn parse_principal(text: &str) -> Result<PrincipalId, CallerFault> {
    caller_principal(text)
}

pub(super) fn parse_capability(name: &str) -> Result<Capability, String> {
    Capability::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Capability::ALL.into_iter().map(Capability::name).collect();
        format!("names no capability; there are {}", known.join(", "))
    })
}

fn parse_lifetime(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        lifetime if lifetime <= LONGEST => Ok(lifetime),
        _ => Err("must be at most 36500d; leave it out for a key that does not expire".to_owned()),
    }
}

fn parse_text(text: &str) -> Result<String, String> {
    let parsed = parse_description(text).map_err(|fault| fault.to_string())?;
    parsed.ok_or_else(|| "must not be empty; leave it out instead".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_option_takes_is_checked() {
        assert_eq!(parse_capability("audit:read"), Ok(Capability::AuditRead));
        let fault = parse_capability("memory:all").unwrap_err();
        assert!(Capability::ALL.iter().all(|capability| fault.contains(capability.name())), "{fault}");
        assert_eq!(parse_lifetime("36500d"), Ok(LONGEST));
        assert!(parse_lifetime("36501d").is_err() && parse_lifetime("0s").is_err());
        assert!(parse_text("").is_err() && parse_text(" ").is_err() && parse_text("a\nb").is_err());
        assert_eq!(parse_text("for the importer").as_deref(), Ok("for the importer"));
    }
}
