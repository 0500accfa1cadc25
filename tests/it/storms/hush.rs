//! Somebody asks not to hear of something again while somebody else saves it: whoever is first, it is not recalled after.

use std::time::Duration;

use memory_lifecycle::domain::policy::Retention;
use memory_lifecycle::proto::v1::{ForgetCause, ForgetRequest, RememberRequest};
use tokio::task::JoinSet;

use super::meet::{Replicas, TENANTS};
use crate::harness::caller::by_id;
use crate::harness::{Caller, reason};
use crate::model::run;

/// How often.
const RACES: usize = 1000;

fn said(id: &str, number: usize) -> RememberRequest {
    RememberRequest {
        memory_id: id.to_owned(),
        subject_id: "ann".to_owned(),
        content: format!("secret{number} of hers"),
        ..RememberRequest::default()
    }
}

/// Has both happen at once; answers whether the save was first.
async fn meet(asking: &Caller, saving: &Caller, number: usize) -> bool {
    let [told, again] = ["told", "again"].map(|name| format!("{name}-{number}"));
    asking.store.clone().remember(said(&told, number)).await.unwrap();
    let forget = ForgetRequest {
        selector: by_id(&told),
        cause: ForgetCause::UserRequest.into(),
        ..ForgetRequest::default()
    };
    let (mut lifecycle, mut store) = (asking.lifecycle.clone(), saving.store.clone());
    let forgetting = tokio::spawn(async move { lifecycle.forget(forget).await });
    let resaving = tokio::spawn(async move { store.remember(said(&again, number)).await });
    let forgotten = forgetting.await.unwrap().unwrap().into_inner();
    assert_eq!((forgotten.archived, forgotten.suppressions), (1, 1));
    let resaved = resaving.await.unwrap();
    let query = format!("secret{number}");
    for caller in [asking, saving] {
        assert!(caller.recall(&query).await.unwrap().is_empty(), "{query} is recalled");
    }
    match resaved {
        Ok(saved) => {
            let saved = saved.into_inner().audit.unwrap().last_sequence;
            assert!(saved < forgotten.audit.unwrap().last_sequence, "saved after it was suppressed");
            true
        }
        Err(status) => {
            assert_eq!(reason(&status), "CONTENT_SUPPRESSED");
            false
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_suppressed_and_saved_at_once_is_never_recalled() {
    let replicas = Replicas::start(Retention::Never, Duration::from_hours(1)).await;
    let mut tenants = JoinSet::new();
    for tenant in 0..TENANTS {
        let tenant = run::tenant(tenant);
        let [one, other] = &replicas.servers;
        let (asking, saving) = (one.caller_of(&tenant, "asking"), other.caller_of(&tenant, "saving"));
        tenants.spawn(async move {
            let mut saved_first = 0;
            for number in 0..RACES / TENANTS {
                // Through either replica alike.
                let is_even = number % 2 == 0;
                let (asking, saving) = if is_even { (&asking, &saving) } else { (&saving, &asking) };
                saved_first += usize::from(meet(asking, saving, number).await);
            }
            saved_first
        });
    }
    let saved_first: usize = tenants.join_all().await.into_iter().sum();
    let all = RACES / TENANTS * TENANTS;
    assert!(saved_first > 0 && saved_first < all, "{saved_first} of {all} were saved first: nothing raced");
}
