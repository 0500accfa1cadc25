//! A good token with anything changed is refused, and never an accident.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::forge::{KEYS, claims};
use super::stage::Stage;
use crate::harness::{reason, scaled};

/// What is done to a token.
#[derive(Debug, Clone)]
enum Change {
    Replace(u8),
    Insert(u8),
    Remove,
    Cut,
    Swap,
    Repeat,
}

fn change() -> impl Strategy<Value = Change> {
    // Visible ASCII: nothing else reaches the part that reads tokens.
    let byte = || prop_oneof![3 => prop::sample::select(&b"ABCabc019-_.="[..]), 1 => 0x21..=0x7e_u8];
    prop_oneof![
        6 => byte().prop_map(Change::Replace),
        3 => byte().prop_map(Change::Insert),
        2 => Just(Change::Remove),
        1 => Just(Change::Cut),
        2 => Just(Change::Swap),
        1 => Just(Change::Repeat),
    ]
}

fn changed(token: &str, at: usize, change: &Change) -> String {
    let mut bytes = token.as_bytes().to_vec();
    match change {
        Change::Replace(byte) => bytes[at] = *byte,
        Change::Insert(byte) => bytes.insert(at, *byte),
        Change::Remove => drop(bytes.remove(at)),
        Change::Cut => bytes.truncate(at),
        Change::Swap => bytes.swap(at, (at + 1) % token.len()),
        Change::Repeat => bytes.extend_from_within(at..),
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_changed_token_is_refused() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stage = runtime.block_on(Stage::start());
    let tokens = KEYS.map(|key| key.token(&claims()));
    let cases = u32::try_from(scaled(20_000, 600)).unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let strategy = (prop::sample::select(tokens.to_vec()), any::<prop::sample::Index>(), change());
    let outcome = runner.run(&strategy, |(token, at, change)| {
        let token_changed = changed(&token, at.index(token.len()), &change);
        prop_assume!(token_changed != token);
        let client = stage.client(&token_changed);
        let answer = runtime.block_on(client.remember("never"));
        let refused = answer.err().map(|status| reason(&status));
        prop_assert_eq!(refused.as_deref(), Some("UNAUTHENTICATED"), "{}", token_changed);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    runtime.block_on(stage.stop_unchanged());
}
