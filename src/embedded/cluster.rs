//! The running cluster.

use std::{fs::File, path::Path, time::Duration};

use sqlx::{
    ConnectOptions, Connection,
    postgres::{PgConnectOptions, PgSslMode},
};

use super::{
    ClusterOptions, DataDir, EmbeddedError, ServerVersion, download,
    find::{self, Found},
    initdb,
    layout::{self, Layout},
    lock, settings,
    supervisor::{State, Supervisor},
    user::Account,
};

/// The superuser of every private cluster.
pub(super) const SUPERUSER: &str = "postgres";

/// How long Postgres may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How often to try whether it answers.
const START_INTERVAL: Duration = Duration::from_millis(20);

/// A private Postgres. Dropping it ends Postgres too, without waiting; [`Cluster::stop`] waits.
#[derive(Debug)]
pub struct Cluster {
    supervisor: Supervisor,
    layout: Layout,
    version: ServerVersion,
    pid: u32,
    /// Held, not read: the data folder is ours for as long as it is open.
    _lock: File,
}

impl Cluster {
    /// Starts a cluster and waits until it answers. Nothing is left running or lying about when this fails or its future
    /// is dropped, except a kept data folder.
    pub async fn start(options: ClusterOptions) -> Result<Self, EmbeddedError> {
        let account = Account::choose(options.run_as.as_deref())?;
        let found = binaries(&options, &account).await?;
        let layout = Layout::prepare(&options.data_dir, &account)?;
        let arguments = settings::arguments(&options, &layout.pgdata, &layout.socket);
        let spawn = || Supervisor::spawn(&layout, &found, &account, arguments.clone());
        let mut supervisor = spawn()?;
        let lock = lock::take(&layout)?;
        lock::clear_leftovers(&layout).await?;
        initdb::ensure(&layout, &found, &account, &options).await?;
        layout.new_log(&account)?;
        let pid = run(&mut supervisor, &layout).await?;
        tracing::debug!(pid, version = %found.version, bin = %found.bin.display(), "the private Postgres answers");
        Ok(Self { supervisor, layout, version: found.version, pid, _lock: lock })
    }

    /// Ends Postgres by its fast shutdown, which breaks off open transactions, waits for it, and removes a temporary data
    /// folder.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        let Self { supervisor, layout, pid, .. } = self;
        supervisor.stop().await.map_err(|seconds| EmbeddedError::Stop { dir: layout.root, pid, seconds })
    }

    /// Waits until Postgres has ended without having been asked to, or was asked to from outside. Never ready otherwise.
    pub async fn ended(&self) -> EmbeddedError {
        let mut state = self.supervisor.state();
        let what = over(state.wait_for(State::is_over).await.as_deref().unwrap_or(&State::Gone));
        self.layout.start_error(what)
    }

    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        &self.layout.root
    }

    /// Postgres' log.
    pub fn log_file(&self) -> &Path {
        &self.layout.log
    }

    /// The folder of the socket. Only the user that Postgres runs as, and root, can enter it.
    pub fn socket_dir(&self) -> &Path {
        &self.layout.socket
    }

    /// The port in the name of the socket's file; nothing listens on TCP.
    #[allow(clippy::unused_self, reason = "the port is a property of the cluster, whatever it is made of")]
    pub fn port(&self) -> u16 {
        settings::PORT
    }

    /// The name of the superuser.
    #[allow(
        clippy::unused_self,
        reason = "the superuser is a property of the cluster, whatever it is made of"
    )]
    pub fn superuser(&self) -> &'static str {
        SUPERUSER
    }

    /// The process id of Postgres.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The version of Postgres.
    pub fn server_version(&self) -> ServerVersion {
        self.version
    }

    /// How to connect to a database as the superuser.
    pub fn connect_options(&self, database: &str) -> PgConnectOptions {
        self.options_for(SUPERUSER, database)
    }

    /// How to connect to a database as a role. There are no passwords: who can reach the socket is let in.
    pub fn options_for(&self, role: &str, database: &str) -> PgConnectOptions {
        connect_options(&self.layout.socket, role, database)
    }
}

fn connect_options(socket: &Path, role: &str, database: &str) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass().socket(socket).port(settings::PORT);
    options.username(role).database(database).ssl_mode(PgSslMode::Disable)
}

/// The binaries that were asked for, or the machine's, or downloaded ones.
async fn binaries(options: &ClusterOptions, account: &Account) -> Result<Found, EmbeddedError> {
    if let Some(dir) = &options.binaries {
        return find::given(dir, account).await;
    }
    let data_major = match &options.data_dir {
        DataDir::Kept(dir) => layout::made_by(&layout::pgdata(dir)).and_then(|major| major.parse().ok()),
        DataDir::Temporary => None,
    };
    let kept = options.download_dir.clone().unwrap_or_else(layout::default_download_dir);
    let mut dirs = if options.search_machine { find::on_this_machine(account).await } else { Vec::new() };
    dirs.extend(find::downloaded(&kept));
    let looked = match find::newest(dirs, data_major, account).await {
        Ok(found) => return Ok(found),
        Err(looked) => looked,
    };
    let Some(url) = &options.download_url else {
        return Err(EmbeddedError::NotFound {
            looked,
            download: "downloading one is switched off".to_owned(),
        });
    };
    match download::fetch(url, &kept, data_major).await {
        Ok(dir) => find::given(&dir, account).await,
        Err(reason) => {
            let download = format!("none could be downloaded from {url} ({reason})");
            Err(EmbeddedError::NotFound { looked, download })
        }
    }
}

/// Starts Postgres and waits until it answers, or has ended, or the time is up.
async fn run(supervisor: &mut Supervisor, layout: &Layout) -> Result<u32, EmbeddedError> {
    let mut state = supervisor.state();
    let Some(pid) = supervisor.start_postgres().await else {
        return Err(layout.start_error("could not be started".to_owned()));
    };
    let options = connect_options(&layout.socket, SUPERUSER, "postgres");
    let answers = async {
        loop {
            if let Ok(connection) = options.connect().await {
                // Whether the goodbye arrives does not matter.
                drop(connection.close().await);
                break;
            }
            tokio::time::sleep(START_INTERVAL).await;
        }
    };
    tokio::select! {
        () = answers => Ok(pid),
        ended = state.wait_for(State::is_over) => {
            Err(layout.start_error(over(ended.as_deref().unwrap_or(&State::Gone))))
        }
        () = tokio::time::sleep(START_LIMIT) => {
            Err(layout.start_error(format!("does not answer after {} s", START_LIMIT.as_secs())))
        }
    }
}

fn over(state: &State) -> String {
    match state {
        State::Exited(status) => format!("has ended (exit status {status})"),
        _ => "has ended".to_owned(),
    }
}

impl Layout {
    fn start_error(&self, what: String) -> EmbeddedError {
        EmbeddedError::Start { what, log: self.log.clone(), tail: self.log_tail() }
    }
}
