//! The calls that are measured. Each must have done its work.

use memory_lifecycle::proto::v1::memory_lifecycle_client::MemoryLifecycleClient;
use memory_lifecycle::proto::v1::memory_store_client::MemoryStoreClient;
use memory_lifecycle::proto::v1::{
    BatchForgetRequest, ForgetRequest, RememberRequest, RestoreRequest, Selector,
};
use tonic::Request;
use tonic::transport::Channel;

use crate::credentials;
use crate::ids::Order;
use crate::text;

/// What a caller does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Forget,
    Restore,
    /// BatchForget of 100.
    Batch,
    /// Of 1 KiB.
    Remember,
}

impl Work {
    /// Memories of a call.
    pub(crate) fn size(self) -> usize {
        if self == Self::Batch { 100 } else { 1 }
    }
}

/// Makes call `number` of the order and waits for its answer.
pub(crate) async fn call(channel: &Channel, work: Work, order: Order, number: usize, run: usize) {
    if work == Work::Remember {
        return remember(channel, order.tenant(number), format!("new-{run}-{number}")).await;
    }
    let Some((tenant, first)) = order.get(number) else {
        panic!("the memories are used up before the time is: give more --memories or fewer --seconds");
    };
    let mut ids: Vec<String> = (first..first + order.size).map(|number| format!("m{number}")).collect();
    let expected = i64::try_from(order.size).expect("a count");
    let mut lifecycle = MemoryLifecycleClient::new(channel.clone());
    let done = match work {
        Work::Forget => {
            let selector = Some(Selector { memory_id: ids.pop(), ..Selector::default() });
            let request = ForgetRequest { selector, ..ForgetRequest::default() };
            lifecycle.forget(of(tenant, request)).await.map(|answer| answer.into_inner().archived)
        }
        Work::Restore => {
            let request = RestoreRequest { memory_ids: ids, ..RestoreRequest::default() };
            lifecycle.restore(of(tenant, request)).await.map(|answer| answer.into_inner().restored)
        }
        Work::Batch | Work::Remember => {
            let request = BatchForgetRequest { memory_ids: ids, ..BatchForgetRequest::default() };
            lifecycle.batch_forget(of(tenant, request)).await.map(|answer| answer.into_inner().archived)
        }
    };
    assert_eq!(done.expect("the call succeeds"), expected, "the call did its work ({work:?}, {number})");
}

async fn remember(channel: &Channel, tenant: usize, memory_id: String) {
    let request = RememberRequest { memory_id, content: text::one_kib(), ..RememberRequest::default() };
    let answer = MemoryStoreClient::new(channel.clone()).remember(of(tenant, request)).await;
    assert!(answer.expect("the call succeeds").into_inner().memory.is_some(), "the call did its work");
}

/// A message with the credentials of the tenant's caller.
pub(crate) fn of<Message>(tenant: usize, message: Message) -> Request<Message> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", credentials::of(tenant));
    request
}
