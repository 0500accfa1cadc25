//! How much memory the server takes, and how soon it is ready.

use std::time::Duration;

use crate::calls::Work;
use crate::ids::TENANTS;
use crate::load;
use crate::options::Options;
use crate::postgres::{Database, Postgres};
use crate::report::Figure;
use crate::run::Aim;
use crate::seed;
use crate::server;

pub(crate) const NAME: &str = "Footprint";

/// How many calls are in flight all the time.
const IN_FLIGHT: usize = 1000;

/// A fresh server each round: started, looked at idle, loaded with calls that forget and calls that save, and looked
/// at again.
pub(crate) async fn run(postgres: &Postgres, database: &Database, options: &Options) -> Vec<Figure> {
    let order = database.layout.order(TENANTS, 1);
    let (mut ready, mut idle, mut loaded, mut after) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let server = server::start(postgres, database).await;
        ready.push(server.ready_after.as_secs_f64() * 1000.0);
        // It is idle once what the start allocated has settled.
        tokio::time::sleep(Duration::from_secs(2)).await;
        idle.push(server.resident());
        for work in [Work::Forget, Work::Remember] {
            load::for_seconds(&server, work, IN_FLIGHT, order, options.seconds.min(2)).await;
        }
        loaded.push(server.most_resident());
        after.push(server.resident());
        server.stop().await;
        seed::reset(postgres, database).await;
    }
    let figure = |name: &str, unit, rounds, aim, note: &str| Figure {
        name: format!("{NAME}: {name}"),
        unit,
        note: note.to_owned(),
        raw: serde_json::Value::Null,
        rounds,
        aim,
    };
    let ready_note = "from the start of `serve` on a migrated database until its health says SERVING";
    let loaded_note = "the kernel's high-water mark over 1000 callers that forget, then 1000 that save 1 KiB";
    vec![
        figure("ready to serve", "ms", ready, Aim::AtMost(1000.0), ready_note),
        figure("resident memory, idle", "MiB", idle, Aim::AtMost(40.0), "two seconds after the start"),
        figure("resident memory, 1000 calls in flight", "MiB", loaded, Aim::AtMost(150.0), loaded_note),
        figure("resident memory after that", "MiB", after, Aim::None, "idle again"),
    ]
}
