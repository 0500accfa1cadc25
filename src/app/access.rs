//! Puts together what finds out who calls, and what connections are encrypted with.

use std::sync::Arc;

use super::tls::Tls;
use crate::auth::api_key::ApiKeys;
use crate::auth::certificate::CertificateIdentities;
use crate::auth::jwt::JwtVerifier;
use crate::auth::{Authenticator, Methods};
use crate::clock::Clock;
use crate::config::{Access, ConfigFaults};
use crate::storage::Store;

/// What accepts the credentials that the configuration names, and TLS where it is wanted. Answers every fault of the files.
pub(super) async fn open(
    access: Access,
    store: &Store,
    clock: &Clock,
) -> Result<(Authenticator, Option<Arc<Tls>>), ConfigFaults> {
    let Access { jwt, api_keys, mtls_identities, metadata, tls } = access;
    let mut faults = ConfigFaults::default();
    let jwt = match jwt {
        Some(config) => faults.take(JwtVerifier::start(config, clock.clone()).await),
        None => None,
    };
    let certificates = mtls_identities.and_then(|file| faults.take(CertificateIdentities::load(&file)));
    let tls = tls.and_then(|files| Tls::load(files, &mut faults)).map(Arc::new);
    let api_keys = api_keys.map(|remembered| ApiKeys::new(store.clone(), clock.clone(), remembered));
    let methods = Methods { jwt, api_keys, certificates, metadata };
    faults.settle(Some((Authenticator::new(methods), tls)))
}
