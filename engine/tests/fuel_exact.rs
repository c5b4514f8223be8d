//! Hand-counted programs: both tiers use exactly the counted fuel, that much is enough, and one unit less is not. X08 X09

use std::ffi::c_void;

use crate::support::*;
use petri_engine::artifact::{CallCosts, Charging};
use petri_engine::costs::SLICE;
use petri_engine::ffi::{petri_caller_charge, petri_caller_fuel_used, petri_caller_stop};
use petri_engine::guest::{Budget, EndKind, Trap};
use petri_engine::raw::{Caller, HostFunction};

struct Program {
    text: String,
    functions: Vec<HostFunction>,
    args: Vec<u64>,
}

/// A module of `parts` and an exported function with this head and body.
fn program(parts: &str, body: &str) -> Program {
    Program { text: format!(r#"(module {parts} (func (export "f") {body}))"#), functions: Vec::new(), args: Vec::new() }
}

fn body(body: &str) -> Program {
    program("", body)
}

impl Program {
    fn with(self, arg: u64) -> Program {
        Program { args: vec![arg], ..self }
    }

    fn linked(self, function: HostFunction) -> Program {
        Program { functions: vec![function], ..self }
    }

    /// The answer of both tiers, with the meter in the code, also where many functions share a part of it, and, where
    /// the cost is known before, without it.
    fn run(&self, units: u64) -> Answer {
        let [answer, metered, shared] = [self.text.clone(), with_loops(1, &self.text), with_loops(16, &self.text)]
            .map(|text| same_in_both_linked(&text, &self.functions, "f", &self.args, fuel(units)));
        assert_eq!(answer, metered, "with the meter in its code: {}", self.text);
        assert_eq!(answer, shared, "with many functions: {}", self.text);
        answer
    }

    /// Both tiers end like this after exactly `units`, given plenty or just enough; given one less, they are out of fuel.
    fn check(&self, end: (EndKind, i32), units: u64) {
        let answer = self.run(1 << 50);
        assert_eq!(
            (answer.end.kind, answer.end.code, answer.fuel()),
            (end.0, end.1, units),
            "with plenty of fuel: {}",
            self.text
        );
        assert_eq!(self.run(units), answer, "with exactly enough fuel: {}", self.text);
        if units > 0 {
            let short = self.run(units - 1);
            assert_eq!(
                (short.kind(), short.fuel()),
                (EndKind::OutOfFuel, units - 1),
                "with one unit less: {}",
                self.text
            );
        }
    }

    fn costs(&self, units: u64) {
        self.check((EndKind::Returned, 0), units);
    }

    fn traps(&self, trap: Trap, units: u64) {
        self.check((EndKind::Trapped, trap as i32), units);
    }
}

/// The same module with functions that nobody calls, a loop in each: its calls' costs are not all known any more.
fn with_loops(functions: usize, text: &str) -> String {
    let open = text.strip_suffix(')').expect("a module ends with a parenthesis");
    format!("{open} {})", times(functions, "(func (loop))"))
}

fn times(count: usize, text: &str) -> String {
    text.repeat(count)
}

#[test]
fn each_operator_costs_one_and_structure_nothing() {
    body("").costs(0);
    body("nop nop (block nop (block)) nop").costs(0);
    body("(result i32) (i32.add (i32.const 1) (i32.const 2))").costs(3);
    body("(param i32) (result i32) (local.get 0)").with(7).costs(1);
    body("(drop (i32.const 1)) (block (drop (i32.const 2)) nop) (drop (i32.const 3))").costs(6);
    program("(global $g (mut i64) (i64.const 4))", "(global.set $g (i64.mul (global.get $g) (global.get $g)))")
        .costs(4);
    program("(memory 1)", "(i32.store (i32.const 0) (i32.load8_u (i32.const 4)))").costs(4);
    program("(memory 1)", "(result i32) memory.size").costs(1);
    program("(table 3 funcref)", "(result i32) (ref.is_null (table.get 0 (i32.const 1)))").costs(3);
    program("(table 3 funcref) (elem declare func $g) (func $g)", "(table.set 0 (i32.const 1) (ref.func $g))").costs(3);
    program("(table 3 funcref)", "(result i32) (table.size 0)").costs(1);
}

#[test]
fn the_guard_before_select_costs_nothing() {
    body("(param i32) (result i32) (select (i32.const 5) (i32.const 3) (i32.eqz (local.get 0)))").with(1).costs(5);
    body("(param i32) (result i64) (select (result i64) (i64.const 5) (i64.const 3) (local.get 0))").with(1).costs(4);
}

#[test]
fn a_cost_is_known_before_where_no_way_costs_more_than_another() {
    let known = |text: &str| match &prepare(&wasm(text)).module.charging {
        Charging::Known(costs) => Some(costs.to_vec()),
        _ => None,
    };
    let of = |costs: &[u64]| Some(costs.to_vec());
    assert_eq!(known("(module)"), of(&[]));
    assert_eq!(
        known("(module (func (param f64) (result f64) (f64.mul (local.get 0) (local.get 0))) (func))"),
        of(&[3, 0])
    );
    assert_eq!(known("(module (func (drop (select (i32.const 1) (i32.const 2) (i32.const 3)))))"), of(&[5]));
    assert_eq!(known("(module (func (drop (i32.const 1)) (return) (drop (i32.const 2))))"), of(&[3]));
    assert_eq!(known("(module (func (param i32) (if (local.get 0) (then nop))))"), of(&[2]));
    assert_eq!(known("(module (memory 1) (func (i32.store (i32.const 0) (i32.const 1))))"), of(&[3]));
    for unknown in [
        "(module (func (loop)))",
        "(module (func) (func (call 0)))",
        "(module (func (param i32) (if (local.get 0) (then (drop (i32.const 1))))))",
        "(module (func $f) (table 1 funcref) (elem (i32.const 0) $f))",
        "(module (table 1 funcref) (func (call_indirect (i32.const 0))))",
        "(module (import \"a\" \"b\" (func)) (func))",
        "(module (memory 1) (func (drop (memory.grow (i32.const 0)))))",
        "(module (memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 9))))",
    ] {
        assert_eq!(known(unknown), None, "{unknown}");
    }
}

#[test]
fn a_call_whose_cost_is_known_is_stopped_up_front_as_others_are_inside() {
    let text = r#"(module (global $g (export "g") (mut i32) (i32.const 0)) (func (export "f") (global.set $g (i32.const 7))))"#;
    let late = Budget { deadline_ns: 0, ..plenty() };
    for text in [text.to_owned(), with_loops(1, text)] {
        for tier in TIERS {
            let mut guest = Guest::new(tier, &text);
            let answer = guest.call("f", &[], late);
            assert_eq!((answer.kind(), answer.fuel()), (EndKind::Deadline, 2), "{tier:?} {text}");
            assert_eq!(guest.globals()[0], Some(0), "{tier:?} {text}");
            assert!(guest.call_export(guest.find("f"), &[], plenty()).is_err(), "it has ended");
        }
    }
}

#[test]
fn the_host_looks_up_front_where_nothing_loops_and_nobody_sees_what_a_callee_did() {
    let looked = |text: &str| match &prepare(&wasm(text)).module.charging {
        Charging::CheckedUpFront(costs) => Some(costs.to_vec()),
        _ => None,
    };
    let of = |costs: &[(u64, u64)]| {
        Some(costs.iter().map(|(first, most)| CallCosts { first: *first, most: *most }).collect())
    };
    let if_one = "(param i32) (if (local.get 0) (then (drop (i32.const 1))))";
    assert_eq!(looked(&format!("(module (func {if_one}))")), of(&[(2, 4)]));
    assert_eq!(looked(&format!("(module (memory 1) (func {if_one}) (func))")), of(&[(2, 4), (0, 0)]));
    assert_eq!(looked("(module (func (drop (i32.const 1))) (func (call 0) (call 0)))"), of(&[(2, 2), (2, 6)]));
    assert_eq!(looked("(module (func (call 1)) (func (call 2)) (func))"), of(&[(1, 2), (1, 1), (0, 0)]));
    for inside in [
        "(module (func (loop)))",
        "(module (func (call 0)))",
        "(module (func) (func (call 0)) (memory 1))",
        "(module (func) (func (call 0)) (global (mut i32) (i32.const 0)))",
        "(module (func $f) (table 1 funcref) (elem (i32.const 0) $f))",
        "(module (table 1 funcref) (func (call_indirect (i32.const 0))))",
        "(module (import \"a\" \"b\" (func)) (func (param i32) (if (local.get 0) (then (drop (i32.const 1))))))",
        "(module (memory 1) (func (drop (memory.grow (i32.const 0)))))",
    ] {
        assert_eq!(looked(inside), None, "{inside}");
    }
    // Each calls the one before it twice: sixteen of them cost more than a slice together.
    let doubling: String = (0..16).map(|callee| format!("(func (call {callee}) (call {callee}))")).collect();
    assert_eq!(looked(&format!("(module (func) {doubling})")), None);
}

/// Once and twice in a way that is not known before, on a condition that holds.
const CALLS_IN_AN_ARM: &str = r#"(module
    (func $half (param f64) (result f64) (f64.div (local.get 0) (f64.const 2)))
    (func (export "f") (param f64) (result f64)
      (if (result f64) (f64.gt (local.get 0) (f64.const 1))
        (then (call $half (call $half (local.get 0))))
        (else (local.get 0)))))"#;

#[test]
fn calls_that_the_host_looks_at_cost_the_same_over_many_slices() {
    let cost = 4 + 3 + 2 * 3;
    for tier in TIERS {
        let mut guest = Guest::new(tier, CALLS_IN_AN_ARM);
        for turn in 0..3 * SLICE as u64 / cost {
            let budget = if turn % 2 == 0 { plenty() } else { Budget { fuel: cost, ..plenty() } };
            let answer = guest.call("f", &[8f64.to_bits()], budget);
            assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, cost), "{tier:?}, call {turn}");
        }
        let answer = guest.call("f", &[8f64.to_bits()], Budget { fuel: cost - 1, ..plenty() });
        assert_eq!((answer.kind(), answer.fuel()), (EndKind::OutOfFuel, cost - 1), "{tier:?}");
    }
}

