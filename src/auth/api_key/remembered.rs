//! A bounded memory by keys' names. The oldest goes when there is no more room.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::KeyId;

/// What was learnt of keys, and when.
pub(super) struct Remembered<T> {
    most: usize,
    entries: HashMap<KeyId, (Duration, T)>,
    by_age: BTreeSet<(Duration, KeyId)>,
}

impl<T: Clone> Remembered<T> {
    /// Room for so many.
    pub(super) fn with_room_for(most: usize) -> Self {
        Self { most, entries: HashMap::new(), by_age: BTreeSet::new() }
    }

    /// What was learnt of a key at this time or later.
    pub(super) fn since(&self, id: &KeyId, oldest: Duration) -> Option<T> {
        let (learnt, value) = self.entries.get(id)?;
        (*learnt >= oldest).then(|| value.clone())
    }

    /// Whether anything is known of a key, however old.
    pub(super) fn has(&self, id: &KeyId) -> bool {
        self.entries.contains_key(id)
    }

    /// Remembers what was learnt of a key at this time, and no longer what was before.
    pub(super) fn put(&mut self, id: &KeyId, learnt: Duration, value: T) {
        self.forget(id);
        self.entries.insert(id.clone(), (learnt, value));
        self.by_age.insert((learnt, id.clone()));
        while self.entries.len() > self.most {
            let Some((_, oldest)) = self.by_age.pop_first() else { return };
            self.entries.remove(&oldest);
        }
    }

    /// Forgets a key.
    pub(super) fn forget(&mut self, id: &KeyId) {
        if let Some((learnt, _)) = self.entries.remove(id) {
            self.by_age.remove(&(learnt, id.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> KeyId {
        let letter = char::from(b'a' + number);
        KeyId::parse(&letter.to_string().repeat(16)).unwrap()
    }

    #[test]
    fn what_is_older_than_asked_for_is_not_told() {
        let mut remembered = Remembered::with_room_for(2);
        let at = Duration::from_secs;
        remembered.put(&id(0), at(5), 'x');
        assert_eq!(remembered.since(&id(0), at(5)), Some('x'));
        assert_eq!(remembered.since(&id(0), at(6)), None);
        assert!(remembered.has(&id(0)));
        assert_eq!(remembered.since(&id(1), at(0)), None);
        remembered.forget(&id(0));
        assert!(!remembered.has(&id(0)) && remembered.by_age.is_empty());
    }

    #[test]
    fn there_are_never_more_than_there_is_room_for_and_the_oldest_goes_first() {
        let mut remembered = Remembered::with_room_for(3);
        for number in 0..20 {
            remembered.put(&id(number), Duration::from_secs(number.into()), number);
            // One that is learnt again and again stays.
            remembered.put(&id(0), Duration::from_secs(number.into()), 0);
            assert!(remembered.entries.len() <= 3);
            assert_eq!(remembered.entries.len(), remembered.by_age.len());
        }
        let mut left: Vec<_> = remembered.entries.keys().cloned().collect();
        left.sort();
        assert_eq!(left, [id(0), id(18), id(19)]);
    }
}
