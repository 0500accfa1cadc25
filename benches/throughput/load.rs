//! Our callers: as many as the peer has clients, each sending its next call when the last was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::calls::{self, Work};
use crate::ids::{Order, Supply};
use crate::run::{Call, Run, WARM_UP};
use crate::server::{self, Server};

/// Each run's Remember makes ids of its own.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// When callers stop.
#[derive(Debug, Clone)]
enum Until {
    Time(Duration),
    Calls(usize),
    Told(Arc<AtomicBool>),
}

/// How many callers share a connection.
const CALLERS_PER_CONNECTION: usize = 32;

fn connections(server: &Server, callers: usize) -> Vec<Channel> {
    (0..callers.div_ceil(CALLERS_PER_CONNECTION)).map(|_| server.channel()).collect()
}

/// Works for the warm-up and then for the measured seconds.
pub(crate) async fn for_seconds(
    server: &Server,
    work: Work,
    callers: usize,
    order: Order,
    seconds: u64,
) -> Run {
    let until = Until::Time(WARM_UP + Duration::from_secs(seconds));
    let calls = run(&connections(server, callers), work, callers, order, until).await;
    Run::in_time(&calls, seconds, order.size)
}

/// Makes this many calls, of which the first ones are the warm-up.
pub(crate) async fn for_calls(
    server: &Server,
    work: Work,
    callers: usize,
    order: Order,
    (skipped, measured): (usize, usize),
) -> Run {
    let until = Until::Calls(skipped + measured);
    let calls = run(&connections(server, callers), work, callers, order, until).await;
    Run::of_all(calls, skipped)
}

/// One caller in a thread of its own, so that other callers of this process delay it only as those of another
/// process would. It goes from tenant to tenant, but for the first one.
pub(crate) async fn one_by_one(server: &Server, work: Work, order: Order, seconds: u64) -> Run {
    let calls = alone(server, work, order, Until::Time(WARM_UP + Duration::from_secs(seconds))).await;
    Run::in_time(&calls, seconds, order.size)
}

/// The same, from now until it is told that it is over.
pub(crate) async fn one_by_one_until(
    server: &Server,
    work: Work,
    order: Order,
    over: Arc<AtomicBool>,
) -> Vec<Call> {
    alone(server, work, order, Until::Told(over)).await
}

async fn alone(server: &Server, work: Work, order: Order, until: Until) -> Vec<Call> {
    let address = server.address().to_owned();
    let caller = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async { run(&[server::channel(&address)], work, 1, order, until).await })
    };
    tokio::task::spawn_blocking(caller).await.expect("the caller ends well")
}

async fn run(channels: &[Channel], work: Work, callers: usize, order: Order, until: Until) -> Vec<Call> {
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let supply = Arc::new(Supply::new(order));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for caller in 0..callers {
        let channel = channels[caller % channels.len()].clone();
        tasks.spawn(call_on(channel, work, Arc::clone(&supply), start, until.clone(), run));
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

async fn call_on(
    channel: Channel,
    work: Work,
    supply: Arc<Supply>,
    start: Instant,
    until: Until,
    run: usize,
) -> Vec<Call> {
    let micros = |duration: Duration| u64::try_from(duration.as_micros()).expect("a short time");
    let mut made = Vec::new();
    loop {
        let number = supply.next();
        let is_over = match &until {
            Until::Time(time) => start.elapsed() >= *time,
            Until::Calls(calls) => number >= *calls,
            Until::Told(over) => over.load(Ordering::Relaxed),
        };
        if is_over {
            return made;
        }
        let sent = Instant::now();
        calls::call(&channel, work, supply.order, number, run).await;
        made.push(Call { end: micros(start.elapsed()), latency: micros(sent.elapsed()) });
    }
}