#[test]
fn a_call_that_the_host_looks_at_does_nothing_without_the_fuel_for_its_first_block() {
    let text = r#"(module (global $g (export "g") (mut i32) (i32.const 0)) (func (export "f") (param i32)
        (global.set $g (i32.const 7)) (if (local.get 0) (then (drop (i32.const 1))))))"#;
    for text in [text.to_owned(), with_loops(1, text)] {
        for (budget, end, seen) in [
            (Budget { fuel: 3, ..plenty() }, (EndKind::OutOfFuel, 3), 0),
            (Budget { fuel: 5, ..plenty() }, (EndKind::OutOfFuel, 5), 7),
            (Budget { deadline_ns: 0, ..plenty() }, (EndKind::Deadline, 4), 0),
            (plenty(), (EndKind::Returned, 6), 7),
        ] {
            for tier in TIERS {
                let mut guest = Guest::new(tier, &text);
                let answer = guest.call("f", &[1], budget);
                assert_eq!((answer.kind(), answer.fuel()), end, "{tier:?} {text}");
                assert_eq!(guest.globals()[0], Some(seen), "{tier:?} {text}");
            }
        }
    }
}

#[test]
fn only_the_branch_taken_is_paid() {
    let both =
        "(param i32) (if (local.get 0) (then (drop (i32.const 1))) (else (drop (i32.const 1)) (drop (i32.const 2))))";
    body(both).with(1).costs(2 + 2);
    body(both).with(0).costs(2 + 4);
    let one = "(param i32) (if (local.get 0) (then (drop (i32.const 1)))) (drop (i32.const 9))";
    body(one).with(1).costs(2 + 2 + 2);
    body(one).with(0).costs(2 + 2);
    let branch = "(param i32) (block (br_if 0 (local.get 0)) (drop (i32.const 1))) (drop (i32.const 2))";
    body(branch).with(1).costs(2 + 2);
    body(branch).with(0).costs(2 + 2 + 2);
    body("(block (br 0) (drop (i32.const 1)))").costs(1);
    let nested = "(param i32) (block (block (block (br_if 1 (local.get 0)) (drop (i32.const 1))) (drop (i32.const 2))) (drop (i32.const 3)))";
    body(nested).with(1).costs(2 + 2);
    body(nested).with(0).costs(2 + 2 + 2 + 2);
}

