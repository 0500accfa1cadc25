//! What is wrong with a configuration, all of it at once.

use std::fmt;

/// The faults found so far.
#[derive(Debug, Default)]
pub struct ConfigFaults(Vec<String>);

impl ConfigFaults {
    /// Notes a fault. It never repeats a value that could be a secret.
    pub fn note(&mut self, fault: impl Into<String>) {
        self.0.push(fault.into());
    }

    /// Takes what was read, or notes why it could not be.
    pub fn take<T, E: fmt::Display>(&mut self, read: Result<T, E>) -> Option<T> {
        read.map_err(|fault| self.note(fault.to_string())).ok()
    }

    /// Takes what was given, or notes that it is missing.
    pub fn required<T>(&mut self, given: Option<T>, missing: impl FnOnce() -> String) -> Option<T> {
        if given.is_none() {
            self.note(missing());
        }
        given
    }

    /// The value, unless there were faults. It is missing only where one was noted.
    pub fn settle<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self),
        }
    }
}

impl std::error::Error for ConfigFaults {}

/// One fault is a sentence; several are a list.
impl fmt::Display for ConfigFaults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [fault] => formatter.write_str(fault),
            faults => {
                write!(formatter, "the configuration has {} faults:", faults.len())?;
                faults.iter().try_for_each(|fault| write!(formatter, "\n  - {fault}"))
            }
        }
    }
}
