//! The state machine as a model, against the real thing: random histories by many callers at once on two
//! replicas of one database. Replayed in the order of the audit log, the model must give every answer, every
//! record and the final tables.

pub mod chain;
pub mod explain;
pub mod logged;
pub mod plan;
pub mod run;
mod state;

use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::harness::scaled;

#[test]
fn the_audit_order_explains_every_answer_and_the_final_tables() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cases = u32::try_from(scaled(100, 6)).unwrap();
    // A history of concurrent callers does not repeat, so there is nothing to shrink or to keep.
    let config = Config { cases, max_shrink_iters: 0, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let seen = std::cell::RefCell::new(explain::Seen::default());
    let result = runner.run(&plan::plan(), |plan| {
        let history = runtime.block_on(run::run(&plan));
        let explained = explain::explain(&history).map_err(TestCaseError::fail)?;
        seen.borrow_mut().add(explained);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // A run that never met a kind of transition or answer proves nothing about it.
    seen.borrow().assert_complete();
}
