//! The files that the rules look at, and what they report.

use std::fmt;
use std::path::Path;

/// A text file of the tree, its path relative to the crate's root with `/` between the parts.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    pub(super) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(super) fn is_sql(&self) -> bool {
        self.has_extension("sql")
    }

    fn has_extension(&self, wanted: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == wanted)
    }

    /// The path of modules that a file under `src/` is: `src/rpc/convert/forget.rs` is `rpc`, `convert`, `forget`.
    pub(super) fn modules(&self) -> Option<Vec<&str>> {
        let inner = self.path.strip_prefix("src/")?.strip_suffix(".rs")?;
        let inner = inner.strip_suffix("/mod").unwrap_or(inner);
        Some(if inner == "lib" { Vec::new() } else { inner.split('/').collect() })
    }

    /// The top-level module a file under `src/` belongs to; the two roots count as `lib` and `main`.
    pub(super) fn layer(&self) -> Option<&str> {
        Some(self.modules()?.first().copied().unwrap_or("lib"))
    }

    pub(super) fn violation(
        &self,
        line: usize,
        what: impl Into<String>,
        rule: impl Into<String>,
    ) -> Violation {
        Violation { path: self.path.clone(), line, what: what.into(), rule: rule.into() }
    }
}

/// One breach of one rule.
pub(super) struct Violation {
    path: String,
    line: usize,
    what: String,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.what, self.rule)
    }
}

/// Every Rust and SQL file of the crate but the migrations, which are never edited and so never split.
pub(super) fn tree() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for top in ["build.rs", "src", "tests", "benches", "examples"] {
        collect(root, &root.join(top), &mut files);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, path: &Path, files: &mut Vec<Source>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a readable folder") {
            collect(root, &entry.expect("a readable entry").path(), files);
        }
    } else if path.is_file() {
        let relative = path.strip_prefix(root).expect("a path below the root");
        let parts: Vec<_> = relative.iter().map(|part| part.to_str().expect("a path in UTF-8")).collect();
        let mut file = Source::new(parts.join("/"), "");
        if file.is_rust() || file.is_sql() {
            file.text = std::fs::read_to_string(path).expect("a text file in UTF-8");
            files.push(file);
        }
    }
}