#[test]
fn a_br_table_costs_one_whichever_target_it_takes() {
    let table = "(param i32) (block $a (block $b (block $c (br_table $a $b $c (local.get 0))) (drop (i32.const 1))) (drop (i32.const 2)))";
    body(table).with(0).costs(2);
    body(table).with(1).costs(2 + 2);
    body(table).with(2).costs(2 + 2 + 2);
    body(table).with(u64::from(u32::MAX)).costs(2 + 2 + 2);
}

const TURNS: &str = "(param i32) (local i32)
    (loop $again (br_if $again (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (local.get 0))))";

#[test]
fn a_loop_costs_one_when_entered_and_its_turns_pay_through_their_branches() {
    for turns in [1, 2, 3, 1000] {
        body(TURNS).with(turns).costs(1 + 7 * turns);
    }
    body("(loop)").costs(1);
    body("(loop (loop (loop)))").costs(3);
    body("(loop (loop) (drop (i32.const 1)) (loop))").costs(5);
    // The inner loop is entered from above in each turn of the outer one: 1 + 3 x (1 + 7).
    let inner = "(param i32) (local i32) (loop $again (loop) (br_if $again (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (local.get 0))))";
    body(inner).with(3).costs(1 + 3 * 8);
    // A branch to the head of an outer loop does not enter it from above.
    let outer = "(param i32) (local i32) (loop $outer (loop (br_if $outer (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (local.get 0)))))";
    body(outer).with(3).costs(1 + 3 * 8);
}

#[test]
fn a_budget_of_many_slices_is_as_exact_as_a_small_one() {
    let turns = 2 * SLICE as u64 / 7 + 3;
    body(TURNS).with(turns).costs(1 + 7 * turns);
    for turns in SLICE as u64 / 7 - 2..SLICE as u64 / 7 + 2 {
        body(TURNS).with(turns).costs(1 + 7 * turns);
    }
}

#[test]
fn a_call_costs_one_and_what_the_callee_does() {
    program("(func $g)", "(call $g) (call $g)").costs(2);
    program("(func $g (drop (i32.const 1)))", "(call $g) (drop (i32.const 1)) (call $g)").costs(1 + 2 + 2 + 1 + 2);
    program("(table funcref (elem $g)) (func $g (drop (i32.const 1)))", "(call_indirect (i32.const 0))").costs(2 + 2);
    program("(func $g (call $h)) (func $h (call $i)) (func $i)", "(call $g)").costs(3);
}

#[test]
fn recursion_costs_no_more_than_its_calls() {
    fn counted(n: u64) -> u64 {
        if n < 2 { 5 } else { 13 + counted(n - 1) + counted(n - 2) }
    }
    let fib = "(func $fib (param i32) (result i32) (if (result i32) (i32.lt_s (local.get 0) (i32.const 2)) (then (local.get 0))
        (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1))) (call $fib (i32.sub (local.get 0) (i32.const 2)))))))";
    for n in [0, 1, 2, 10] {
        program(fib, "(param i32) (result i32) (call $fib (local.get 0))").with(n).costs(2 + counted(n));
    }
    let pair = "(func $even (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1)) (else (call $odd (i32.sub (local.get 0) (i32.const 1))))))
        (func $odd (param i32) (result i32) (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0)) (else (call $even (i32.sub (local.get 0) (i32.const 1))))))";
    program(pair, "(param i32) (result i32) (call $even (local.get 0))").with(9).costs(2 + 9 * 7 + 4);
}

