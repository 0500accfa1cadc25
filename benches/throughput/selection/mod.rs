//! Sets: what it takes to preview one, to recall it and to forget it, beside the statements that a backend without the
//! service would send, in turn with them.
//!
//! In a database of its own: tenant 0 has 100,000 memories, the next ones 10,000 each, all of one agent and 1 KiB long; the
//! rest have some for single forgets. One word finds all of them, another one in a hundred.

mod forgets;
mod peer;
mod reads;
mod stage;
mod texts;

use crate::options::Options;
use crate::postgres::Postgres;
use crate::report::Figure;

pub(crate) const NAME: &str = "Selection";

pub(crate) async fn run(postgres: &Postgres, options: &Options) -> Vec<Figure> {
    let database = stage::set_up(postgres).await;
    let mut figures = reads::run(postgres, &database, options).await;
    figures.extend(forgets::run(postgres, &database, options).await);
    figures
}
