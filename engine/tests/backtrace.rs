//! The compiled tier says where a guest trapped, in the numbers of the module as it was sent. A11

use std::ffi::c_void;

use crate::support::*;
use petri_engine::code::Tier;
use petri_engine::ffi::petri_caller_stop;
use petri_engine::guest::{EndKind, Trap};
use petri_engine::raw::Caller;
use wasmparser::{Operator, Parser, Payload};

/// Offsets of the operators of a defined function for which `wanted` holds.
fn offsets(wasm: &[u8], defined: usize, wanted: impl Fn(&Operator) -> bool) -> Vec<u64> {
    let bodies = Parser::new(0).parse_all(wasm).filter_map(|payload| match payload.expect("the module is valid") {
        Payload::CodeSectionEntry(body) => Some(body),
        _ => None,
    });
    let body = bodies.into_iter().nth(defined).expect("the function is defined");
    let operators = body.get_operators_reader().expect("the body is valid").into_iter_with_offsets();
    operators
        .map(|operator| operator.expect("the operator is valid"))
        .filter(|(operator, _)| wanted(operator))
        .map(|(_, at)| at as u64)
        .collect()
}

fn only(offsets: Vec<u64>) -> u64 {
    assert_eq!(offsets.len(), 1, "the operator stands there once");
    offsets[0]
}

fn is_call(operator: &Operator) -> bool {
    matches!(operator, Operator::Call { .. } | Operator::CallIndirect { .. })
}

/// `$inner` with the trap is called by `$middle`, which is called by `f`; all around them stands what the meter adds to or changes.
fn nested(parts: &str, inner: &str) -> String {
    format!(
        r#"(module (import "h" "a" (func $a)) (import "h" "b" (func $b (param i64) (result i64))) {parts}
           (func $unused (param i32) (result i32) (if (local.get 0) (then (return (i32.const 1)))) (select (i32.const 1) (i32.const 2) (local.get 0)))
           (func $inner (local i32 i64) (drop (i32.const 1)) (block (loop (br_if 1 (local.get 0)) {inner})) (drop (i32.const 2)))
           (func $middle (local i64) (drop (call_result)) (loop (block (br_if 0 (i32.const 0)) (call $inner))))
           (func (export "f") (param i32) (if (local.get 0) (then nop) (else (call $middle)))))"#
    )
    .replace("(drop (call_result))", "(drop (select (i64.const 1) (local.get 0) (i32.const 1)))")
}

const INNER: u32 = 3;

type Wanted = fn(&Operator) -> bool;

