//! Brings the memories of conversations into a running server, forgets one conversation, brings it back, and erases one
//! memory, checking what can be read after each step.
//!
//! ```sh
//! cargo run --example conversations -- FILE [ADDRESS]
//! ```
//!
//! FILE has one JSON object a line: memory_id, subject_id, import_id, content, memory_date, metadata. ADDRESS is that of
//! `memory-lifecycle dev`, by default 127.0.0.1:50051.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that shows what it does")]

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

use memory_lifecycle::proto::v1::audit_log_client::AuditLogClient;
use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{
    AuditRecord, BatchForgetRequest, ForgetMode, ForgetRequest, GetMemoryRequest, ImportItem,
    ImportMemoriesRequest, ListAuditRecordsRequest, ListMemoriesRequest, Memory, RestoreRequest, Selector,
};
use prost_types::value::Kind;
use serde_json::Value;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

const USAGE: &str = "usage: conversations FILE [ADDRESS], where FILE has one memory a line, as a JSON object";
const ADDRESS: &str = "127.0.0.1:50051";

/// Says who calls: a tenant of this run's own, so that it can be run again.
#[derive(Clone)]
struct Tenant(MetadataValue<Ascii>);

impl Interceptor for Tenant {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("x-tenant-id", self.0.clone());
        Ok(request)
    }
}

type Service = InterceptedService<Channel, Tenant>;

struct Clients {
    lifecycle: MemoryLifecycleClient<Service>,
    store: MemoryStoreClient<Service>,
    audit: AuditLogClient<Service>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or(USAGE)?;
    let address = arguments.next().unwrap_or_else(|| ADDRESS.to_owned());
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file} cannot be read: {error}"))?;
    let conversations = read(&text)?;
    let total: usize = conversations.values().map(Vec::len).sum();
    let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await.map_err(|_| {
        format!("no server answers on {address}: start one with `cargo run -- dev`, or name another address")
    })?;
    let service =
        InterceptedService::new(channel, Tenant(format!("conversations-{}", std::process::id()).parse()?));
    let mut clients = Clients {
        lifecycle: MemoryLifecycleClient::new(service.clone()),
        store: MemoryStoreClient::new(service.clone()),
        audit: AuditLogClient::new(service),
    };

    let saved = clients.import(&conversations).await?;
    println!("imported:  {saved} of {total} memories of {} conversations", conversations.len());
    let (conversation, items) = conversations.iter().next().ok_or("the file is empty")?;
    let before = clients.memories(conversation, true).await?;

    let operations = clients.forget(items).await?;
    let active = clients.memories(conversation, false).await?.len();
    println!(
        "forgotten: {conversation}, in {} operations; {active} of its memories are active",
        operations.len()
    );

    let restored = clients.restore(&operations).await?;
    let after = clients.memories(conversation, true).await?;
    let equal = before.iter().zip(&after).filter(|(before, after)| same(before, after)).count();
    println!("restored:  {restored} memories; {equal} of {} are as they were", before.len());

    let erased = items.first().map(|item| item.memory_id.clone()).unwrap_or_default();
    let (count, found) = clients.erase(&erased).await?;
    println!("erased:    {count} memory; reading it answers {found:?}");

    let log = clients.log().await?;
    let linked = log.windows(2).all(|pair| match pair {
        [newer, older] => newer.previous_hash == older.hash && newer.sequence == older.sequence + 1,
        _ => true,
    });
    let mut actions = BTreeMap::new();
    for record in &log {
        *actions.entry(record.action().as_str_name().trim_start_matches("AUDIT_ACTION_")).or_insert(0) += 1;
    }
    let counted: Vec<_> = actions.iter().map(|(action, count)| format!("{count} {action}")).collect();
    let chain = if linked { "each linked to the one before" } else { "NOT LINKED" };
    println!("audit:     {} records, {chain}: {}", log.len(), counted.join(", "));
    Ok(())
}

impl Clients {
    async fn import(&mut self, conversations: &BTreeMap<String, Vec<ImportItem>>) -> Result<i64, Status> {
        let mut saved = 0;
        for (import_id, items) in conversations {
            // An import may have 1000 items a call, and any number of calls.
            for chunk in items.chunks(1000) {
                let request = ImportMemoriesRequest {
                    import_id: import_id.clone(),
                    items: chunk.to_vec(),
                    ..Default::default()
                };
                saved += self.store.import_memories(request).await?.into_inner().saved;
            }
        }
        Ok(saved)
    }

