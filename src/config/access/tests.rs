use clap::Parser;

use super::*;
use crate::config::{Cli, Command};

const JWT: [&str; 8] = [
    "--jwt-issuer",
    "https://issuer.example",
    "--jwt-audience",
    "memory-lifecycle",
    "--jwt-algorithms",
    "EdDSA",
    "--jwks-file",
    "jwks.json",
];
const LOOPBACK: &str = "127.0.0.1:50051";

/// What comes of these flags for a server that listens there, or what is wrong with them.
fn complete_on(listen: &str, flags: &[&str]) -> Result<Access, String> {
    let all = ["memory-lifecycle", "serve"].iter().chain(flags);
    let cli = Cli::try_parse_from(all).map_err(|error| error.to_string())?;
    let Command::Serve(serve) = cli.command else { panic!("serve is serve") };
    let mut faults = ConfigFaults::default();
    let access = serve.access.complete(listen.parse().unwrap(), &mut faults);
    faults.settle(Some(access)).map_err(|faults| faults.to_string())
}

fn complete(flags: &[&str]) -> Result<Access, String> {
    complete_on(LOOPBACK, flags)
}

/// The one fault of these flags.
fn fault(flags: &[&str]) -> String {
    let fault = complete(flags).unwrap_err();
    assert_eq!(fault.lines().count(), 1, "{fault}");
    fault
}

