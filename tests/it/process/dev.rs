//! `dev`: what it prints, how it stops, and what it refuses.

use std::net::TcpListener;

use rustix::process::Signal;

use super::program::{Program, caller, run};
use super::started::{Dev, dev_command};
use crate::embedded::{alive, kept, until};
use crate::grpcurl;

#[tokio::test]
async fn prints_where_it_listens_and_lines_that_work_and_leaves_nothing() {
    let dev = Dev::start(None).await;
    assert_ne!(dev.address.port(), 0);
    let commands = grpcurl::commands(&dev.welcome);
    assert_eq!(commands.len(), 6, "{}", dev.welcome);
    for command in commands {
        assert_eq!(command.address, dev.address.to_string(), "the printed address is the one it listens on");
        let answer = grpcurl::call(dev.address, &command).await;
        answer.unwrap_or_else(|status| panic!("{command:?}: {status:?}"));
    }
    let postgres = dev.postgres();
    assert!(alive(postgres) && dev.folder.exists());
    let ended = dev.program.terminate().await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(!alive(postgres), "Postgres ends before dev does");
    assert!(!dev.folder.exists(), "a temporary folder goes before dev does");
    assert!(!ended.err.contains('\u{1b}'), "a log that is no terminal has no colours: {}", ended.err);
}

#[tokio::test]
async fn ctrl_c_stops_it_and_the_folder_keeps_the_data() {
    let (_guard, folder) = kept();
    let dev = Dev::start(Some(&folder)).await;
    let saved = caller(dev.address).remember("kept", "Likes oat milk").await.unwrap();
    let postgres = dev.postgres();
    dev.program.signal(Signal::INT);
    assert_eq!(dev.program.ended().await.code(), Some(0));
    assert!(!alive(postgres));

    let again = Dev::start(Some(&folder)).await;
    assert_eq!(caller(again.address).get("kept").await.unwrap(), saved);
    assert_eq!(again.program.terminate().await.code(), Some(0));
}

#[tokio::test]
async fn a_second_one_in_the_same_folder_is_refused_and_harms_nothing() {
    let (_guard, folder) = kept();
    let first = Dev::start(Some(&folder)).await;
    let second = Program::start(dev_command(Some(&folder), "127.0.0.1:0")).ended().await;
    assert_eq!(second.code(), Some(1));
    let owner =
        format!("already in use by process {}; stop that one, or use another folder", first.program.pid());
    assert!(second.err.contains(&owner), "{}", second.err);
    caller(first.address).remember("still-there", "Likes oat milk").await.unwrap();
    first.program.terminate().await;
}

#[tokio::test]
async fn an_address_in_use_is_said_and_the_postgres_stopped() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (_guard, folder) = kept();
    let ended = Program::start(dev_command(Some(&folder), &address)).ended().await;
    assert_eq!(ended.code(), Some(1));
    let sentence = format!("memory-lifecycle: cannot listen on {address}: ");
    let said = ended.err.lines().last().unwrap();
    assert!(said.starts_with(&sentence) && said.ends_with("choose another with --listen"), "{}", ended.err);
    assert_eq!(ended.out, "", "nothing is promised before it listens");
    assert!(!folder.join("postgres/postmaster.pid").exists());
}

#[tokio::test]
async fn a_machine_without_postgres_is_told_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    let folder = empty.path().to_str().unwrap();
    let ended = run(&["dev", "--temporary", "--postgres-bin", folder]).await;
    assert_eq!(ended.code(), Some(1));
    let wanted = "cannot be used: it holds no postgres; name a folder that holds postgres and initdb";
    assert!(ended.err.contains(wanted), "{}", ended.err);
}

#[tokio::test]
async fn an_ill_formed_key_file_is_named() {
    let (_guard, folder) = kept();
    let dev = Dev::start(Some(&folder)).await;
    dev.program.terminate().await;
    let key = folder.join("token.key");
    std::fs::write(&key, "not a key").unwrap();
    let ended = Program::start(dev_command(Some(&folder), "127.0.0.1:0")).ended().await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.contains("token.key does not hold 64 hexadecimal digits: delete it"), "{}", ended.err);
    assert!(!ended.err.contains("not a key"), "{}", ended.err);
}

#[tokio::test]
async fn a_wrong_log_filter_is_refused() {
    let ended = run(&["dev", "--temporary", "--log", "loud==yes"]).await;
    assert_eq!(ended.code(), Some(1));
    assert!(ended.err.starts_with("memory-lifecycle: --log cannot be read: "), "{}", ended.err);
    assert!(ended.err.contains("info,memory_lifecycle=debug"), "says how it is done: {}", ended.err);
}

#[tokio::test]
async fn asked_to_stop_while_it_starts_it_does_and_leaves_nothing() {
    let (_guard, folder) = kept();
    let mut program = Program::start(dev_command(Some(&folder), "127.0.0.1:0"));
    program.logged("starting a private Postgres").await;
    let ended = program.terminate().await;
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let pid_file = folder.join("postgres/postmaster.pid");
    until("Postgres to be gone, if it was started", || !pid_file.exists()).await;
}
