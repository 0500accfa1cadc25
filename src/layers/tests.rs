//! The layers put together.
