//! Confirmed forgets of whole sets, and what other tenants' single forgets feel of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use memory_lifecycle::proto::v1::ForgetRequest;
use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use serde_json::json;
use sqlx::PgConnection;
use tonic::transport::Channel;

use super::reads::{preview, selector};
use super::stage::{SET, SETS, singles};
use super::{NAME, peer, texts};
use crate::calls::{Work, of};
use crate::load;
use crate::options::Options;
use crate::postgres::{Database, Postgres};
use crate::report::Figure;
use crate::run::{Aim, Run, Spread};
use crate::seed;
use crate::server::{self, Server};

/// How many single forgets beside the sets are the warm-up.
const SKIPPED: usize = 20;

pub(crate) async fn run(postgres: &Postgres, database: &Database, options: &Options) -> Vec<Figure> {
    let server = server::start(postgres, database).await;
    settle(postgres, database).await;
    let mut figures = alone(postgres, database, &server, options).await;
    figures.extend(beside(postgres, database, &server, options).await);
    server.stop().await;
    figures
}

/// A first touch of the pages that the sets will change, after a checkpoint, as for the other cases.
async fn settle(postgres: &Postgres, database: &Database) {
    postgres.execute(&database.name, &["CHECKPOINT"]).await;
    let mut connection = postgres.connect(&database.name).await;
    for tenant in SETS {
        peer::forget(&mut connection, tenant, texts::EVERYWHERE).await;
    }
    reset(postgres, database).await;
}

async fn reset(postgres: &Postgres, database: &Database) {
    postgres.execute(&database.name, &[peer::CLEAR, "VACUUM audit_records"]).await;
    seed::reset(postgres, database).await;
}

/// Previews the tenant's set and forgets it: how many seconds the forget took, and the preview before it.
async fn forget(channel: &Channel, tenant: usize) -> (f64, f64) {
    let begun = Instant::now();
    let previewed = preview(channel, tenant, texts::EVERYWHERE).await;
    let looked = begun.elapsed().as_secs_f64();
    let request = ForgetRequest {
        selector: Some(selector(texts::EVERYWHERE)),
        confirmation_token: previewed.confirmation_token,
        ..ForgetRequest::default()
    };
    let begun = Instant::now();
    let answer = MemoryLifecycleClient::new(channel.clone()).forget(of(tenant, request)).await;
    let archived = answer.expect("the call succeeds").into_inner().archived;
    assert_eq!(usize::try_from(archived), Ok(SET), "the call did its work");
    (begun.elapsed().as_secs_f64(), looked)
}

/// The same by hand.
async fn by_hand(connection: &mut PgConnection, tenant: usize) -> f64 {
    let begun = Instant::now();
    let archived = peer::forget(connection, tenant, texts::EVERYWHERE).await;
    assert_eq!(archived, SET, "the peer did its work");
    begun.elapsed().as_secs_f64()
}

async fn alone(postgres: &Postgres, database: &Database, server: &Server, options: &Options) -> Vec<Figure> {
    let (tenant, channel) = (*SETS.start(), server.channel());
    let mut connection = postgres.connect(&database.name).await;
    let idle = server.resident();
    let (mut ours, mut previews, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                let (forgetting, looking) = forget(&channel, tenant).await;
                ours.push(SET as f64 / forgetting);
                previews.push(looking * 1000.0);
            } else {
                beside.push(SET as f64 / by_hand(&mut connection, tenant).await);
            }
            reset(postgres, database).await;
        }
    }
    let growth = server.most_resident() - idle;
    let ratios: Vec<f64> = ours.iter().zip(&beside).map(|(ours, beside)| ours / beside).collect();
    let rate = Figure {
        name: format!("{NAME}: confirmed soft forget of {SET} memories"),
        unit: "memories a second",
        note: format!(
            "UPDATE and INSERT by hand {} /s, ratio {}; the preview before it {} ms",
            Spread::of(&beside).show(0),
            Spread::of(&ratios).show(2),
            Spread::of(&previews).show(1),
        ),
        raw: json!({"by_hand_per_second": beside, "preview_ms": previews}),
        rounds: ours,
        aim: Aim::AtLeast(15_000.0),
    };
    let memory = Figure {
        name: format!("{NAME}: memory for these forgets"),
        unit: "MiB",
        note: format!("the most resident memory over that of the idle server, {idle:.1} MiB"),
        raw: json!({"idle_mib": idle}),
        rounds: vec![growth],
        aim: Aim::None,
    };
    vec![rate, memory]
}

async fn beside(postgres: &Postgres, database: &Database, server: &Server, options: &Options) -> Vec<Figure> {
    let channel = server.channel();
    let (mut quiet, mut disturbed, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        quiet.push(load::one_by_one(server, Work::Forget, singles(), options.seconds).await);
        reset(postgres, database).await;
        let over = Arc::new(AtomicBool::new(false));
        let noise = async {
            let begun = Instant::now();
            for tenant in SETS {
                forget(&channel, tenant).await;
            }
            over.store(true, Ordering::Relaxed);
            (SETS.count() * SET) as f64 / begun.elapsed().as_secs_f64()
        };
        let singles = load::one_by_one_until(server, Work::Forget, singles(), Arc::clone(&over));
        let (rate, calls) = tokio::join!(noise, singles);
        reset(postgres, database).await;
        rates.push(rate);
        disturbed.push(Run::of_all(calls, SKIPPED));
    }
    let figure = |share: f64, label: &str, aim| {
        let at = |runs: &[Run]| runs.iter().map(|run| run.latency_ms(share)).collect::<Vec<_>>();
        let (quiet, disturbed) = (at(&quiet), at(&disturbed));
        Figure {
            name: format!(
                "{NAME}: {label} of other tenants' single forgets beside previews and forgets of {SET}"
            ),
            unit: "ms",
            note: format!(
                "without them {} ms, so {:.1} times; the sets {} memories a second, previews included",
                Spread::of(&quiet).show(1),
                Spread::of(&disturbed).median / Spread::of(&quiet).median,
                Spread::of(&rates).show(0)
            ),
            raw: json!({"alone_ms": quiet, "sets_per_second": rates}),
            rounds: disturbed,
            aim,
        }
    };
    vec![figure(0.5, "median", Aim::None), figure(0.99, "99th percentile", Aim::AtMost(50.0))]
}
