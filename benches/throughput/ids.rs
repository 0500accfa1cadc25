//! Which memories a run touches: both sides the same ones, in the same order, each once.
//!
//! The order is shuffled: one after the other would hit few pages again and again, which no real caller does.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many tenants the memories are spread over.
pub(crate) const TENANTS: usize = 100;

/// How many memories the tenants have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Of tenant 0, which the cases with one tenant use.
    pub(crate) first: usize,
    /// Of each other tenant.
    pub(crate) other: usize,
}

impl Layout {
    /// A fifth in tenant 0, enough for a run on one tenant; the rest over the others.
    pub(crate) fn with_a_large_tenant(memories: usize) -> Self {
        Self { first: memories / 5, other: (memories - memories / 5) / (TENANTS - 1) }
    }

    pub(crate) fn even(memories: usize) -> Self {
        Self { first: memories / TENANTS, other: memories / TENANTS }
    }

    pub(crate) fn of(self, tenant: usize) -> usize {
        if tenant == 0 { self.first } else { self.other }
    }

    /// The order of a run over this many tenants, in calls of this many memories each.
    pub(crate) fn order(self, tenants: usize, size: usize) -> Order {
        let memories = if tenants == 1 { self.first } else { self.other.min(self.first) };
        Order::new(0, tenants, memories / size, size)
    }

    /// The order of a run over all tenants but the first.
    pub(crate) fn order_of_others(self) -> Order {
        Order::new(1, TENANTS - 1, self.other, 1)
    }
}

fn coprime(mut one: usize, mut other: usize) -> bool {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

/// Call number N is for the tenant after N modulo `tenants` others; its place among the tenant's calls is shuffled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    /// The first of the tenants.
    pub(crate) from: usize,
    pub(crate) tenants: usize,
    /// Memories of a call.
    pub(crate) size: usize,
    /// Calls that a tenant has memories for.
    pub(crate) calls: usize,
    /// No divisor in common with `calls`, so that stepping by it meets each place once.
    pub(crate) step: usize,
}

impl Order {
    pub(crate) fn new(from: usize, tenants: usize, calls: usize, size: usize) -> Self {
        assert!(calls > 1, "there are memories for more than one call: give more --memories");
        let step = (calls * 618 / 1000 + 1..=2 * calls)
            .find(|step| coprime(*step, calls))
            .expect("a prime is among them");
        Self { from, tenants, size, calls, step }
    }

    /// The tenant of call `number`.
    pub(crate) fn tenant(self, number: usize) -> usize {
        self.from + number % self.tenants
    }

    /// The tenant of a call and the number of its first memory; `None` when the memories are used up.
    pub(crate) fn get(self, number: usize) -> Option<(usize, usize)> {
        let place = number / self.tenants;
        (place < self.calls).then(|| (self.tenant(number), place * self.step % self.calls * self.size + 1))
    }
}

/// Hands the calls of a run out, to whichever caller is next.
#[derive(Debug)]
pub(crate) struct Supply {
    next: AtomicUsize,
    pub(crate) order: Order,
}

impl Supply {
    pub(crate) fn new(order: Order) -> Self {
        Self { next: AtomicUsize::new(0), order }
    }

    /// The number of the next call.
    pub(crate) fn next(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}
