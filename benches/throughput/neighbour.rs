//! How much a tenant with a thousand calls waiting slows another tenant's calls.

use crate::Bench;
use crate::calls::Work;
use crate::load;
use crate::report::Figure;
use crate::run::{Aim, Spread};
use crate::seed;

pub(crate) const NAME: &str = "Noisy neighbour";

/// How many calls of the neighbour are waiting all the time.
const WAITING: usize = 1000;

pub(crate) async fn run(bench: &Bench) -> Vec<Figure> {
    let Bench { postgres, database, server, options, .. } = bench;
    let (neighbour, others) = (database.layout.order(1, 1), database.layout.order_of_others());
    // The one caller goes round the other tenants, so that those of the neighbour's own lane are among them.
    let quiet = || load::one_by_one(server, Work::Forget, others, options.seconds);
    let (mut alone, mut beside, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    seed::settle(postgres, database, neighbour, neighbour.calls / 2).await;
    for _ in 0..options.rounds {
        alone.push(quiet().await);
        seed::reset(postgres, database).await;
        let noise = load::for_seconds(server, Work::Forget, WAITING, neighbour, options.seconds);
        let (noise, disturbed) = tokio::join!(noise, quiet());
        seed::reset(postgres, database).await;
        beside.push(disturbed);
        rates.push(noise.per_second);
    }
    let figure = |share: f64, label: &str, aim| {
        let at = |runs: &[crate::run::Run]| runs.iter().map(|run| run.latency_ms(share)).collect::<Vec<_>>();
        let (alone, beside) = (at(&alone), at(&beside));
        let (quiet, rate) = (Spread::of(&alone), Spread::of(&rates));
        Figure {
            name: format!("{NAME}: {label} of single calls beside {WAITING} waiting calls of another tenant"),
            unit: "ms",
            note: format!(
                "without it {} ms, so {:.1} times; the neighbour {} /s",
                quiet.show(1),
                Spread::of(&beside).median / quiet.median,
                rate.show(0)
            ),
            raw: serde_json::json!({"alone_ms": alone, "neighbour_per_second": rates}),
            rounds: beside,
            aim,
        }
    };
    vec![figure(0.5, "median", Aim::None), figure(0.99, "99th percentile", Aim::AtMost(20.0))]
}
