//! Our calls: as many callers as the peer has clients, each sending its next call when the last was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetRequest, RememberRequest, RestoreRequest, Selector,
};
use tokio::task::JoinSet;
use tonic::Request;
use tonic::transport::Channel;

use crate::options::Options;
use crate::report::Run;
use crate::server::Server;

/// What a caller does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Forget,
    Restore,
    Batch,
    Remember,
}

/// Which memories are left: handed out one after the other, each once.
struct Supply {
    next: AtomicUsize,
    tenants: usize,
    per_tenant: usize,
    step: usize,
}

impl Supply {
    /// A tenant and the number of its next memory; `None` when all are used up.
    fn take(&self) -> Option<(usize, usize)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (tenant, place) = (number % self.tenants, number / self.tenants * self.step);
        (place + self.step <= self.per_tenant).then_some((tenant, place + 1))
    }
}

/// Runs the work for the agreed time and answers memories a second and all latencies.
pub(crate) async fn run(
    server: &Server,
    work: Work,
    clients: usize,
    tenants: usize,
    round: usize,
    options: &Options,
) -> Run {
    let supply = |step| {
        Arc::new(Supply { next: AtomicUsize::new(0), tenants, per_tenant: options.per_tenant(), step })
    };
    let channels: Vec<Channel> = (0..clients.div_ceil(32)).map(|_| server.channel()).collect();
    let channels = channels.as_slice();
    let time = Duration::from_secs(options.seconds);
    if work == Work::Restore {
        // What is to be restored must be archived first: by the same number of calls, out of the measured time.
        callers(channels, Work::Forget, clients, &supply(1), time.mul_f64(1.5), round).await;
    }
    let step = if work == Work::Batch { 100 } else { 1 };
    callers(channels, work, clients, &supply(step), time, round).await
}

async fn callers(
    channels: &[Channel],
    work: Work,
    clients: usize,
    supply: &Arc<Supply>,
    time: Duration,
    round: usize,
) -> Run {
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for client in 0..clients {
        let channel = channels[client % channels.len()].clone();
        let supply = Arc::clone(supply);
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            while start.elapsed() < time {
                let Some((tenant, number)) = supply.take() else { break };
                let sent = Instant::now();
                call(&channel, work, tenant, number, round, client).await;
                latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
            }
            latencies
        });
    }
    let mut latencies: Vec<u32> = tasks.join_all().await.into_iter().flatten().collect();
    let seconds = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    let memories = latencies.len() * supply.step;
    Run { per_second: f64::from(u32::try_from(memories).expect("a count")) / seconds, latencies }
}

async fn call(channel: &Channel, work: Work, tenant: usize, number: usize, round: usize, client: usize) {
    let id = |number: usize| format!("m{number}");
    let mut lifecycle = MemoryLifecycleClient::new(channel.clone());
    let answered = match work {
        Work::Forget => {
            let selector = Some(Selector { memory_id: Some(id(number)), ..Selector::default() });
            let request = ForgetRequest { selector, ..ForgetRequest::default() };
            lifecycle.forget(as_tenant(tenant, request)).await.map(|answer| answer.into_inner().archived == 1)
        }
        Work::Restore => {
            let request = RestoreRequest { memory_ids: vec![id(number)], ..RestoreRequest::default() };
            // Past what was archived before, it is a call that changes nothing; the supply is sized to avoid that.
            lifecycle
                .restore(as_tenant(tenant, request))
                .await
                .map(|answer| answer.into_inner().requested == 1)
        }
        Work::Batch => {
            let memory_ids = (number..number + 100).map(id).collect();
            let request = BatchForgetRequest { memory_ids, ..BatchForgetRequest::default() };
            let answer = lifecycle.batch_forget(as_tenant(tenant, request)).await;
            answer.map(|answer| answer.into_inner().archived == 100)
        }
        Work::Remember => {
            let request = RememberRequest {
                memory_id: format!("new-{round}-{client}-{number}"),
                content: "0123456789abcdef".repeat(64),
                ..RememberRequest::default()
            };
            let answer = MemoryStoreClient::new(channel.clone()).remember(as_tenant(tenant, request)).await;
            answer.map(|answer| answer.into_inner().memory.is_some())
        }
    };
    assert!(answered.expect("the call succeeds"), "the call did its work");
}

fn as_tenant<Message>(tenant: usize, message: Message) -> Request<Message> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-tenant-id", format!("ours-{tenant}").parse().expect("a name"));
    request
}
