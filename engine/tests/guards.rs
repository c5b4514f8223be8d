//! Guards of the guests against the engines' own faults, and of the meter against the guests.

use std::cell::RefCell;
use std::ffi::c_void;

use crate::support::*;
use petri_engine::artifact::Artifact;
use petri_engine::bounds::Set;
use petri_engine::code::Tier;
use petri_engine::failure::Status;
use petri_engine::guest::EndKind;
use petri_engine::raw::Caller;

// ---- wasmi 2.0.0 ------------------------------------------------------------------------------------------

/// The result of `f` in the interpreter as it is, without the meter and its guards.
fn bare_interpreter(text: &str, args: &[wasmi::Val]) -> i64 {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, wasm(text)).expect("the module is valid");
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Instance::new(&mut store, &module, &[]).expect("it has no imports");
    let function = instance.get_func(&store, "f").expect("it is exported");
    let mut results = [wasmi::Val::I64(0)];
    function.call(&mut store, args, &mut results).expect("it returns");
    results[0].i64().expect("it answers an i64")
}

/// A condition on a local, and what `select 5 3` gives when the local is 0 and when it is 1.
const SELECTS: &[(&str, [u64; 2])] = &[
    ("(i32.eqz (local.get 0))", [5, 3]),
    ("(i32.eq (local.get 0) (i32.const 0))", [5, 3]),
    ("(i32.ne (local.get 0) (i32.const 0))", [3, 5]),
];

fn select(condition: &str) -> String {
    format!(r#"(module (func (export "f") (param i32) (result i64) (select (i64.const 5) (i64.const 3) {condition})))"#)
}

const PARAMETERS: &str = r#"(module (func (export "f") (param i64 i64) (result i64)
    local.get 0 f64.const 1 (i64.le_s (local.get 1) (i64.const 5)) if (param f64) (result f64) else block end end drop))"#;

#[test]
fn select_on_a_comparison_with_zero_is_right() {
    for (condition, expected) in SELECTS {
        for argument in [0, 1] {
            let typed = select(condition).replace("(select", "(select (result i64)");
            assert_eq!(
                same_in_both(&select(condition), "f", &[argument], plenty()).values,
                [expected[argument as usize]],
                "{condition} of {argument}"
            );
            assert_eq!(
                same_in_both(&typed, "f", &[argument], plenty()).values,
                [expected[argument as usize]],
                "typed, {condition} of {argument}"
            );
        }
    }
}

#[test]
fn locals_below_the_parameters_of_a_block_are_kept() {
    for argument in [1, 8] {
        assert_eq!(same_in_both(PARAMETERS, "f", &[17, argument], plenty()).values, [17]);
    }
}

// The next two fail on the day the interpreter is right: then its guard can go.

#[test]
fn the_interpreter_alone_computes_select_wrongly() {
    for (condition, expected) in SELECTS {
        let answers = [0, 1].map(|argument| bare_interpreter(&select(condition), &[wasmi::Val::I32(argument)]) as u64);
        assert_ne!(answers, *expected, "`What::GuardSelect` is no longer needed for {condition}");
    }
}

#[test]
fn the_interpreter_alone_loses_locals_below_parameters() {
    let answer = bare_interpreter(PARAMETERS, &[wasmi::Val::I64(17), wasmi::Val::I64(1)]);
    assert_ne!(answer, 17, "`What::GuardParameters` is no longer needed");
}

thread_local! {
    static MARKS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Notes how deep the native stack is.
unsafe extern "C" fn mark(_data: *mut c_void, _caller: *mut Caller, _args: *const u64, _results: *mut u64) -> u32 {
    let here = 0u8;
    MARKS.with_borrow_mut(|marks| marks.push(&raw const here as usize));
    0
}

/// Native stack that a thousand rounds of `body` keep until the call ends.
fn stack_kept(tier: Tier, body: &str) -> usize {
    let text = format!(
        r#"(module (import "h" "mark" (func $mark)) (type $none (func)) (memory 1 3) (table $t 4 10000 funcref) (table $u 4 funcref)
           (data $d "abcd") (elem $e func $empty $empty) (elem (table $u) (i32.const 0) func $empty $mark)
           (func $empty) (func $swap (param i64 i64) (result i64 i64) (local.get 1) (local.get 0))
           (func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))
           (func (export "run") (local $n i32) (local $x i64) (local $y f64) (local $z f32)
             (call $mark) (loop $again {body}
               (br_if $again (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 1000)))) (call $mark)))"#
    );
    MARKS.take();
    let answer = Guest::linked(tier, &text, &[host(mark, 0)]).call("run", &[], plenty());
    assert_eq!(answer.kind(), EndKind::Returned, "{body}");
    let marks = MARKS.take();
    marks[0].abs_diff(marks[marks.len() - 1])
}

