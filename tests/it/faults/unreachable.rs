//! A COMMIT is lost and Postgres stays out of reach: callers are told in time that the outcome is unknown, and learn
//! the truth by repeating the call once it is back.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic_health::pb::health_check_response::ServingStatus;

use super::actor::{Actor, Way};
use super::change::{Lost, NO_ANSWER};
use super::ledger::{Ledger, assert_kept};
use crate::harness::server::SERVICE;
use crate::harness::{Database, Server, scaled, settings};
use crate::proxy::{Loss, Proxy};

const CALLERS: usize = 6;
/// Long enough for the server to give up by itself.
const PATIENT: Duration = Duration::from_secs(30);
/// Over before it does.
const HASTY: Duration = Duration::from_millis(100);

/// What a call that was answered so has come to, where that is known: it was in the lost transaction, or in none.
fn truth(told: &Lost, loss: Loss) -> Option<bool> {
    match told.as_str() {
        "OUTCOME_UNKNOWN" => Some(loss == Loss::After),
        "STORE_UNAVAILABLE" => Some(false),
        "DEADLINE_EXCEEDED" | NO_ANSWER => None,
        strange => panic!("{strange}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_unknown_is_told_truly_and_done_once_when_it_is_repeated() {
    let rounds = scaled(200, 6);
    let database = Database::migrated().await;
    let proxy = Proxy::start(&database).await;
    let mut settings = settings();
    // One for all, so that a transaction has several callers in it.
    settings.lanes = Some(1);
    let server = Server::start_unready(proxy.connect(), settings).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let (_ways, channel) = watch::channel(server.channel.clone());
    let way = Way { channel, pause: Duration::from_millis(20) };
    let mut actors: Vec<Actor> = (0..CALLERS)
        .map(|number| Actor::new(way.clone(), &format!("tenant-{}", number % 3), format!("caller-{number}")))
        .collect();
    let (mut unknown, mut hasty) = (0, 0);
    for round in 0..rounds {
        let loss = if rand::random_bool(0.5) { Loss::Before } else { Loss::After };
        proxy.lose_next_and_go_down(loss);
        let mut calls = JoinSet::new();
        for (number, mut actor) in actors.drain(..).enumerate() {
            // Some are patient in every round, so that there is a COMMIT to lose.
            let limit = if number % 3 == 2 { HASTY } else { PATIENT };
            calls.spawn(async move {
                let change = actor.choose();
                let answer = change.send(&actor.caller(), limit).await;
                (actor, change, answer.expect_err("nothing can be confirmed"), limit)
            });
        }
        let answers = calls.join_all().await;
        assert_eq!(proxy.lost(), round + 1, "a COMMIT was lost in every round");
        proxy.come_up();
        let mut repeats = JoinSet::new();
        for (mut actor, change, told, limit) in answers {
            let done = truth(&told, loss);
            assert!(limit == HASTY || done.is_some(), "who waits is told: {told}");
            unknown += usize::from(told == "OUTCOME_UNKNOWN");
            hasty += usize::from(done.is_none());
            repeats.spawn(async move {
                actor.find_out(change, done).await;
                actor
            });
        }
        actors = repeats.join_all().await;
    }
    // Both were met; in a round whose lost COMMIT was of one hasty caller alone, nobody waits to be told.
    assert!(unknown >= rounds / 3 && hasty > 0, "{unknown} were told that nobody knows, {hasty} left before");
    let ledgers: Vec<Ledger> = actors.into_iter().map(|actor| actor.ledger).collect();
    assert_kept(&ledgers, &server.channel, &mut database.superuser().await).await;
    server.stop().await;
}
