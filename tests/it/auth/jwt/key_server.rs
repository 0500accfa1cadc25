//! Where an issuer publishes its keys: a server on this machine that can be told to misbehave, and counts who asks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memory_lifecycle::config::{JwtConfig, KeySource};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::stage::config;

/// Far more than anybody should take, and little enough to do no harm where somebody does.
const ENDLESS: usize = 64 << 20;

/// What it answers.
#[derive(Debug, Clone)]
pub enum Answer {
    /// With 200 and this text.
    Text(String),
    /// With this status line, these headers and no text.
    Status(String),
    /// Not at all: the connection stays open.
    Hang,
    /// With bytes that do not end, as far as a careful client can tell: after [`ENDLESS`] they do.
    Endless,
}

pub struct KeyServer {
    address: SocketAddr,
    answer: watch::Sender<Answer>,
    asked: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl KeyServer {
    pub async fn start(answer: Answer) -> Self {
        Self::start_on("127.0.0.1:0".parse().unwrap(), answer).await
    }

    pub async fn start_on(address: SocketAddr, answer: Answer) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (answer, answers) = watch::channel(answer);
        let (asked, sent) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (counter, bytes) = (asked.clone(), sent.clone());
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // It may well be the client that ends the conversation.
                tokio::spawn(converse(stream, answers.clone(), counter.clone(), bytes.clone()));
            }
        });
        Self { address, answer, asked, sent, serving }
    }

    pub fn answer(&self, answer: Answer) {
        self.answer.send_replace(answer);
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// How many bytes of an answer without end were taken from it.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    pub fn url(&self) -> String {
        url(self.address)
    }

    /// How tokens are verified whose keys are here.
    pub fn config(&self) -> JwtConfig {
        config_at(self.address)
    }
}

impl Drop for KeyServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/keys")
}

pub fn config_at(address: SocketAddr) -> JwtConfig {
    JwtConfig { keys: KeySource::Url(url(address)), ..config() }
}

/// Answers requests of one connection, each as is wanted when it comes.
async fn converse(
    mut stream: TcpStream,
    answers: watch::Receiver<Answer>,
    asked: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
) -> std::io::Result<()> {
    while read_request(&mut stream).await? {
        asked.fetch_add(1, Ordering::SeqCst);
        let answer = answers.borrow().clone();
        match answer {
            Answer::Text(text) => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len());
                stream.write_all(&[head.as_bytes(), text.as_bytes()].concat()).await?;
            }
            Answer::Status(status) => {
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                stream.write_all(head.as_bytes()).await?;
            }
            Answer::Hang => std::future::pending().await,
            Answer::Endless => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"keys\": [").await?;
                while sent.load(Ordering::SeqCst) < ENDLESS {
                    sent.fetch_add(stream.write(&[b' '; 16 * 1024]).await?, Ordering::SeqCst);
                }
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Reads a request that has no body; whether there was one.
async fn read_request(stream: &mut TcpStream) -> std::io::Result<bool> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}
