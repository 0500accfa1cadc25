//! Starting, reusing and refusing.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use memory_lifecycle::embedded::{APP_ROLE, Cluster, ClusterOptions, DataDir, EmbeddedError, OWNER_ROLE};
use sqlx::{ConnectOptions, Connection};

use super::{alive, ask, kept, options, pgdata, run};

#[tokio::test]
async fn a_temporary_cluster_is_private_and_leaves_nothing() {
    let settings = vec![
        ("max_connections".to_owned(), "33".to_owned()),
        ("listen_addresses".to_owned(), "*".to_owned()),
    ];
    let cluster = Cluster::start(ClusterOptions { settings, ..options(DataDir::Temporary) }).await.unwrap();
    let (dir, pid) = (cluster.data_dir().to_owned(), cluster.pid());
    assert_eq!(ask(&cluster, "SHOW max_connections").await, "33");
    assert_eq!(ask(&cluster, "SHOW listen_addresses").await, "");
    assert_eq!(ask(&cluster, "SHOW data_checksums").await, "on");
    assert_eq!(ask(&cluster, "SHOW fsync").await, "off");
    assert_eq!(ask(&cluster, "SHOW server_encoding").await, "UTF8");
    assert_eq!(ask(&cluster, "SELECT datcollate FROM pg_database WHERE datname = 'postgres'").await, "C");
    let shown = ask(&cluster, "SHOW server_version").await;
    assert!(shown.starts_with(&cluster.server_version().to_string()), "{shown}");
    for private in [dir.as_path(), cluster.socket_dir()] {
        let mode = private.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", private.display());
    }
    let group =
        |pid: u32| rustix::process::getpgid(rustix::process::Pid::from_raw(pid.try_into().unwrap())).unwrap();
    assert_ne!(group(pid), group(std::process::id()), "Ctrl-C in a terminal must not reach Postgres");
    cluster.stop().await.unwrap();
    assert!(!dir.exists());
    assert!(!alive(pid));
}

#[tokio::test]
async fn the_log_does_not_repeat_what_rows_hold() {
    let cluster = Cluster::start(options(DataDir::Temporary)).await.unwrap();
    let mut connection = cluster.connect_options("postgres").connect().await.unwrap();
    run(&cluster, "CREATE TABLE t (k text PRIMARY KEY); INSERT INTO t VALUES ('hush-hush')").await;
    for faulty in ["INSERT INTO t VALUES ('hush-hush')", "SELECT 'hush-hush'::int", "SELEKT 'hush-hush'"] {
        assert!(sqlx::raw_sql(faulty).execute(&mut connection).await.is_err());
    }
    connection.close().await.unwrap();
    let log = std::fs::read_to_string(cluster.log_file()).unwrap();
    assert!(log.contains("ready to accept connections"), "{log}");
    assert!(!log.contains("hush"), "{log}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_kept_folder_keeps_its_data() {
    let (_guard, data) = kept();
    let first = Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap();
    run(&first, "CREATE TABLE kept AS SELECT 'still here' AS word").await;
    first.stop().await.unwrap();
    let second = Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap();
    assert_eq!(ask(&second, "SELECT word FROM kept").await, "still here");
    second.stop().await.unwrap();
    assert!(pgdata(&data).join("PG_VERSION").exists());
}

#[tokio::test]
async fn a_deep_folder_has_its_socket_elsewhere() {
    let (_guard, data) = kept();
    let cluster = Cluster::start(options(DataDir::Kept(data.join("d, \"e".repeat(20))))).await.unwrap();
    let socket = cluster.socket_dir().to_owned();
    assert!(!socket.starts_with(&data));
    assert_eq!(ask(&cluster, "SELECT 'reached'").await, "reached");
    cluster.stop().await.unwrap();
    assert!(!socket.exists());
}

#[tokio::test]
async fn a_folder_with_a_comma_and_a_space_serves() {
    let (_guard, data) = kept();
    let cluster = Cluster::start(options(DataDir::Kept(data.join("a, \"b")))).await.unwrap();
    assert!(cluster.socket_dir().starts_with(data.canonicalize().unwrap()));
    assert_eq!(ask(&cluster, "SELECT 'reached'").await, "reached");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn roles_and_databases_are_made_once() {
    let cluster = Cluster::start(options(DataDir::Temporary)).await.unwrap();
    for _ in 0..2 {
        cluster.prepare_roles().await.unwrap();
    }
    assert!(cluster.create_database("template \"x\"", None).await.unwrap());
    assert!(!cluster.create_database("template \"x\"", None).await.unwrap());
    let mut owner = cluster.options_for(OWNER_ROLE, "template \"x\"").connect().await.unwrap();
    sqlx::raw_sql("CREATE SCHEMA s CREATE TABLE t (n int)").execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();
    assert!(cluster.create_database("copy", Some("template \"x\"")).await.unwrap());
    let mut app = cluster.options_for(APP_ROLE, "copy").connect().await.unwrap();
    assert!(sqlx::raw_sql("SELECT * FROM s.t").execute(&mut app).await.is_err(), "the app owns nothing");
    cluster.drop_database("copy").await.unwrap();
    cluster.drop_database("copy").await.unwrap();
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_owner_is_told_who_the_first_is() {
    let (_guard, data) = kept();
    let first = Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap();
    let error = Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::InUse { .. }), "{error}");
    assert!(
        error.to_string().contains(&format!("already in use by process {}", std::process::id())),
        "{error}"
    );
    assert_eq!(ask(&first, "SELECT 'unharmed'").await, "unharmed");
    first.stop().await.unwrap();
}

#[tokio::test]
async fn data_of_another_major_version_is_refused() {
    let (_guard, data) = kept();
    Cluster::start(options(DataDir::Kept(data.clone()))).await.unwrap().stop().await.unwrap();
    std::fs::write(pgdata(&data).join("PG_VERSION"), "12\n").unwrap();
    let error = Cluster::start(options(DataDir::Kept(data))).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::VersionMismatch { .. }), "{error}");
    assert!(error.to_string().contains("made by Postgres 12, and the Postgres in "), "{error}");
}

