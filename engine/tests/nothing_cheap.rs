//! Guests that do as much work for a unit of fuel as they can still see their deadline in time.

mod support;

use std::time::Duration;

use petri_engine::guest::EndKind;
use support::heavy;

/// Everything runs once, briefly: each guest is accepted, runs in both tiers and ends by its deadline.
#[test]
fn each_heavy_guest_ends_by_its_deadline() {
    std::thread::scope(|scope| {
        for tier in support::TIERS {
            scope.spawn(move || {
                for guest in heavy::all() {
                    assert_eq!(guest.overshoot(tier, Duration::from_millis(1)).kind, EndKind::Deadline, "{} {tier:?}", guest.name);
                }
            });
        }
    });
}

#[test]
#[ignore = "asserts on times, so it wants the machine for itself"]
fn no_heavy_guest_is_fifty_milliseconds_late() {
    for guest in heavy::all() {
        for tier in support::TIERS {
            let late = guest.overshoot(tier, Duration::from_millis(10));
            println!("{:<60} {tier:?} {:?}", guest.name, late.by);
            assert!(late.by < Duration::from_millis(50), "{} {tier:?} was {:?} late", guest.name, late.by);
        }
    }
}
