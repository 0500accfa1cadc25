//! The rules of conversion, each by an example.