#[tokio::test]
async fn a_setting_that_postgres_refuses_is_shown() {
    let settings = vec![("no_such_setting".to_owned(), "1".to_owned())];
    let error = Cluster::start(ClusterOptions { settings, ..options(DataDir::Temporary) }).await.unwrap_err();
    assert!(
        error.to_string().contains("unrecognized configuration parameter \"no_such_setting\""),
        "{error}"
    );
}

#[tokio::test]
async fn nothing_found_says_what_to_install() {
    let (_guard, data) = kept();
    let nothing =
        ClusterOptions { search_machine: false, download_dir: Some(data), ..options(DataDir::Temporary) };
    let error = Cluster::start(nothing).await.unwrap_err().to_string();
    assert!(error.starts_with("no Postgres 15 or newer was found"), "{error}");
    assert!(error.contains("apt-get install postgresql"), "{error}");
}

#[tokio::test]
async fn a_folder_without_binaries_is_refused() {
    let (guard, _) = kept();
    let wrong = ClusterOptions { binaries: Some(guard.path().to_owned()), ..options(DataDir::Temporary) };
    let error = Cluster::start(wrong).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::Binaries { .. }), "{error}");
    assert!(error.to_string().contains("it holds no postgres"), "{error}");
}

#[tokio::test]
async fn as_root_a_folder_out_of_reach_is_named() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (guard, data) = kept();
    std::fs::set_permissions(guard.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let error = Cluster::start(options(DataDir::Kept(data))).await.unwrap_err();
    assert!(matches!(&error, EmbeddedError::Unreachable { folder, .. } if folder == guard.path()), "{error}");
}

#[tokio::test]
async fn as_root_the_user_may_be_chosen() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let with = |name: &str| ClusterOptions { run_as: Some(name.to_owned()), ..options(DataDir::Temporary) };
    let cluster = Cluster::start(with("nobody")).await.unwrap();
    let owner = std::fs::metadata(format!("/proc/{}", cluster.pid())).unwrap().uid();
    assert_eq!(owner, std::fs::metadata(cluster.socket_dir()).unwrap().uid());
    assert_ne!(owner, 0);
    cluster.stop().await.unwrap();
    let error = Cluster::start(with("no-such-user")).await.unwrap_err();
    assert!(error.to_string().contains("this machine has no user no-such-user to run it as"), "{error}");
    assert!(Cluster::start(with("root")).await.is_err());
}
