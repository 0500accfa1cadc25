//! The layers put together, around a server of tonic's that answers as it is told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Server};
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

use super::context::CallContext;
use super::*;
use crate::auth::Methods;
use crate::domain::principal::Principal;
use crate::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use crate::proto::v1::memory_lifecycle_server::{MemoryLifecycle, MemoryLifecycleServer};
use crate::proto::v1::{
    BatchForgetRequest, BatchForgetResponse, ForgetRequest, ForgetResponse, GetOperationRequest,
    GetOperationResponse, ListOperationsRequest, ListOperationsResponse, Operation, PreviewRequest,
    PreviewResponse, RestoreRequest, RestoreResponse,
};
use crate::rpc::status;

/// Forget tells who called, Restore never answers, the others answer nothing.
struct Double {
    restoring: Arc<Notify>,
}

#[tonic::async_trait]
impl MemoryLifecycle for Double {
    async fn forget(&self, request: Request<ForgetRequest>) -> Result<Response<ForgetResponse>, Status> {
        let context: &CallContext = request.extensions().get().unwrap();
        let operation_id = context.operation_id.to_string();
        Ok(Response::new(ForgetResponse { operation_id, ..ForgetResponse::default() }))
    }

    async fn preview(&self, _: Request<PreviewRequest>) -> Result<Response<PreviewResponse>, Status> {
        Ok(Response::new(PreviewResponse::default()))
    }

    async fn restore(&self, _: Request<RestoreRequest>) -> Result<Response<RestoreResponse>, Status> {
        self.restoring.notify_one();
        std::future::pending().await
    }

    async fn batch_forget(
        &self,
        request: Request<BatchForgetRequest>,
    ) -> Result<Response<BatchForgetResponse>, Status> {
        // As of a replayed call: the handler names another operation than the layer did.
        let mut response = Response::new(BatchForgetResponse::default());
        let id = request.into_inner().request_id.parse().unwrap();
        response.metadata_mut().insert("x-operation-id", id);
        Ok(response)
    }

    async fn get_operation(
        &self,
        request: Request<GetOperationRequest>,
    ) -> Result<Response<GetOperationResponse>, Status> {
        let principal: &Principal = request.extensions().get().unwrap();
        let context: &CallContext = request.extensions().get().unwrap();
        let operation = Operation {
            agent_id: principal.agent.to_string(),
            channel: context.trace_id.clone().unwrap_or_default(),
            ..Operation::default()
        };
        Ok(Response::new(GetOperationResponse { operation: Some(operation) }))
    }

    async fn list_operations(
        &self,
        _: Request<ListOperationsRequest>,
    ) -> Result<Response<ListOperationsResponse>, Status> {
        Err(status::overloaded(None))
    }
}

struct Served {
    client: MemoryLifecycleClient<Channel>,
    restoring: Arc<Notify>,
    address: SocketAddr,
}

