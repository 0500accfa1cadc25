//! Who may do what, and to what: what is out of a caller's reach is as what does not exist, in every byte of the answer
//! and in every statement behind it, and what it may not do is refused before anything is looked up.

mod capabilities;
mod compare;
mod exact;
mod hush;
mod methods;
mod predicates;
mod scene;
mod storm;
mod twins;
