//! One statement a file, with a header, inside its tenant; and the statement that locks the heads.

use super::source::{Source, Violation};

pub(super) const HOME: &str = "src/storage/sql/";

/// Statements that name no tenant, and why they may.
pub(super) const ACROSS_TENANTS: &[(&str, &str)] = &[
    ("read_schema_version.sql", "reads what the schema is, which belongs to no tenant"),
    ("without_fingerprint.sql", "finds for the sweeper what an old binary saved, whosever it is"),
    ("due_tenants.sql", "finds the tenants for the sweeper, which then works in one at a time"),
    (
        "note_api_key_uses.sql",
        "a key's name is its own in all tenants, and one statement notes the uses of many",
    ),
    (
        "find_api_key.sql",
        "says which tenant a caller belongs to, by a key's name, which is its own in all tenants",
    ),
    ("insert_api_key.sql", "makes a key of the tenant that the operator says"),
    ("revoke_api_key.sql", "an operator revokes a key by its name, which is its own in all tenants"),
];

/// Files that break the form every statement keeps.
pub(super) fn malformed(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_sql() && file.path.starts_with("src/")) {
        let mut report = |what: String, rule: &str| found.push(file.violation(1, what, rule));
        let Some(name) = file.path.strip_prefix(HOME) else {
            report("SQL elsewhere".into(), "statements live in src/storage/sql/");
            continue;
        };
        let code = code(&file.text);
        let statements = code.split(';').filter(|part| !part.trim().is_empty()).count();
        if statements != 1 {
            report(format!("{statements} statements"), "one statement a file");
        }
        if !file.text.starts_with("--") {
            report(
                "no header".into(),
                "begin with a `--` comment: what it does, who calls it, what it relies on",
            );
        }
        let words = words(&code);
        if !words.iter().any(|word| word == "tenant_id")
            && !ACROSS_TENANTS.iter().any(|(exempt, _)| *exempt == name)
        {
            report(
                "no tenant_id".into(),
                "every statement stays in its tenant; exceptions, with reasons, in sql.rs",
            );
        }
        if words.iter().any(|word| word == "notify" || word == "pg_notify") {
            report(
                "NOTIFY".into(),
                "it makes commits wait for one another over all tenants: notify after commit",
            );
        }
    }
    found
}

/// Statements that lock heads and look at something else. Such a statement takes its snapshot before it waits for the
/// lock: it then sees the new head and the old rows beside it.
pub(super) fn heads_read_with_more(files: &[Source]) -> Vec<Violation> {
    let rule = "a statement that locks heads reads `tenants` alone, in order, and nothing else";
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_sql() && file.path.starts_with(HOME)) {
        let words = words(&code(&file.text));
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        let count = |wanted: &str| words.iter().filter(|word| *word == wanted).count();
        let locks =
            words.windows(2).any(|pair| pair[1] == "update" && (pair[0] == "key" || pair[0] == "for"));
        if !(file.path.starts_with(&format!("{HOME}lock_head")) || locks && has("tenants")) {
            continue;
        }
        let reads_heads = words.windows(2).any(|pair| pair[0] == "from" && pair[1] == "tenants");
        let reads_more = count("select") != 1
            || count("from") != 1
            || has("join")
            || has("with")
            || listed_after_from(&words);
        if !locks || !reads_heads || reads_more || !has("order") {
            found.push(file.violation(1, "a head lock of another form", rule));
        }
    }
    let has_lane = files.iter().any(|file| file.layer() == Some("lane"));
    if has_lane && !files.iter().any(|file| file.path == format!("{HOME}lock_heads.sql")) {
        found.push(Source::new(format!("{HOME}lock_heads.sql"), "").violation(
            1,
            "not found",
            "the lane begins with it",
        ));
    }
    found
}

/// Whether `FROM` names several tables, `FROM a, b`.
fn listed_after_from(words: &[String]) -> bool {
    let tables = words.iter().skip_while(|word| *word != "from");
    tables.take_while(|word| *word != "where").any(|word| word == ",")
}

/// Words in lower case, and commas.
fn words(code: &str) -> Vec<String> {
    let spaced = code.to_lowercase().replace(',', " , ");
    let split = spaced.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ',');
    split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The text without comments and without what stands in quotes.
pub(super) fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '-' if rest.starts_with("--") => Some("\n"),
            '/' if rest.starts_with("/*") => Some("*/"),
            '\'' => Some("'"), // A doubled quote is two strings side by side: the same to us.
            _ => None,
        };
        let length = first.len_utf8();
        if let Some(end) = end {
            let skip = length.max(end.len());
            rest = rest[skip.min(rest.len())..].split_once(end).map_or("", |(_, after)| after);
            code.push(' ');
        } else {
            code.push(first);
            rest = &rest[length..];
        }
    }
    code
}

#[cfg(test)]
fn file(name: &str, text: &str) -> [Source; 1] {
    [Source::new(format!("{HOME}{name}"), text)]
}

#[test]
fn a_statement_out_of_form_is_reported() {
    let good = "-- One memory; it's read.\nSELECT ';' FROM memories /* ; */ WHERE tenant_id = $1;\n";
    assert!(malformed(&file("memory.sql", good)).is_empty());
    assert!(malformed(&file("read_schema_version.sql", "-- x\nSELECT 1")).is_empty());
    assert_eq!(malformed(&[Source::new("src/ops/memory.sql", good)]).len(), 1);
    for bad in [
        "SELECT 1 FROM memories WHERE tenant_id = $1",
        "-- x\nSELECT 1 FROM memories -- tenant_id",
        "-- x\nSELECT 1 FROM memories WHERE tenant_id = $1; DELETE FROM memories",
        "-- x\nSELECT pg_notify('x', tenant_id) FROM memories",
    ] {
        assert_eq!(malformed(&file("memory.sql", bad)).len(), 1, "{bad}");
    }
}

#[test]
fn a_head_lock_that_reads_more_is_reported() {
    let good = "-- x\nSELECT tenant_id, next_sequence FROM tenants WHERE tenant_id = ANY($1) ORDER BY tenant_id FOR NO KEY UPDATE SKIP LOCKED";
    assert!(heads_read_with_more(&file("lock_heads.sql", good)).is_empty());
    for (from, to) in [
        ("tenants WHERE", "tenants JOIN memories USING (tenant_id) WHERE"),
        ("tenants WHERE", "tenants t, memories m WHERE"),
        ("next_sequence", "(SELECT count(*) FROM memories)"),
        ("SELECT tenant_id", "WITH m AS (SELECT 1 FROM memories) SELECT tenant_id"),
        ("ORDER BY tenant_id", ""),
        ("FOR NO KEY UPDATE SKIP LOCKED", ""),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "the control changes nothing: {from}");
        assert_eq!(heads_read_with_more(&file("lock_heads.sql", &bad)).len(), 1, "{bad}");
    }
}

#[test]
fn a_lock_under_another_name_and_a_missing_one_are_reported() {
    let merged = "-- x\nSELECT 1 FROM memories JOIN tenants USING (tenant_id) FOR UPDATE";
    assert_eq!(heads_read_with_more(&file("load.sql", merged)).len(), 1);
    assert_eq!(heads_read_with_more(&[Source::new("src/lane/mod.rs", "")]).len(), 1);
}
