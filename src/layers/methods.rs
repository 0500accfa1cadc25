//! The names of the contract's methods: all that a log may say of a call's path, which can be anything else too.

use crate::domain::operation::Method;

/// What stands for a path that is no method's.
const UNKNOWN: &str = "unknown";
/// The methods that change nothing.
const READS: [&str; 8] = [
    "memorylifecycle.v1.AuditLog/ListAuditRecords",
    "memorylifecycle.v1.Governance/ListSuppressions",
    "memorylifecycle.v1.MemoryLifecycle/GetOperation",
    "memorylifecycle.v1.MemoryLifecycle/ListOperations",
    "memorylifecycle.v1.MemoryLifecycle/Preview",
    "memorylifecycle.v1.MemoryStore/GetMemory",
    "memorylifecycle.v1.MemoryStore/ListMemories",
    "memorylifecycle.v1.MemoryStore/RecallMemories",
];

/// The name of the method at a path, in the words of the contract and never in the caller's.
pub(super) fn name_at(path: &str) -> &'static str {
    let name = path.strip_prefix('/').unwrap_or_default();
    let change = Method::from_name(name).map(Method::name);
    change.or_else(|| READS.into_iter().find(|read| *read == name)).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_methods_name_or_nothing_that_is_repeated() {
        for name in READS.into_iter().chain([Method::Remember.name(), Method::Restore.name()]) {
            assert_eq!(name_at(&format!("/{name}")), name);
        }
        for path in ["", "/", "//", "/memorylifecycle.v1.MemoryStore/hush", READS[0]] {
            assert_eq!(name_at(path), UNKNOWN, "{path}");
        }
    }
}
