//! `kill -9` of Postgres in mid-load, under a server that stays.

use std::time::Duration;

use tokio::sync::watch;
use tonic_health::pb::health_check_response::ServingStatus;

use super::actor::Way;
use super::durable::Postgres;
use super::ledger::{Sum, assert_kept};
use super::load::Load;
use crate::harness::server::SERVICE;
use crate::harness::{Server, scaled, settings};

const CALLERS: usize = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_postgres_loses_nothing_acknowledged_and_leaves_nothing_half_done() {
    let (rounds, changes) = (scaled(50, 3), scaled(100_000, 900));
    let mut postgres = Postgres::start().await;
    let mut settings = settings();
    settings.health_interval = Duration::from_millis(100);
    let server = Server::start_unready(postgres.app(), settings).await;
    server.until_health(SERVICE, ServingStatus::Serving).await;
    let (_ways, way) = watch::channel(server.channel.clone());
    let mut load = Load::start(CALLERS, &Way { channel: way, pause: Duration::from_millis(20) });
    let each = changes / rounds;
    for round in 0..rounds {
        load.more(rand::random_range(each / 2..each * 3 / 2)).await;
        postgres.kill().await;
        // Mostly back at once, with all that was on its way still undecided; now and then only when the server has
        // told that it is gone.
        if round % 5 == 0 {
            server.until_health(SERVICE, ServingStatus::NotServing).await;
        }
        postgres.start_again().await;
        server.until_health(SERVICE, ServingStatus::Serving).await;
    }
    // The load goes on after the last kill too.
    load.more(each / 2).await;
    while load.acknowledged() < changes {
        load.more(each / 2).await;
    }
    let ledgers = load.stop().await;
    // Few are lost: the server tries again what failed, so that most callers only wait a little longer.
    println!("{rounds} kills: {:?}", Sum::of(&ledgers));
    assert_kept(&ledgers, &server.channel, &mut postgres.superuser().await).await;
    server.stop().await;
    postgres.stop().await;
}
