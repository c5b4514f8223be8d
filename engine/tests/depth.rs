//! Call depth: which functions weigh how much, and that no native stack is met before the counter.

use std::cell::RefCell;
use std::ffi::c_void;

use crate::support::*;
use petri_engine::guest::EndKind;
use petri_engine::raw::Caller;

thread_local! {
    static MARKS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Notes how deep the native stack is.
unsafe extern "C" fn mark(_data: *mut c_void, _caller: *mut Caller, _args: *const u64, _results: *mut u64) -> u32 {
    let here = 0u8;
    MARKS.with_borrow_mut(|marks| marks.push(&raw const here as usize));
    0
}

/// A module whose function counts its calls in the global `n`, and what it does then.
fn counting(parts: &str, locals: usize, then: &str) -> String {
    format!(
        r#"(module {parts} (global $n (export "n") (mut i32) (i32.const 0))
           (func $f (export "f") (local {}) (global.set $n (i32.add (global.get $n) (i32.const 1))) {then}))"#,
        "i64 ".repeat(locals)
    )
}

/// Calls `f` with this depth in both tiers; it must overflow there, after as many calls, with as much fuel.
fn overflows(text: &str, call_depth: u32, calls: u64, fuel: u64) {
    for tier in TIERS {
        let mut guest = Guest::new(tier, text);
        let answer = guest.call("f", &[], depth(call_depth));
        let counted = guest.instance.global(0);
        assert_eq!(
            (answer.kind(), answer.fuel(), counted),
            (EndKind::StackOverflow, fuel, Some(calls)),
            "{tier:?} at depth {call_depth}: {text}"
        );
    }
}

#[test]
fn endless_recursion_ends_at_the_frame_behind_the_limit() {
    // A03: the call that fails is paid, the callee is not.
    for depth in [0, 1, 16, 100, 1_024, 8_192] {
        overflows(&counting("", 0, "(call $f)"), depth, depth.into(), 5 * u64::from(depth));
    }
}

#[test]
fn locals_weigh_a_64th_each() {
    // A05
    for (locals, weight) in [(63, 1), (64, 2), (127, 2), (128, 3), (2_048, 33)] {
        for depth in [0, 32, 33, 100, 1_024] {
            let frames = u64::from(depth) / weight;
            overflows(&counting("", locals, "(call $f)"), depth, frames, frames * (5 + locals as u64 / 16));
        }
    }
}

#[test]
fn every_function_of_a_cycle_weighs() {
    overflows(&counting("(func $g (call $f))", 0, "(call $g)"), 100, 50, 50 * 6);
    overflows(&counting("(func $g (call $h)) (func $h (call $f))", 0, "(call $g)"), 100, 34, 33 * 7 + 5);
    overflows(
        &counting(
            "(func $g (call $g)) (func $h (call $f))",
            0,
            "(if (i32.eq (global.get $n) (i32.const 3)) (then (call $g))) (call $h)",
        ),
        10,
        3,
        8 + 2 + 8 + 2 + 8 + 5 + 1,
    );
}

#[test]
fn a_cycle_through_a_table_weighs_too() {
    overflows(&counting("(table funcref (elem $f))", 0, "(call_indirect (i32.const 0))"), 100, 100, 600);
    overflows(
        &counting("(table funcref (elem $g)) (func $g (call $f))", 0, "(call_indirect (i32.const 0))"),
        100,
        50,
        50 * 7,
    );
    let stored = counting(
        "(table 1 funcref) (elem declare func $f)",
        0,
        "(table.set 0 (i32.const 0) (ref.func $f)) (call_indirect (i32.const 0))",
    );
    overflows(&stored, 7, 7, 7 * 9);
}

#[test]
fn a_function_whose_address_is_taken_weighs_even_alone() {
    let text = r#"(module (table funcref (elem $leaf)) (func $leaf) (func (export "direct") (call $leaf)) (func (export "indirect") (call_indirect (i32.const 0))))"#;
    for (name, cost) in [("direct", 1), ("indirect", 2)] {
        let answer = same_in_both(text, name, &[], depth(0));
        assert_eq!((answer.kind(), answer.fuel()), (EndKind::StackOverflow, cost));
        assert_eq!(same_in_both(text, name, &[], depth(1)).kind(), EndKind::Returned);
    }
}

