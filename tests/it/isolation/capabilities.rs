//! Which capabilities each call needs, and that without them it is refused by the first one's name before anything is
//! looked up: alike for what exists and what does not, and while the database is away.

use memory_lifecycle::domain::capability::{Capabilities, Capability};
use memory_lifecycle::proto::FILE_DESCRIPTOR_SET;
use memory_lifecycle::proto::v1::{
    BatchForgetRequest, Filter, ForgetMode, ForgetRequest, GetMemoryRequest, GetOperationRequest,
    ImportMemoriesRequest, LiftSuppressionRequest, ListAuditRecordsRequest, ListMemoriesRequest,
    ListOperationsRequest, ListSuppressionsRequest, MemoryKind, PreviewRequest, RecallMemoriesRequest,
    RememberRequest, RestoreRequest, Selector, UpdateMemoryRequest,
};
use prost_reflect::DescriptorPool;

use super::exact;
use super::methods::{
    self, Call, MODES, batch_forgetting, by_target, forgetting, importing, restoring, saving, suppressing,
    updating,
};
use super::scene::{AGENT, HOME, Scene};
use crate::harness::caller::{Identity, by_id, by_words};

const READ: Capability = Capability::MemoryRead;
const WRITE: Capability = Capability::MemoryWrite;
const ERASE: Capability = Capability::MemoryErase;
const ADMIN: Capability = Capability::MemoryAdmin;
const AUDIT: Capability = Capability::AuditRead;

/// Every method in every form that needs something of its own, made with an id, and what it needs.
pub(super) fn table(id: &str) -> Vec<(Call, Vec<Capability>)> {
    let of_agent = || Some(Filter { agent_id: Some(AGENT.to_owned()), ..Filter::default() });
    let selector_of_agent = || Some(Selector { filter: of_agent(), ..by_id(id).unwrap() });
    let mut table = vec![
        (methods::restore(&restoring(id)), vec![WRITE]),
        (methods::restore(&RestoreRequest { validate_only: true, ..restoring(id) }), vec![WRITE]),
        (methods::get_operation(&operation()), vec![READ]),
        (methods::list_operations(&ListOperationsRequest::default()), vec![READ]),
        (methods::remember(&saving(id)), vec![WRITE]),
        (methods::remember(&RememberRequest { kind: MemoryKind::Fact.into(), ..saving(id) }), vec![WRITE]),
        (methods::get_memory(&GetMemoryRequest { memory_id: id.to_owned() }), vec![READ]),
        (methods::list_memories(&ListMemoriesRequest::default()), vec![READ]),
        (
            methods::list_memories(&ListMemoriesRequest { filter: of_agent(), ..Default::default() }),
            vec![READ, ADMIN],
        ),
        (methods::recall(&recalling()), vec![READ]),
        (methods::recall(&RecallMemoriesRequest { filter: of_agent(), ..recalling() }), vec![READ, ADMIN]),
        (methods::list_suppressions(&ListSuppressionsRequest::default()), vec![READ]),
        (methods::lift(&lifting()), vec![WRITE]),
        (methods::restore(&RestoreRequest { lift_suppression: true, ..restoring(id) }), vec![WRITE]),
        (methods::update(&updating(id, "other")), vec![WRITE]),
        (
            methods::update(&UpdateMemoryRequest { memory_id: id.to_owned(), ..Default::default() }),
            vec![WRITE],
        ),
        (
            methods::list_audit(&ListAuditRecordsRequest {
                memory_id: Some(id.to_owned()),
                ..ListAuditRecordsRequest::default()
            }),
            vec![AUDIT],
        ),
    ];
    for mode in MODES {
        let forgetting_needs = if mode == ForgetMode::Hard { ERASE } else { WRITE };
        let with = |needed: Capability| vec![needed, ADMIN];
        let number = i32::from(mode);
        table.extend([
            (methods::forget(&forgetting(id, mode)), vec![forgetting_needs]),
            (
                methods::forget(&ForgetRequest { validate_only: true, ..forgetting(id, mode) }),
                vec![forgetting_needs],
            ),
            (
                methods::forget(&ForgetRequest { selector: selector_of_agent(), ..forgetting(id, mode) }),
                with(forgetting_needs),
            ),
            (methods::forget(&suppressing(id, mode)), vec![forgetting_needs]),
            (
                methods::forget(&ForgetRequest { selector: by_target(id), ..forgetting(id, mode) }),
                vec![forgetting_needs],
            ),
            (
                methods::forget(&ForgetRequest { selector: Some(by_words(id)), ..forgetting(id, mode) }),
                vec![forgetting_needs],
            ),
            (
                methods::preview(&PreviewRequest {
                    selector: Some(by_words(id)),
                    mode: number,
                    ..PreviewRequest::default()
                }),
                vec![READ],
            ),
            (methods::batch_forget(&batch_forgetting(id, mode)), vec![forgetting_needs]),
            (
                methods::batch_forget(&BatchForgetRequest {
                    filter: of_agent(),
                    ..batch_forgetting(id, mode)
                }),
                with(forgetting_needs),
            ),
            // A preview erases nothing, whatever it is a preview of.
            (
                methods::preview(&PreviewRequest { selector: by_id(id), mode: number, ..Default::default() }),
                vec![READ],
            ),
            (
                methods::preview(&PreviewRequest {
                    selector: selector_of_agent(),
                    mode: number,
                    ..PreviewRequest::default()
                }),
                with(READ),
            ),
        ]);
    }
    table.extend(imports(id));
    table
}

