//! Every table that a statement touches is kept to a tenant, by a parameter or by a table that is.
//!
//! The rule is one of texts. Each table of the schema that stands behind FROM, JOIN, UPDATE, USING or INTO has a name in
//! the statement: its alias, or its own. For each there must be a predicate `name.tenant_id = …` of a parameter, or of
//! another name, or `USING (tenant_id, …)`, so that a chain of such leads to a parameter or to what is no table; or, where a
//! query names one table only, `tenant_id = …` of a parameter. What is inserted must begin with `tenant_id`.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::source::{Source, Violation};
use super::sql::{ACROSS_TENANTS, HOME, code};

/// The tables of the migrations that have a tenant.
static TABLES: LazyLock<String> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let pattern = Regex::new(r"CREATE TABLE (\w+) \(([^;]*);").unwrap();
    let with_tenant = pattern.captures_iter(&text).filter(|parts| parts[2].contains("tenant_id"));
    let tables: Vec<String> = with_tenant.map(|parts| parts[1].to_owned()).collect();
    assert!(tables.len() >= 8, "the tables were found");
    tables.join("|")
});

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

/// A table where a statement names it.
struct Reference {
    table: String,
    alias: Option<String>,
    /// Whether it is kept to a tenant, as far as is known.
    is_bound: bool,
    /// What else its tenant is said to be that of.
    equals: Vec<String>,
}

fn unbound_tables(code: &str) -> Vec<String> {
    let pattern = Regex::new(&format!(
        r"(?i)\b(FROM|JOIN|UPDATE|INTO|USING|,) ({})\b(?: AS (\w+))?( \(tenant_id,? ?)?",
        *TABLES
    ))
    .unwrap();
    let mut references: Vec<Reference> = Vec::new();
    for parts in pattern.captures_iter(code) {
        let whole = parts.get(0).unwrap();
        let own = own_part(&code[whole.end()..]);
        let alias = parts.get(3).map(|alias| alias.as_str().to_owned());
        let mut equals = Vec::new();
        let is_bound = if parts[1].eq_ignore_ascii_case("INTO") {
            parts.get(4).is_some()
        } else if let Some(alias) = &alias {
            let others = format!(
                r"\b{alias}\.tenant_id = (\w+)\.tenant_id\b|\b(\w+)\.tenant_id = {alias}\.tenant_id\b"
            );
            for other in Regex::new(&others).unwrap().captures_iter(own) {
                equals.push(other.get(1).or(other.get(2)).unwrap().as_str().to_owned());
            }
            if says(own, r"^ ?USING \(tenant_id\b") {
                equals.push(names_before(&code[..whole.start()]));
            }
            says(own, &format!(r"\b{alias}\.tenant_id = (\$\d+\b|ANY \(\$\d+)"))
        } else {
            says(own, r"\btenant_id = (\$\d+\b|ANY \(\$\d+)")
        };
        references.push(Reference { table: parts[2].to_owned(), alias, is_bound, equals });
    }
    bind(&mut references);
    references.into_iter().filter(|one| !one.is_bound).map(|one| one.table).collect()
}

fn says(text: &str, pattern: &str) -> bool {
    Regex::new(pattern).unwrap().is_match(text)
}

/// The last name that was given before: what USING joins with.
fn names_before(code: &str) -> String {
    let alias = Regex::new(r"(?i) AS (\w+)").unwrap();
    alias.captures_iter(code).last().map_or_else(String::new, |parts| parts[1].to_owned())
}

/// Whoever shares its tenant with one that is kept to a tenant is so too; so is one with what the statement was given,
/// which is no table.
fn bind(references: &mut [Reference]) {
    loop {
        let is_kept = |name: &String| {
            let mut named = references.iter().filter(|one| one.alias.as_ref() == Some(name)).peekable();
            !name.is_empty() && (named.peek().is_none() || named.any(|one| one.is_bound))
        };
        let next: Vec<bool> =
            references.iter().map(|one| one.is_bound || one.equals.iter().any(is_kept)).collect();
        if references.iter().zip(&next).all(|(one, next)| one.is_bound == *next) {
            return;
        }
        for (one, next) in references.iter_mut().zip(next) {
            one.is_bound = next;
        }
    }
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
        "SELECT 1 FROM memories AS m WHERE m.tenant_id = m.tenant_id",
        "UPDATE memories AS m SET state = 1 WHERE m.memory_id = $1",
    ] {
        assert_eq!(of(bad), 1, "{bad}");
    }
    let circle =
        "SELECT 1 FROM memories AS m JOIN graphs AS g ON g.tenant_id = m.tenant_id WHERE m.state = $1";
    assert_eq!(of(circle), 2, "each kept to the other's tenant only");
}
