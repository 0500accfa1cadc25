//! Client certificates: whom they stand for, and which are turned away.

use memory_lifecycle::config::{Access, TlsFiles};
use memory_lifecycle::domain::capability::Capabilities;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::tls::{is_serving, until};
use crate::harness::caller::Identity;
use crate::harness::certificates::{CertificateAuthority, Pair, TlsFolder, Wanted, endpoint};
use crate::harness::{Caller, Database, Server, issuer, reason, settings};

const SUPPORT: &str = "spiffe://example.org/support";
const READER: &str = "spiffe://example.org/reader";
const OF_SUPPORT: &str = r#"
[[identity]]
uri = "spiffe://example.org/support"
tenant = "acme"
agent = "support-bot"
principal = "alice"
capabilities = ["memory:read", "memory:write", "audit:read"]
"#;
const OF_OTHERS: &str = r#"
[[identity]]
uri = "spiffe://example.org/reader"
tenant = "acme"
agent = "support-bot"
capabilities = ["memory:read"]

[[identity]]
dns = "Support.Example.Org"
tenant = "acme"
agent = "support-bot"
principal = "alice"
capabilities = ["memory:read", "memory:write", "audit:read"]
"#;

struct Stage {
    authority: CertificateAuthority,
    folder: TlsFolder,
    server: Server,
}

impl Stage {
    /// A server that takes certificates, and tokens too or not.
    async fn start(tokens: bool) -> Self {
        let authority = CertificateAuthority::new();
        let folder = TlsFolder::new(&authority);
        folder.write("identities.toml", &[OF_SUPPORT, OF_OTHERS].concat());
        let tls = TlsFiles {
            client_ca: Some(folder.path("ca.pem")),
            client_certificate_required: !tokens,
            ..folder.files()
        };
        let access = Access {
            jwt: tokens.then(issuer::config),
            mtls_identities: Some(folder.path("identities.toml")),
            tls: Some(tls),
            ..Access::default()
        };
        let database = Database::migrated().await;
        let own = authority.client(SUPPORT);
        let server =
            Server::start_encrypted(&database, settings(), access, &authority.pem(), Some(&own)).await;
        Self { authority, folder, server }
    }

    fn channel(&self, own: Option<&Pair>) -> Channel {
        endpoint(self.server.address, &self.authority.pem(), own).connect_lazy()
    }

    /// A caller with this certificate, who says something else in its metadata.
    fn caller(&self, own: &Pair) -> Caller {
        let lie = Identity { admin: true, ..Identity::of("other", "somebody") };
        Caller::with(self.channel(Some(own)), lie)
    }

    /// Whether a client is let in at all.
    async fn lets_in(&self, own: Option<&Pair>) -> bool {
        is_serving(self.channel(own)).await
    }
}

