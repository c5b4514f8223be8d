//! Modules made to be expensive before they run: what native recursion, products of two bounded things and refusing would
//! cost. hostile C01, hostile C04, hostile C05, hostile C06

use std::time::Duration;

use crate::support::*;
use petri_engine::artifact::Artifact;
use petri_engine::bounds::{self, Set};
use petri_engine::code::Code;
use petri_engine::failure::Status;

/// Far more processor time than any of these takes, and far less than they took.
const SOON: Duration = Duration::from_secs(2);

fn soon<T>(act: impl FnOnce() -> T) -> T {
    let start = heavy::thread_time();
    let result = act();
    let took = heavy::thread_time() - start;
    assert!(took < SOON, "took {took:?}");
    result
}

fn rejected_soon(wasm: &[u8]) -> String {
    let failure = soon(|| refusal(wasm));
    assert_eq!(failure.status, Status::Rejected, "{}", failure.message);
    failure.message
}

fn loads_in_both(wasm: &[u8]) {
    let artifact = prepare(wasm);
    for tier in TIERS {
        let code = Code::load(artifact.clone(), tier, &[]).unwrap_or_else(|failure| panic!("{}", failure.message));
        let made = code.instantiate(petri_engine::raw::Host::none(), ROOMY);
        assert!(matches!(made, Ok(Ok(_))), "{tier:?}");
    }
}

// ---- constant expressions ---------------------------------------------------------------------------------

/// `i32.const 0` and as many additions as make it `operators` long, with the final `end`.
fn sum(operators: u64) -> Vec<u8> {
    let additions = [0x41, 0, 0x6a].repeat((operators as usize - 1) / 2);
    [&[0x41, 0][..], &additions, &[0x0b]].concat()
}

/// Modules with this constant expression in each place where one can stand.
fn with_constant(expression: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let table = section(4, &[1, 0x70, 0, 4]);
    let memory = section(5, &[1, 0, 1]);
    vec![
        ("a global", module(&[section(6, &[&[1, 0x7f, 0][..], expression].concat())])),
        ("a mutable global", module(&[section(6, &[&[1, 0x7f, 1][..], expression].concat())])),
        ("a data offset", module(&[memory.clone(), section(11, &[&[1, 0][..], expression, &[0]].concat())])),
        (
            "a data offset that names its memory",
            module(&[memory, section(11, &[&[1, 2, 0][..], expression, &[0]].concat())]),
        ),
        ("an element offset", module(&[table.clone(), section(9, &[&[1, 0][..], expression, &[0]].concat())])),
        (
            "an element offset that names its table",
            module(&[table, section(9, &[&[1, 6, 0][..], expression, &[0x70, 0]].concat())]),
        ),
    ]
}

#[test]
fn a_constant_expression_may_not_be_as_long_as_a_native_stack_is_deep() {
    for (place, wasm) in with_constant(&sum(360_001)) {
        let message = rejected_soon(&wasm);
        assert!(message.starts_with("the module exceeds the bound constant_operators: "), "{place}: {message}");
    }
}

#[test]
fn a_constant_expression_may_be_as_long_as_its_bound_in_both_tiers() {
    let most = bounds::constant_operators.candidate; // an odd number: a constant, and two operators for each addition
    for (_, wasm) in with_constant(&sum(most)) {
        loads_in_both(&wasm);
    }
    for (place, wasm) in with_constant(&sum(most + 2)) {
        assert!(rejected_soon(&wasm).contains("constant_operators"), "{place}");
    }
}

#[test]
fn an_initial_value_of_a_table_is_refused_however_long() {
    let table = section(4, &[&[1, 0x40, 0, 0x70, 0, 1][..], &[0xd0, 0x70].repeat(1_000), &[0x0b]].concat());
    assert!(rejected_soon(&module(&[table])).contains("typed function references"));
}

// ---- refusing ---------------------------------------------------------------------------------------------

