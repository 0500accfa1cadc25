//! Reads the metadata `authorization`.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::api_key;
use super::fault::Cause;

/// The most characters of a token. Far more than any needs, and few enough to look at before it is known whose they are.
const MOST_CHARACTERS: usize = 8192;
const SCHEME: &str = "Bearer";

/// What was sent. Never printed: it is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bearer<'a> {
    /// An API key, told by how it begins.
    ApiKey(&'a str),
    /// Anything else.
    Token(&'a str),
}

/// The bearer token of a call, if it has one.
pub(super) fn of(headers: &HeaderMap) -> Result<Option<Bearer<'_>>, Cause> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    let (first, second) = (sent.next(), sent.next());
    let Some(first) = first else { return Ok(None) };
    let text = first.to_str().ok().filter(|_| second.is_none());
    let token = text.and_then(token).ok_or(Cause::IllFormedHeader)?;
    Ok(Some(if token.starts_with(api_key::PREFIX) { Bearer::ApiKey(token) } else { Bearer::Token(token) }))
}

/// The token after the scheme, whose name may be written in any case (RFC 9110, section 11.1).
fn token(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(' ')?;
    let token = token.trim_start_matches(' ');
    let well_formed =
        (1..=MOST_CHARACTERS).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    (scheme.eq_ignore_ascii_case(SCHEME) && well_formed).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Option<String>, Cause> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        Ok(of(&headers)?.map(|bearer| match bearer {
            Bearer::ApiKey(key) => format!("key {key}"),
            Bearer::Token(token) => format!("token {token}"),
        }))
    }

    #[test]
    fn a_token_stands_behind_the_scheme() {
        assert_eq!(read(&[]), Ok(None));
        for text in ["Bearer a.b.c", "bearer a.b.c", "BEARER   a.b.c"] {
            assert_eq!(read(&[text]), Ok(Some("token a.b.c".to_owned())), "{text}");
        }
        let key = format!("{}x", api_key::PREFIX);
        assert_eq!(read(&[&format!("Bearer {key}")]), Ok(Some(format!("key {key}"))));
        assert!(read(&[&format!("Bearer {}", "a".repeat(8192))]).is_ok());
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("Bearer {}", "a".repeat(8193));
        for text in
            ["", "Bearer", "Bearer ", "Basic YTpi", "a.b.c", "Bearer a b", "Bearer a\tb", " Bearer a", &long]
        {
            assert_eq!(read(&[text]), Err(Cause::IllFormedHeader), "{text:?}");
        }
        assert_eq!(read(&["Bearer a", "Bearer a"]), Err(Cause::IllFormedHeader));
        let mut headers = HeaderMap::new();
        headers.append(AUTHORIZATION, http::HeaderValue::from_bytes(b"Bearer caf\xc3\xa9").unwrap());
        assert_eq!(of(&headers).err(), Some(Cause::IllFormedHeader));
    }
}
