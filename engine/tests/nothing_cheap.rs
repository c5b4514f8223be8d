//! Guests that do as much work for a unit of fuel as they can still see their deadline in time.

use std::time::Duration;

use crate::support::*;
use petri_engine::guest::{EndKind, Trap};

/// Everything runs once, briefly: each guest is accepted, runs in both tiers and ends by its deadline.
#[test]
fn each_heavy_guest_ends_by_its_deadline() {
    std::thread::scope(|scope| {
        for tier in TIERS {
            scope.spawn(move || {
                for guest in heavy::all() {
                    assert_eq!(
                        guest.overshoot(tier, Duration::from_millis(1)).kind,
                        EndKind::Deadline,
                        "{} {tier:?}",
                        guest.name
                    );
                }
            });
        }
    });
}

/// A guest sees its deadline at its next look, so it is late by no more than the processor time between two; the time
/// that another program had the processor is not its doing.
#[test]
#[ignore = "asserts on times, so it wants the machine for itself"]
fn no_heavy_guest_is_fifty_milliseconds_late() {
    const LATE_MAX: Duration = Duration::from_millis(50);
    for guest in heavy::all() {
        for tier in TIERS {
            let late = guest.overshoot(tier, Duration::from_millis(10));
            let by = late.by.saturating_sub(late.waited);
            println!("{:<60} {tier:?} {by:?}, {:?} between two looks", guest.name, late.slice);
            assert!(by < LATE_MAX, "{} {tier:?} was {by:?} late", guest.name);
            assert!(late.slice < LATE_MAX, "{} {tier:?} did not look for {:?}", guest.name, late.slice);
        }
    }
}

/// A memory of four mebibytes, its bytes told apart by what `begin` writes, and the long operations on it.
const LONG: &str = r#"(module (memory 64)
    (func (export "begin") (local i32) (loop (i32.store8 (local.get 0) (i32.rem_u (local.get 0) (i32.const 251)))
        (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 0x400000)))))
    (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
    (func (export "copy") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2))))"#;

#[test]
fn long_fills_and_copies_do_what_short_ones_do() {
    const MIB: u64 = 1 << 20;
    let lengths = [MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 17];
    let places = [(0, 1), (1, 0), (5, 0x10_0000), (0x10_0000, 5), (0, 0), (0xf_ffef, 0), (0, 0xf_ffef)];
    for tier in TIERS {
        let mut guest = Guest::new(tier, LONG);
        guest.call("begin", &[], plenty());
        let mut expected = guest.memory().to_vec();
        assert_eq!(expected[252], 1);
        for length in lengths {
            for (to, from) in places.iter().copied().filter(|(to, from)| to.max(from) + length <= 4 * MIB) {
                let answer = guest.call("copy", &[to, from, length], plenty());
                assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, 4 + length / 64));
                expected.copy_within(from as usize..(from + length) as usize, to as usize);
                assert!(guest.memory() == expected, "{tier:?} copy to {to} from {from}, {length} bytes");
            }
            assert_eq!(guest.call("fill", &[7, length, length], plenty()).fuel(), 4 + length / 64);
            expected[7..(7 + length) as usize].fill(length as u8);
            assert!(guest.memory() == expected, "{tier:?} fill, {length} bytes");
        }
    }
}

#[test]
fn long_fills_and_copies_that_leave_the_memory_trap_before_they_write() {
    let length = 0x20_0001;
    for (name, to, with) in
        [("fill", 0x20_0000, 9), ("copy", 0x20_0000, 0), ("copy", 0, 0x20_0000), ("fill", u64::from(u32::MAX), 1)]
    {
        for tier in TIERS {
            let mut guest = Guest::new(tier, LONG);
            guest.call("begin", &[], plenty());
            let before = guest.memory().to_vec();
            let answer = guest.call(name, &[to, with, length], plenty());
            assert_eq!(
                (answer.trap(), answer.fuel()),
                (Some(Trap::MemoryOutOfBounds), 4 + length / 64),
                "{tier:?} {name}"
            );
            assert!(guest.memory() == before);
        }
    }
}