#[test]
fn functions_outside_all_cycles_weigh_nothing() {
    let chain: String = (1..250).map(|index| format!("(func $f{index} (call $f{}))", index - 1)).collect();
    let text = format!(r#"(module (func $f0) {chain} (func (export "f") (call $f249)))"#);
    let answer = same_in_both(&text, "f", &[], depth(0));
    assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, 250));
    overflows(&counting("(func $leaf (call $leafs)) (func $leafs)", 0, "(call $leaf) (call $f)"), 10, 10, 70);
}

#[test]
fn a_start_function_has_the_same_depth() {
    let text = "(module (start $s) (func $s (call $s)))";
    for tier in TIERS {
        let answer = Guest::new(tier, text).start(depth(20));
        assert_eq!((answer.kind(), answer.fuel()), (EndKind::StackOverflow, 20));
    }
}

#[test]
fn the_depth_is_given_back_however_a_function_is_left() {
    let text = r#"(module (table funcref (elem $f))
        (func $f (export "f") (param i32) (result i32 i64)
          (if (i32.eq (local.get 0) (i32.const 1)) (then (return (i32.const 1) (i64.const 1))))
          (block (block (if (i32.eq (local.get 0) (i32.const 2)) (then (loop (i32.const 2) (i64.const 2) (br 4)))) (br_if 0 (i32.eq (local.get 0) (i32.const 3))))
            (if (i32.eq (local.get 0) (i32.const 4)) (then (i32.const 4) (i64.const 4) (br_table 2 2 (i32.const 7)))))
          (i32.const 9) (i64.const 9))
        (func (export "many") (local i32)
          (loop (call $f (i32.rem_u (local.get 0) (i32.const 6))) drop drop
            (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 1000))))))"#;
    assert_eq!(same_in_both(text, "many", &[], depth(1)).kind(), EndKind::Returned);
    for (case, expected) in [(0, 9), (1, 1), (2, 2), (3, 9), (4, 4)] {
        assert_eq!(same_in_both(text, "f", &[case], depth(1)).values, [expected, expected]);
    }
}

#[test]
fn the_deepest_frame_may_call_the_host() {
    // A04
    let text = r#"(module (import "h" "f" (func $h)) (func $f (export "f") (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))) (else (call $h)))))"#;
    assert_eq!(same_in_both_linked(text, &[host(idle, 1)], "f", &[1_023], depth(1_024)).kind(), EndKind::Returned);
    assert_eq!(same_in_both_linked(text, &[host(idle, 1)], "f", &[1_024], depth(1_024)).kind(), EndKind::StackOverflow);
}

#[test]
fn a_new_instance_has_the_whole_depth_again() {
    // A21
    let text = r#"(module (func $f (export "f") (param i32) (if (i32.eqz (local.get 0)) (then unreachable)) (call $f (i32.sub (local.get 0) (i32.const 1)))))"#;
    for tier in TIERS {
        for _ in 0..3 {
            let mut guest = Guest::new(tier, text);
            assert_eq!(guest.call("f", &[1_000], depth(1_024)).kind(), EndKind::Trapped);
            assert!(guest.call_export(0, &[1_000], depth(1_024)).is_err(), "the trapped instance cannot be called");
        }
    }
}

