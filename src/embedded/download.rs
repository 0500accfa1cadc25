//! placeholder
use std::path::{Path, PathBuf};
#[allow(clippy::unused_async, reason = "x")]
pub(super) async fn fetch(_url: &str, _into: &Path, _major: Option<u32>) -> Result<PathBuf, String> {
    Err("downloading is not available yet".to_owned())
}
