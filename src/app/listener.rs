//! Takes connections in, and makes the handshake of those that are encrypted.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected;

use super::tls::Tls;
use crate::auth::certificate::Peer;

/// How long a client may take for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How many handshakes may be under way. When one more comes in, the oldest gives way: whoever means it is long done.
const MOST_HANDSHAKES: usize = 1024;
/// How long to wait when the system gives no connection: it has none to give, and asking again at once would change nothing.
const PAUSE: Duration = Duration::from_millis(50);
/// How many connections may wait to be served.
const READY: usize = 64;

/// The connections, until told to stop.
pub(super) fn incoming(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    stop: CancellationToken,
) -> ReceiverStream<io::Result<Connection>> {
    let (ready, connections) = mpsc::channel(READY);
    tokio::spawn(async move {
        let mut handshakes = Handshakes::default();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => take(stream, tls.as_deref(), &ready, &mut handshakes).await,
                Err(error) => {
                    tracing::warn!(kind = ?error.kind(), "no connection could be taken in");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    });
    ReceiverStream::new(connections)
}

async fn take(
    stream: TcpStream,
    tls: Option<&Tls>,
    ready: &mpsc::Sender<io::Result<Connection>>,
    handshakes: &mut Handshakes,
) {
    // Small answers go out at once; a connection that ended meanwhile says so when it is read.
    drop(stream.set_nodelay(true));
    let Some(tls) = tls else {
        // The server has ended when nobody takes it.
        drop(ready.send(Ok(Connection::Plain(stream))).await);
        return;
    };
    let (acceptor, ready) = (tls.acceptor(), ready.clone());
    handshakes.begin(async move {
        // Whoever fails is told so by TLS itself; here it is as if nobody had come.
        if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
            drop(ready.send(Ok(Connection::encrypted(stream))).await);
        }
    });
}

/// The handshakes under way, the oldest first.
#[derive(Default)]
struct Handshakes(VecDeque<AbortHandle>);

impl Handshakes {
    fn begin(&mut self, handshake: impl Future<Output = ()> + Send + 'static) {
        if self.0.len() >= MOST_HANDSHAKES {
            self.0.retain(|handshake| !handshake.is_finished());
        }
        if self.0.len() >= MOST_HANDSHAKES
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.abort();
        }
        self.0.push_back(tokio::spawn(handshake).abort_handle());
    }
}

impl Drop for Handshakes {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}

/// A connection, and who is at its other end.
pub(super) enum Connection {
    /// As it comes.
    Plain(TcpStream),
    /// Over TLS.
    Encrypted(Box<TlsStream<TcpStream>>, Peer),
}

impl Connection {
    fn encrypted(stream: TlsStream<TcpStream>) -> Self {
        let (_, session) = stream.get_ref();
        // The handshake verified the chain that this one begins.
        let certificate = session.peer_certificates().and_then(|chain| chain.first());
        let peer = certificate.map_or(Peer::UNKNOWN, Peer::verified);
        Self::Encrypted(Box::new(stream), peer)
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        match self {
            Self::Plain(_) => Peer::UNKNOWN,
            Self::Encrypted(_, peer) => peer.clone(),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream, _) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream, _) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream, _) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream, _) => Pin::new(stream).poll_shutdown(context),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Encrypted(stream, _) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Encrypted(stream, _) => stream.is_write_vectored(),
        }
    }
}
