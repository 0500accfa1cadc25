//! Random texts and queries: Preview lists what the plain reference finds, and a confirmed forget changes just that.

use std::cell::{Cell, RefCell};

use memory_lifecycle::proto::v1::{
    Filter, ForgetMode, ForgetResponse, MemoryState, Outcome, PreviewRequest, Selector,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::reference::{self, GLYPHS, Glyph};
use super::{Shown, confirm, holding, import, preview};
use crate::harness::{Caller, Database, Server, reason, scaled, violations};

/// Something to write, and which of its writings to take.
#[derive(Debug, Clone)]
struct Sign(usize, Index);

impl Sign {
    fn glyph(&self) -> &'static Glyph {
        &GLYPHS[self.0]
    }

    fn written(&self, way: Index) -> &'static str {
        way.get::<&str>(self.glyph().writings)
    }
}

#[derive(Debug, Clone)]
enum Piece {
    /// Whatever it is.
    New(Vec<Sign>),
    /// What a text holds somewhere, written in other ways.
    Held { text: Index, start: Index, ways: Vec<Index> },
}

#[derive(Debug, Clone)]
struct Step {
    pieces: Vec<Piece>,
    /// How what is found is forgotten, if it is.
    forget: Option<ForgetMode>,
    archived_too: bool,
    page_size: i32,
}

#[derive(Debug, Clone)]
struct Plan {
    texts: Vec<Vec<Sign>>,
    steps: Vec<Step>,
}

fn sign() -> impl Strategy<Value = Sign> {
    // The first is white space: without enough of it there are no words.
    let which = prop_oneof![1 => Just(0), 5 => 0..GLYPHS.len()];
    (which, any::<Index>()).prop_map(|(which, way)| Sign(which, way))
}