/// Moving in what is others', or as it was before, is for administrators.
fn imports(id: &str) -> Vec<(Call, Vec<Capability>)> {
    let mut of_another = importing(id);
    "another".clone_into(&mut of_another.items[0].agent_id);
    let mut dated = importing(id);
    dated.items[0].create_time = Some(prost_types::Timestamp { seconds: 1, nanos: 0 });
    let legacy = ImportMemoriesRequest { import_id: String::new(), legacy: true, ..importing(id) };
    vec![
        (methods::import(&importing(id)), vec![WRITE]),
        (methods::import(&of_another), vec![WRITE, ADMIN]),
        (methods::import(&dated), vec![WRITE, ADMIN]),
        (methods::import(&legacy), vec![WRITE, ADMIN]),
    ]
}

fn recalling() -> RecallMemoriesRequest {
    RecallMemoriesRequest { query: "text".to_owned(), ..RecallMemoriesRequest::default() }
}

fn lifting() -> LiftSuppressionRequest {
    let unknown = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    LiftSuppressionRequest { suppression_id: unknown, ..LiftSuppressionRequest::default() }
}

fn operation() -> GetOperationRequest {
    let unknown = "018f3a5c-7c1e-7b6a-9d2e-3f4a5b6c7d8e".to_owned();
    GetOperationRequest { operation_id: Some(unknown), request_id: None }
}

/// A caller with these capabilities and no others.
pub(super) fn identity(tenant: &str, agent: &str, capabilities: Capabilities) -> Identity {
    let names: Vec<&str> = capabilities.iter().map(Capability::name).collect();
    Identity { capabilities: Some(names.join(" ")), ..Identity::of(tenant, agent) }
}

/// The one that is named when it is missing: the first of those that are.
pub(super) fn missing(needed: &[Capability], held: Capabilities) -> Option<&'static str> {
    Capability::ALL
        .into_iter()
        .find(|capability| needed.contains(capability) && !held.has(*capability))
        .map(Capability::name)
}

/// Each alone, all but one, none and all.
fn sets() -> Vec<Capabilities> {
    let alone = Capability::ALL.into_iter().map(Capabilities::from);
    let all_but = Capability::ALL.into_iter().map(|capability| Capabilities::ALL.without(capability));
    alone.chain(all_but).chain([Capabilities::NONE, Capabilities::ALL]).collect()
}

#[test]
fn every_method_of_the_contract_is_in_the_table() {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).unwrap();
    let table = table("id");
    let services =
        pool.services().filter(|service| service.parent_file().package_name() == "memorylifecycle.v1");
    let mut methods = 0;
    for method in services.flat_map(|service| service.methods().collect::<Vec<_>>()) {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        assert!(table.iter().any(|(call, _)| call.path == path), "what does {path} need?");
        methods += 1;
    }
    assert!(methods >= 12, "the contract's methods were found");
}

#[tokio::test]
async fn a_missing_capability_is_named_before_anything_is_looked_up() {
    let scene = Scene::new().await;
    scene.caller(HOME, AGENT).remember("known", "text").await.unwrap();
    scene.ran().await;
    for held in sets() {
        let identity = identity(HOME, AGENT, held);
        for ((known, needed), (unknown, _)) in table("known").into_iter().zip(table("wrong")) {
            let path = known.path;
            let Some(name) = missing(&needed, held) else { continue };
            let answer = exact::call(&scene.server.channel, &identity, &known).await;
            let status = answer.result().unwrap_err();
            assert_eq!(answer.reason().unwrap(), "CAPABILITY_MISSING", "{path} with {held:?}: {status:?}");
            let info = tonic_types::StatusExt::get_details_error_info(&status).unwrap();
            assert_eq!(info.metadata["capability"], name, "{path} with {held:?}");
            assert!(status.message().contains(name), "{path}: {}", status.message());
            let other = exact::call(&scene.server.channel, &identity, &unknown).await;
            assert_eq!(answer.without("known"), other.without("wrong"), "{path} with {held:?}");
        }
    }
    let ran = scene.ran().await;
    assert!(ran.is_empty(), "a refused call looks nothing up: {ran:?}");
    scene.proxy.go_down();
    for (call, needed) in table("known") {
        let held = needed.iter().fold(Capabilities::ALL, |held, needed| held.without(*needed));
        let answer = exact::call(&scene.server.channel, &identity(HOME, AGENT, held), &call).await;
        assert_eq!(answer.reason().as_deref(), Some("CAPABILITY_MISSING"), "{}", call.path);
    }
}

#[tokio::test]
async fn what_is_needed_is_enough() {
    let scene = Scene::new().await;
    for held in sets() {
        let identity = identity(HOME, AGENT, held);
        for (call, needed) in table("id") {
            let answer = exact::call(&scene.server.channel, &identity, &call).await;
            let refused = answer.reason().as_deref() == Some("CAPABILITY_MISSING");
            assert_eq!(refused, missing(&needed, held).is_some(), "{} with {held:?}", call.path);
        }
    }
    for (call, needed) in table("id") {
        let just = needed.iter().copied().collect();
        let answer = exact::call(&scene.server.channel, &identity(HOME, AGENT, just), &call).await;
        assert_ne!(answer.reason().as_deref(), Some("CAPABILITY_MISSING"), "{} with {needed:?}", call.path);
    }
}