    /// The memories of one import, by id.
    async fn memories(&mut self, import_id: &str, show_archived: bool) -> Result<Vec<Memory>, Status> {
        let mut memories = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListMemoriesRequest {
                import_id: Some(import_id.to_owned()),
                show_archived,
                page_size: 1000,
                page_token,
                ..Default::default()
            };
            let page = self.store.list_memories(request).await?.into_inner();
            memories.extend(page.memories);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                memories.sort_by(|a, b| a.memory_id.cmp(&b.memory_id));
                return Ok(memories);
            }
        }
    }

    /// Forgets a hundred at a time; the operations that did it.
    async fn forget(&mut self, items: &[ImportItem]) -> Result<Vec<String>, Status> {
        let mut operations = Vec::new();
        for chunk in items.chunks(100) {
            let request = BatchForgetRequest {
                memory_ids: chunk.iter().map(|item| item.memory_id.clone()).collect(),
                reason: "the conversation is not ours to keep".to_owned(),
                ..Default::default()
            };
            operations.push(self.lifecycle.batch_forget(request).await?.into_inner().operation_id);
        }
        Ok(operations)
    }

    async fn restore(&mut self, operations: &[String]) -> Result<i64, Status> {
        let mut restored = 0;
        for operation in operations {
            let request = RestoreRequest { operation_id: Some(operation.clone()), ..Default::default() };
            restored += self.lifecycle.restore(request).await?.into_inner().restored;
        }
        Ok(restored)
    }

    /// Erases a memory; how many were, and what reading it answers then.
    async fn erase(&mut self, memory_id: &str) -> Result<(i64, Code), Status> {
        let request = ForgetRequest {
            selector: Some(Selector { memory_id: Some(memory_id.to_owned()), ..Default::default() }),
            mode: ForgetMode::Hard.into(),
            ..Default::default()
        };
        let erased = self.lifecycle.forget(request).await?.into_inner().erased;
        let read = self.store.get_memory(GetMemoryRequest { memory_id: memory_id.to_owned() }).await;
        Ok((erased, read.err().map_or(Code::Ok, |status| status.code())))
    }

    /// All records, newest first.
    async fn log(&mut self) -> Result<Vec<AuditRecord>, Status> {
        let mut records = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListAuditRecordsRequest { page_size: 1000, page_token, ..Default::default() };
            let page = self.audit.list_audit_records(request).await?.into_inner();
            records.extend(page.records);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(records);
            }
        }
    }
}

/// Whether nothing differs but what tells that something happened in between.
fn same(before: &Memory, after: &Memory) -> bool {
    let Memory { etag, update_time, .. } = after.clone();
    Memory { etag, update_time, ..before.clone() } == *after
}

/// The memories of each conversation.
fn read(text: &str) -> Result<BTreeMap<String, Vec<ImportItem>>, Box<dyn Error>> {
    let mut conversations = BTreeMap::<String, Vec<ImportItem>>::new();
    for (number, line) in text.lines().enumerate() {
        let line: Value =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
        let field = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let metadata = match line.get("metadata").and_then(|metadata| converted(metadata).kind) {
            Some(Kind::StructValue(metadata)) => Some(metadata),
            _ => None,
        };
        conversations.entry(field("import_id")).or_default().push(ImportItem {
            memory_id: field("memory_id"),
            subject_id: field("subject_id"),
            content: field("content"),
            memory_date: field("memory_date"),
            metadata,
            ..Default::default()
        });
    }
    Ok(conversations)
}

/// JSON as google.protobuf.Value.
fn converted(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Number(value) => Kind::NumberValue(value.as_f64().unwrap_or_default()),
        Value::String(value) => Kind::StringValue(value.clone()),
        Value::Array(values) => {
            Kind::ListValue(prost_types::ListValue { values: values.iter().map(converted).collect() })
        }
        Value::Object(fields) => Kind::StructValue(prost_types::Struct {
            fields: fields.iter().map(|(name, value)| (name.clone(), converted(value))).collect(),
        }),
    };
    prost_types::Value { kind: Some(kind) }
}
