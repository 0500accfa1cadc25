//! What a credential permits.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;

/// A right that a credential carries. Each stands for itself: none implies another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Capability {
    /// Preview, reads and recall.
    MemoryRead,
    /// Save, update, link, forget softly, restore.
    MemoryWrite,
    /// Forget for good.
    MemoryErase,
    /// Place and release holds.
    MemoryHold,
    /// Reach all agents of the tenant and settled facts, lift suppressions, import for others.
    MemoryAdmin,
    /// Read the audit log.
    AuditRead,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::MemoryRead,
        Self::MemoryWrite,
        Self::MemoryErase,
        Self::MemoryHold,
        Self::MemoryAdmin,
        Self::AuditRead,
    ];

    /// Its name in credentials and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::MemoryRead => "memory:read",
            Self::MemoryWrite => "memory:write",
            Self::MemoryErase => "memory:erase",
            Self::MemoryHold => "memory:hold",
            Self::MemoryAdmin => "memory:admin",
            Self::AuditRead => "audit:read",
        }
    }

    /// The capability of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.name() == name)
    }
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities(u8);

impl Capabilities {
    /// None at all.
    pub const NONE: Self = Self(0);
    /// Every one.
    pub const ALL: Self = Self((1 << Capability::ALL.len()) - 1);

    /// The set with one more.
    #[must_use]
    pub fn with(self, capability: Capability) -> Self {
        Self(self.0 | bit(capability))
    }

    /// The set without one.
    #[must_use]
    pub fn without(self, capability: Capability) -> Self {
        Self(self.0 & !bit(capability))
    }

    /// Whether the capability is in the set.
    pub fn has(self, capability: Capability) -> bool {
        self.0 & bit(capability) != 0
    }

    /// Those in the set, in the order of [`Capability::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |capability| self.has(*capability))
    }

    /// Refuses what needs a capability that is not in the set; names the first.
    pub fn require(self, needed: Self) -> Result<(), Refusal> {
        match needed.iter().find(|capability| !self.has(*capability)) {
            Some(missing) => Err(Refusal::CapabilityMissing(missing)),
            None => Ok(()),
        }
    }
}

fn bit(capability: Capability) -> u8 {
    1 << capability as u8
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        capabilities.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Capability> for Capabilities {
    fn from(capability: Capability) -> Self {
        Self::NONE.with(capability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_is_found_by_its_name_alone() {
        for capability in Capability::ALL {
            assert_eq!(Capability::from_name(capability.name()), Some(capability));
        }
        for name in ["", "memory:", "memory:Read", " memory:read", "memory:read memory:write", "*"] {
            assert_eq!(Capability::from_name(name), None, "{name:?}");
        }
    }

    #[test]
    fn each_stands_for_itself() {
        for held in Capability::ALL {
            let set = Capabilities::from(held);
            assert_eq!(set.iter().collect::<Vec<_>>(), [held]);
            for needed in Capability::ALL {
                let expected = if held == needed { Ok(()) } else { Err(Refusal::CapabilityMissing(needed)) };
                assert_eq!(set.require(needed.into()), expected);
                assert!(Capabilities::ALL.require(needed.into()).is_ok());
                assert!(!Capabilities::ALL.without(needed).has(needed));
            }
        }
        assert_eq!(Capabilities::ALL.iter().count(), 6);
        assert_eq!(Capabilities::NONE.require(Capabilities::NONE), Ok(()));
    }

    #[test]
    fn of_several_missing_the_first_is_named() {
        let needed: Capabilities = [Capability::MemoryAdmin, Capability::MemoryWrite].into_iter().collect();
        let missing = |held: Capabilities| held.require(needed).unwrap_err();
        assert_eq!(missing(Capabilities::NONE), Refusal::CapabilityMissing(Capability::MemoryWrite));
        let write = Capability::MemoryWrite.into();
        assert_eq!(missing(write), Refusal::CapabilityMissing(Capability::MemoryAdmin));
    }
}
