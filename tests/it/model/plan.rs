//! What the callers will do.

use proptest::collection::vec;
use proptest::prelude::*;

/// How many callers act at once; each is one agent of one tenant, on one of two replicas.
pub const CALLERS: usize = 8;
/// Tenants, and agents of each.
pub const TENANTS: usize = 2;
pub const AGENTS: usize = 2;
/// How many ids there are in a tenant: few, so that callers meet.
const IDS: usize = 6;

/// One call. Ids are small numbers; contents too, so that some are equal.
#[derive(Debug, Clone)]
pub enum Call {
    Remember {
        id: usize,
        content: u8,
    },
    Import {
        ids: Vec<usize>,
        content: u8,
    },
    Update {
        id: usize,
        content: u8,
        with_etag: bool,
    },
    Forget {
        id: usize,
        hard: bool,
        with_etag: bool,
    },
    Batch {
        ids: Vec<usize>,
        hard: bool,
    },
    Restore {
        ids: Vec<usize>,
    },
    /// Restore what the caller's latest soft forget archived; nothing, as long as there was none.
    Undo,
    Get {
        id: usize,
    },
    /// Wait until something this caller archived is past its purge time, for the expiry to be met.
    Outlast,
}

/// What each caller does, in order.
#[derive(Debug, Clone)]
pub struct Plan {
    pub calls: Vec<Vec<Call>>,
}

pub fn plan() -> impl Strategy<Value = Plan> {
    vec(vec(call(), 25..40), CALLERS).prop_map(|calls| Plan { calls })
}

fn call() -> impl Strategy<Value = Call> {
    let id = || 0..IDS;
    let ids = || vec(0..IDS, 1..5);
    prop_oneof![
        6 => (id(), 0_u8..3).prop_map(|(id, content)| Call::Remember { id, content }),
        2 => (ids(), 0_u8..3).prop_map(|(ids, content)| Call::Import { ids, content }),
        3 => (id(), 0_u8..3, any::<bool>())
            .prop_map(|(id, content, with_etag)| Call::Update { id, content, with_etag }),
        5 => (id(), prop::bool::weighted(0.3), prop::bool::weighted(0.2))
            .prop_map(|(id, hard, with_etag)| Call::Forget { id, hard, with_etag }),
        3 => (ids(), prop::bool::weighted(0.3)).prop_map(|(ids, hard)| Call::Batch { ids, hard }),
        4 => ids().prop_map(|ids| Call::Restore { ids }),
        2 => Just(Call::Undo),
        2 => id().prop_map(|id| Call::Get { id }),
        1 => Just(Call::Outlast),
    ]
}