async fn serve(max_in_flight: usize, deadline: Limits) -> Served {
    let restoring = Arc::new(Notify::new());
    let authenticator = Authenticator::new(Methods { metadata: true, ..Methods::default() });
    let options = Options { max_in_flight, deadline, authenticator };
    let double = MemoryLifecycleServer::new(Double { restoring: Arc::clone(&restoring) })
        .max_decoding_message_size(status::MAX_REQUEST_BYTES);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder().layer(stack(options, &Clock::system())).add_routes(Routes::new(double));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let client = MemoryLifecycleClient::connect(format!("http://{address}")).await.unwrap();
    Served { client, restoring, address }
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// The operation's id, which an error names twice: in its details and in the metadata.
fn named_operation(status: &Status) -> String {
    let info = status.get_details_error_info().expect("every error has an ErrorInfo");
    let id = info.metadata.get("operation_id").cloned().unwrap_or_default();
    assert_eq!(operation_in(status.metadata()), id, "both name the same operation");
    id
}

fn operation_in(metadata: &MetadataMap) -> String {
    metadata.get("x-operation-id").map(|id| id.to_str().unwrap().to_owned()).unwrap_or_default()
}

fn with<M>(message: M, metadata: &[(&'static str, &str)]) -> Request<M> {
    let mut request = Request::new(message);
    for (key, value) in metadata {
        request.metadata_mut().insert(*key, value.parse().unwrap());
    }
    request
}

#[tokio::test]
async fn a_change_sends_its_operation_and_a_replayed_one_keeps_the_handlers() {
    let mut served = serve(10, Limits::default()).await;
    let forgotten = served.client.forget(ForgetRequest::default()).await.unwrap();
    assert_eq!(operation_in(forgotten.metadata()), forgotten.get_ref().operation_id);
    assert_eq!(forgotten.get_ref().operation_id.len(), 36);

    let batch = BatchForgetRequest { request_id: "stored".to_owned(), ..BatchForgetRequest::default() };
    let replayed = served.client.batch_forget(batch).await.unwrap();
    assert_eq!(operation_in(replayed.metadata()), "stored");

    let preview = served.client.preview(PreviewRequest::default()).await.unwrap();
    assert_eq!(operation_in(preview.metadata()), "", "reading is no operation");
}

#[tokio::test]
async fn the_handler_learns_who_calls_and_in_which_trace() {
    let mut served = serve(10, Limits::default()).await;
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let metadata = [("x-tenant-id", "acme"), ("x-agent-id", "alice"), ("traceparent", traceparent)];
    let answer = served.client.get_operation(with(GetOperationRequest::default(), &metadata)).await.unwrap();
    let operation = answer.into_inner().operation.unwrap();
    assert_eq!(operation.agent_id, "alice");
    assert_eq!(operation.channel, "4bf92f3577b34da6a3ce929d0e0e4736");
}

#[tokio::test]
async fn an_unclear_caller_is_refused_with_the_name_of_the_call() {
    let mut served = serve(10, Limits::default()).await;
    let request = with(ForgetRequest::default(), &[("x-tenant-id", "a/b")]);
    let refused = served.client.forget(request).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    assert_eq!(refused.get_details_bad_request().unwrap().field_violations[0].field, "x-tenant-id");
    assert_eq!(named_operation(&refused).len(), 36);
}

#[tokio::test]
async fn the_servers_time_running_out_is_deadline_exceeded() {
    let limits = Limits { default: Duration::from_millis(20), max: Duration::from_secs(1) };
    let mut served = serve(10, limits).await;
    let late = served.client.restore(RestoreRequest::default()).await.unwrap_err();
    assert_eq!((late.code(), reason(&late).as_str()), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"));
    assert_eq!(named_operation(&late).len(), 36);
}

#[tokio::test]
async fn the_callers_time_running_out_is_deadline_exceeded_and_not_tonics_cancelled() {
    let served = serve(10, Limits::default()).await;
    // By hand: tonic's client watches the time itself, and would answer before the server does.
    for timeout in ["1n", "900u", "3m", "20m", "20000u", "60m"] {
        let headers = bare_call(served.address, timeout).await;
        let (code, reason) = status::outcome(&headers);
        assert_eq!(
            (code, reason.as_deref()),
            (Code::DeadlineExceeded, Some("DEADLINE_EXCEEDED")),
            "{timeout}"
        );
    }
}

/// Calls Restore over bare HTTP/2 and gives the answer's headers.
async fn bare_call(address: SocketAddr, timeout: &str) -> http::HeaderMap {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::post(format!("http://{address}/memorylifecycle.v1.MemoryLifecycle/Restore"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-timeout", timeout)
        .body(())
        .unwrap();
    let (answer, mut body) = client.send_request(request, false).unwrap();
    // One message, not compressed, of no bytes.
    body.send_data(vec![0; 5].into(), true).unwrap();
    answer.await.unwrap().headers().clone()
}

#[tokio::test]
async fn a_malformed_timeout_is_refused() {
    let mut served = serve(10, Limits::default()).await;
    let refused =
        served.client.forget(with(ForgetRequest::default(), &[("grpc-timeout", "soon")])).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    assert_eq!(refused.get_details_bad_request().unwrap().field_violations[0].field, "grpc-timeout");
}

#[tokio::test]
async fn a_call_more_than_the_server_takes_is_refused_at_once_and_its_place_comes_back() {
    let mut served = serve(1, Limits::default()).await;
    let mut other = served.client.clone();
    let waiting = tokio::spawn(async move { other.restore(RestoreRequest::default()).await });
    served.restoring.notified().await;

    let refused = served.client.forget(ForgetRequest::default()).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "OVERLOADED"));
    assert!(refused.get_details_retry_info().is_some());
    assert_eq!(named_operation(&refused).len(), 36);

    waiting.abort();
    // The server learns of it a moment later: the place is free once a call gets through.
    while let Err(refused) = served.client.forget(ForgetRequest::default()).await {
        assert_eq!(reason(&refused), "OVERLOADED");
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_a_fault_of_the_request() {
    let mut served = serve(10, Limits::default()).await;
    let reason_text = "x".repeat(status::MAX_REQUEST_BYTES);
    let large = ForgetRequest { reason: reason_text, ..ForgetRequest::default() };
    let refused = served.client.forget(large).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    assert!(refused.message().contains("1048576"), "{}", refused.message());
    assert_eq!(named_operation(&refused).len(), 36);
}

#[test]
fn credentials_are_marked_as_secrets() {
    let mut request = http::Request::new(Body::empty());
    for credential in ["Bearer hush-one", "Bearer hush-two"] {
        request.headers_mut().append("authorization", credential.parse().unwrap());
    }
    request.headers_mut().insert("x-agent-id", "alice".parse().unwrap());
    let marked = with_secrets_marked(request);
    assert_eq!(marked.headers().get_all("authorization").iter().count(), 2);
    let shown = format!("{marked:?}");
    assert!(shown.contains("alice") && !shown.contains("hush"), "{shown}");
}