#[test]
fn no_operator_keeps_native_stack_until_the_call_ends() {
    // The interpreter dispatches by tail calls where its compiler makes them such; `table.grow` and a refused
    // `memory.grow` are not, and would end the process after some ten thousands.
    let bodies = [
        "(drop (memory.grow (i32.const 0)))",
        "(drop (memory.grow (i32.const 1)))",
        "(drop (memory.grow (i32.const 65535)))",
        "(drop (table.grow $t (ref.null func) (i32.const 0)))",
        "(drop (table.grow $t (ref.func $empty) (i32.const 1)))",
        "(drop (table.grow $t (ref.null func) (i32.const 1000000)))",
        "(memory.copy (i32.const 1) (local.get $n) (i32.const 30))",
        "(memory.fill (local.get $n) (i32.const 2) (i32.const 30))",
        "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 4))",
        "(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 2))",
        "(table.copy $t $u (i32.const 0) (i32.const 0) (i32.const 2))",
        "(table.fill $t (i32.const 0) (ref.func $empty) (i32.const 2))",
        "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 2))",
        "(table.set $t (i32.const 0) (table.get $t (i32.const 1)))",
        "(data.drop $d) (elem.drop $e)",
        "(call $empty) (call $mark) (call $deep (i32.const 9))",
        "(call_indirect $u (type $none) (i32.const 0)) (call_indirect $u (type $none) (i32.const 1))",
        "(call $swap (i64.const 0) (local.get $x)) drop local.set $x",
        "(local.set $y (f64.floor (f64.ceil (f64.trunc (f64.nearest (local.get $y))))))",
        "(local.set $z (f32.floor (f32.ceil (f32.trunc (f32.nearest (f32.sqrt (local.get $z)))))))",
        "(local.set $x (i64.div_s (i64.rem_u (local.get $x) (i64.const 7)) (i64.const 3)))",
        "(block $o (result i64 i64 i64) (block $p (result i64 i64 i64) (i64.const 1) (i64.const 2) (i64.const 3)
            (br_table $o $p (i32.and (local.get $n) (i32.const 1))))) drop drop drop",
    ];
    for body in bodies {
        for tier in TIERS {
            let kept = stack_kept(tier, body);
            assert!(kept < 1_000, "{tier:?} keeps {kept} bytes over a thousand of {body}");
        }
    }
}

#[test]
fn two_hundred_thousand_growths_fit_a_small_stack() {
    let grow = |what: &str| {
        format!(
            r#"(module (memory 1 1) (table $t 1 300000 funcref) (func (export "run") (local $n i32)
               (loop (drop {what}) (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 200000))))))"#
        )
    };
    let whats = [
        "(memory.grow (i32.const 1))",
        "(table.grow $t (ref.null func) (i32.const 1000000))",
        "(table.grow $t (ref.null func) (i32.const 1))",
    ];
    for what in whats {
        let answer = on_stack(2 << 20, || same_in_both(&grow(what), "run", &[], plenty()));
        assert_eq!(answer.kind(), EndKind::Returned, "{what}");
    }
}

// ---- the meter --------------------------------------------------------------------------------------------

#[test]
fn exports_named_like_the_meters_are_the_guests_own() {
    // Every name the meter could use, up to a few levels of its prefix.
    let globals: String = ["f", "d", "g0", "g1", "m", "t0"]
        .iter()
        .flat_map(|name| {
            ["", "~", "~~", "~~~", "~0~", "~1~", "~2~"]
                .map(|prefix| format!(r#"(global (export "{prefix}{name}") (mut i64) (i64.const 5))"#))
        })
        .collect();
    let text = format!(
        r#"(module {globals} (memory 1) (func (export "~s") (result i32) (i32.const 3)) (func (export "~") (result i32) (i32.const 4)) (start $s) (func $s)
           (func $f (export "run") (param i32) (if (local.get 0) (then (call $f (i32.sub (local.get 0) (i32.const 1))))))
           (func (export "forever") (loop (br 0))))"#
    );
    for tier in TIERS {
        let mut guest = Guest::new(tier, &text);
        assert_eq!(guest.start(fuel(0)).kind(), EndKind::Returned);
        assert_eq!(guest.call("~s", &[], plenty()).values, [3]);
        assert_eq!(guest.call("~", &[], plenty()).values, [4]);
        assert_eq!(guest.call("run", &[5], plenty()).fuel(), 5 * 6 + 2);
        for index in 0..guest.artifact.module.globals.len() as u32 {
            assert_eq!(guest.instance.global(index), Some(5), "global {index} is the guest's");
            assert!(guest.instance.set_global(index, u64::MAX));
        }
        assert_eq!(guest.call("run", &[5], depth(6)).fuel(), 5 * 6 + 2, "no global of the guest counts fuel or depth");
        assert_eq!(guest.call("forever", &[], fuel(1_000)).end.fuel_used, 1_000);
    }
}

#[test]
fn imports_named_like_the_meters_reach_the_hosts_functions() {
    // The meter's imports are named by position, of a module without name.
    let text = r#"(module (import "" "0" (func $a (param i64) (result i64))) (import "" "2" (func $b (param i64) (result i64))) (import "" "1" (func $c))
        (memory 1) (func $f (export "f") (param i64) (result i64) (drop (memory.grow (i32.const 0))) (call $c) (call $b (call $a (local.get 0))))
        (func $r (export "r") (call $r)))"#;
    unsafe extern "C" fn add_one(_data: *mut c_void, _caller: *mut Caller, args: *const u64, results: *mut u64) -> u32 {
        // SAFETY: the imports have one parameter and one result.
        unsafe { *results = *args + 1 };
        0
    }
    let functions = [host(add_one, 10), host(add_one, 100), host(idle, 1_000)];
    let answer = same_in_both_linked(text, &functions, "f", &[7], plenty());
    assert_eq!((answer.values.as_slice(), answer.fuel()), (&[9][..], 3 + 1 + 3 + 1_110));
    assert_eq!(same_in_both_linked(text, &functions, "r", &[], depth(9)).fuel(), 9);
}

