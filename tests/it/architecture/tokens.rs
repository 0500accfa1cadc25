//! As much of Rust's grammar as the rules need: code apart from comments and literals, cut into tokens.

/// A word, a number, `::`, or one sign.
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Token {
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(is_word_char)
    }
}

/// A Rust file, read: its tokens without comments and literals, and its string literals.
pub(super) struct Rust {
    pub(super) tokens: Vec<Token>,
    pub(super) strings: Vec<Token>,
}

impl Rust {
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader {
            chars: text.chars().collect(),
            at: 0,
            line: 1,
            rust: Self { tokens: Vec::new(), strings: Vec::new() },
        };
        while reader.at < reader.chars.len() {
            reader.step();
        }
        reader.rust
    }
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
    rust: Rust,
}

impl Reader {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn advance(&mut self, count: usize) {
        for _ in 0..count {
            self.line += usize::from(self.peek(0) == '\n');
            self.at += 1;
        }
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.until(&['\n']),
            ('/', '*') => self.block_comment(),
            ('"', _) => self.string(0, None),
            ('\'', _) => self.quote(),
            ('r', '#') if is_word_char(self.peek(2)) => self.advance(2), // A raw identifier: its name follows.
            ('b' | 'c' | 'r', _) if self.prefixed_string() => {}
            (c, _) if is_word_char(c) => self.word(),
            (':', ':') => self.push("::".into(), 2),
            (c, _) if c.is_whitespace() => self.advance(1),
            (c, _) => self.push(c.into(), 1),
        }
    }

    fn push(&mut self, text: String, length: usize) {
        self.rust.tokens.push(Token { line: self.line, text });
        self.advance(length);
    }

    fn word(&mut self) {
        let word: String = self.chars[self.at..].iter().take_while(|c| is_word_char(**c)).collect();
        let length = word.chars().count();
        self.push(word, length);
    }

    fn until(&mut self, end: &[char]) {
        while self.at < self.chars.len() && !self.chars[self.at..].starts_with(end) {
            self.advance(1);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ if self.at >= self.chars.len() => return,
                _ => {
                    self.advance(1);
                    continue;
                }
            }
            self.advance(2);
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads `b"…"`, `c"…"`, `r"…"`, `r#"…"#` and their mixtures; says whether there was one.
    fn prefixed_string(&mut self) -> bool {
        let letters = (0..2).take_while(|ahead| matches!(self.peek(*ahead), 'b' | 'c' | 'r')).count();
        let is_raw = self.peek(letters - 1) == 'r';
        let mut hashes = 0;
        while is_raw && self.peek(letters + hashes) == '#' {
            hashes += 1;
        }
        if self.peek(letters + hashes) != '"' {
            return false;
        }
        self.string(letters + hashes, is_raw.then_some(hashes));
        true
    }

    /// Reads a string whose quote stands `prefix` ahead; a raw one ends at a quote with that many hashes.
    fn string(&mut self, prefix: usize, raw: Option<usize>) {
        let line = self.line;
        self.advance(prefix + 1);
        let start = self.at;
        let end: Vec<char> = std::iter::once('"').chain((0..raw.unwrap_or(0)).map(|_| '#')).collect();
        while self.at < self.chars.len() && !self.chars[self.at..].starts_with(&end) {
            let escaped = raw.is_none() && self.peek(0) == '\\';
            self.advance(if escaped { 2 } else { 1 });
        }
        let content = self.chars[start.min(self.chars.len())..self.at.min(self.chars.len())].iter().collect();
        self.rust.strings.push(Token { line, text: content });
        self.advance(end.len());
    }

    /// A character literal is left out; a lifetime's name stays as a word.
    fn quote(&mut self) {
        if self.peek(1) == '\\' {
            self.advance(3);
            self.until(&['\'']);
            self.advance(1);
        } else if self.peek(2) == '\'' {
            self.advance(3);
        } else {
            self.push("'".into(), 1);
        }
    }
}

#[test]
fn comments_and_literals_are_no_code() {
    let text = r##"a /* b /* c */ d */ e // f
        "g \" h" r#"i " j"# b"k" 'l' '\'' '\u{41}' r#type fn m<'n>() {} o::p"##;
    let words: Vec<_> =
        Rust::read(text).tokens.into_iter().filter(Token::is_word).map(|token| token.text).collect();
    assert_eq!(words, ["a", "e", "type", "fn", "m", "n", "o", "p"]);
    let strings: Vec<_> =
        Rust::read(text).strings.into_iter().map(|token| (token.line, token.text)).collect();
    assert_eq!(strings, [(2, r#"g \" h"#.into()), (2, r#"i " j"#.into()), (2, "k".into())]);
}