#[test]
fn code_behind_a_return_or_branch_is_never_charged() {
    let early = "(param i32) (if (local.get 0) (then (return))) (drop (i32.const 1))";
    body(early).with(1).costs(3);
    body(early).with(0).costs(4);
    body("(return) (drop (i32.const 1)) (loop (br 0)) (call 0)").costs(1);
    body("(block (br 0) (block (drop (i32.const 1)) (loop (br 1)))) (drop (i32.const 1))").costs(3);
    body("(param i32) (if (local.get 0) (then (return) (drop (i32.const 1))) (else (drop (i32.const 2)))) (drop (i32.const 3))").with(0).costs(6);
    body("(result i32) (block (result i32) (return (i32.const 1)) (i32.const 2))").costs(2);
    body("(loop $l (return) (br $l))").costs(2);
    body("(param i32) (block (block (br_table 0 1 (local.get 0)) (drop (i32.const 1))) (drop (i32.const 2)))")
        .with(1)
        .costs(2);
}

#[test]
fn a_return_inside_blocks_of_a_function_that_weighs_costs_one() {
    let weighs = "(func $g (param i32) (result i32) (block (block (loop (if (i32.eqz (local.get 0)) (then (return (i32.const 7))))))) (call $g (i32.sub (local.get 0) (i32.const 1))))";
    // Per call: loop 1, local.get, eqz, if 3; then const, return 2 or local.get, const, sub, call 4.
    program(weighs, "(param i32) (result i32) (call $g (local.get 0))").with(3).costs(2 + 3 * 8 + 6);
}

#[test]
fn a_trap_has_paid_for_the_whole_of_its_block() {
    body("(drop (i32.const 1)) unreachable").traps(Trap::Unreachable, 3);
    body("unreachable (drop (i32.const 1))").traps(Trap::Unreachable, 1);
    body("(drop (i32.div_s (i32.const 1) (i32.const 0))) (drop (i32.const 7))").traps(Trap::IntegerDivideByZero, 6);
    body("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1))) (drop (i32.const 7))")
        .traps(Trap::IntegerOverflow, 6);
    body("(drop (i32.trunc_f32_s (f32.const nan))) nop").traps(Trap::BadConversionToInteger, 3);
    body("(drop (i32.trunc_f32_s (f32.const 3e9))) nop").traps(Trap::IntegerOverflow, 3);
    program("(memory 1)", "(drop (i32.load (i32.const 65533))) (drop (i32.const 1))").traps(Trap::MemoryOutOfBounds, 5);
    program("(table 1 funcref)", "(drop (table.get 0 (i32.const 1)))").traps(Trap::TableOutOfBounds, 3);
    program("(table 1 funcref)", "(call_indirect (i32.const 1)) (drop (i32.const 1))").traps(Trap::TableOutOfBounds, 4);
    program("(table 1 funcref)", "(call_indirect (i32.const 0)) (drop (i32.const 1))")
        .traps(Trap::IndirectCallToNull, 4);
    program("(table funcref (elem $g)) (func $g (param i32))", "(call_indirect (i32.const 0)) (drop (i32.const 1))")
        .traps(Trap::BadSignature, 4);
}

#[test]
fn a_trap_has_not_paid_for_the_blocks_behind_it() {
    let zero = "(drop (i32.div_s (i32.const 1) (i32.const 0)))";
    body(&format!("(drop (i32.const 1)) (block {zero}) (drop (i32.const 7))")).traps(Trap::IntegerDivideByZero, 6);
    body(&format!("(param i32) (if (local.get 0) (then {zero} (drop (i32.const 1)))) (drop (i32.const 7))"))
        .with(1)
        .traps(Trap::IntegerDivideByZero, 8);
    program("(func $g unreachable)", "(call $g) (drop (i32.const 1)) (block) (drop (i32.const 2))")
        .traps(Trap::Unreachable, 3 + 1);
}

fn types(count: usize) -> String {
    times(count, "i64 ")
}

fn pushes(count: usize) -> String {
    times(count, "(i64.const 1) ")
}

#[test]
fn more_than_sixteen_carried_values_add_a_sixteenth() {
    for (values, extra) in [(1, 0), (15, 0), (16, 0), (17, 1), (31, 1), (32, 2), (64, 4)] {
        let (types, pushes, drops) = (types(values), pushes(values), times(values, "drop "));
        let pushed = values as u64;
        body(&format!("(block (result {types}) {pushes} (br 0)) {drops}")).costs(2 * pushed + 1 + extra);
        body(&format!("(block (result {types}) {pushes} (br_if 0 (i32.const 1))) {drops}"))
            .costs(2 * pushed + 2 + extra);
        body(&format!("(block (result {types}) {pushes} (br_if 0 (i32.const 0))) {drops}"))
            .costs(2 * pushed + 2 + extra);
        body(&format!("(block (result {types}) {pushes} (br_table 0 0 (i32.const 1))) {drops}"))
            .costs(2 * pushed + 2 + extra);
        body(&format!("(result {types}) {pushes} (return)")).costs(pushed + 1 + extra);
        body(&format!("(result {types}) {pushes} (br 0)")).costs(pushed + 1 + extra);
        body(&format!("(result {types}) {pushes}")).costs(pushed);
        program(&format!("(func $g (param {types}))"), &format!("{pushes} (call $g)")).costs(pushed + 1 + extra);
        program(
            &format!("(table funcref (elem $g)) (type $t (func (param {types}))) (func $g (type $t))"),
            &format!("{pushes} (call_indirect (type $t) (i32.const 0))"),
        )
        .costs(pushed + 2 + extra);
        program(&format!("(func $g (result {types}) {pushes})"), &format!("(call $g) {drops}")).costs(1 + 2 * pushed);
        program(
            &format!("(type $t (func (param {types})))"),
            &format!("(block $out {pushes} (loop (type $t) {drops} {pushes} (br_if $out (i32.const 1)) (br 0)))"),
        )
        .costs(pushed + 1 + 2 * pushed + 2);
    }
}

