//! Fuel table 1: what each act of a guest costs. A change here is a new version, because receipts bind it.

use wasmparser::Operator;

pub const VERSION: u32 = 1;

/// How much of its budget a guest is given at a time. Between two slices nothing is looked at, so this bounds how late
/// a deadline can be; refilling costs some tens of nanoseconds.
pub const SLICE: i64 = 32_768;

/// Fuel a single call may be given at most; keeps every sum within 63 bits.
pub const FUEL_MAX: u64 = 1 << 62;

pub const BYTES_SHIFT: u8 = 6; // bulk operations on memory: a 64th of their bytes
pub const ELEMENTS_SHIFT: u8 = 3; // bulk operations on tables: an eighth of their elements
pub const PAGE_SHIFT: u8 = 6; // growing memory: 64 per page asked for

/// One for each operator that is executed, nothing for mere structure.
pub fn operator(operator: &Operator) -> u64 {
    match operator {
        Operator::Block { .. } | Operator::Else | Operator::End | Operator::Nop => 0,
        _ => 1,
    }
}

/// The cost of entering a function beyond the call: its declared locals have to be cleared.
pub fn entry(locals: u32) -> u64 {
    u64::from(locals / 16)
}

/// The cost that a branch, call or return adds for the values it carries.
pub fn carried(values: usize) -> u64 {
    if values > 16 { values as u64 / 16 } else { 0 }
}

/// The part of the call depth that a function on a cycle, or reachable through a table, takes while it is on the stack.
pub fn weight(locals: u32) -> u32 {
    1 + locals / 64
}

/// The table as people read it.
pub const RULES: &[(&str, &str)] = &[
    ("each operator executed", "1"),
    ("`loop`, each time it is entered from above", "1"),
    ("`block`, `else`, `end`, `nop`", "0"),
    ("entering a function", "a 16th of its declared locals"),
    (
        "a branch, call or return that carries more than 16 values",
        "a 16th of them more (a call: its parameters; a `br_if`: taken or not)",
    ),
    ("`memory.fill`, `memory.copy`, `memory.init`", "a 64th of the bytes more, before the act"),
    ("`table.fill`, `table.copy`, `table.init`, `table.grow`", "an 8th of the elements more, before the act"),
    ("`memory.grow`", "64 more for each page asked for, granted or refused"),
    ("a host function", "what it declares more"),
    ("initial values, active segments, dead code", "0"),
];