fn piece() -> impl Strategy<Value = Piece> {
    let held = (any::<Index>(), any::<Index>(), vec(any::<Index>(), 1..5));
    prop_oneof![
        1 => vec(sign(), 1..3).prop_map(Piece::New),
        2 => held.prop_map(|(text, start, ways)| Piece::Held { text, start, ways }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let pieces = prop_oneof![3 => vec(piece(), 1), 1 => vec(piece(), 2..4)];
    let forget =
        prop_oneof![4 => Just(None), 2 => Just(Some(ForgetMode::Soft)), 1 => Just(Some(ForgetMode::Hard))];
    (pieces, forget, any::<bool>(), 0..40_i32).prop_map(|(pieces, forget, archived_too, page_size)| Step {
        pieces,
        forget,
        archived_too,
        page_size,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    (vec(vec(sign(), 1..14), 60..180), vec(step(), 20..40)).prop_map(|(texts, steps)| Plan { texts, steps })
}

fn written(text: &[Sign]) -> String {
    let text: String = text.iter().map(|sign| sign.written(sign.1)).collect();
    // A text that shows nothing is not saved.
    if reference::pieces(&text).is_empty() { format!("a{text}") } else { text }
}

fn query(pieces: &[Piece], texts: &[Vec<Sign>]) -> String {
    let written: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::New(signs) => signs.iter().map(|sign| sign.written(sign.1)).collect(),
            Piece::Held { text, start, ways } => {
                let text = text.get(texts);
                let held = &text[start.index(text.len())..];
                held.iter().zip(ways).map(|(sign, way)| sign.written(*way)).collect()
            }
        })
        .collect();
    written.join(" ")
}

/// A memory as it has to be.
struct Kept {
    id: String,
    content: String,
    normal: Vec<char>,
    state: MemoryState,
}

/// How often what happened, over all cases.
#[derive(Default)]
struct Met {
    empty: usize,
    found_none: usize,
    found_several: usize,
    archived: usize,
    erased: usize,
    already: usize,
}

#[test]
fn what_is_previewed_is_what_the_words_say_and_what_is_forgotten() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = runtime.block_on(async { Server::start(&Database::migrated().await).await });
    let cases = u32::try_from(scaled(60, 8)).unwrap();
    let config = Config { cases, max_shrink_iters: 400, failure_persistence: None, ..Config::default() };
    let (tenants, met) = (Cell::new(0), RefCell::new(Met::default()));
    let result = TestRunner::new(config).run(&plan(), |plan| {
        // A tenant of its own, so that every case begins with nothing.
        tenants.set(tenants.get() + 1);
        let caller = server.caller_of(&format!("tenant-{}", tenants.get()), "default");
        runtime.block_on(carry_out(&caller, &plan, &mut met.borrow_mut())).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // A run that never met one of these proves nothing about it.
    let Met { empty, found_none, found_several, archived, erased, already } = met.into_inner();
    for (count, what) in [
        (empty, "a query that looks for nothing"),
        (found_none, "a query that finds nothing"),
        (found_several, "a query that finds several"),
        (archived, "an archived memory"),
        (erased, "an erased memory"),
        (already, "a memory that was archived before"),
    ] {
        assert!(count > 0, "the run met {what}");
    }
    runtime.block_on(server.stop());
}

async fn carry_out(caller: &Caller, plan: &Plan, met: &mut Met) -> Result<(), String> {
    let mut memories: Vec<Kept> = Vec::new();
    for (number, text) in plan.texts.iter().enumerate() {
        // Ids that are not in the order of saving.
        let id = format!("m{:03}", number * 7 % plan.texts.len());
        let id = if memories.iter().any(|kept| kept.id == id) { format!("n{number:03}") } else { id };
        let content = written(text);
        memories.push(Kept { id, normal: reference::normal(&content), content, state: MemoryState::Active });
    }
    import(caller, memories.iter().map(|kept| (kept.id.clone(), kept.content.clone()))).await;
    memories.reverse();
    for step in &plan.steps {
        let query = query(&step.pieces, &plan.texts);
        take(caller, &mut memories, step, &query, met)
            .await
            .map_err(|fault| format!("{query:?} {:?}: {fault}", step.forget))?;
    }
    Ok(())
}

/// Previews a query, forgets what it showed if it is to be, and compares.
async fn take(
    caller: &Caller,
    memories: &mut [Kept],
    step: &Step,
    query: &str,
    met: &mut Met,
) -> Result<(), String> {
    use MemoryState::{Active, Archived};

    let states = if step.archived_too { vec![Active, Archived] } else { vec![Active] };
    let filter = Filter { states: states.iter().map(|&state| state.into()).collect(), ..Filter::default() };
    let selector = Some(Selector { filter: Some(filter), ..holding(query).unwrap() });
    let mode = step.forget.unwrap_or(ForgetMode::Soft);
    let request = PreviewRequest {
        selector: selector.clone(),
        mode: mode.into(),
        page_size: step.page_size,
        ..PreviewRequest::default()
    };
    let pieces = reference::pieces(query);
    let previewed = preview(caller, request).await;
    if pieces.is_empty() {
        met.empty += 1;
        let refused = previewed.err().ok_or("a query that looks for nothing is taken")?;
        return equal("the field at fault", &violations(&refused), &vec!["selector.match".to_owned()]);
    }
    let shown = previewed.map_err(|status| format!("{status:?}"))?;
    let is_meant =
        |kept: &Kept| states.contains(&kept.state) && reference::held(&pieces, &kept.normal) == pieces.len();
    let meant: Vec<&Kept> = memories.iter().filter(|kept| is_meant(kept)).collect();
    compare(&shown, &meant, mode)?;
    met.found_none += usize::from(meant.is_empty());
    met.found_several += usize::from(meant.len() > 1);
    if step.forget.is_none() {
        return Ok(());
    }
    let mut wanted: Vec<(String, Outcome)> =
        meant.iter().map(|kept| (kept.id.clone(), becomes(kept.state, mode))).collect();
    wanted.sort();
    let answer = confirm(caller, selector, mode, &shown).await.map_err(|status| format!("{status:?}"))?;
    let counted = counters(&answer);
    equal("the results", &results(&answer), &wanted)?;
    let count = |outcome| wanted.iter().filter(|(_, wanted)| *wanted == outcome).count();
    let outcomes = [Outcome::Archived, Outcome::Erased, Outcome::AlreadyForgotten].map(count);
    equal("the counters", &counted, &[wanted.len(), outcomes[0], outcomes[1], outcomes[2], 0])?;
    met.archived += outcomes[0];
    met.erased += outcomes[1];
    met.already += outcomes[2];
    for kept in memories.iter_mut() {
        if wanted.binary_search_by(|(id, _)| id.cmp(&kept.id)).is_ok() {
            kept.state = if mode == ForgetMode::Hard { MemoryState::Erased } else { MemoryState::Archived };
        }
    }
    compare_store(caller, memories, &wanted).await
}

fn becomes(state: MemoryState, mode: ForgetMode) -> Outcome {
    match (mode, state) {
        (ForgetMode::Hard, _) => Outcome::Erased,
        (_, MemoryState::Active) => Outcome::Archived,
        _ => Outcome::AlreadyForgotten,
    }
}

fn compare(shown: &Shown, meant: &[&Kept], mode: ForgetMode) -> Result<(), String> {
    let text = |id: &str| meant.iter().find(|kept| kept.id == id).map(|kept| kept.content.clone());
    let items: Vec<_> =
        shown.items.iter().map(|item| (item.memory_id.clone(), item.state(), item.would_be())).collect();
    let wanted: Vec<_> =
        meant.iter().map(|kept| (kept.id.clone(), kept.state, becomes(kept.state, mode))).collect();
    if items != wanted {
        let excess: Vec<_> = shown.items.iter().filter(|item| text(&item.memory_id).is_none()).collect();
        let missing: Vec<_> = meant.iter().filter(|kept| !shown.ids().contains(&kept.id.as_str())).collect();
        let excess: Vec<_> = excess.iter().map(|item| &item.excerpt).collect();
        let missing: Vec<_> = missing.iter().map(|kept| &kept.content).collect();
        return Err(format!("shows {excess:?} too, lacks {missing:?}; shown {items:?}, wanted {wanted:?}"));
    }
    let count = |outcome| i64::try_from(wanted.iter().filter(|(.., is)| *is == outcome).count()).unwrap();
    let (archived, erased) = (count(Outcome::Archived), count(Outcome::Erased));
    let whole = &shown.whole;
    equal(
        "the preview's counters",
        &[whole.matched, whole.would_archive, whole.would_erase, whole.already_forgotten, whole.would_refuse],
        &[i64::try_from(wanted.len()).unwrap(), archived, erased, count(Outcome::AlreadyForgotten), 0],
    )?;
    equal("that there is no token", &whole.confirmation_token.is_empty(), &(archived + erased == 0))
}

fn results(answer: &ForgetResponse) -> Vec<(String, Outcome)> {
    answer.results.iter().map(|result| (result.memory_id.clone(), result.outcome())).collect()
}

fn counters(answer: &ForgetResponse) -> [usize; 5] {
    [answer.matched, answer.archived, answer.erased, answer.already_forgotten, answer.refused]
        .map(|count| usize::try_from(count).unwrap())
}

/// What is listed and read is what has to be there.
async fn compare_store(
    caller: &Caller,
    memories: &[Kept],
    changed: &[(String, Outcome)],
) -> Result<(), String> {
    let listed = caller.list_all().await.map_err(|status| format!("{status:?}"))?;
    let listed: Vec<_> =
        listed.into_iter().map(|memory| (memory.memory_id.clone(), memory.state(), memory.content)).collect();
    let kept = memories.iter().filter(|kept| kept.state != MemoryState::Erased);
    let wanted: Vec<_> = kept.map(|kept| (kept.id.clone(), kept.state, kept.content.clone())).collect();
    equal("what is listed", &listed, &wanted)?;
    for (id, outcome) in changed.iter().take(3) {
        match (outcome, caller.get(id).await) {
            (Outcome::Erased, Err(status)) => equal("why", &reason(&status).as_str(), &"MEMORY_NOT_FOUND")?,
            (Outcome::Archived | Outcome::AlreadyForgotten, Ok(memory)) => {
                equal("the state", &memory.state(), &MemoryState::Archived)?;
            }
            (_, read) => return Err(format!("{outcome:?} reads {read:?}")),
        }
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, wanted: &T) -> Result<(), String> {
    if is == wanted { Ok(()) } else { Err(format!("{what}: {is:?} in place of {wanted:?}")) }
}
