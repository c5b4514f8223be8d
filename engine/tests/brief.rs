//! Code that is soon gone: small modules share an engine, and nothing that a guest could see. X08

use crate::support::*;
use petri_engine::code::Code;
use petri_engine::guest::{Budget, EndKind};
use petri_engine::raw::Host;

/// Counts in a global and in memory, by a step of its own; each also has a type and a table that others have not.
fn counter(step: usize) -> String {
    let params = "i32 ".repeat(step % 7);
    format!(
        r#"(module (memory 1) (global $g (export "g") (mut i32) (i32.const {step}))
          (type $own (func (param {params})))
          (table 1 funcref) (elem (i32.const 0) $step)
          (func $step (result i32) (i32.const {step}))
          (func (export "f") (result i32)
            (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (call_indirect (result i32) (i32.const 0))))
            (global.set $g (i32.add (global.get $g) (i32.load (i32.const 0))))
            (global.get $g)))"#
    )
}

fn load(step: usize) -> Guest {
    let artifact = prepare(&wasm(&counter(step)));
    let code = Code::load_brief(artifact.clone(), &[]).unwrap_or_else(|failure| panic!("{}", failure.message));
    let made = code.instantiate(Host::none(), ROOMY).unwrap_or_else(|failure| panic!("{}", failure.message));
    Guest { artifact, instance: made.unwrap_or_else(|end| panic!("the instance was not made: {end:?}")) }
}

#[test]
fn modules_that_share_an_engine_live_side_by_side_and_end_in_any_order() {
    let mut guests: Vec<_> = (0..200).map(|step| (step, load(step))).collect();
    for turn in 1..=3 {
        for (step, guest) in &mut guests {
            let answer = guest.call("f", &[], plenty());
            let sum = (1..=turn).map(|turn| turn * *step).sum::<usize>() + *step;
            assert_eq!((answer.kind(), answer.values[0]), (EndKind::Returned, sum as u64), "{step}, turn {turn}");
        }
        guests = guests.into_iter().rev().filter(|(step, _)| step % 3 != turn - 1).collect();
    }
}

#[test]
fn one_that_ran_out_of_fuel_or_trapped_harms_none_that_shares_its_engine() {
    let (mut before, mut poor, mut after) = (load(1), load(2), load(3));
    assert_eq!(poor.call("f", &[], Budget { fuel: 3, ..plenty() }).kind(), EndKind::OutOfFuel);
    drop(poor);
    assert_eq!(before.call("f", &[], plenty()).values, [2]);
    assert_eq!(after.call("f", &[], plenty()).values, [6]);
    assert_eq!(load(4).call("f", &[], plenty()).values, [8]);
}
