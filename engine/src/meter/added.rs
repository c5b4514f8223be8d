//! The additions of the meter to a module: their positions, and the names under which the host finds them.

use crate::artifact::{Declarations, Module};
use crate::prepare::Analysis;

/// Positions of what the meter adds, shared with the engines.
pub struct Added {
    pub refill: Option<u32>,
    pub overflow: Option<u32>,
    pub grow: Option<u32>,
    pub fill: Option<u32>,
    /// How many functions stand between the guest's imports and its own functions.
    pub functions: u32,
    pub fuel: Option<u32>,
    pub depth: Option<u32>,
    /// The function behind all others that calls `refill` for them, with the counter in its global before and after.
    pub next_slice: Option<u32>,
}

/// A module of so many functions calls `refill` in one place. A call of its own function takes the compiler less than one of an
/// import, and the stores around it are left out; smaller modules would take longer to load for one function more.
pub(super) const SHARED_REFILL_MIN: usize = 8;

impl Added {
    pub fn new(analysis: &Analysis) -> Added {
        let first = analysis.module.imported_functions;
        let Module { weighs, grows, fills, .. } = analysis.module;
        let globals = analysis.module.globals.len() as u32;
        let (counts, looks) = (analysis.module.counts(), analysis.module.looks());
        let mut next = first;
        let mut position = |needed: bool| {
            next += u32::from(needed);
            needed.then(|| next - 1)
        };
        // In the order of `Service`.
        let (refill, overflow, grow, fill) = (position(looks), position(weighs), position(grows), position(fills));
        let functions = next - first;
        let shares = looks && analysis.plans.len() >= SHARED_REFILL_MIN;
        Added {
            refill,
            overflow,
            grow,
            fill,
            functions,
            fuel: counts.then_some(globals),
            depth: weighs.then_some(globals + 1),
            next_slice: shares.then_some(first + functions + analysis.plans.len() as u32),
        }
    }
}

/// The common start of the hidden exports: no export of the guest starts like it. It is short whatever the guest's are
/// called, because there is a hidden export for each global that can change.
pub fn hidden_prefix(declared: &Declarations, wasm: &[u8]) -> String {
    let names = declared.exports.iter().map(|export| &wasm[export.name.clone()]);
    let marked: Vec<&[u8]> = names.filter_map(|name| name.strip_prefix(b"~")).collect();
    if marked.is_empty() {
        return "~".into();
    }
    // Each name takes one number at most.
    let mut taken = vec![false; marked.len() + 1];
    for name in marked {
        let digits = name.split(|byte| *byte == b'~').next().and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| digits.parse::<usize>().ok());
        if let Some(slot) = number.and_then(|number| taken.get_mut(number)) {
            *slot = true;
        }
    }
    let free = taken.iter().position(|taken| !taken).expect("there are more numbers than names");
    format!("~{free}~")
}

pub const FUEL: &str = "f";
pub const DEPTH: &str = "d";
pub const START: &str = "s";
pub const MEMORY: &str = "m";
pub const GLOBAL: &str = "g";
pub const TABLE: &str = "t";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{Export, Extern};

    fn prefix(names: impl IntoIterator<Item = String>) -> String {
        let (mut declared, mut wasm) = (Declarations::default(), Vec::new());
        for name in names {
            let start = wasm.len();
            wasm.extend(name.bytes());
            declared.exports.push(Export { name: start..wasm.len(), kind: Extern::Function, index: 0 });
        }
        hidden_prefix(&declared, &wasm)
    }

    #[test]
    fn hidden_names_are_short_whatever_the_guests_are_called() {
        assert_eq!(prefix([]), "~");
        assert_eq!(prefix(["f".into(), "x~0~".into()]), "~");
        assert_eq!(prefix(["~".repeat(1_000)]), "~0~");
        assert_eq!(prefix(["~0~".into(), "~1~f".into(), "~99999999999999999999~".into(), "~3~".into()]), "~2~");
        assert_eq!(prefix((0..100).map(|number| format!("~{number}~"))), "~100~");
    }
}
