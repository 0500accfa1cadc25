//! What a forget costs with few memories in the database and with many: the same calls on each, in turn.

use crate::Bench;
use crate::calls::Work;
use crate::ids::{Layout, Order, TENANTS};
use crate::load;
use crate::postgres::{Database, Postgres};
use crate::report::Figure;
use crate::run::{Aim, Spread};
use crate::seed;
use crate::server::{self, Server};

pub(crate) const NAME: &str = "Cost of a forget";

const CALLERS: usize = 64;
/// How many calls warm up, and how many count. The smallest database has memories for no more.
const CALLS: (usize, usize) = (1000, 8500);

struct Size {
    memories: usize,
    database: Database,
    server: Server,
    rates: Vec<f64>,
}

pub(crate) async fn run(bench: &Bench) -> Vec<Figure> {
    let Bench { postgres, options, .. } = bench;
    let mut sizes = Vec::new();
    for memories in [10_000, 100_000, 1_000_000, 10_000_000] {
        // A quick run is to be quick here too.
        if memories <= options.memories.max(10_000) || (options.ten_million && memories == 10_000_000) {
            sizes.push(set_up(postgres, memories).await);
        }
    }
    for _ in 0..options.rounds {
        for size in &mut sizes {
            let run = load::for_calls(&size.server, Work::Forget, CALLERS, size.order(), CALLS).await;
            seed::reset(postgres, &size.database).await;
            size.rates.push(run.per_second);
        }
    }
    let mut smallest: Option<Vec<f64>> = None;
    let mut figures = Vec::new();
    for size in sizes {
        size.server.stop().await;
        let Some(smallest) = &smallest else {
            smallest = Some(size.rates);
            continue;
        };
        let costs: Vec<f64> = smallest.iter().zip(&size.rates).map(|(small, rate)| small / rate).collect();
        figures.push(Figure {
            name: format!("{NAME} with {} memories over that with 10000", size.memories),
            unit: "times",
            note: format!(
                "{CALLERS} callers: {} /s, with 10000 {} /s",
                Spread::of(&size.rates).show(0),
                Spread::of(smallest).show(0)
            ),
            raw: serde_json::json!({"per_second": size.rates, "per_second_with_10000": smallest}),
            rounds: costs,
            aim: Aim::AtMost(1.2),
        });
    }
    figures
}

/// A database of its own with a server of its own. Without texts: a soft forget does not touch them.
async fn set_up(postgres: &Postgres, memories: usize) -> Size {
    let database = postgres.migrated(&format!("flat_{memories}"), Layout::even(memories)).await;
    seed::fill(postgres, &database, false).await;
    let server = server::start(postgres, &database).await;
    let size = Size { memories, database, server, rates: Vec::new() };
    seed::settle(postgres, &size.database, size.order(), CALLS.0 + CALLS.1).await;
    size
}

impl Size {
    fn order(&self) -> Order {
        self.database.layout.order(TENANTS, 1)
    }
}