/// Bodies of a function `$f` (param i32) made to have a large frame in the compiled tier: they keep values alive over a call of
/// `$again`, which may call `$f` again.
fn greedy() -> Vec<(&'static str, String)> {
    let types = |count: usize, kind: &str| format!("{kind} ").repeat(count);
    let load = |index: usize| format!("(i64.load offset={} (i32.const 0))", index * 8);
    let again = "(call $again (local.get 0))";
    let locals = |count: usize| {
        let set: String = (1..=count).map(|local| format!("(local.set {local} {})", load(local))).collect();
        let get: String =
            (1..=count).map(|local| format!("(global.set $g (i64.xor (global.get $g) (local.get {local})))")).collect();
        format!("(local {}) {set} {again} {get}", types(count, "i64"))
    };
    let operands = |count: usize| {
        format!(
            "{} {again} {}",
            (0..count).map(load).collect::<String>(),
            "global.get $g i64.xor global.set $g ".repeat(count)
        )
    };
    let terms = |count: usize| {
        (0..count)
            .map(|term| {
                format!("(local.set 2 (i64.xor (local.get 2) (i64.mul (local.get 1) (i64.const {}))))", term * 2 + 3)
            })
            .collect::<String>()
    };
    let turn = "(br_if $l (i32.lt_u (local.tee 3 (i32.add (local.get 3) (i32.const 1))) (i32.const 2)))";
    let wide = format!("(call $wide {})", (0..64).map(load).collect::<String>());
    vec![
        ("no locals at all", again.into()),
        ("63 locals, which weigh no more than none", locals(63)),
        ("2,000 locals", locals(2_000)),
        ("1,000 operands", operands(1_000)),
        ("64 arguments and results", format!("{wide} {again} {}", "global.set $g ".repeat(64))),
        (
            "1,000 expressions that occur twice",
            format!(
                "(local i64 i64) (local.set 1 (global.get $g)) {0} {again} {0} (global.set $g (local.get 2))",
                terms(1_000)
            ),
        ),
        (
            "1,000 expressions that do not change in a loop",
            format!(
                "(local i64 i64 i32) (local.set 1 (global.get $g)) (loop $l {} {again} {turn}) (global.set $g (local.get 2))",
                terms(1_000)
            ),
        ),
    ]
}

fn module_of(body: &str) -> String {
    let wide = "i64 ".repeat(64);
    format!(
        r#"(module (import "h" "mark" (func $mark)) (memory 1) (global $g (mut i64) (i64.const 77)) (func $f (export "f") (param i32) {body})
           (func $wide (param {wide}) (result {wide}) {})
           (func $again (param i32) (call $mark) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1)))))))"#,
        (0..64).map(|index| format!("(local.get {index})")).collect::<String>()
    )
}

#[test]
fn no_frame_is_larger_than_it_is_said_to_be() {
    for (name, body) in greedy() {
        let text = module_of(&body);
        for tier in TIERS {
            MARKS.take();
            let mut guest = Guest::linked(tier, &text, &[host(mark, 0)]);
            let answer = guest.call("f", &[2], plenty());
            let marks = MARKS.take();
            assert_eq!(answer.kind(), EndKind::Returned, "{name}: {answer:?}");
            let between = marks.windows(2).map(|marks| marks[0].saturating_sub(marks[1])).max().unwrap_or(0) as u64;
            // `$f` and `$again` are both on the cycle.
            let weight = if name.starts_with("2,000") { 1 + 2_000 / 64 + 1 } else { 2 };
            let said = guest.artifact.module.stack_bytes_per_depth * weight;
            assert!(between <= said, "{name} {tier:?}: {between} bytes where at most {said} were said");
        }
    }
}

#[test]
fn the_deepest_recursion_fits_the_stack_that_is_said_to_be_needed() {
    // A05: no engine's own stack error, no SIGSEGV.
    const MARGIN: u64 = 256 << 10;
    for (name, body) in greedy() {
        let text = module_of(&body).replace("(call $mark)", "");
        let module = &prepare(&wasm(&text)).module;
        let stack = module.stack_bytes_fixed + 8_192 * module.stack_bytes_per_depth + MARGIN;
        let answer = on_stack(stack as usize, || {
            TIERS.map(|tier| Guest::linked(tier, &text, &[host(idle, 0)]).call("f", &[u32::MAX.into()], depth(8_192)))
        });
        assert_eq!(answer[0].kind(), EndKind::StackOverflow, "{name}");
        assert_eq!(answer[0], answer[1], "{name}");
    }
}
