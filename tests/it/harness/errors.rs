//! Reading what an error says.

use tonic::Status;
use tonic_types::StatusExt;

/// The error's reason, by the contract's name without prefix.
pub fn reason(status: &Status) -> String {
    let info = status
        .get_details_error_info()
        .unwrap_or_else(|| panic!("every error has an ErrorInfo, this has none: {status:?}"));
    assert_eq!(info.domain, "memorylifecycle.v1");
    info.reason
}

/// The fields at fault, in order.
pub fn violations(status: &Status) -> Vec<String> {
    let request = status.get_details_bad_request();
    request
        .into_iter()
        .flat_map(|request| request.field_violations)
        .map(|violation| violation.field)
        .collect()
}
