//! A statement's file: its head with a line a parameter, and its text.

use std::path::Path;

use regex::Regex;
use sqlx::{Connection, PgConnection, Row};

/// One file of `src/storage/sql`.
pub(super) struct Statement {
    pub(super) name: String,
    /// Type and example of each parameter, in order.
    pub(super) parameters: Vec<(String, String)>,
    text: String,
}

impl Statement {
    /// Every file there is.
    pub(super) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/storage/sql");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|path| Self::read(path)).collect()
    }

    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let line = Regex::new(r"^-- \$(\d+) ([a-z]+(?:\[\])?) = (.+?) — .+$").unwrap();
        let parameters = text
            .lines()
            .take_while(|text| text.starts_with("--"))
            .filter_map(|text| line.captures(text))
            .enumerate()
            .map(|(index, parts)| {
                assert_eq!(parts[1].parse(), Ok(index + 1), "{}: parameters in order", path.display());
                (parts[2].to_owned(), parts[3].to_owned())
            })
            .collect();
        Self { name: path.file_stem().unwrap().to_str().unwrap().to_owned(), parameters, text }
    }

    /// Whether the text has this parameter.
    pub(super) fn uses(&self, number: usize) -> bool {
        let body: String =
            self.text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
        Regex::new(&format!(r"\${number}\b")).unwrap().is_match(&body)
    }

    /// Runs the statement with its examples and answers its plan; what it changed is rolled back.
    pub(super) async fn plan(&self, connection: &mut PgConnection, mode: &str) -> Vec<String> {
        let types: Vec<&str> = self.parameters.iter().map(|(kind, _)| kind.as_str()).collect();
        let examples: Vec<String> =
            self.parameters.iter().map(|(kind, example)| format!("CAST({example} AS {kind})")).collect();
        let list = |items: &[String]| {
            if items.is_empty() { String::new() } else { format!("({})", items.join(", ")) }
        };
        let types = list(&types.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let mut transaction = connection.begin().await.unwrap();
        for text in
            [format!("SET LOCAL plan_cache_mode = {mode}"), format!("PREPARE probe {types} AS {}", self.text)]
        {
            sqlx::raw_sql(sqlx::AssertSqlSafe(text))
                .execute(&mut *transaction)
                .await
                .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        let explain = format!(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE probe {}",
            list(&examples)
        );
        let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(explain))
            .fetch_all(&mut *transaction)
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        sqlx::raw_sql("DEALLOCATE probe").execute(&mut *transaction).await.unwrap();
        transaction.rollback().await.unwrap();
        rows.iter().map(|row| row.get::<String, _>(0)).collect()
    }
}
