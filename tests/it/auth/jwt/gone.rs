//! Callers that go away while keys are fetched for them.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::forge::{ED, Key, claims, jwks};
use super::key_server::config_at;
use super::verifier::Verifier;

const NEW: Key = Key::Ed(8);
/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);

/// The next request, read and not yet answered.
async fn request(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream
}

/// Answers it, and closes the connection: so the next request comes over one of its own.
async fn answer(mut stream: TcpStream, text: &str) {
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", text.len());
    stream.write_all(&[head.as_bytes(), text.as_bytes()].concat()).await.unwrap();
}

#[tokio::test]
async fn keys_are_fetched_to_the_end_though_the_caller_they_are_fetched_for_goes_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = config_at(listener.local_addr().unwrap());
    let old = jwks(&[ED]);
    let start = async { answer(request(&listener).await, &old).await };
    let (verifier, ()) = tokio::join!(Verifier::start(config), start);

    let token = NEW.token(&claims());
    let mut leaver = Box::pin(verifier.ask(&token));
    let asked = tokio::select! {
        answer = &mut leaver => panic!("answered before there are keys: {answer:?}"),
        asked = request(&listener) => asked,
    };
    drop(leaver);
    let mut waiter = Box::pin(verifier.ask(&token));
    // Else anybody could keep everyone from a new key: by an unknown one, and by hanging up, every thirty seconds.
    assert!((&mut waiter).now_or_never().is_none(), "the address is still being asked, so a caller waits");
    let both = jwks(&[ED, NEW]);
    let (principal, ()) = tokio::time::timeout(LIMIT, async { tokio::join!(waiter, answer(asked, &both)) })
        .await
        .expect("nobody waits for ever");
    assert_eq!(principal.expect("the new key was fetched").tenant.as_str(), "acme");
    assert!(listener.accept().now_or_never().is_none(), "and no second time");
}
