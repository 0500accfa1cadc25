//! `health`: asks a running server whether it is ready, as a probe would.

use std::io::Write;
use std::time::Duration;

use tonic::transport::Endpoint;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::CliError;
use crate::config::HealthSettings;

/// How long to wait for the server.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn run(settings: HealthSettings) -> Result<(), CliError> {
    let address = settings.admin_address.unwrap_or(settings.address);
    let unreachable = |error: &dyn std::fmt::Display| -> CliError {
        format!(
            "no server answers on {address}: {error}; is it running there, and without TLS? (--address says where to ask, \
             --admin-address where a server with TLS answers health checks)"
        )
            .into()
    };
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?.connect_timeout(PATIENCE);
    let ask = async {
        let channel = endpoint.connect().await.map_err(|error| unreachable(&innermost(&error)))?;
        let service = "memorylifecycle.v1.MemoryLifecycle".to_owned();
        let response = HealthClient::new(channel).check(HealthCheckRequest { service }).await;
        response.map_err(|status| unreachable(&status.message()))
    };
    let response =
        tokio::time::timeout(PATIENCE, ask).await.map_err(|_| unreachable(&"it took too long"))??;
    if response.into_inner().status == ServingStatus::Serving as i32 {
        writeln!(std::io::stdout(), "the server on {address} is ready")?;
        return Ok(());
    }
    Err(format!("the server on {address} is not ready; its log says why").into())
}

/// What the system said: the outer errors only say that something went wrong with the transport.
fn innermost<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost
}
