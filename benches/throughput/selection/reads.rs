//! The first page of a preview and of a recall, and the memory that the server takes for them.

use std::time::Instant;

use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{PreviewRequest, PreviewResponse, RecallMemoriesRequest, Selector};
use sqlx::PgConnection;
use tonic::transport::Channel;

use super::stage::{LARGE, SET, SETS};
use super::{NAME, peer, texts};
use crate::calls::of;
use crate::options::Options;
use crate::postgres::{Database, Postgres};
use crate::report::Figure;
use crate::run::{Aim, Spread};
use crate::server;

/// How many calls of each kind a round makes; the median of them counts.
const CALLS: usize = 3;
/// How many memories a page has when no size is asked for.
const PAGE: usize = 50;

/// A set that is looked at.
#[derive(Debug, Clone, Copy)]
struct Looked {
    tenant: usize,
    memories: usize,
    /// Milliseconds.
    aim: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Preview,
    Recall,
    Rows,
    Page,
}

const SIDES: [Side; 4] = [Side::Preview, Side::Recall, Side::Rows, Side::Page];

/// Each side's rounds in milliseconds, in the order of `SIDES`.
type Times = [Vec<f64>; 4];

pub(crate) async fn run(postgres: &Postgres, database: &Database, options: &Options) -> Vec<Figure> {
    let mut figures = Vec::new();
    for looked in [
        Looked { tenant: *SETS.start(), memories: SET, aim: 100.0 },
        Looked { tenant: 0, memories: LARGE, aim: 1000.0 },
    ] {
        figures.extend(look(postgres, database, options, looked).await);
    }
    figures
}

async fn look(postgres: &Postgres, database: &Database, options: &Options, looked: Looked) -> Vec<Figure> {
    // A fresh one, so that the memory that it takes is that of these calls.
    let server = server::start(postgres, database).await;
    let (idle, channel) = (server.resident(), server.channel());
    let mut connection = postgres.connect(&database.name).await;
    let mut times = [Times::default(), Times::default()];
    for round in 0..options.rounds {
        for (word, times) in [texts::EVERYWHERE, texts::SELDOM].into_iter().zip(&mut times) {
            for place in 0..SIDES.len() {
                let place = (place + round) % SIDES.len();
                let time = side(SIDES[place], &channel, &mut connection, looked, word).await;
                times[place].push(time);
            }
        }
    }
    let growth = vec![server.most_resident() - idle];
    server.stop().await;
    let [everywhere, seldom] = &times;
    let mut figures = figures(looked, "all", everywhere);
    figures.extend(self::figures(looked, "1 %", seldom));
    figures.push(Figure {
        name: format!("{NAME}: memory for these calls on {} memories", looked.memories),
        unit: "MiB",
        note: format!("the most resident memory over that of the idle server, {idle:.1} MiB"),
        raw: serde_json::json!({"idle_mib": idle}),
        rounds: growth,
        aim: Aim::AtMost(64.0),
    });
    figures
}

/// The median of some calls, in milliseconds.
async fn side(
    side: Side,
    channel: &Channel,
    connection: &mut PgConnection,
    looked: Looked,
    word: &str,
) -> f64 {
    let expected = if word == texts::SELDOM { looked.memories / 100 } else { looked.memories };
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        let (found, expected) = match side {
            Side::Preview => (matched(&preview(channel, looked.tenant, word).await), expected),
            Side::Recall => (recall(channel, looked.tenant, word).await, PAGE),
            Side::Rows => (peer::rows(connection, looked.tenant, word).await, expected),
            Side::Page => (peer::page(connection, looked.tenant, word).await, expected),
        };
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        assert_eq!(found, expected, "the call found what there is ({side:?}, {word})");
    }
    Spread::of(&times).median
}

fn matched(answer: &PreviewResponse) -> usize {
    assert_eq!(answer.items.len(), PAGE, "a page of them");
    usize::try_from(answer.matched).expect("a count")
}

/// Which memories a preview and a forget are about.
pub(crate) fn selector(word: &str) -> Selector {
    Selector { r#match: Some(word.to_owned()), ..Selector::default() }
}

pub(crate) async fn preview(channel: &Channel, tenant: usize, word: &str) -> PreviewResponse {
    let request = PreviewRequest { selector: Some(selector(word)), ..PreviewRequest::default() };
    let answer = MemoryLifecycleClient::new(channel.clone()).preview(of(tenant, request)).await;
    answer.expect("the call succeeds").into_inner()
}

async fn recall(channel: &Channel, tenant: usize, word: &str) -> usize {
    let request = RecallMemoriesRequest { query: word.to_owned(), ..RecallMemoriesRequest::default() };
    let answer = MemoryStoreClient::new(channel.clone()).recall_memories(of(tenant, request)).await;
    answer.expect("the call succeeds").into_inner().memories.len()
}

fn figures(looked: Looked, share: &str, times: &Times) -> Vec<Figure> {
    let [preview, recall, rows, page] = times;
    let ratio = |ours: &[f64], others: &[f64]| {
        let ratios: Vec<f64> = ours.iter().zip(others).map(|(ours, other)| ours / other).collect();
        Spread::of(&ratios).show(2)
    };
    let figure = |label: &str, ours: &Vec<f64>| Figure {
        name: format!("{NAME}: first page of a {label} that finds {share} of {} memories", looked.memories),
        unit: "ms",
        note: format!(
            "reading the rows by hand {} ms, ratio {}; a page and the count by hand {} ms, ratio {}",
            Spread::of(rows).show(1),
            ratio(ours, rows),
            Spread::of(page).show(1),
            ratio(ours, page),
        ),
        raw: serde_json::json!({"rows_ms": rows, "page_ms": page}),
        rounds: ours.clone(),
        aim: Aim::AtMost(looked.aim),
    };
    vec![figure("preview", preview), figure("recall", recall)]
}