fn body(code: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    leb(&mut body, code.len() as u64 + 2);
    [&body[..], &[0], code, &[0x0b]].concat()
}

fn functions(types: &[u8], declared: &[u8], bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut code = Vec::new();
    leb(&mut code, bodies.len() as u64);
    code.extend(bodies.concat());
    module(&[section(1, types), section(3, declared), section(10, &code)])
}

/// A type of so many values in and out, as the section has it.
fn type_of(values: u64) -> Vec<u8> {
    let mut list = Vec::new();
    leb(&mut list, values);
    list.extend(vec![0x7f; values as usize]);
    [&[0x60][..], &list, &list].concat()
}

#[test]
fn a_module_is_refused_soon_whatever_it_would_take_to_validate() {
    // A proposal in the first type, and blocks that carry a thousand values each.
    let types = [&[2, 0x60, 1, 0x7b, 0][..], &type_of(1_000)].concat();
    let code = [&[0x41, 0].repeat(1_000)[..], &[0x02, 1, 0x0b].repeat(80_000), &[0x0f]].concat();
    assert_eq!(
        rejected_soon(&functions(&types, &[1, 0], &[body(&code)])),
        "the module uses SIMD, which petri does not accept"
    );
}

#[test]
fn values_are_counted_before_they_are_looked_at() {
    let types = [&[2, 0x60, 0, 0][..], &type_of(64)].concat();
    let live = [&[0x41, 0].repeat(64)[..], &[0x02, 1, 0x0b].repeat(20_000), &[0x00]].concat();
    let dead = [&[0x00][..], &[0x02, 1, 0x0b, 0x00].repeat(15_000)].concat();
    for code in [live, dead] {
        let message = rejected_soon(&functions(&types, &[1, 0], &[body(&code)]));
        assert!(message.contains("of them for calls, and values carried by calls and branches"), "{message}");
    }
}

#[test]
fn blocks_may_not_be_deep_where_nothing_is_reached_either() {
    let code = [&[0x00][..], &[0x02, 0x40].repeat(20_000), &[0x0b].repeat(20_000)].concat();
    let message = rejected_soon(&functions(&[1, 0x60, 0, 0], &[1, 0], &[body(&code)]));
    assert!(message.starts_with("the module exceeds the bound nesting: "), "{message}");
}

#[test]
fn what_is_wrong_before_a_proposal_is_used_is_reported() {
    // The first function lacks its value; the second has an operator on vectors.
    let vector = [&[0xfd, 0x0c][..], &[0; 16], &[0x1a]].concat();
    let types = [2, 0x60, 0, 1, 0x7f, 0x60, 0, 0];
    let message = rejected_soon(&functions(&types, &[2, 0, 1], &[body(&[]), body(&vector)]));
    assert!(message.starts_with("the module is not valid WebAssembly: "), "{message}");
    let message = rejected_soon(&functions(&types, &[2, 1, 0], &[body(&vector), body(&[])]));
    assert_eq!(message, "the module uses SIMD, which petri does not accept");
}

// ---- products of two bounded things -----------------------------------------------------------------------

#[test]
fn targets_of_a_branch_are_weighed_with_the_locals() {
    for (locals, targets) in [(500, 8_000), (2_000, 2_000)] {
        let mut table = vec![0x02, 0x40, 0x20, 0, 0x0e];
        leb(&mut table, targets);
        table.extend(vec![0; targets as usize + 1]);
        table.push(0x0b);
        let mut code = vec![1];
        leb(&mut code, locals);
        code.push(0x7f);
        code.extend(table);
        code.push(0x0b);
        let mut body = Vec::new();
        leb(&mut body, code.len() as u64);
        body.extend(code);
        let message = rejected_soon(&functions(&[1, 0x60, 0, 0], &[1, 0], &[body]));
        assert!(message.contains("of them for locals alive in many blocks"), "{message}");
    }
}

