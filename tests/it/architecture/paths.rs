//! Every path a Rust file names, with groups of `use` spelt out and `super` resolved.

use super::source::Source;
use super::tokens::{Rust, Token};

/// One path: `crate::domain::forget` in `use crate::domain::{forget, hold}` is one, `crate::domain::hold` another.
pub(super) struct Named {
    pub(super) line: usize,
    pub(super) target: Target,
    pub(super) is_renamed: bool,
}

/// Where a path leads. Both kinds carry the segments that follow.
pub(super) enum Target {
    /// From the crate's root: `crate::domain`, or `super::super::domain` two modules deep. A glob ends in `*`; the bare
    /// root, `use crate as root`, is a glob too, since it reaches everything.
    Ours(Vec<String>),
    /// Anything else: another crate, or a name in scope.
    Other(Vec<String>),
}

/// All paths in a file under `src/`: in imports, in code, in types, in attributes.
pub(super) fn named(file: &Source) -> Vec<Named> {
    let modules = file.modules().unwrap_or_default().into_iter().map(str::to_owned).collect();
    let tokens = Rust::read(&file.text).tokens;
    let mut walk = Walk { tokens: &tokens, at: 0, modules, open: Vec::new(), named: Vec::new() };
    if walk.modules == ["main"] {
        walk.modules.clear();
    }
    walk.file();
    walk.named
}

struct Walk<'a> {
    tokens: &'a [Token],
    at: usize,
    modules: Vec<String>,
    /// For each open brace, whether it opened an inline module.
    open: Vec<bool>,
    named: Vec<Named>,
}

impl Walk<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn is_word(&self) -> bool {
        self.tokens.get(self.at).is_some_and(Token::is_word)
    }

    fn file(&mut self) {
        while self.at < self.tokens.len() {
            let follows_a_dot = self.at > 0 && self.tokens[self.at - 1].text == ".";
            match (self.text(0), self.text(1), self.text(2)) {
                ("mod", name, "{") => {
                    self.modules.push(name.to_owned());
                    self.open.push(true);
                    self.at += 3;
                }
                ("use", "<", _) => self.at += 1, // What `impl Trait + use<'a>` captures.
                ("use", ..) => {
                    self.at += 1;
                    self.tree(&[]);
                }
                ("extern", "crate", name) => {
                    let name = name.to_owned();
                    self.record(self.at, vec![name], false, true);
                    self.at += 3;
                }
                _ if self.is_word() && !follows_a_dot => self.path(),
                (sign, ..) => {
                    if sign == "{" {
                        self.open.push(false);
                    } else if sign == "}" && self.open.pop() == Some(true) {
                        self.modules.pop();
                    }
                    self.at += 1;
                }
            }
        }
    }

    /// A path in code: `a::b::c`, up to whatever is not a word.
    fn path(&mut self) {
        let start = self.at;
        let mut segments = vec![self.text(0).to_owned()];
        self.at += 1;
        while self.text(0) == "::" && self.tokens.get(self.at + 1).is_some_and(Token::is_word) {
            segments.push(self.text(1).to_owned());
            self.at += 2;
        }
        if segments.len() > 1 {
            self.record(start, segments, false, false);
        }
    }

    /// A tree of imports: what follows `use`, or stands inside its braces.
    fn tree(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        while matches!(self.text(0), "::" | "$") {
            self.at += 1;
        }
        let start = self.at;
        loop {
            if self.text(0) == "{" {
                self.at += 1;
                while !matches!(self.text(0), "}" | "") {
                    self.tree(&segments);
                    self.at += usize::from(self.text(0) == ",");
                }
                self.at += 1;
                return;
            }
            if !self.is_word() && self.text(0) != "*" {
                self.at += usize::from(self.at == start); // Never stand still, whatever this is.
                return;
            }
            segments.push(self.text(0).to_owned());
            self.at += 1;
            if self.text(0) != "::" {
                break;
            }
            self.at += 1;
        }
        let is_renamed = self.text(0) == "as";
        self.at += if is_renamed { 2 } else { 0 };
        self.record(start, segments, is_renamed, true);
    }

    fn record(&mut self, start: usize, segments: Vec<String>, is_renamed: bool, is_import: bool) {
        let base = match segments[0].as_str() {
            "crate" | "memory_lifecycle" => Some(Vec::new()),
            "self" | "super" => Some(self.modules.clone()),
            _ => None,
        };
        let target = match base {
            None => Target::Other(segments),
            Some(mut resolved) => {
                for segment in segments {
                    match segment.as_str() {
                        "crate" | "self" | "memory_lifecycle" => {}
                        "super" => drop(resolved.pop()),
                        _ => resolved.push(segment),
                    }
                }
                if resolved.is_empty() && is_import {
                    resolved.push("*".into());
                }
                Target::Ours(resolved)
            }
        };
        self.named.push(Named { line: self.tokens[start].line, target, is_renamed });
    }
}

#[test]
fn paths_are_spelt_out() {
    let text = "use crate::{a, b::{c, self, d::*}, e as f};
        use super::super::g; use ::h::{i}; use crate as root; pub(in crate::y) fn x() {}
        mod tests { use super::{self, super::j}; fn k() { crate::l::m(super::n::o()).p::<q::R>(); } }
        use super::s;";
    let found: Vec<_> = named(&Source::new("src/t/u/v.rs", text))
        .into_iter()
        .map(|named| match named.target {
            Target::Ours(segments) => format!("crate::{}", segments.join("::")),
            Target::Other(segments) => segments.join("::"),
        })
        .collect();
    let first = ["crate::a", "crate::b::c", "crate::b", "crate::b::d::*", "crate::e"];
    let second = ["crate::t::g", "h::i", "crate::*", "crate::y"];
    let inside = ["crate::t::u::v", "crate::t::u::j", "crate::l::m", "crate::t::u::v::n::o", "q::R"];
    assert_eq!(found, [&first[..], &second, &inside, &["crate::t::u::s"]].concat());
}
