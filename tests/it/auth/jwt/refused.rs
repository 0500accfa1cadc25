//! Tokens that are put together wrongly.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use serde_json::json;

use super::forge::{ED, KEYS, claims, encoded, with};
use super::stage::Stage;

const MALFORMED: &str = "is not a well-formed JSON Web Token";
const SIGNATURE: &str = "has a signature that does not fit";

#[tokio::test]
async fn what_has_not_three_parts_of_base64url_is_refused() {
    let stage = Stage::start().await;
    let good = ED.token(&claims());
    let [header, payload, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let bytes = ED.sign(&format!("{header}.{payload}"));
    let cases = [
        "a".to_owned(),
        ".".to_owned(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        format!("{header}.{payload}"),
        format!("{header}.{payload}.{signature}.{signature}"),
        format!("{header}.{payload}.{signature}.{signature}.{signature}"),
        format!("{header}..{payload}.{signature}"),
        format!(".{payload}.{signature}"),
        format!("{header}.{payload}.{signature}="),
        format!("{header}.{payload}.{}", URL_SAFE.encode(&bytes)),
        format!("{header}.{payload}.{}", STANDARD.encode(&bytes)),
        format!("{header}.{payload}.{}", &signature[..signature.len() - 1]),
        format!("{header}={payload}.{signature}"),
        good.replace('.', ","),
        format!("{}{good}", '\u{7e}'),
        json!({ "payload": payload, "protected": header, "signature": signature })
            .to_string()
            .replace(' ', ""),
    ];
    for token in cases {
        stage.assert_refused(&token, &token, MALFORMED).await;
    }
    // A signature with a character that the two alphabets write in different ways, in the wrong one.
    let slashed = (0_u32..).map(|count| with("jti", count)).find_map(|claims| {
        let good = ED.token(&claims);
        let (message, _) = good.rsplit_once('.').unwrap();
        let wrong = format!("{message}.{}", STANDARD_NO_PAD.encode(ED.sign(message)));
        (wrong != good).then_some(wrong)
    });
    stage.assert_refused(&slashed.unwrap(), "standard base64", MALFORMED).await;
    stage.stop_unchanged().await;
}

#[tokio::test]
async fn a_signature_of_something_else_does_not_fit() {
    let stage = Stage::start().await;
    for key in KEYS {
        let good = key.token(&claims());
        let (message, signature) = good.rsplit_once('.').unwrap();
        let (header, payload) = message.split_once('.').unwrap();
        let other = key.token(&with("tenant_id", "umbrella"));
        let (other_message, other_signature) = other.rsplit_once('.').unwrap();
        let bytes = key.sign(message);
        let cut = encoded(&bytes[..bytes.len() - 1]);
        let longer = encoded(&[&bytes[..], &[0]].concat());
        for (what, token) in [
            ("another token's signature", format!("{message}.{other_signature}")),
            ("on another token", format!("{other_message}.{signature}")),
            ("cut", format!("{message}.{cut}")),
            ("longer", format!("{message}.{longer}")),
            ("zeros", format!("{message}.{}", encoded(&vec![0; bytes.len()]))),
            ("ones", format!("{message}.{}", encoded(&vec![255; bytes.len()]))),
            ("of the payload alone", format!("{message}.{}", encoded(&key.sign(payload)))),
            ("of the header alone", format!("{message}.{}", encoded(&key.sign(header)))),
        ] {
            stage.assert_refused(&token, &format!("{key:?}: {what}"), SIGNATURE).await;
        }
    }
    stage.stop_unchanged().await;
}
