//! Pages, and the signed tokens that lead from one to the next.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use crate::domain::keyed;
use crate::domain::principal::Principal;
use crate::domain::refusal::Refusal;

/// The most items a page can have.
pub const MAX_PAGE_SIZE: usize = 1000;
/// How many items a page has when the caller does not say.
pub const DEFAULT_PAGE_SIZE: usize = 50;

/// Which page of a list is wanted.
#[derive(Clone)]
pub struct PageRequest {
    /// How many items at most: 1 to [`MAX_PAGE_SIZE`].
    pub size: usize,
    /// The token of the page before; empty for the first.
    pub token: String,
    /// SHA-256 of the method and all other arguments: a token goes only with those it was made for.
    pub arguments: [u8; 32],
}

/// Without the token, which may be anything, and without the arguments' digest, by which a guess at them could be checked.
impl fmt::Debug for PageRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PageRequest").field("size", &self.size).finish_non_exhaustive()
    }
}

/// One page of a list.
#[derive(Clone)]
pub struct Page<Item> {
    /// The items, newest first.
    pub items: Vec<Item>,
    /// Leads to the next page; empty after the last.
    pub next_token: String,
}

/// Makes and reads page tokens: a position, signed together with who asked for what.
#[derive(Clone)]
pub(super) struct Pager(Hmac<Sha256>);

impl fmt::Debug for Pager {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pager(…)")
    }
}

const MAC_BYTES: usize = 32;
/// Keeps these signatures apart from any others made with the same key.
const PURPOSE: &[u8] = b"memorylifecycle.v1 page token 1";

impl Pager {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        Self(keyed::mac(key))
    }

    fn mac(&self, principal: &Principal, request: &PageRequest, position: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        let parts: [&[u8]; 7] = [
            PURPOSE,
            principal.tenant.as_str().as_bytes(),
            principal.id.as_str().as_bytes(),
            principal.agent.as_str().as_bytes(),
            &[u8::from(principal.is_admin())],
            &request.arguments,
            position,
        ];
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }

    /// The token of the page after this position.
    pub(super) fn token(
        &self,
        principal: &Principal,
        request: &PageRequest,
        position: &impl Serialize,
    ) -> String {
        // Positions are small structs of numbers and ids: they always have a JSON form.
        let position = serde_json::to_vec(position).unwrap_or_default();
        let mut token = self.mac(principal, request, &position).finalize().into_bytes().to_vec();
        token.extend_from_slice(&position);
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The position a request's token stands for; none for the first page.
    pub(super) fn position<Position: DeserializeOwned>(
        &self,
        principal: &Principal,
        request: &PageRequest,
    ) -> Result<Option<Position>, Refusal> {
        if request.token.is_empty() {
            return Ok(None);
        }
        let refused = || {
            Refusal::field(
                "page_token",
                "must be the next_page_token of a list with the same arguments by the same caller; leave it out \
                 for the first page",
            )
        };
        let token = URL_SAFE_NO_PAD.decode(&request.token).map_err(|_| refused())?;
        let (mac, position) = token.split_at_checked(MAC_BYTES).ok_or_else(refused)?;
        self.mac(principal, request, position).verify_slice(mac).map_err(|_| refused())?;
        serde_json::from_slice(position).map(Some).map_err(|_| refused())
    }

    /// The page that one item more than it can hold was read for: the surplus item says that another follows.
    pub(super) fn page_of_surplus<Item, Position: Serialize>(
        &self,
        principal: &Principal,
        request: &PageRequest,
        mut items: Vec<Item>,
        position: impl Fn(&Item) -> Position,
    ) -> Page<Item> {
        let more = items.len() > request.size;
        items.truncate(request.size);
        self.page(principal, request, items, more, position)
    }

    /// A page, and whether more follow it.
    pub(super) fn page<Item, Position: Serialize>(
        &self,
        principal: &Principal,
        request: &PageRequest,
        items: Vec<Item>,
        more: bool,
        position: impl Fn(&Item) -> Position,
    ) -> Page<Item> {
        let next_token = match items.last() {
            Some(last) if more => self.token(principal, request, &position(last)),
            _ => String::new(),
        };
        Page { items, next_token }
    }
}
