//! All rows of all tables, to prove that a call changed nothing or that a text is nowhere.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, PgConnection};

use crate::harness::Database;

/// Every table's rows as text, by name.
pub(super) type Dump = BTreeMap<String, String>;

/// The tables of a database, as they were when last noted.
pub(super) struct Tables {
    connection: PgConnection,
    noted: Dump,
}

/// Makes the statement that reads every table, whichever there are.
const STATEMENT: &str = "
SELECT string_agg(
    format('SELECT %L AS name, coalesce(string_agg(r::text, E''\\n'' ORDER BY r::text), '''') AS rows FROM %I AS r',
           tablename, tablename),
    ' UNION ALL ')
FROM pg_tables WHERE schemaname = 'public'";

impl Tables {
    pub(super) async fn of(database: &Database) -> Self {
        let mut tables = Self { connection: database.superuser().await, noted: Dump::new() };
        tables.note().await;
        tables
    }

    /// All rows now.
    pub(super) async fn read(&mut self) -> Dump {
        let statement: String = sqlx::query_scalar(STATEMENT).fetch_one(&mut self.connection).await.unwrap();
        let rows: Vec<(String, String)> =
            sqlx::query_as(AssertSqlSafe(statement)).fetch_all(&mut self.connection).await.unwrap();
        assert!(rows.len() >= 8, "every table is read");
        rows.into_iter().collect()
    }

    /// What is there now is what is to stay.
    pub(super) async fn note(&mut self) {
        self.noted = self.read().await;
    }

    /// The same, but for a table whose rows may come.
    pub(super) async fn note_except(&mut self, table: &str) {
        self.note().await;
        self.noted.remove(table);
    }

    /// Fails if any row of any table is not as it was noted.
    pub(super) async fn assert_unchanged(&mut self, after: &str) {
        let now = self.read().await;
        for (table, rows) in &self.noted {
            assert_eq!(&now[table], rows, "{table} changed after {after}");
        }
    }

    /// The tables in which a text stands anywhere, as text or as the bytes of a bytea.
    pub(super) async fn with_text(&mut self, text: &str) -> Vec<String> {
        let bytes = text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let found = |rows: &str| {
            let rows = rows.to_lowercase();
            rows.contains(&text.to_lowercase()) || rows.contains(&bytes)
        };
        self.read().await.into_iter().filter(|(_, rows)| found(rows)).map(|(table, _)| table).collect()
    }
}