#[test]
fn each_trap_is_located_across_nested_calls() {
    let memory = "(memory 1)";
    let table = "(table $t 2 funcref) (elem (i32.const 0) $unused)";
    let bulk = "(memory 1) (data $d \"xyz\")";
    let cases: [(Trap, &str, &str, Wanted); 14] = [
        (Trap::Unreachable, "", "unreachable", |o| matches!(o, Operator::Unreachable)),
        (Trap::IntegerDivideByZero, "", "(drop (i32.div_u (i32.const 1) (local.get 0)))", |o| {
            matches!(o, Operator::I32DivU)
        }),
        (Trap::IntegerDivideByZero, "", "(drop (i64.rem_s (i64.const 1) (local.get 1)))", |o| {
            matches!(o, Operator::I64RemS)
        }),
        (
            Trap::IntegerOverflow,
            "",
            "(drop (i32.div_s (i32.const 0x80000000) (i32.sub (local.get 0) (i32.const 1))))",
            |o| matches!(o, Operator::I32DivS),
        ),
        (
            Trap::BadConversionToInteger,
            "",
            "(drop (i32.trunc_f64_s (f64.div (f64.convert_i32_s (local.get 0)) (f64.const 0))))",
            |o| matches!(o, Operator::I32TruncF64S),
        ),
        (Trap::MemoryOutOfBounds, memory, "(drop (i32.load offset=65533 (local.get 0)))", |o| {
            matches!(o, Operator::I32Load { .. })
        }),
        (Trap::MemoryOutOfBounds, memory, "(i64.store offset=65532 (local.get 0) (i64.const 1))", |o| {
            matches!(o, Operator::I64Store { .. })
        }),
        (Trap::MemoryOutOfBounds, memory, "(memory.fill (i32.const 65000) (local.get 0) (i32.const 1000))", |o| {
            matches!(o, Operator::MemoryFill { .. })
        }),
        (Trap::MemoryOutOfBounds, bulk, "(memory.init $d (local.get 0) (i32.const 0) (i32.const 4))", |o| {
            matches!(o, Operator::MemoryInit { .. })
        }),
        (Trap::TableOutOfBounds, table, "(drop (table.get $t (i32.sub (local.get 0) (i32.const 1))))", |o| {
            matches!(o, Operator::TableGet { .. })
        }),
        (Trap::TableOutOfBounds, table, "(call_indirect $t (i32.add (local.get 0) (i32.const 2)))", |o| {
            matches!(o, Operator::CallIndirect { .. })
        }),
        (Trap::TableOutOfBounds, table, "(table.copy $t $t (i32.const 1) (local.get 0) (i32.const 2))", |o| {
            matches!(o, Operator::TableCopy { .. })
        }),
        (Trap::IndirectCallToNull, table, "(call_indirect $t (i32.add (local.get 0) (i32.const 1)))", |o| {
            matches!(o, Operator::CallIndirect { .. })
        }),
        (Trap::BadSignature, table, "(call_indirect $t (local.get 0))", |o| matches!(o, Operator::CallIndirect { .. })),
    ];
    for (trap, parts, inner, operator) in cases {
        let wasm = wasm(&nested(parts, inner));
        let mut guest = Guest::from_wasm(Tier::Compiled, &wasm, &[host(idle, 1), host(idle, 1)]);
        let answer = guest.call("f", &[0], plenty());
        assert_eq!(answer.trap(), Some(trap), "{inner}: {answer:?}");
        let expected = [
            (INNER, only(offsets(&wasm, 1, operator))),
            (INNER + 1, only(offsets(&wasm, 2, is_call))),
            (INNER + 2, only(offsets(&wasm, 3, is_call))),
        ];
        assert_eq!(guest.instance.backtrace(), expected, "{inner}");
    }
}

#[test]
fn functions_that_weigh_are_located_too() {
    let text = r#"(module (table funcref (elem $f)) (func $g (export "g") (param i32) (result i64 i64) (call $f (local.get 0)) (i64.const 1) (i64.const 2))
        (func $f (param i32) (if (i32.eqz (local.get 0)) (then (drop (i32.div_s (i32.const 1) (local.get 0))) (return)))
          (block (loop (br_if 1 (i32.const 0)) (call $g (i32.sub (local.get 0) (i32.const 1))) drop drop))))"#;
    let wasm = wasm(text);
    let mut guest = Guest::from_wasm(Tier::Compiled, &wasm, &[]);
    assert_eq!(guest.call("g", &[2], plenty()).trap(), Some(Trap::IntegerDivideByZero));
    let (g, f) = ((0, only(offsets(&wasm, 0, is_call))), (1, only(offsets(&wasm, 1, is_call))));
    let trap = (1, only(offsets(&wasm, 1, |o| matches!(o, Operator::I32DivS))));
    assert_eq!(guest.instance.backtrace(), [trap, g, f, g, f, g]);
}

#[test]
fn a_start_function_is_located() {
    let wasm = wasm("(module (start $s) (func (drop (i32.const 1))) (func $s (local i32) nop unreachable))");
    let mut guest = Guest::from_wasm(Tier::Compiled, &wasm, &[]);
    assert_eq!(guest.start(plenty()).trap(), Some(Trap::Unreachable));
    assert_eq!(guest.instance.backtrace(), [(1, only(offsets(&wasm, 1, |o| matches!(o, Operator::Unreachable))))]);
}

