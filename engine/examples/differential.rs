//! Compares the tiers on random modules, as many as one has time for.
//!
//! `cargo run --release --example differential -- [--count 1000000] [--seed 1] [--threads 2] [--flips 0]`
//!
//! With flips, so many bits of each module are changed before the gate sees it. A difference is printed with its seed;
//! `--seed S --count 1 --write FILE` also writes that module (without flips).

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use support::random::{self, Tally};

fn main() {
    let number = |name: &str, otherwise: u64| {
        option(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} takes a number")))
    };
    let (seed, count, threads) = (number("--seed", 1), number("--count", 10_000), number("--threads", 2));
    let flips = number("--flips", 0);
    if let Some(path) = option("--write") {
        std::fs::write(path, random::module(seed)).expect("the file can be written");
    }
    // Panics of an engine are counted; their messages would only repeat that.
    std::panic::set_hook(Box::new(|_| {}));
    let begin = Instant::now();
    let mut all = Tally::default();
    for first in (seed..seed + count).step_by(CHUNK as usize) {
        all = all.merge(random::run(first, CHUNK.min(seed + count - first), threads, flips));
        eprintln!(
            "{} modules, {} differences, {:.0} s",
            all.modules,
            all.different.len(),
            begin.elapsed().as_secs_f64()
        );
    }
    all.print();
    std::process::exit(i32::from(!all.different.is_empty()));
}

/// Seeds between two lines of progress.
const CHUNK: u64 = 10_000;

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
