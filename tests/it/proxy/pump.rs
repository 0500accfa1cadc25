//! One connection through the proxy: message by message up, bytes down.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

use super::tap::Ear;
use super::{Loss, Plan};

/// Passes everything on until one end closes, the proxy cuts, or a COMMIT is lost.
pub(super) async fn run(client: TcpStream, upstream: UnixStream, plan: Arc<Plan>) {
    client.set_nodelay(true).unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_upstream, mut to_upstream) = upstream.into_split();
    let mut cut = plan.cut.subscribe();
    let muted = AtomicBool::new(false);
    let silent = AtomicBool::new(false);
    let ear = Ear::default();
    let up = async {
        let mut is_first = true;
        while let Some(mut message) = message(&mut from_client, is_first).await {
            if !is_first {
                ear.up(&plan.tap, &message);
                message = plan.replaced(message);
            }
            is_first = false;
            let loss = if is_commit(&message) { plan.take() } else { None };
            let Some((loss, then_down)) = loss else {
                if to_upstream.write_all(&message).await.is_err() {
                    return None;
                }
                continue;
            };
            plan.lost.fetch_add(1, Ordering::SeqCst);
            if then_down {
                plan.down.store(true, Ordering::SeqCst);
            }
            muted.store(true, Ordering::SeqCst);
            silent.store(matches!(loss, Loss::BeforeInSilence | Loss::AfterInSilence), Ordering::SeqCst);
            if matches!(loss, Loss::After | Loss::AfterInSilence) {
                // The other half breaks the connection once the answer is there.
                to_upstream.write_all(&message).await.unwrap();
                std::future::pending::<()>().await;
            }
            if loss == Loss::BeforeInSilence {
                std::future::pending::<()>().await;
            }
            return Some(message).filter(|_| loss == Loss::Late);
        }
        None
    };
    let down = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let Ok(read) = from_upstream.read(&mut buffer).await else { return };
            if read == 0 && silent.load(Ordering::SeqCst) {
                // Postgres has given up; the server does not learn of it.
                std::future::pending::<()>().await;
            }
            if read == 0 {
                return;
            }
            ear.down(&plan.tap, &buffer[..read]);
            if muted.load(Ordering::SeqCst) {
                if silent.load(Ordering::SeqCst) {
                    continue;
                }
                return;
            }
            if to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    };
    let late = tokio::select! {
        late = up => late,
        () = down => None,
        _ = cut.changed() => None,
    };
    if let Some(commit) = late {
        drop((from_client, to_client));
        plan.deliver.notified().await;
        to_upstream.write_all(&commit).await.unwrap();
        // Until Postgres has answered.
        from_upstream.readable().await.unwrap();
    }
    if plan.down.load(Ordering::SeqCst) {
        plan.go_down();
    }
}

/// The next message from the client; the first one has no type.
async fn message(from: &mut (impl AsyncReadExt + Unpin), is_first: bool) -> Option<Vec<u8>> {
    let mut message = vec![0; if is_first { 4 } else { 5 }];
    from.read_exact(&mut message).await.ok()?;
    let length = u32::from_be_bytes(message[message.len() - 4..].try_into().unwrap());
    let begin = message.len();
    message.resize(begin + usize::try_from(length).unwrap() - 4, 0);
    from.read_exact(&mut message[begin..]).await.ok()?;
    Some(message)
}

fn is_commit(message: &[u8]) -> bool {
    message.first() == Some(&b'Q') && message[5..].starts_with(b"COMMIT")
}