#[test]
fn constants_that_look_like_a_frame_being_made_are_compiled() {
    // `sub $..,%rsp`, where the compiler keeps a constant in the code.
    let bodies = [
        "(result i32) (i32.const 0x00ec8348)",
        "(param i64) (result i64) (i64.add (local.get 0) (i64.const 0xec8348))",
        "(param i32) (result i32) (i32.mul (local.get 0) (i32.const 0x12ec8148))",
        "(result f64) (f64.copysign (f64.const 1.0711116064526363) (f64.const 1.0711116064526363))",
    ];
    for body in bodies {
        let text = format!(r#"(module (func (export "f") {body}))"#);
        let args: &[u64] = if body.starts_with("(param") { &[3] } else { &[] };
        assert_eq!(same_in_both(&text, "f", args, plenty()).kind(), EndKind::Returned, "{text}");
    }
}

#[test]
fn an_index_valid_only_in_the_metered_module_is_refused() {
    // As they would be once the meter has added its globals, functions, types and locals.
    let modules = [
        r#"(module (global (mut i64) (i64.const 0)) (func (export "f") (global.set 1 (i64.const 1000000))))"#,
        r#"(module (global (mut i64) (i64.const 0)) (func (export "f") (result i64) (global.get 1)))"#,
        r#"(module (global (mut i64) (i64.const 0)) (func $f (export "f") (global.set 2 (i32.const 1)) (call $f)))"#,
        r#"(module (func (export "f") (drop (call 1 (i64.const -1)))))"#,
        r#"(module (func (export "f")) (func (call 2)) (func (call 3)))"#,
        r#"(module (type (func)) (func (export "f") (type 0) (drop (block (type 1) (i64.const 0)))))"#,
        r#"(module (func (export "f") (local.set 0 (i64.const 1))))"#,
        r#"(module (func (export "f") (drop (select (i32.const 1) (i32.const 2) (local.get 1)))))"#,
        r#"(module (func (export "f")) (export "g" (func 1)))"#,
        r#"(module (func (export "f")) (export "g" (global 0)))"#,
        r#"(module (table 1 funcref) (func) (elem (i32.const 0) 1))"#,
        r#"(module (func) (start 1))"#,
        r#"(module (func (export "f") (drop (memory.grow (i32.const 1)))))"#,
    ];
    for text in modules {
        let failure = Artifact::prepare(&wasm(text), Set::Candidate).map(|_| ()).expect_err(text);
        assert_eq!(failure.status, Status::Rejected, "{text}");
        assert!(failure.message.starts_with("the module is not valid WebAssembly"), "{text}: {}", failure.message);
    }
}

#[test]
fn a_guest_with_as_many_globals_as_it_may_have_is_still_metered() {
    let globals = "(global (mut i64) (i64.const 0))".repeat(4_096);
    let text = format!(r#"(module {globals} (func $f (export "f") (call $f)) (func (export "g") (loop (br 0))))"#);
    let wasm = padded(&wasm(&text), 64 << 10); // so many want their points
    for tier in TIERS {
        assert_eq!(Guest::from_wasm(tier, &wasm, &[]).call("f", &[], depth(50)).fuel(), 50);
        assert_eq!(Guest::from_wasm(tier, &wasm, &[]).call("g", &[], fuel(999)).kind(), EndKind::OutOfFuel);
    }
}