fn assert_unauthenticated(status: &Status, words: &str) {
    assert_eq!((status.code(), reason(status).as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
    assert!(status.message().contains(words), "{}", status.message());
}

#[tokio::test]
async fn a_certificate_stands_for_its_identity_whatever_metadata_says() {
    let stage = Stage::start(false).await;
    let support = stage.caller(&stage.authority.client(SUPPORT));
    let saved = support.remember("first", "Likes oat milk").await.unwrap();
    assert_eq!(saved.agent_id, "support-bot");
    let record = support.audit_records().await.unwrap().remove(0);
    assert_eq!((record.principal_id.as_str(), record.agent_id.as_str()), ("alice", "support-bot"));
    let erasing = memory_lifecycle::proto::v1::ForgetMode::Hard;
    assert_eq!(reason(&support.forget("first", erasing).await.unwrap_err()), "CAPABILITY_MISSING");

    let reader = stage.caller(&stage.authority.client(READER));
    assert_eq!(reader.get("first").await.unwrap(), saved);
    assert_eq!(reason(&reader.remember("second", "x").await.unwrap_err()), "CAPABILITY_MISSING");

    // A DNS name in any case, and two names of one and the same.
    for wanted in [
        Wanted { names: &["support.EXAMPLE.org"], ..Wanted::default() },
        Wanted {
            uris: &[SUPPORT],
            names: &["support.example.org", "unknown.example.org"],
            ..Wanted::default()
        },
    ] {
        assert_eq!(stage.caller(&stage.authority.certify(&wanted)).get("first").await.unwrap(), saved);
    }
    stage.server.stop().await;
}

#[tokio::test]
async fn names_that_stand_for_nobody_or_for_two_are_refused() {
    let stage = Stage::start(false).await;
    let nobody = "no identity is configured";
    for (wanted, words) in [
        (Wanted { uris: &["spiffe://example.org/support/more"], ..Wanted::default() }, nobody),
        (Wanted { uris: &["spiffe://example.org"], ..Wanted::default() }, nobody),
        (Wanted { names: &["more.support.example.org"], ..Wanted::default() }, nobody),
        (Wanted { names: &["example.org"], ..Wanted::default() }, nobody),
        (Wanted { common_name: Some(SUPPORT), ..Wanted::default() }, nobody),
        (Wanted { common_name: Some("support.example.org"), ..Wanted::default() }, nobody),
        (Wanted { uris: &[SUPPORT, READER], ..Wanted::default() }, "more than one identity"),
    ] {
        let own = stage.authority.certify(&wanted);
        assert_unauthenticated(&stage.caller(&own).remember("first", "x").await.unwrap_err(), words);
        assert!(
            stage.lets_in(Some(&own)).await,
            "it is the call that is refused: health needs no credential"
        );
    }
    stage.server.stop().await;
}

#[tokio::test]
async fn what_the_authority_does_not_vouch_for_is_turned_away_in_the_handshake() {
    let stage = Stage::start(false).await;
    let of_support = Wanted { uris: &[SUPPORT], ..Wanted::default() };
    let of = |wanted: Wanted<'_>| stage.authority.certify(&wanted);
    for (why, own) in [
        ("of another authority", Some(CertificateAuthority::new().client(SUPPORT))),
        ("expired", Some(of(Wanted { years: Some((2020, 2021)), ..of_support.clone() }))),
        ("not yet valid", Some(of(Wanted { years: Some((2090, 2095)), ..of_support.clone() }))),
        ("a server's", Some(of(Wanted { of_server: true, ..of_support.clone() }))),
        ("none at all", None),
    ] {
        assert!(!stage.lets_in(own.as_ref()).await, "{why}");
    }
    assert!(stage.lets_in(Some(&of(of_support))).await);
    stage.server.stop().await;
}

#[tokio::test]
async fn beside_other_credentials_a_certificate_may_be_left_out_and_a_token_wins() {
    let stage = Stage::start(true).await;
    let own = stage.authority.client(SUPPORT);
    let none = Caller::new(stage.channel(None), "acme", "support-bot");
    assert_unauthenticated(&none.get("first").await.unwrap_err(), "no credential was sent");
    assert!(
        !stage.lets_in(Some(&CertificateAuthority::new().client(SUPPORT))).await,
        "a bad one is not none"
    );

    let token = issuer::caller(stage.channel(Some(&own)), "elsewhere", "agent");
    assert_eq!(token.remember("first", "x").await.unwrap().agent_id, "agent");
    let status = stage.caller(&own).get("first").await.unwrap_err();
    assert_eq!(reason(&status), "MEMORY_NOT_FOUND", "the token's tenant is another");

    // A token that is not accepted is not passed over for the certificate.
    for (token, words) in
        [("a.b.c", "the token is not a well-formed"), ("a b", "the metadata authorization must be")]
    {
        let bad = Identity { token: Some(token.to_owned()), ..Identity::of("acme", "support-bot") };
        let caller = Caller::with(stage.channel(Some(&own)), bad);
        assert_unauthenticated(&caller.remember("second", "x").await.unwrap_err(), words);
    }
    let nothing = issuer::token("acme", "support-bot", Capabilities::NONE);
    let weak = Identity { token: Some(nothing), ..Identity::of("acme", "support-bot") };
    let status = Caller::with(stage.channel(Some(&own)), weak).get("first").await.unwrap_err();
    assert_eq!(
        reason(&status),
        "CAPABILITY_MISSING",
        "and a token's few rights are not made up for by the certificate"
    );
    stage.server.stop().await;
}

#[tokio::test]
async fn a_line_taken_out_ends_the_access_of_open_connections_too() {
    let stage = Stage::start(false).await;
    let support = stage.caller(&stage.authority.client(SUPPORT));
    support.remember("first", "Likes oat milk").await.unwrap();
    // What cannot be used changes nothing.
    stage.folder.write("identities.toml", "[[identity]]\nuri = 7");
    let reader = stage.caller(&stage.authority.client(READER));
    reader.get("first").await.unwrap();
    stage.folder.write("identities.toml", OF_OTHERS);
    let status = until(async || support.get("first").await.err()).await;
    assert_unauthenticated(&status, "no identity is configured");
    reader.get("first").await.unwrap();
    stage.server.stop().await;
}