#[test]
fn a_deep_trap_keeps_its_innermost_frames() {
    let wasm = wasm(
        r#"(module (func $f (export "f") (param i32) (if (i32.eqz (local.get 0)) (then unreachable)) (call $f (i32.sub (local.get 0) (i32.const 1)))))"#,
    );
    let mut guest = Guest::from_wasm(Tier::Compiled, &wasm, &[]);
    guest.call("f", &[500], plenty());
    let frames = guest.instance.backtrace();
    assert!((16..=64).contains(&frames.len()), "{}", frames.len());
    assert_eq!(frames[0].1, only(offsets(&wasm, 0, |o| matches!(o, Operator::Unreachable))));
    assert!(frames[1..].iter().all(|frame| frame.1 == only(offsets(&wasm, 0, is_call))));
}

#[test]
fn the_interpreted_tier_keeps_no_trace() {
    let mut guest = Guest::new(Tier::Interpreted, r#"(module (func (export "f") unreachable))"#);
    assert_eq!(guest.call("f", &[], plenty()).trap(), Some(Trap::Unreachable));
    assert!(guest.instance.backtrace().is_empty());
}

/// Ends the guest with code 0.
unsafe extern "C" fn exit(_data: *mut c_void, caller: *mut Caller, _args: *const u64, _results: *mut u64) -> u32 {
    // SAFETY: the caller is the one that was passed.
    unsafe { petri_caller_stop(caller, EndKind::Exited as u32, 0) };
    1
}

#[test]
fn what_did_not_trap_has_no_trace() {
    let text = r#"(module (import "h" "exit" (func $exit)) (func $f (export "f") (call $f)) (func (export "g") (loop (br 0))) (func (export "x") (call $exit)) (func (export "ok")))"#;
    for (name, kind) in
        [("f", EndKind::StackOverflow), ("g", EndKind::OutOfFuel), ("x", EndKind::Exited), ("ok", EndKind::Returned)]
    {
        let mut guest = Guest::linked(Tier::Compiled, text, &[host(exit, 1)]);
        assert_eq!(guest.call(name, &[], fuel(10_000)).kind(), kind);
        assert_eq!(guest.instance.backtrace(), [], "{name}");
    }
}

/// The compiler moves such a trap into the meter's own look at the counter, or into the branch before it.
#[test]
fn an_unreachable_near_the_start_of_a_function_is_located() {
    let counted = " (loop (br_if 0 (i32.const 0)))";
    let shapes = [
        "(func $c unreachable)",
        "(func $c (local i32 i64) unreachable)",
        "(func $c (block (loop unreachable)))",
        "(func $c nop unreachable)",
        "(func $c (drop (i32.const 1)) unreachable)",
        "(func $c (local i32) (local.set 0 (i32.const 1)) (if (local.get 0) (then unreachable)))",
        "(func $c (local i32) (block (br_if 0 (i32.eqz (local.get 0))) return) unreachable)",
        "(memory 1) (func $c (i32.store (i32.const 4) (i32.const 1)) unreachable)",
        "(global $g (mut i32) (i32.const 0)) (func $c (global.set $g (i32.const 1)) unreachable)",
        "(func $c unreachable) (table funcref (elem $c))",
    ];
    for (shape, rest) in shapes.iter().flat_map(|shape| [(shape, ""), (shape, counted)]) {
        let wasm = wasm(&format!(r#"(module {shape} (func $f (export "f") (call $c){rest}))"#));
        let mut guest = Guest::from_wasm(Tier::Compiled, &wasm, &[]);
        assert_eq!(guest.call("f", &[], plenty()).trap(), Some(Trap::Unreachable), "{shape}{rest}");
        let trap = only(offsets(&wasm, 0, |o| matches!(o, Operator::Unreachable)));
        assert_eq!(guest.instance.backtrace(), [(0, trap), (1, only(offsets(&wasm, 1, is_call)))], "{shape}{rest}");
    }
}
