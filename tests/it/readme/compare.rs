//! Compares what is shown with what came.
//!
//! A text with `…` in it stands for one that differs from run to run: any text, but the same one wherever it is shown,
//! and another one where another is shown. In a list, the element `"…"` stands for any number of elements.

use std::collections::HashMap;

use serde_json::Value;

/// What the shortened texts stand for so far.
#[derive(Default)]
pub(super) struct Names {
    actual: HashMap<String, String>,
    shown: HashMap<String, String>,
}

impl Names {
    /// Answers where and how they differ, if they do.
    pub(super) fn compare(&mut self, shown: &Value, actual: &Value, at: &str) -> Result<(), String> {
        match (shown, actual) {
            (Value::String(shown), Value::String(actual)) if shown.contains('…') => {
                self.bind(shown, actual, at)
            }
            (Value::Array(shown), Value::Array(actual)) => self.lists(shown, actual, at),
            (Value::Object(shown), Value::Object(actual)) => {
                for key in shown.keys().chain(actual.keys()) {
                    match (shown.get(key), actual.get(key)) {
                        (Some(shown), Some(actual)) => self.compare(shown, actual, &format!("{at}.{key}"))?,
                        (Some(_), None) => return Err(format!("{at}.{key} is shown and did not come")),
                        (None, came) => return Err(format!("{at}.{key} came and is not shown: {came:?}")),
                    }
                }
                Ok(())
            }
            // JSON knows one kind of number: 12 and 12.0 are the same.
            (Value::Number(shown), Value::Number(actual)) if shown.as_f64() == actual.as_f64() => Ok(()),
            _ if shown == actual => Ok(()),
            _ => Err(format!("{at}: shown {shown}, came {actual}")),
        }
    }

    /// A text with what the shortened texts in it stand for.
    pub(super) fn in_full(&self, text: &str) -> String {
        self.actual.iter().fold(text.to_owned(), |text, (shown, actual)| text.replace(shown, actual))
    }

    fn bind(&mut self, shown: &str, actual: &str, at: &str) -> Result<(), String> {
        let meant = self.actual.entry(shown.to_owned()).or_insert_with(|| actual.to_owned());
        if meant != actual {
            return Err(format!("{at}: {shown} stood for {meant} before, and now for {actual}"));
        }
        let other = self.shown.entry(actual.to_owned()).or_insert_with(|| shown.to_owned());
        if other != shown {
            return Err(format!("{at}: {actual} is shown as {shown}, and was as {other}"));
        }
        Ok(())
    }

    fn lists(&mut self, shown: &[Value], actual: &[Value], at: &str) -> Result<(), String> {
        let gap = shown.iter().position(|element| element == "…");
        let (before, after) = shown.split_at(gap.unwrap_or(shown.len()));
        let after = after.get(1..).unwrap_or_default();
        let fits = if gap.is_some() { shown.len() - 1 <= actual.len() } else { shown.len() == actual.len() };
        if !fits {
            return Err(format!("{at}: {} elements are shown, {} came", shown.len(), actual.len()));
        }
        let skipped = actual.len() - after.len();
        for (number, element) in before.iter().enumerate() {
            self.compare(element, &actual[number], &format!("{at}[{number}]"))?;
        }
        for (number, element) in after.iter().enumerate() {
            self.compare(element, &actual[skipped + number], &format!("{at}[{}]", skipped + number))?;
        }
        Ok(())
    }
}

#[test]
fn a_difference_is_found_and_a_shortened_text_stands_for_one_thing() {
    let json = |text| serde_json::from_str::<Value>(text).unwrap();
    let mut names = Names::default();
    let mut compare = |shown, actual| names.compare(&json(shown), &json(actual), "").is_ok();
    assert!(compare(r#"{"id": "…1", "of": [1, "…", 9]}"#, r#"{"of": [1, 2, 3, 9], "id": "a"}"#));
    assert!(compare(r#"["…1", "…2"]"#, r#"["a", "b"]"#));
    for (shown, actual) in [
        (r#"["…1"]"#, r#"["c"]"#),
        (r#"["…3"]"#, r#"["a"]"#),
        (r#"{"a": 1}"#, r#"{"a": 2}"#),
        (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#),
        (r#"{"a": 1, "b": 2}"#, r#"{"a": 1}"#),
        (r"[1, 2]", r"[1]"),
        (r"[1]", r"[1, 2]"),
        (r#"[1, "…", 2]"#, r"[1, 3]"),
        (r#"[1, "…", 2]"#, r"[1]"),
        (r#""1""#, "1"),
    ] {
        assert!(!compare(shown, actual), "{shown} is not {actual}");
    }
}
