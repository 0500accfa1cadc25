//! The reasons of errors as the contract publishes them: name, gRPC code and whether RetryInfo comes with it.

use std::sync::LazyLock;

use memory_lifecycle::proto::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use tonic::Code;

/// A reason as the contract's comments describe it.
#[derive(Debug, Clone)]
pub(super) struct Published {
    /// Without its prefix.
    pub(super) name: String,
    pub(super) code: Code,
    pub(super) retry: bool,
}

static REASONS: LazyLock<Vec<Published>> = LazyLock::new(read);

/// Every reason but the one that is never sent.
pub(super) fn reasons() -> &'static [Published] {
    &REASONS
}

/// The code that goes with a reason.
pub(super) fn code_of(reason: &str) -> Code {
    let published = REASONS.iter().find(|published| published.name == reason);
    published.unwrap_or_else(|| panic!("{reason} is not published")).code
}

/// The descriptors that the service itself serves.
pub(super) fn files() -> Vec<FileDescriptorProto> {
    FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap().file
}

fn read() -> Vec<Published> {
    let file = files().into_iter().find(|file| file.name().ends_with("error_reason.proto")).unwrap();
    let values = &file.enum_type[0].value;
    let locations = &file.source_code_info.as_ref().unwrap().location;
    let published = values.iter().zip(0..).skip(1).map(|(value, at)| {
        // Enum 0 of the file (field 5), its value number `at` (field 2).
        let location = locations.iter().find(|location| location.path == [5, 0, 2, at]).unwrap();
        let comment = location.leading_comments().trim().replace("\n ", " ");
        let code = comment.split([':', ',']).next().unwrap();
        Published {
            name: value.name().strip_prefix("ERROR_REASON_").unwrap().to_owned(),
            code: code_named(code),
            retry: comment.contains("google.rpc.RetryInfo"),
        }
    });
    published.collect()
}

fn code_named(name: &str) -> Code {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let code = (0..=16).map(Code::from_i32).find(|code| plain(&format!("{code:?}")) == plain(name));
    code.unwrap_or_else(|| panic!("{name} is no code"))
}
