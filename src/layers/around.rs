//! The form that all layers here share: a function around the rest of the call.

use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

/// A call as it comes in.
pub(super) type Request = http::Request<Body>;
/// What goes out.
pub(super) type Response = http::Response<Body>;
/// What will go out.
pub(super) type Reply = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// What the paths of the contract's methods begin with.
const CONTRACT: &str = "/memorylifecycle.v1.";

/// What a layer does around the rest of a call. The part before the future runs as soon as the call comes in.
pub(super) trait Around {
    /// Answers the call, by `next` or without it.
    fn around<Rest>(&self, request: Request, next: impl FnOnce(Request) -> Rest + Send + 'static) -> Reply
    where
        Rest: Future<Output = Result<Response, Infallible>> + Send + 'static;
}

/// A call's answer with an error instead of a message.
pub(super) fn refuse(status: Status) -> Response {
    status.into_http()
}

/// What goes out at once.
pub(super) fn at_once(response: Response) -> Reply {
    Box::pin(std::future::ready(Ok(response)))
}

/// Puts something around the calls of the contract.
#[derive(Debug, Clone)]
pub(super) struct AroundLayer<A>(pub(super) A);

impl<A: Clone, S> Layer<S> for AroundLayer<A> {
    type Service = AroundService<A, S>;

    fn layer(&self, inner: S) -> Self::Service {
        AroundService { around: self.0.clone(), inner }
    }
}

/// A service with something around it.
#[derive(Debug, Clone)]
pub(super) struct AroundService<A, S> {
    around: A,
    inner: S,
}

impl<A, S> Service<Request> for AroundService<A, S>
where
    A: Around,
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Reply;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The clone may not be ready; the one that said so takes the call.
        let clone = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, clone);
        if !request.uri().path().starts_with(CONTRACT) {
            return Box::pin(inner.call(request));
        }
        self.around.around(request, move |request| inner.call(request))
    }
}
