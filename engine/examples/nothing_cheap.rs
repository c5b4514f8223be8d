//! How late a 10 ms deadline is seen by guests that do much work for little fuel, in both tiers: the median lateness,
//! the longest processor time between two looks at the clock, and the time a unit of fuel took.
//!
//! `cargo run --release --example nothing_cheap -- [--runs 5] [--only TEXT]`

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Duration;

use petri_engine::code::Tier;
use support::heavy::{self, Heavy};

const DEADLINE: Duration = Duration::from_millis(10);

fn main() {
    let runs = option("--runs").map_or(5, |text| text.parse().expect("--runs takes a number"));
    let only = option("--only").unwrap_or_default();
    println!(
        "{:<56} {:>12} {:>10} {:>10} {:>12} {:>10} {:>10}",
        "in ms", "interpreted", "slice", "ns/unit", "compiled", "slice", "ns/unit"
    );
    for guest in heavy::all().iter().filter(|guest| guest.name.contains(&only)) {
        let [interpreted, compiled] = support::TIERS.map(|tier| measure(guest, tier, runs));
        println!("{:<56} {interpreted} {compiled}", guest.name);
    }
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn measure(guest: &Heavy, tier: Tier, runs: usize) -> String {
    let mut late: Vec<_> = (0..runs.max(1)).map(|_| guest.overshoot(tier, DEADLINE)).collect();
    late.sort_by_key(|late| late.by);
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    let median = &late[late.len() / 2];
    let slice = late.iter().map(|late| late.slice).max().unwrap_or_default();
    let unit = milliseconds(median.by + DEADLINE) * 1e6 / median.fuel as f64;
    format!("{:>12.3} {:>10.3} {:>10.2}", milliseconds(median.by), milliseconds(slice), unit)
}
