//! README.md's parts.

/// What stands between the lines `<!-- name -->` and `<!-- /name -->`.
pub(crate) fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let parts = text.split_once(&format!("<!-- {name} -->\n"));
    let rest = parts.unwrap_or_else(|| panic!("no section {name}")).1;
    rest.split_once(&format!("<!-- /{name} -->")).unwrap_or_else(|| panic!("section {name} does not end")).0
}

/// A fenced block, with the language it is said to be in.
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    pub(crate) text: String,
}

/// The fenced blocks, in order.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { language, text: inside.join("\n") });
        }
    }
    blocks
}

/// A table's rows, each as its cells; without the head.
pub(crate) fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with('|'));
    lines.skip(2).map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}
