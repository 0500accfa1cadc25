//! Puts together what finds out who calls.

use crate::auth::api_key::ApiKeys;
use crate::auth::certificate::CertificateIdentities;
use crate::auth::jwt::JwtVerifier;
use crate::auth::{Authenticator, Methods};
use crate::clock::Clock;
use crate::config::{Access, ConfigFaults};
use crate::storage::Store;

/// What accepts the credentials that the configuration names. Answers every fault of the files it names.
pub(super) async fn authenticator(
    access: Access,
    store: &Store,
    clock: &Clock,
) -> Result<Authenticator, ConfigFaults> {
    let Access { jwt, api_keys, mtls_identities, metadata, tls: _ } = access;
    let mut faults = ConfigFaults::default();
    let jwt = match jwt {
        Some(config) => faults.take(JwtVerifier::start(config, clock.clone()).await),
        None => None,
    };
    let certificates = mtls_identities.and_then(|file| faults.take(CertificateIdentities::load(&file)));
    let api_keys = api_keys.map(|remembered| ApiKeys::new(store.clone(), clock.clone(), remembered));
    let methods = Methods { jwt, api_keys, certificates, metadata };
    faults.settle(Some(Authenticator::new(methods)))
}
