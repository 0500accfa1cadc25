//! Every table that a statement touches is kept to a tenant, by a parameter or by a table that is.
//!
//! The rule is one of texts. Each table of the schema that stands behind FROM, JOIN, UPDATE, USING or INTO has a name in
//! the statement: its alias, or its own. For each there must be a predicate `name.tenant_id = …` of a parameter or of
//! another name, `USING (tenant_id, …)`, or, where a query names one table only, `tenant_id = …`. What is inserted must
//! begin with `tenant_id`.

use regex::Regex;

use super::source::{Source, Violation};
use super::sql::{ACROSS_TENANTS, HOME, code};

const TABLES: &str =
    "tenants|graphs|memories|memory_contents|audit_records|operations|operation_reasons|requests";

/// Tables that a statement does not keep to a tenant.
pub(super) fn unbound(files: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_sql()) {
        let Some(name) = file.path.strip_prefix(HOME) else { continue };
        if ACROSS_TENANTS.iter().any(|(exempt, _)| *exempt == name) {
            continue;
        }
        let code = code(&file.text).split_whitespace().collect::<Vec<_>>().join(" ");
        for table in unbound_tables(&code) {
            found.push(file.violation(
                1,
                format!("{table} of any tenant"),
                "each table that is read or written needs a predicate on its tenant_id",
            ));
        }
    }
    found
}

fn unbound_tables(code: &str) -> Vec<String> {
    let reference = Regex::new(&format!(
        r"(?i)\b(FROM|JOIN|UPDATE|INTO|USING|,) ({TABLES})\b(?: AS (\w+))?( \(tenant_id,? ?)?"
    ))
    .unwrap();
    let mut unbound = Vec::new();
    for reference in reference.captures_iter(code) {
        let (how, table) = (&reference[1], &reference[2]);
        let rest = &code[reference.get(0).unwrap().end()..];
        let is_bound = if how.eq_ignore_ascii_case("INTO") {
            reference.get(4).is_some()
        } else if let Some(alias) = reference.get(3) {
            binds_alias(rest, alias.as_str())
        } else {
            // Up to the end of its own query.
            let own = own_part(rest);
            Regex::new(r"\btenant_id = (\$\d+\b|ANY \(\$\d+)").unwrap().is_match(own)
        };
        if !is_bound {
            unbound.push(table.to_owned());
        }
    }
    unbound
}

fn binds_alias(rest: &str, alias: &str) -> bool {
    let own = own_part(rest);
    let predicate = format!(
        r"\b{alias}\.tenant_id = (\$\d+\b|ANY \(\$\d+|\w+\.tenant_id)|\w+\.tenant_id = {alias}\.tenant_id\b"
    );
    let joined = Regex::new(r"^ ?USING \(tenant_id\b").unwrap();
    joined.is_match(own.trim_start()) || Regex::new(&predicate).unwrap().is_match(own)
}

/// The text up to the parenthesis that closes the query in which it begins.
fn own_part(text: &str) -> &str {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
fn of(text: &str) -> usize {
    unbound(&[Source::new(format!("{HOME}x.sql"), format!("-- x\n{text}"))]).len()
}

#[test]
fn a_table_of_any_tenant_is_reported() {
    for good in [
        "SELECT 1 FROM memories WHERE tenant_id = $1 AND memory_id = $2",
        "SELECT 1 FROM memories AS m JOIN graphs AS g USING (tenant_id, graph_id) WHERE m.tenant_id = $1",
        "SELECT 1 FROM unnest($1::text[]) AS w (tenant_id) JOIN memories AS m ON m.tenant_id = w.tenant_id",
        "DELETE FROM requests AS r USING (SELECT 1 FROM requests WHERE tenant_id = $1) AS o WHERE r.tenant_id = $1",
        "INSERT INTO graphs (tenant_id, graph_id) SELECT * FROM unnest($1::text[], $2::text[])",
        "UPDATE memories AS m SET state = 1 FROM unnest($1::text[]) AS c (tenant_id) WHERE m.tenant_id = c.tenant_id",
    ] {
        assert_eq!(of(good), 0, "{good}");
    }
    for bad in [
        "SELECT tenant_id FROM memories WHERE memory_id = $2",
        "SELECT 1 FROM memories WHERE tenant_id = tenant_id",
        "SELECT 1 FROM memories AS m JOIN graphs AS g USING (graph_id) WHERE m.tenant_id = $1",
        "SELECT 1 FROM memories AS m JOIN graphs AS g ON g.graph_id = m.graph_id WHERE m.tenant_id = $1",
        "SELECT (SELECT count(*) FROM graphs) FROM memories WHERE tenant_id = $1",
        "SELECT EXISTS (SELECT FROM memories AS m WHERE m.state = 2) FROM operations AS o WHERE o.tenant_id = $1",
        "DELETE FROM requests AS r USING (SELECT 1 FROM requests) AS o WHERE r.tenant_id = $1",
        "INSERT INTO graphs (graph_id) SELECT $1",
        "UPDATE memories AS m SET state = 1 WHERE m.memory_id = $1",
    ] {
        assert_eq!(of(bad), 1, "{bad}");
    }
}