/// The flags for JSON Web Tokens without one and its value, and with others.
fn jwt_but(without: &str, with: &[&'static str]) -> Vec<&'static str> {
    let kept = JWT.chunks(2).filter(|pair| pair[0] != without).flatten();
    kept.chain(with).copied().collect()
}

#[test]
fn each_kind_of_credential_is_enough() {
    let jwt = complete(&JWT).unwrap();
    let config = jwt.jwt.unwrap();
    assert_eq!(
        (config.issuer.as_str(), config.audience.as_str()),
        ("https://issuer.example", "memory-lifecycle")
    );
    assert_eq!(config.algorithms, [JwtAlgorithm::EdDsa]);
    assert_eq!(config.keys, KeySource::File("jwks.json".into()));
    assert_eq!(config.leeway, Duration::from_secs(30));
    assert_eq!((config.claims.tenant.as_str(), config.claims.capabilities.as_str()), ("tenant_id", "scope"));
    assert!(!jwt.metadata && jwt.tls.is_none() && jwt.api_keys.is_none());

    let keys = complete(&["--api-keys", "--api-key-remembered", "9s"]).unwrap();
    assert!(keys.jwt.is_none() && keys.api_keys == Some(Duration::from_secs(9)));

    let tls = ["--tls-certificate", "chain.pem", "--tls-key", "key.pem", "--tls-client-ca", "ca.pem"];
    let mtls = [&tls[..], &["--mtls-identities", "identities.toml"]].concat();
    let files = complete(&mtls).unwrap().tls.unwrap();
    assert!(files.client_certificate_required, "there is no other way in");
    let beside = complete(&[&mtls[..], &["--api-keys"]].concat()).unwrap().tls.unwrap();
    assert!(!beside.client_certificate_required, "an API key is enough");
}

#[test]
fn what_belongs_to_tokens_is_named_when_it_is_missing() {
    assert!(fault(&[]).starts_with("nothing says how callers are known: "));
    for (flag, words) in [
        ("--jwt-issuer", "JSON Web Tokens need --jwt-issuer"),
        ("--jwt-audience", "JSON Web Tokens need --jwt-audience"),
        ("--jwt-algorithms", "JSON Web Tokens need --jwt-algorithms"),
        ("--jwks-file", "JSON Web Tokens need --jwks-file or --jwks-url"),
    ] {
        let said = fault(&jwt_but(flag, &[]));
        assert!(said.starts_with(words), "{flag}: {said}");
    }
    for flag in ["--jwt-issuer", "--jwt-audience"] {
        let said = fault(&jwt_but(flag, &[flag, " "]));
        assert!(said.contains(flag), "{said}");
    }
    let both = fault(&jwt_but("", &["--jwks-url", "https://issuer.example/keys"]));
    assert!(both.starts_with("--jwks-file and --jwks-url exclude each other"), "{both}");
}

#[test]
fn all_faults_are_named_at_once() {
    let said =
        complete(&["--jwks-url", "http://issuer.example", "--jwt-tenant-claim", "", "--tls-key", "key.pem"]);
    let said = said.unwrap_err();
    assert!(said.starts_with("the configuration has 6 faults:\n"), "{said}");
    for words in [
        "--jwt-issuer",
        "--jwt-audience",
        "--jwt-algorithms",
        "--jwks-url must be an https address",
        "--jwt-tenant-claim must name a claim",
        "--tls-key needs --tls-certificate",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn keys_come_from_where_nobody_on_the_way_can_exchange_them() {
    for url in [
        "https://issuer.example/.well-known/jwks.json",
        "https://issuer.example:8443/keys?version=1",
        "http://127.0.0.1:8080/keys",
        "http://127.1.2.3/keys",
        "http://[::1]:8080/keys",
    ] {
        let access = complete(&jwt_but("--jwks-file", &["--jwks-url", url])).unwrap();
        assert_eq!(access.jwt.unwrap().keys, KeySource::Url(url.to_owned()));
    }
    for url in [
        "",
        "issuer.example",
        "/keys",
        "http://issuer.example/keys",
        "http://localhost/keys",
        "http://127.0.0.1.evil.example/keys",
        "http://127.0.0.1@evil.example/keys",
        "http://evil.example#127.0.0.1",
        "http://0.0.0.0/keys",
        "http://10.0.0.1/keys",
        "http://[::ffff:10.0.0.1]/keys",
        "https://",
        "https://user:hush-hush@issuer.example/keys",
        "https://user@issuer.example/keys",
        "ftp://127.0.0.1/keys",
        "file:///etc/keys",
        "data:application/json,{}",
    ] {
        let said = fault(&jwt_but("--jwks-file", &["--jwks-url", url]));
        assert!(said.starts_with("--jwks-url must be an https address"), "{url}: {said}");
        assert!(!said.contains("hush") && !said.contains("evil"), "{said}");
    }
}

#[test]
fn claims_are_named_or_pointed_to() {
    let flags =
        ["--jwt-tenant-claim", "--jwt-agent-claim", "--jwt-principal-claim", "--jwt-capabilities-claim"];
    for flag in flags {
        for good in ["a", "https://example.com/a", "/app/a", "/a~1b", "a b"] {
            complete(&[&JWT[..], &[flag, good]].concat()).unwrap_or_else(|fault| panic!("{good}: {fault}"));
        }
        for bad in ["", " ", "a ", " a", "/", "/app/", "https://example.com/"] {
            let said = fault(&[&JWT[..], &[flag, bad]].concat());
            assert_eq!(said, format!("{flag} must name a claim, or point to one (/app/tenant)"), "{bad:?}");
        }
    }
}

#[test]
fn algorithms_are_those_that_are_known() {
    let with = |names: &'static str| complete(&jwt_but("--jwt-algorithms", &["--jwt-algorithms", names]));
    assert_eq!(with("RS256,ES256,EdDSA").unwrap().jwt.unwrap().algorithms, JwtAlgorithm::ALL);
    for names in ["none", "HS256", "EdDSA,HS256", "rs256", "RS512", ""] {
        let said = with(names).unwrap_err();
        assert!(said.contains("--jwt-algorithms"), "{names}: {said}");
    }
    for algorithm in JwtAlgorithm::ALL {
        assert_eq!(JwtAlgorithm::from_name(algorithm.name()), Some(algorithm));
        let value = algorithm.to_possible_value().unwrap();
        assert_eq!(value.get_name(), algorithm.name(), "the flag takes the names that headers have");
    }
}

#[test]
fn what_belongs_to_tls_is_named_when_it_is_missing() {
    for (flags, words) in [
        (vec!["--tls-certificate", "a"], "--tls-certificate needs --tls-key"),
        (vec!["--tls-key", "a"], "--tls-key needs --tls-certificate"),
        (
            vec!["--tls-certificate", "a", "--tls-key", "a", "--tls-client-ca", "a"],
            "--tls-client-ca needs --mtls-identities",
        ),
        (
            vec!["--tls-certificate", "a", "--tls-key", "a", "--mtls-identities", "a"],
            "client certificates need --tls-client-ca",
        ),
        (
            vec!["--tls-client-ca", "a", "--mtls-identities", "a"],
            "client certificates need TLS: --tls-certificate and --tls-key",
        ),
    ] {
        let said = fault(&[&["--api-keys"], &flags[..]].concat());
        assert!(said.starts_with(words), "{flags:?}: {said}");
    }
}

#[test]
fn others_reach_a_server_by_tls_or_when_the_network_is_said_to_encrypt() {
    for listen in ["0.0.0.0:50051", "[::]:50051", "10.0.0.1:50051"] {
        let said = complete_on(listen, &["--api-keys"]).unwrap_err();
        assert!(said.contains(listen) && said.contains("--allow-plaintext"), "{said}");
        complete_on(listen, &["--api-keys", "--allow-plaintext"]).unwrap();
        complete_on(listen, &["--api-keys", "--tls-certificate", "a", "--tls-key", "b"]).unwrap();
    }
    for listen in ["127.0.0.1:50051", "[::1]:50051"] {
        complete_on(listen, &["--api-keys"]).unwrap();
    }
}
