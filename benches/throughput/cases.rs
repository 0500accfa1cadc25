//! The comparisons: what we do, what is done beside it, and the ratio aimed at.

use crate::calls::Work;
use crate::ids::TENANTS;
use crate::run::Aim;
use crate::scripts::Script;

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours(Work),
    Pgbench(Script),
    LangGraph,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Memories a second, ours over the other's.
    Rate,
    /// The median latency, ours over the other's.
    MedianLatency,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) callers: usize,
    pub(crate) tenants: usize,
    pub(crate) ours: Work,
    pub(crate) beside: Side,
    pub(crate) measure: Measure,
    pub(crate) aim: Aim,
}

pub(crate) fn all() -> Vec<Case> {
    use Aim::{AtLeast, AtMost};
    use Measure::{MedianLatency, Rate};
    use Side::{LangGraph, Ours, Pgbench};
    let transaction = Pgbench(Script::Transaction);
    let statement = Pgbench(Script::Statement);
    let forget = |name, callers, tenants, beside, measure, aim| Case {
        name,
        callers,
        tenants,
        ours: Work::Forget,
        beside,
        measure,
        aim,
    };
    let other =
        |name, ours, callers, beside, aim| Case { ours, ..forget(name, callers, TENANTS, beside, Rate, aim) };
    vec![
        forget("Forget by id, one tenant", 64, 1, transaction, Rate, AtLeast(2.5)),
        forget("Forget by id, 100 tenants", 64, TENANTS, transaction, Rate, AtLeast(2.5)),
        forget("Forget by id, 100 tenants", 256, TENANTS, transaction, Rate, AtLeast(4.0)),
        forget("Forget by id, 100 tenants", 8, TENANTS, transaction, Rate, AtLeast(0.9)),
        forget("Forget by id, one caller: latency", 1, 1, transaction, MedianLatency, AtMost(1.6)),
        forget("Forget by id, 100 tenants", 64, TENANTS, statement, Rate, Aim::None),
        other("BatchForget of 100", Work::Batch, 8, Pgbench(Script::Set), AtLeast(0.5)),
        other("Remember of 1 KiB", Work::Remember, 64, Pgbench(Script::Insert), AtLeast(1.2)),
        // As fast, within what such a measurement can tell.
        other("Restore by id, 100 tenants", Work::Restore, 64, Ours(Work::Forget), AtLeast(0.9)),
        forget("Forget by id, one tenant, beside a rival", 64, 1, LangGraph, Rate, AtLeast(0.8)),
        forget("Forget by id, one tenant, beside a rival", 256, 1, LangGraph, Rate, AtLeast(1.0)),
        forget("Forget by id, 100 tenants, beside a rival", 64, TENANTS, LangGraph, Rate, AtLeast(0.8)),
        forget("Forget by id, 100 tenants, beside a rival", 256, TENANTS, LangGraph, Rate, AtLeast(1.0)),
    ]
}
