//! Pages, and the signed tokens that lead from one to the next.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::keyed::Signer;
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
#[derive(Debug, Clone)]
pub(super) struct Pager(Signer);

/// Keeps these signatures apart from any others made with the same key.
const PURPOSE: &[u8] = b"memorylifecycle.v1 page token 1";

impl Pager {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        Self(Signer::new(key, PURPOSE))
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
        self.0.token(principal, &request.arguments, &position)
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
        let position = self.0.read(principal, &request.arguments, &request.token).ok_or_else(refused)?;
        serde_json::from_slice(&position).map(Some).map_err(|_| refused())
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