/// A block that is left from many places, with locals set between them and all used behind it.
fn left_from(places: u64, locals: u64) -> String {
    let step = |index: u64| {
        format!(
            "(br_if 0 (local.get 0)) (local.set {} (i32.add (local.get 0) (i32.const {index})))",
            1 + index % locals
        )
    };
    let steps: String = (0..places).map(step).collect();
    let uses: String = (1..=locals).map(|local| format!("(local.get {local}) i32.xor ")).collect();
    format!(
        r#"(module (func (export "f") (param i32) (result i32) (local {}) (block {steps}) (local.get 0) {uses}))"#,
        "i32 ".repeat(locals as usize)
    )
}

#[test]
fn branches_to_one_place_are_weighed_with_the_locals_set_before_them() {
    for (places, locals) in [(800, 100), (800, 400), (3_000, 100)] {
        let message = rejected_soon(&wasm(&left_from(places, locals)));
        assert!(message.contains("of them for locals that are set before branches to one place"), "{message}");
    }
    loads_in_both(&wasm(&left_from(40, 40)));
}

/// Half of it globals that the host reaches one by one, and half copies that the meter splits: each passes alone.
#[test]
fn globals_are_weighed_together_with_code() {
    let with = |globals: usize, copies: usize| {
        let globals = "(global (mut i64) (i64.const 0))".repeat(globals);
        let copies = "(memory.copy (local.get 0) (local.get 0) (local.get 0))".repeat(copies);
        wasm(&format!("(module (memory 1) {globals} (func (param i32) {copies}))"))
    };
    loads_in_both(&with(1_600, 0));
    loads_in_both(&with(0, 350));
    let both = with(1_600, 350);
    let (bytes, allowed) = (both.len(), both.len() as u64 + bounds::load_points.candidate);
    let copies = 6 * (2 + 9 * 350);
    let points = 12 * 1_600 + copies + 48 + 64 + 2; // the function, its type and its parameter
    assert_eq!(
        rejected_soon(&both),
        format!(
            "the module exceeds the bound load_points: {points} points in {bytes} bytes where {allowed} is the most, \
             {copies} of them for basic blocks and expensive operators ({})",
            bounds::load_points.what
        )
    );
}

#[test]
fn many_functions_of_many_types_are_prepared_soon() {
    // Each function weighs on the call depth, because its address is taken, and gives several results.
    let (types, count) = (2_000u64, 20_000u64);
    let mut list = Vec::new();
    leb(&mut list, types);
    for index in 0..types {
        let digits: Vec<u8> = (0..6).map(|digit| 0x7c + (index >> (2 * digit) & 3) as u8).collect();
        list.extend([&[0x60, 0, 6][..], &digits].concat());
    }
    let (mut declared, mut elements) = (Vec::new(), vec![1, 1, 0]);
    leb(&mut declared, count);
    leb(&mut elements, count);
    for index in 0..count {
        leb(&mut declared, index % types);
        leb(&mut elements, index);
    }
    let mut code = Vec::new();
    leb(&mut code, count);
    code.extend([3, 0, 0, 0x0b].repeat(count as usize));
    let wasm = module(&[section(1, &list), section(3, &declared), section(9, &elements), section(10, &code)]);
    let wasm = padded(&wasm, 8 << 20);
    assert!(soon(|| Artifact::prepare(&wasm, Set::Candidate)).is_ok());
}

#[test]
fn exports_that_begin_like_the_hidden_ones_cost_nothing() {
    let mut exports = Vec::new();
    leb(&mut exports, 4_000);
    for index in 0..4_000usize {
        let name = format!("{}{index}", "~".repeat(1 + index % 1_000));
        leb(&mut exports, name.len() as u64);
        exports.extend(name.as_bytes());
        exports.extend([0, 0]);
    }
    let wasm = module(&[
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(7, &exports),
        section(10, &[1, 2, 0, 0x0b]),
    ]);
    soon(|| loads_in_both(&wasm));
}
