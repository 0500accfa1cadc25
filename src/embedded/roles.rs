//! Roles and databases of the private cluster.

use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use super::{Cluster, EmbeddedError};

/// The role that owns the schema and runs the migrations.
pub const OWNER_ROLE: &str = "memory_lifecycle_owner";

/// The role that the service runs as.
pub const APP_ROLE: &str = "memory_lifecycle_app";

/// Postgres' code for a database that exists already.
const DUPLICATE_DATABASE: &str = "42P04";

impl Cluster {
    /// Creates [`OWNER_ROLE`] and [`APP_ROLE`], which may log in and nothing more, unless they exist.
    pub async fn prepare_roles(&self) -> Result<(), EmbeddedError> {
        for role in [OWNER_ROLE, APP_ROLE] {
            let create = format!(
                "DO $$ BEGIN CREATE ROLE {} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
                quoted(role)
            );
            self.execute(create).await.map_err(|source| failed(format!("create the role {role}"), source))?;
        }
        Ok(())
    }

    /// Creates a database that [`OWNER_ROLE`] owns, as a copy of `template` or else empty. Whether it was created: an
    /// existing one is left as it is. Nobody may be connected to the template meanwhile.
    pub async fn create_database(&self, name: &str, template: Option<&str>) -> Result<bool, EmbeddedError> {
        let template = quoted(template.unwrap_or("template1"));
        let create =
            format!("CREATE DATABASE {} OWNER {} TEMPLATE {template}", quoted(name), quoted(OWNER_ROLE));
        match self.execute(create).await {
            Ok(()) => Ok(true),
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(DUPLICATE_DATABASE) => {
                Ok(false)
            }
            Err(source) => Err(failed(format!("create the database {name}"), source)),
        }
    }

    /// Drops a database, and breaks off whoever is connected to it. One that does not exist is dropped already.
    pub async fn drop_database(&self, name: &str) -> Result<(), EmbeddedError> {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name));
        self.execute(drop).await.map_err(|source| failed(format!("drop the database {name}"), source))
    }

    /// Runs one statement as the superuser, on a connection of its own.
    async fn execute(&self, statement: String) -> Result<(), sqlx::Error> {
        let mut connection = self.connect_options("postgres").connect().await?;
        connection.execute(AssertSqlSafe(statement)).await?;
        connection.close().await
    }
}

fn failed(action: String, source: sqlx::Error) -> EmbeddedError {
    EmbeddedError::Statement { action, source }
}

/// A name as SQL takes it literally.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
