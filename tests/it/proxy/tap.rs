//! What passes through the proxy: every statement that is run, the form of its parameters, and the rows that came, counted.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;

/// A statement that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub text: String,
    pub parameters: Vec<Form>,
    /// How many rows were sent back.
    pub rows: usize,
    /// How many bytes they had.
    pub bytes: usize,
    /// What Postgres said at its end, as `SELECT 1`; or the SQLSTATE.
    pub end: String,
}

/// What is to be seen of a parameter without its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Null,
    /// So many bytes.
    Value(usize),
    /// So many items, null ones included.
    Array(usize),
}

/// The types that are arrays: of boolean, bytea, smallint, text, bigint, date, timestamptz and uuid.
const ARRAYS: [u32; 8] = [1000, 1001, 1005, 1009, 1016, 1182, 1185, 2951];

/// Everything that was run on all connections, in the order of its beginning.
#[derive(Default)]
pub(super) struct Tap {
    log: Mutex<Vec<(Ran, bool)>>,
    one_ended: Notify,
}

impl Tap {
    /// What was run since the last time, once all of it has ended.
    pub(super) async fn take(&self) -> Vec<Ran> {
        let taken = async {
            loop {
                let ended = self.one_ended.notified();
                {
                    let mut log = self.log.lock().unwrap();
                    if log.iter().all(|(_, ended)| *ended) {
                        return log.drain(..).map(|(ran, _)| ran).collect();
                    }
                }
                ended.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), taken).await.expect("every statement ends")
    }

    /// How many statements have ended that begin like this.
    pub(super) fn ended(&self, beginning: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|(ran, ended)| *ended && ran.text.starts_with(beginning)).count()
    }

    fn begin(&self, text: String, parameters: Vec<Form>) -> usize {
        let mut log = self.log.lock().unwrap();
        log.push((Ran { text, parameters, rows: 0, bytes: 0, end: String::new() }, false));
        log.len() - 1
    }

    fn change(&self, index: usize, change: impl FnOnce(&mut Ran, &mut bool)) {
        if let Some((ran, ended)) = self.log.lock().unwrap().get_mut(index) {
            change(ran, ended);
        }
        self.one_ended.notify_waiters();
    }
}

/// One connection's part of it.
#[derive(Default)]
pub(super) struct Ear(Mutex<Heard>);

#[derive(Default)]
struct Heard {
    /// Text and parameter types by name.
    statements: HashMap<String, (String, Vec<u32>)>,
    portals: HashMap<String, (String, Vec<Form>)>,
    /// What has begun and not ended: its place in the log, and whether it is a plain query.
    running: VecDeque<(usize, bool)>,
    /// The beginning of a message from Postgres.
    partial: Vec<u8>,
}

impl Ear {
    /// A whole message to Postgres.
    pub(super) fn up(&self, tap: &Tap, message: &[u8]) {
        let mut heard = self.0.lock().unwrap();
        let mut rest = Rest(&message[message.len().min(5)..]);
        match message[0] {
            b'P' => {
                let (name, text) = (rest.text(), rest.text());
                let types = (0..rest.short()).map(|_| rest.long()).collect();
                heard.statements.insert(name, (text, types));
            }
            b'B' => {
                let (portal, name) = (rest.text(), rest.text());
                let (text, types) = heard.statements[&name].clone();
                for _ in 0..rest.short() {
                    rest.short();
                }
                let forms = (0..rest.short()).map(|index| rest.form(types.get(index).copied())).collect();
                heard.portals.insert(portal, (text, forms));
            }
            b'E' => {
                let (text, forms) = heard.portals[&rest.text()].clone();
                heard.running.push_back((tap.begin(text, forms), false));
            }
            b'Q' => {
                let text = rest.text();
                heard.running.push_back((tap.begin(text, Vec::new()), true));
            }
            _ => {}
        }
    }

    /// Some bytes from Postgres.
    pub(super) fn down(&self, tap: &Tap, bytes: &[u8]) {
        let mut heard = self.0.lock().unwrap();
        heard.partial.extend_from_slice(bytes);
        while heard.partial.len() >= 5 {
            let length = u32::from_be_bytes(heard.partial[1..5].try_into().unwrap()) as usize;
            if heard.partial.len() <= length {
                return;
            }
            let message: Vec<u8> = heard.partial.drain(..=length).collect();
            heard.message(tap, &message);
        }
    }
}

impl Heard {
    fn message(&mut self, tap: &Tap, message: &[u8]) {
        let Some(&(index, is_query)) = self.running.front() else { return };
        let text = || String::from_utf8_lossy(&message[5..]).trim_end_matches('\0').to_owned();
        match message[0] {
            b'D' => tap.change(index, |ran, _| {
                ran.rows += 1;
                ran.bytes += message.len();
            }),
            b'C' | b'E' | b'I' | b's' => tap.change(index, |ran, ended| {
                ran.end.push_str(&text());
                *ended = !is_query;
            }),
            b'Z' if is_query => tap.change(index, |_, ended| *ended = true),
            _ => return,
        }
        if matches!((message[0], is_query), (b'C' | b'E' | b'I' | b's', false) | (b'Z', true)) {
            self.running.pop_front();
        }
    }
}

/// What is left to be read of a message.
struct Rest<'message>(&'message [u8]);

impl Rest<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn short(&mut self) -> usize {
        u16::from_be_bytes(self.take(2).try_into().unwrap()).into()
    }

    fn long(&mut self) -> u32 {
        u32::from_be_bytes(self.take(4).try_into().unwrap())
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap();
        let text = String::from_utf8_lossy(self.take(end)).into_owned();
        self.take(1);
        text
    }

    fn form(&mut self, kind: Option<u32>) -> Form {
        let length = self.long();
        if length == u32::MAX {
            return Form::Null;
        }
        let value = self.take(length as usize);
        if !kind.is_some_and(|kind| ARRAYS.contains(&kind)) {
            return Form::Value(value.len());
        }
        // Dimensions, flags, type; then the length of the one dimension, if there is any.
        let count = value.get(12..16).map_or(0, |count| u32::from_be_bytes(count.try_into().unwrap()));
        Form::Array(count as usize)
    }
}
