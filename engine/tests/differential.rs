//! Random modules give the same ends, values, memory, globals and fuel in both tiers. X07

use crate::support::random;

#[test]
fn two_thousand_random_modules_are_the_same_in_both_tiers() {
    let tally = random::run(1, 2_000, 2, 0);
    tally.print();
    assert!(tally.different.is_empty(), "{:?}", tally.different);
    assert!(tally.modules - tally.refused_count() > 1_800, "too many modules are refused to mean anything");
}

#[test]
fn modules_with_flipped_bits_are_refused_or_the_same_in_both_tiers() {
    // D03; `examples/differential.rs` does it a million times.
    let tally = random::run(10_000, 1_000, 2, 1);
    tally.print();
    assert!(tally.different.is_empty(), "{:?}", tally.different);
}

#[test]
fn a_seed_makes_the_same_module_every_time() {
    for seed in 1..50 {
        assert_eq!(random::module(seed), random::module(seed));
    }
}