/// A charge before a branch for what comes behind it is exact for whoever looks.
#[test]
fn a_charge_moved_before_a_branch_changes_no_sum() {
    let either = "(param $x i32) (if (local.get $x) (then (drop (i32.const 1))) \
                  (else (drop (i32.const 1)) (drop (i32.const 2)) (drop (i32.const 3)))) (drop (i32.const 4))";
    body(either).with(1).costs(2 + 2 + 2);
    body(either).with(0).costs(2 + 6 + 2);
    // One way traps, the other does not, and neither pays for the other or for what is behind both.
    let traps = "(param $x i32) (result i32) (if (local.get $x) (then (drop (i32.const 1))) \
                 (else (drop (i32.div_u (i32.const 1) (local.get $x))) (drop (i32.const 2)))) (i32.const 4)";
    body(traps).with(1).costs(2 + 2 + 1);
    body(traps).with(0).traps(Trap::IntegerDivideByZero, 2 + 6);
    // A block that is left early, from two levels.
    let leaves = "(param $x i32) (block $out (block $in (br_if $in (i32.eqz (local.get $x))) \
                  (br_if $out (i32.eq (local.get $x) (i32.const 1))) (drop (i32.const 1))) (drop (i32.const 2))) \
                  (drop (i32.const 3))";
    body(leaves).with(0).costs(3 + 2 + 2);
    body(leaves).with(1).costs(3 + 4 + 2);
    body(leaves).with(2).costs(3 + 4 + 2 + 2 + 2);
    // A return from one arm.
    let returns = "(param $x i32) (if (local.get $x) (then (return))) (drop (i32.const 3))";
    body(returns).with(1).costs(2 + 1);
    body(returns).with(0).costs(2 + 2);
    // Behind a branch something traps: what came before it in the same block is paid once.
    let behind = "(param $x i32) (if (local.get $x) (then (drop (i32.const 1)))) \
                  (drop (i32.const 2)) (unreachable)";
    body(behind).with(1).traps(Trap::Unreachable, 2 + 2 + 2 + 1);
    body(behind).with(0).traps(Trap::Unreachable, 2 + 2 + 1);
    // And in a loop.
    let turns = "(param $x i32) (loop $again (if (i32.and (local.get $x) (i32.const 1)) (then (drop (i32.const 1))) \
                 (else (drop (i32.const 1)) (drop (i32.const 2)))) \
                 (br_if $again (local.tee $x (i32.sub (local.get $x) (i32.const 1)))))";
    body(turns).with(4).costs(1 + 4 * (4 + 5) + 2 * 2 + 2 * 4);
}

/// A function with a loop keeps its counter in a local: whoever looks from outside finds it up to date all the same.
#[test]
fn a_loop_has_paid_exactly_wherever_it_is_left() {
    // Two operators set the turns, one enters; a turn is six, and one more in the last.
    let turns = |last: &str| {
        format!(
            "(local $left i32) (local.set $left (i32.const 5)) (loop $again \
             (if (i32.eqz (local.tee $left (i32.sub (local.get $left) (i32.const 1)))) (then {last})) (br $again))"
        )
    };
    body(&turns("(return)")).costs(3 + 5 * 7 - 1 + 1);
    body(&turns("(unreachable)")).traps(Trap::Unreachable, 3 + 5 * 7 - 1 + 1);
    body(&turns("(drop (i32.div_u (i32.const 1) (local.get $left))) nop"))
        .traps(Trap::IntegerDivideByZero, 3 + 5 * 7 - 1 + 4);
    program("(memory 1)", &turns("(drop (i32.load (i32.const -1))) (drop (i32.const 1))"))
        .traps(Trap::MemoryOutOfBounds, 3 + 5 * 7 - 1 + 5);
    // The charge of a callee is not forgotten.
    program(
        "(func $g (drop (i32.const 1)))",
        "(local $left i32) (local.set $left (i32.const 5)) (loop $again (call $g) (drop (i32.const 1)) \
         (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))",
    )
    .costs(3 + 5 * (1 + 2 + 2 + 5));
    program(
        "(table 1 funcref) (elem (i32.const 0) $g) (func $g (drop (i32.const 1)))",
        "(local $left i32) (local.set $left (i32.const 5)) (loop $again (call_indirect (i32.const 0)) \
         (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))",
    )
    .costs(3 + 5 * (2 + 2 + 5));
    // A loop in which nothing looks, and then something that does.
    program(
        "(memory 1)",
        "(local $left i32) (local.set $left (i32.const 100000)) (loop $again \
         (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1))))) (drop (i32.load (i32.const -1)))",
    )
    .traps(Trap::MemoryOutOfBounds, 3 + 100_000 * 5 + 3);
}

