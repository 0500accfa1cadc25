//! Runs a comparison: both sides in turn, several rounds, each from the same state, and first by turns.

use crate::Bench;
use crate::calls::Work;
use crate::cases::{Case, Side};
use crate::load;
use crate::pgbench;
use crate::report::Comparison;
use crate::run::{Run, WARM_UP};
use crate::scripts::Script;
use crate::seed;

/// More calls a second than any side makes here: so many are prepared for what needs preparing.
const MOST_CALLS: usize = 12_000;

/// `None` when it needs what is not there.
pub(crate) async fn run(bench: &Bench, case: Case) -> Option<Comparison> {
    if case.beside == Side::LangGraph && bench.langgraph.is_none() {
        return None;
    }
    let order = bench.database.layout.order(case.tenants, case.ours.size());
    let calls = most_calls(bench) / case.ours.size().div_ceil(10);
    seed::settle(&bench.postgres, &bench.database, order, calls).await;
    let mut comparison = Comparison::new(case, name(bench, case.beside));
    for round in 0..bench.options.rounds {
        let (ours, beside);
        if round % 2 == 0 {
            ours = side(bench, case, Side::Ours(case.ours)).await;
            beside = side(bench, case, case.beside).await;
        } else {
            beside = side(bench, case, case.beside).await;
            ours = side(bench, case, Side::Ours(case.ours)).await;
        }
        comparison.add(ours, beside);
    }
    Some(comparison)
}

fn most_calls(bench: &Bench) -> usize {
    let seconds = WARM_UP.as_secs() + bench.options.seconds;
    MOST_CALLS * usize::try_from(seconds).expect("a short time")
}

async fn side(bench: &Bench, case: Case, side: Side) -> Run {
    let Bench { postgres, database, server, options, .. } = bench;
    let order = |size| database.layout.order(case.tenants, size);
    let run = match side {
        Side::Ours(work) => {
            if work == Work::Restore {
                seed::archive(postgres, database, order(1), most_calls(bench)).await;
            }
            load::for_seconds(server, work, case.callers, order(work.size()), options.seconds).await
        }
        Side::Pgbench(script) => {
            let order = order(script.size());
            pgbench::run(postgres, database, script, case.callers, order, options.seconds).await
        }
        Side::LangGraph => {
            let langgraph = bench.langgraph.as_ref().expect("looked at before");
            let run = langgraph.run(postgres, case.callers, case.tenants, options.seconds).await;
            langgraph.refill(postgres).await;
            run
        }
    };
    seed::reset(postgres, database).await;
    run
}

fn name(bench: &Bench, side: Side) -> String {
    match side {
        Side::Ours(work) => format!("our own {work:?}"),
        Side::Pgbench(script) => Script::name(script).to_owned(),
        Side::LangGraph => {
            bench.langgraph.as_ref().map(crate::langgraph::LangGraph::name).unwrap_or_default()
        }
    }
}
