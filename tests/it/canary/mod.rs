//! Nothing that callers say or keep secret is let out: real processes, asked for all they could log, are driven through every
//! method with texts that are found again wherever they come out.

mod bad;
mod debug;
mod drive;
mod good;
mod marked;
mod programs;