/// An entry is not looked at where the head of a loop is before anything is done that could be seen.
#[test]
fn an_entry_before_a_loop_does_nothing_that_its_fuel_does_not_cover() {
    let turn = "(br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1))))";
    let turns =
        |before: &str| format!("(local $left i32) (local.set $left (i32.const 5)) {before} (loop $again {turn})");
    body(&turns("")).costs(3 + 5 * 5);
    body(&turns("(block (drop (f64.const 1)))")).costs(3 + 2 + 5 * 5);
    body(&format!("(param $left i32) (block (loop $around (loop $again {turn})))")).with(4).costs(2 + 4 * 5);
    let sets = format!(
        r#"(module (global $g (export "g") (mut i32) (i32.const 0)) (func (export "f") {}))"#,
        turns("(global.set $g (i32.const 7))")
    );
    for tier in TIERS {
        for (units, left) in [(4, 0), (5, 7)] {
            let mut guest = Guest::new(tier, &sets);
            assert_eq!(guest.call("f", &[], fuel(units)).kind(), EndKind::OutOfFuel, "{tier:?}");
            assert_eq!(guest.globals()[0], Some(left), "{tier:?} given {units}");
        }
    }
}

#[test]
fn a_branch_back_to_a_loop_carries_its_parameters() {
    let loops = |values: usize| {
        let (types, pushes, drops) = (types(values), pushes(values), times(values, "drop "));
        program(
            &format!("(type $t (func (param {types})))"),
            &format!(
                "(local i32) {pushes} (loop (type $t) {drops} (if (i32.eqz (local.get 0)) (then (local.set 0 (i32.const 1)) {pushes} (br 1))))"
            ),
        )
    };
    // Pushed and dropped twice; loop 1; twice local.get, eqz, if; const, local.set, br 3.
    loops(16).costs(4 * 16 + 1 + 6 + 3);
    loops(17).costs(4 * 17 + 1 + 6 + 3 + 1);
}

#[test]
fn entering_a_function_costs_a_sixteenth_of_its_declared_locals() {
    for (locals, cost) in [(15, 0), (16, 1), (31, 1), (32, 2), (47, 2), (160, 10), (2048, 128)] {
        body(&format!("(local {})", types(locals))).costs(cost);
        program(&format!("(func $g (local {}))", types(locals)), "(call $g)").costs(1 + cost);
    }
    body(&format!("(param {}) (local {})", "i32", types(15))).with(1).costs(0);
    program(&format!("(func $g (param {}) (local {}))", types(16), types(15)), &format!("{} (call $g)", pushes(16)))
        .costs(17);
}

#[test]
fn bulk_operations_on_memory_pay_a_64th_of_their_bytes() {
    let parts = format!("(memory 1) (data $d \"{}\")", "x".repeat(300));
    for length in [0u64, 1, 63, 64, 127, 128, 300] {
        program(&parts, &format!("(memory.fill (i32.const 0) (i32.const 1) (i32.const {length}))"))
            .costs(4 + length / 64);
        program(&parts, &format!("(memory.copy (i32.const 0) (i32.const 9) (i32.const {length}))"))
            .costs(4 + length / 64);
        program(&parts, &format!("(memory.init $d (i32.const 0) (i32.const 0) (i32.const {length}))"))
            .costs(4 + length / 64);
    }
    program(&parts, "(memory.fill (i32.const 0) (i32.const 1) (i32.const 65536))").costs(4 + 1024);
    program(&parts, "(data.drop $d) (data.drop $d)").costs(2);
}

#[test]
fn bulk_operations_that_trap_have_paid_for_their_length() {
    let all = u64::from(u32::MAX);
    for (operator, before) in [("memory.fill", ""), ("memory.copy", ""), ("memory.init", "$d")] {
        let text = format!("({operator} {before} (i32.const 0) (i32.const 0) (i32.const -1)) (drop (i32.const 1))");
        program("(memory 1) (data $d \"x\")", &text).traps(Trap::MemoryOutOfBounds, 6 + all / 64);
    }
    let parts = "(table $t 4 funcref) (elem $e func) ";
    program(parts, "(table.fill $t (i32.const 0) (ref.null func) (i32.const -1))")
        .traps(Trap::TableOutOfBounds, 4 + all / 8);
    program(parts, "(table.copy $t $t (i32.const 0) (i32.const 0) (i32.const -1))")
        .traps(Trap::TableOutOfBounds, 4 + all / 8);
    program(parts, "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const -1))")
        .traps(Trap::TableOutOfBounds, 4 + all / 8);
}

#[test]
fn an_operation_that_cannot_be_paid_does_not_happen() {
    let text = r#"(module (memory (export "m") 1) (func (export "f") (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536))))"#;
    for tier in TIERS {
        let mut guest = Guest::new(tier, text);
        assert_eq!(guest.call("f", &[], fuel(4 + 1023)).kind(), EndKind::OutOfFuel);
        assert!(guest.memory().iter().all(|byte| *byte == 0));
    }
}

#[test]
fn operations_on_tables_pay_an_eighth_of_their_elements() {
    let parts = format!("(table $t 100 funcref) (func $g) (elem $e func {})", times(64, "$g "));
    for length in [0u64, 1, 7, 8, 15, 16, 64] {
        program(&parts, &format!("(table.fill $t (i32.const 0) (ref.func $g) (i32.const {length}))"))
            .costs(4 + length / 8);
        program(&parts, &format!("(table.copy $t $t (i32.const 0) (i32.const 9) (i32.const {length}))"))
            .costs(4 + length / 8);
        program(&parts, &format!("(table.init $t $e (i32.const 0) (i32.const 0) (i32.const {length}))"))
            .costs(4 + length / 8);
        program(&parts, &format!("(drop (table.grow $t (ref.null func) (i32.const {length})))")).costs(4 + length / 8);
    }
    program("(table $t 1 4 funcref)", "(drop (table.grow $t (ref.null func) (i32.const 800)))").costs(4 + 100);
    program(&parts, "(elem.drop $e) (elem.drop $e)").costs(2);
}

