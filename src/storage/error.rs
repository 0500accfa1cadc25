//! What can go wrong with the database, told apart by SQLSTATE. Only the code and a constraint's name leave
//! this file: Postgres quotes rows' contents in the rest.

/// A failure of the database, without its words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached, is going away, or has no room.
    #[error("the database is unavailable ({0})")]
    Unavailable(String),
    /// The schema is not one that this binary may use, as far as is known.
    #[error("the schema is not known to be one that this binary may use")]
    UnknownSchema,
    /// No connection was to be had in time; trying again at once would only wait again.
    #[error("no connection to the database was to be had in time")]
    NoConnection,
    /// The transaction lost against another one; doing it again can succeed.
    #[error("the transaction must be done again (SQLSTATE {0})")]
    Serialization(String),
    /// A tenant's head row that was there is gone: a backup was restored, for one. It is made again.
    #[error("a tenant's head is gone")]
    HeadMissing,
    /// A lock was not to be had in time.
    #[error("a lock was not to be had in time (SQLSTATE 55P03)")]
    LockTimeout,
    /// A statement took longer than it may.
    #[error("a statement took longer than it may (SQLSTATE 57014)")]
    StatementTimeout,
    /// The database refused a statement.
    #[error("the database refused a statement (SQLSTATE {code}, constraint {constraint:?})")]
    Rejected {
        /// The SQLSTATE.
        code: String,
        /// The constraint's name, if one was violated.
        constraint: Option<String>,
    },
    /// A row or a row count that the code holds impossible; names what, never its content.
    #[error("the database holds what it must not: {0}")]
    Impossible(&'static str),
}

impl StoreError {
    /// A connection that did not answer at all in time.
    pub fn silent() -> Self {
        Self::Unavailable("no answer".to_owned())
    }

    /// Whether the same work can succeed when it is done again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Serialization(_) | Self::HeadMissing)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(database) => {
                let code = database.code().unwrap_or_default().into_owned();
                from_code(code, database.constraint().map(str::to_owned))
            }
            sqlx::Error::PoolTimedOut => Self::NoConnection,
            sqlx::Error::PoolClosed => Self::Unavailable("shutting down".to_owned()),
            sqlx::Error::Io(io) => Self::Unavailable(format!("connection: {:?}", io.kind())),
            sqlx::Error::Tls(_) => Self::Unavailable("TLS".to_owned()),
            sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
                Self::Unavailable("connection broken".to_owned())
            }
            sqlx::Error::RowNotFound => Self::Impossible("a statement that always answers gave no row"),
            sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. }
            | sqlx::Error::TypeNotFound { .. }
            | sqlx::Error::Decode(_) => Self::Impossible("a column of another type than expected"),
            sqlx::Error::Encode(_) => Self::Impossible("a value that cannot be sent"),
            _ => Self::Unavailable("driver".to_owned()),
        }
    }
}

fn from_code(code: String, constraint: Option<String>) -> StoreError {
    match code.as_str() {
        "40001" | "40P01" => StoreError::Serialization(code),
        "55P03" => StoreError::LockTimeout,
        "57014" => StoreError::StatementTimeout,
        // Idle-in-transaction timeout: the server ended the session.
        // Read-only: the server on this connection has become a standby.
        "25P03" | "25006" => StoreError::Unavailable(code),
        // Connection exceptions; insufficient resources, a full disk among them; operator intervention;
        // system errors.
        _ if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
            StoreError::Unavailable(code)
        }
        _ => StoreError::Rejected { code, constraint },
    }
}
