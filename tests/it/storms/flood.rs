//! More calls than the server takes: some are served well, the rest is told so at once, and afterwards all is as before.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::mpsc;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt;

use super::gate::{self, GATED};
use crate::harness::{Caller, Database, issuer, reason, scaled};
use crate::lanes::assert_log_explains_rows;
use crate::model::chain;
use crate::process::program::{Program, channel};
use crate::process::started::{listening, serve_command, url};

/// The gate is shut for less than half a minute.
const LIMIT: Duration = Duration::from_secs(25);
/// How much more memory than before a flood may cost.
const MOST_GROWTH_KIB: u64 = 150 * 1024;

/// The program on a database with a gate, taking so many calls at once.
async fn serving(max_in_flight: usize) -> (Database, Program, SocketAddr) {
    let database = Database::migrated().await;
    gate::build(&database).await;
    let mut command = serve_command(&url("memory_lifecycle_app", database.name()).await);
    command.args(["--max-in-flight", &max_in_flight.to_string()]);
    let (mut program, address) = listening(command).await;
    program.logged("ready: Postgres is there").await;
    (database, program, address)
}

/// Calls on their way.
struct Flood(mpsc::UnboundedReceiver<Result<(), Status>>);

impl Flood {
    /// Sends so many calls of each caller, all at once.
    fn begin(callers: &[Caller], each: usize) -> Self {
        let (sender, answers) = mpsc::unbounded_channel();
        for (connection, caller) in callers.iter().enumerate() {
            for number in 0..each {
                let (caller, sender) = (caller.clone(), sender.clone());
                tokio::spawn(async move {
                    let id = format!("flood-{connection}-{number}");
                    let answer = caller.remember(&id, "content").await.map(drop);
                    let _ = sender.send(answer);
                });
            }
        }
        Self(answers)
    }

    async fn next(&mut self) -> Option<Result<(), Status>> {
        tokio::time::timeout(LIMIT, self.0.recv()).await.expect("the next answer comes")
    }

    /// Waits for so many refusals, and fails when something else is answered before.
    async fn until_refused(&mut self, count: usize) {
        for number in 0..count {
            let Some(Err(status)) = self.next().await else {
                panic!("served before refusal {number} of {count}")
            };
            assert_overloaded(&status);
        }
    }

    /// Waits for all answers that are left; answers how many calls were served and how many were refused.
    async fn rest(mut self) -> (usize, usize) {
        let (mut served, mut refused) = (0, 0);
        while let Some(answer) = self.next().await {
            match answer {
                Ok(()) => served += 1,
                Err(status) => {
                    assert_overloaded(&status);
                    refused += 1;
                }
            }
        }
        (served, refused)
    }
}

fn assert_overloaded(status: &Status) {
    assert_eq!((status.code(), reason(status).as_str()), (Code::ResourceExhausted, "OVERLOADED"));
    let retry = status.get_details_retry_info().and_then(|info| info.retry_delay);
    assert!(retry.is_some_and(|delay| delay > Duration::ZERO), "it says when to repeat the call");
    let info = status.get_details_error_info().unwrap();
    assert!(info.metadata.contains_key("operation_id"));
}

/// A caller on each of so many connections, of a tenant each, that has made its first call.
async fn callers(address: SocketAddr, connections: usize) -> Vec<Caller> {
    let mut callers = Vec::new();
    for number in 0..connections {
        let caller = issuer::caller(channel(address), &format!("{GATED}-{number}"), "agent");
        caller.remember("first", "content").await.unwrap();
        callers.push(caller);
    }
    callers
}

/// The most memory that the program has had in use so far.
fn most_memory_kib(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_more_than_the_server_takes_is_refused_at_once_and_the_rest_is_served() {
    let (connections, calls, taken) = (scaled(50, 10), scaled(10_000, 1_500), scaled(4096, 256));
    let (database, program, address) = serving(taken).await;
    let callers = callers(address, connections).await;
    let before = most_memory_kib(&program);
    let shut = gate::shut(&database).await;
    let mut flood = Flood::begin(&callers, calls / connections);
    // All of them while nothing is served: they waited for nothing.
    flood.until_refused(calls - taken).await;
    let whole = HealthClient::new(channel(address)).check(HealthCheckRequest::default()).await;
    assert!(whole.is_ok(), "whoever asks how the process is, is not refused");
    shut.open().await;
    assert_eq!(flood.rest().await, (taken, 0), "what was taken in is served");
    let growth = most_memory_kib(&program) - before;
    assert!(growth <= MOST_GROWTH_KIB, "{growth} KiB more than the {before} KiB before");
    let again = tokio::time::timeout(Duration::from_secs(5), callers[0].remember("last", "content")).await;
    again.expect("normal again within five seconds").unwrap();

    assert_log_explains_rows(&database).await;
    let log =
        issuer::admin(channel(address), &callers[0].identity.tenant, "administrator").audit_records().await;
    chain::verify(&callers[0].identity.tenant, &log.unwrap()).unwrap();
    let saved: i64 = database.value("SELECT count(*) FROM memories").await;
    assert_eq!(usize::try_from(saved).unwrap(), taken + connections + 1, "and nothing that was refused");
    assert_eq!(program.terminate().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_wait_for_a_stream_of_their_connection_are_served_when_there_is_one() {
    // A connection has 1024 streams; the client keeps the rest of its calls.
    let calls = 1_300;
    let (database, program, address) = serving(4096).await;
    let callers = callers(address, 1).await;
    let shut = gate::shut(&database).await;
    let flood = Flood::begin(&callers, calls);
    // Another connection is not held up by that; what it changes must be another tenant's.
    let other = issuer::caller(channel(address), "free", "agent");
    other.list_all().await.unwrap();
    shut.open().await;
    assert_eq!(flood.rest().await, (calls, 0));
    assert_eq!(program.terminate().await.code(), Some(0));
}

/// How many commands of one tenant wait in its lane at most, and how many more are in the batch before them.
const OF_ONE_TENANT: usize = 2048 + 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_that_floods_the_server_leaves_places_for_others() {
    let calls = 2_600;
    let (database, program, address) = serving(OF_ONE_TENANT + 100).await;
    let noisy: Vec<Caller> = (0..10).map(|_| issuer::caller(channel(address), GATED, "agent")).collect();
    noisy[0].remember("first", "content").await.unwrap();
    let shut = gate::shut(&database).await;
    let mut flood = Flood::begin(&noisy, calls / noisy.len());
    flood.until_refused(calls - OF_ONE_TENANT).await;
    // Its own lane stands still; of so many tenants some are in others.
    let quiet = channel(address);
    let (sender, mut answers) = mpsc::unbounded_channel();
    for number in 0..8 {
        let (caller, sender) =
            (issuer::caller(quiet.clone(), &format!("quiet-{number}"), "agent"), sender.clone());
        tokio::spawn(async move { sender.send(caller.remember("memory", "content").await) });
    }
    drop(sender);
    let first = tokio::time::timeout(LIMIT, answers.recv()).await.expect("somebody gets through");
    first.unwrap().expect("a place was left");
    shut.open().await;
    while let Some(answer) = answers.recv().await {
        answer.expect("a place was left for each");
    }
    let (served, refused) = flood.rest().await;
    assert!(served + refused == OF_ONE_TENANT && served > 2048, "{served} served, {refused} refused");
    assert_eq!(program.terminate().await.code(), Some(0));
}