#[test]
fn growth_pays_for_each_page_asked_for_granted_or_refused() {
    for pages in [0u64, 1, 2, 10] {
        program("(memory 1)", &format!("(drop (memory.grow (i32.const {pages})))")).costs(3 + 64 * pages);
    }
    program("(memory 1 4)", "(result i32) (memory.grow (i32.const 4))").costs(2 + 4 * 64);
    program("(memory 1)", "(result i32) (memory.grow (i32.const -1))").costs(2 + 64 * u64::from(u32::MAX));
    let refused = program("(memory 1 4)", "(result i32) (memory.grow (i32.const 4))").run(1 << 40);
    assert_eq!(refused.values, [u64::from(u32::MAX)]);
}

#[test]
fn a_start_function_is_paid_by_its_call() {
    let text = "(module (global $g (mut i32) (i32.const 1)) (start $s) (func $s (local i32) (global.set $g (i32.const 5)) (loop (br_if 0 (i32.const 0)))))";
    for tier in TIERS {
        let answer = Guest::new(tier, text).start(plenty());
        assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, 5));
        assert_eq!(Guest::new(tier, text).start(fuel(5)).kind(), EndKind::Returned);
        let short = Guest::new(tier, text).start(fuel(4));
        assert_eq!((short.kind(), short.fuel()), (EndKind::OutOfFuel, 4));
    }
}

#[test]
fn initial_values_and_active_segments_are_free() {
    let parts = format!(
        "(memory 1) (data (i32.const 0) \"{}\") (table 200 funcref) (func $g) (elem (i32.const 0) {}) (global i64 (i64.add (i64.const 1) (i64.const 2)))",
        "x".repeat(1000),
        times(100, "$g ")
    );
    program(&parts, "").costs(0);
}

#[test]
fn a_host_function_costs_what_it_declares() {
    let import = r#"(import "h" "f" (func $h))"#;
    for declared in [0, 1, 50, 1_000_000] {
        program(import, "(call $h) (drop (i32.const 1))").linked(host(idle, declared)).costs(3 + u64::from(declared));
    }
    let sin = intrinsic("sin");
    program(r#"(import "math" "sin" (func $h (param f64) (result f64)))"#, "(drop (call $h (f64.const 1)))")
        .linked(sin)
        .costs(3 + u64::from(sin.fuel));
    let table = format!("{import} (table funcref (elem $h))");
    program(&table, "(call_indirect (i32.const 0))").linked(host(idle, 9)).costs(2 + 9);
}

/// Answers the fuel used so far.
unsafe extern "C" fn used(_data: *mut c_void, caller: *mut Caller, _args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: the import has one result, and the caller is the one that was passed.
    unsafe { *results = petri_caller_fuel_used(caller) };
    0
}

/// Charges its argument.
unsafe extern "C" fn charge(_data: *mut c_void, caller: *mut Caller, args: *const u64, _results: *mut u64) -> u32 {
    // SAFETY: the import has one parameter.
    unsafe { petri_caller_charge(caller, *args) }
}

/// Ends the guest with code 7.
unsafe extern "C" fn exit(_data: *mut c_void, caller: *mut Caller, _args: *const u64, _results: *mut u64) -> u32 {
    // SAFETY: the caller is the one that was passed.
    unsafe { petri_caller_stop(caller, EndKind::Exited as u32, 7) };
    1
}

#[test]
fn a_host_function_sees_the_fuel_of_the_block_it_is_called_in() {
    let seen = program(
        r#"(import "h" "used" (func $h (result i64)))"#,
        "(result i64) (drop (i32.const 1)) (call $h) (drop (i32.const 2))",
    )
    .linked(host(used, 10));
    seen.costs(5 + 10);
    assert_eq!(seen.run(1000).values, [15]);
}

#[test]
fn what_a_host_function_charges_counts_like_the_rest() {
    for more in [0, 1, 100, SLICE as u64 * 3] {
        let charging = program(
            r#"(import "h" "charge" (func $h (param i64)))"#,
            "(param i64) (call $h (local.get 0)) (drop (i32.const 1))",
        );
        charging.linked(host(charge, 2)).with(more).costs(4 + 2 + more);
    }
}

#[test]
fn an_exit_has_paid_for_its_block_and_leaves_the_instance_whole() {
    let text = r#"(module (import "h" "exit" (func $exit)) (func (export "f") (call $exit) (drop (i32.const 1))) (func (export "g") (drop (i32.const 1)))
        (func $deep (export "deep") (param i32) (if (i32.eqz (local.get 0)) (then (call $exit))) (call $deep (i32.sub (local.get 0) (i32.const 1)))))"#;
    for tier in TIERS {
        let mut guest = Guest::linked(tier, text, &[host(exit, 5)]);
        let answer = guest.call("f", &[], plenty());
        assert_eq!((answer.kind(), answer.end.code, answer.fuel()), (EndKind::Exited, 7, 8));
        assert_eq!(guest.call("f", &[], fuel(8)).kind(), EndKind::Exited);
        assert_eq!(guest.call("deep", &[1000], plenty()).kind(), EndKind::Exited);
        assert_eq!(
            guest.call("deep", &[1000], plenty()).kind(),
            EndKind::Exited,
            "the depth of the exited call is not kept"
        );
        assert_eq!(guest.call("g", &[], plenty()).fuel(), 2);
        assert_eq!(guest.call("f", &[], fuel(7)).kind(), EndKind::OutOfFuel);
    }
}

