//! The part that verifies tokens, without a server, and with a clock that stands still.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderMap;
use memory_lifecycle::auth::certificate::Peer;
use memory_lifecycle::auth::jwt::JwtVerifier;
use memory_lifecycle::auth::{AuthFault, Authenticator, Methods};
use memory_lifecycle::clock::{Clock, Source};
use memory_lifecycle::config::JwtConfig;
use memory_lifecycle::domain::principal::Principal;

use super::forge::{ED, NEVER, claims, with};
use super::stage::{LEEWAY, config};

/// The hands of the clock.
#[derive(Debug)]
pub struct Hands(Mutex<Duration>);

impl Hands {
    pub fn pass(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

impl Source for Hands {
    fn unix_time(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

#[derive(Debug, Clone)]
pub struct Verifier {
    pub hands: Arc<Hands>,
    authenticator: Authenticator,
}

impl Verifier {
    pub async fn start(config: JwtConfig) -> Self {
        let hands = Arc::new(Hands(Mutex::new(Duration::from_secs(1_700_000_000))));
        let clock = Clock::from_source(Arc::clone(&hands) as Arc<dyn Source>);
        let jwt = Some(JwtVerifier::start(config, clock).await.unwrap());
        Self { hands, authenticator: Authenticator::new(Methods { jwt, ..Methods::default() }) }
    }

    /// Whose token it is, or in words why it is nobody's.
    pub async fn ask(&self, token: &str) -> Result<Principal, String> {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        self.authenticator.principal(&headers, &Peer::UNKNOWN).await.map_err(|fault| match fault {
            AuthFault::Unauthenticated(cause) => cause.to_string(),
            AuthFault::Overloaded => "overloaded".to_owned(),
            AuthFault::Unavailable => "unavailable".to_owned(),
            AuthFault::Metadata(faults) => panic!("no metadata was sent: {faults:?}"),
        })
    }
}

#[tokio::test]
async fn a_token_is_valid_from_its_begin_to_its_end_give_or_take_the_leeway() {
    let verifier = Verifier::start(config()).await;
    let (begin, end) = (1_700_001_000, 1_700_002_000);
    let mut claims = with("exp", end);
    claims["nbf"] = begin.into();
    let token = ED.token(&claims);
    let leeway = LEEWAY.as_secs();
    let tick = Duration::from_nanos(1);
    let before = |time: Duration| time.checked_sub(tick).unwrap();
    let ask_at = async |time: Duration| {
        let now = verifier.hands.unix_time();
        verifier.hands.pass(time.checked_sub(now).expect("time goes on"));
        verifier.ask(&token).await.map(|_| ())
    };
    let at = |seconds: u64| Duration::from_secs(seconds);
    assert_eq!(ask_at(before(at(begin - leeway))).await, Err("the token is not valid yet".to_owned()));
    for good in [at(begin - leeway), at(begin), at(end), before(at(end + leeway))] {
        assert_eq!(ask_at(good).await, Ok(()), "{good:?}");
    }
    for late in [at(end + leeway), at(end + leeway) + tick, at(NEVER)] {
        assert_eq!(ask_at(late).await, Err("the token has expired".to_owned()), "{late:?}");
    }
}

#[tokio::test]
async fn nothing_of_the_keys_is_shown() {
    let verifier = Verifier::start(config()).await;
    verifier.ask(&ED.token(&claims())).await.unwrap();
    let shown = format!("{verifier:?}");
    assert!(shown.contains(&ED.id()), "their names are: {shown}");
    let public = super::forge::encoded(&ED.public());
    assert!(!shown.contains(&public) && !shown.contains("Ed25519"), "{shown}");
}
