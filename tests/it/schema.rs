//! The schema: who may do what in it, that it says what it is, that it is distributed by tenant, and that it refuses
//! rows that cannot be.

mod constraints;
mod rights;
mod shape;
mod versions;

use sqlx::PgConnection;

/// Runs one statement and answers the SQLSTATE it failed with; none when it did not fail.
async fn sqlstate(connection: &mut PgConnection, statement: &str) -> Option<String> {
    let result = sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(connection).await;
    result.err().map(|error| match error {
        sqlx::Error::Database(error) => error.code().unwrap().into_owned(),
        other => panic!("{statement}: {other}"),
    })
}