#[test]
fn calls_of_one_instance_cost_the_same_whatever_came_before() {
    let text = format!(r#"(module (func (export "f") {TURNS}))"#);
    for tier in TIERS {
        let mut guest = Guest::new(tier, &text);
        for (turns, limit) in [
            (5_000, 1 << 40),
            (1, 8),
            (9_000, 1 << 62),
            (3, 22),
            (20_000, 140_001),
            (4_681, 32_768),
            (1, 9),
            (2, 1 << 40),
        ] {
            let answer = guest.call("f", &[turns], fuel(limit));
            assert_eq!((answer.kind(), answer.fuel()), (EndKind::Returned, 1 + 7 * turns), "{tier:?} {turns} {limit}");
        }
        let short = guest.call("f", &[3], fuel(21));
        assert_eq!((short.kind(), short.fuel()), (EndKind::OutOfFuel, 21));
    }
}

/// A little of everything; 1 + 6 x 30-odd units.
const MIXED: &str = r#"(module (import "h" "f" (func $h (param i64))) (memory 1) (table funcref (elem $leaf)) (func $leaf (local i64 i64) (drop (i32.const 1)))
    (func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))
    (func (export "f") (local i32) (loop $again
        (memory.fill (i32.const 0) (local.get 0) (i32.const 200)) (call_indirect (i32.const 0)) (call $deep (i32.const 3))
        (block (br_if 0 (i32.and (local.get 0) (i32.const 1))) (call $h (i64.const 11))) (drop (memory.grow (i32.const 0)))
        (br_if $again (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 6))))))"#;

#[test]
fn every_limit_below_the_need_is_used_up_and_every_other_is_enough() {
    // A14
    let functions = [host(charge, 3)];
    let whole = same_in_both_linked(MIXED, &functions, "f", &[], plenty());
    let round = 4 + 3 + 2 + 2 + 2 + 3 * 6 + 2 + 4 + 2 + 1 + 7;
    assert_eq!((whole.kind(), whole.fuel()), (EndKind::Returned, 1 + 6 * round + 3 * (2 + 3 + 11)));
    let bytes = wasm(MIXED);
    for tier in TIERS {
        let artifact = prepare(&bytes);
        let code = petri_engine::code::Code::load(artifact.clone(), tier, &functions)
            .map_err(|failure| failure.message)
            .expect("it loads");
        for limit in 0..whole.fuel() + 2 {
            let instance = code
                .instantiate(petri_engine::raw::Host::none(), ROOMY)
                .map_err(|failure| failure.message)
                .expect("it is made")
                .expect("it fits");
            let answer = Guest { artifact: artifact.clone(), instance }.call("f", &[], fuel(limit));
            let expected =
                if limit < whole.fuel() { (EndKind::OutOfFuel, limit) } else { (EndKind::Returned, whole.fuel()) };
            assert_eq!((answer.kind(), answer.fuel()), expected, "{tier:?} with {limit}");
        }
    }
}

#[test]
fn an_endless_guest_ends_after_the_same_round_in_both_tiers() {
    // A01 A02 A06
    let text = r#"(module (func $empty) (global $n (export "n") (mut i64) (i64.const 0))
        (func (export "count") (loop (global.set $n (i64.add (global.get $n) (i64.const 1))) (br 0)))
        (func (export "call") (loop (call $empty) (global.set $n (i64.add (global.get $n) (i64.const 1))) (br 0)))
        (func $fib (export "fib") (param i64) (result i64) (global.set $n (i64.add (global.get $n) (i64.const 1)))
            (if (result i64) (i64.lt_u (local.get 0) (i64.const 2)) (then (local.get 0))
            (else (i64.add (call $fib (i64.sub (local.get 0) (i64.const 1))) (call $fib (i64.sub (local.get 0) (i64.const 2))))))))"#;
    for (name, args) in [("count", &[][..]), ("call", &[]), ("fib", &[60])] {
        for limit in [9_999, 100_000, 1_000_001] {
            let rounds = TIERS.map(|tier| {
                let mut guest = Guest::new(tier, text);
                let answer = guest.call(name, args, fuel(limit));
                assert_eq!((answer.kind(), answer.fuel()), (EndKind::OutOfFuel, limit));
                guest.instance.global(0)
            });
            assert!(rounds[0].is_some());
            assert_eq!(rounds[0], rounds[1], "{name} with {limit}");
        }
    }
}

#[test]
fn denormal_numbers_cost_what_others_do() {
    // A12
    let text = r#"(module (func (export "f") (param f64) (result f64) (local i32)
        (loop (local.set 0 (f64.mul (local.get 0) (f64.const 0.999))) (br_if 0 (i32.lt_u (local.tee 1 (i32.add (local.get 1) (i32.const 1))) (i32.const 1000))))
        (local.get 0)))"#;
    let fuel = |number: f64| same_in_both(text, "f", &[number.to_bits()], plenty()).fuel();
    assert_eq!(fuel(1e-310), fuel(1.0));
}
