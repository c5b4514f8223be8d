//! How large a module and its parts may be, checked before any engine translates anything.
//!
//! There are two sets. `Candidate` is for code by the hundred thousand: what passes loads at no more than three times the
//! cost per byte of ordinary code, in both engines. `Program` is for what ordinary compilers produce: the gate and the
//! interpreter stay within the same three times, but only the worker that can be killed may have to compile what
//! passes. `bench/` measures both, and the figures below follow from it.

use crate::failure::{Failure, Result};

/// The set that holds for a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Set {
    #[default]
    Candidate,
    Program,
}

impl Set {
    pub const ALL: [Set; 2] = [Set::Candidate, Set::Program];

    pub fn of(number: u32) -> Set {
        if number == Set::Program as u32 { Set::Program } else { Set::Candidate }
    }

    pub fn name(self) -> &'static str {
        match self {
            Set::Candidate => "candidate",
            Set::Program => "program",
        }
    }
}

#[derive(Debug)]
pub struct Bound {
    pub name: &'static str,
    pub what: &'static str,
    pub candidate: u64,
    pub program: u64,
}

macro_rules! bounds {
    ($($id:ident = $candidate:expr, $program:expr, $what:literal;)*) => {
        $(#[allow(non_upper_case_globals)]
        pub const $id: Bound =
            Bound { name: stringify!($id), what: $what, candidate: $candidate, program: $program };)*
        pub const ALL: &[&Bound] = &[$(&$id),*];
    };
}

bounds! {
    types = 4_096, 65_536, "function types of a module";
    parameters = 64, 512, "parameters of a function or block type";
    results = 64, 64, "results of a function or block type";
    imports = 1_024, 16_384, "imports of a module";
    functions = 65_536, 262_144, "functions of a module";
    load_points = 16_384, 16_384, "points beyond one for each byte of the module: 48 a function, 2 for each of its parameters and results and 6 more if it is exported or its address is taken, 64 a function type, 6 an import or export, 4 a global and 6 more if it can change, 24 a data segment, 6 an element segment and 8 each of its entries, 2 an operator of a constant expression, 6 a basic block (operators that are expensive to load count as one to thirteen), 2 a call, 1 a value carried by a call, branch or block type and 2 by an indirect call, 1 for each local that is set inside a block and each branch to that block's label (more where a function has thousands), 1 for 16 locals of a block or of a target of br_table (a loop counts as 17 blocks); for programs, where only the compiler takes longer for them, the last two do not count, but 1 for 8 locals does";
    tables = 16, 16, "tables of a module";
    table_minimum = 65_536, 1_048_576, "slots of all tables at the start";
    memory_minimum = 1_024, 16_384, "pages of memory at the start, of 64 KiB each";
    globals = 4_096, 65_536, "globals of a module";
    exports = 8_192, 131_072, "exports of a module";
    name_bytes = 1_024, 8_192, "bytes of an import's or export's name";
    element_segments = 4_096, 65_536, "element segments of a module";
    elements = 65_536, 1_048_576, "entries of all element segments";
    constant_operators = 63, 63, "operators of a constant expression: an initial value, an offset, an element";
    data_segments = 16_384, 100_000, "data segments of a module";
    body_bytes = 65_536, 1_048_576, "bytes of a function's body";
    locals = 2_048, 8_192, "declared locals of a function";
    nesting = 512, 4_096, "blocks and ifs around an operator; a loop counts as 8";
    operands = 1_024, 4_096, "values on the operand stack at once";
    branch_targets = 8_192, 65_536, "targets of all br_table of a function";
    blocks = 8_192, 131_072, "basic blocks of a function";
}

/// Loops in each other are more expensive than the blocks into which a compiler turns a long `switch`.
pub const LOOP_LEVELS: u32 = 8;

impl Bound {
    pub const fn max(&self, set: Set) -> u64 {
        match set {
            Set::Candidate => self.candidate,
            Set::Program => self.program,
        }
    }

    pub fn check(&self, set: Set, value: u64, offset: usize) -> Result<()> {
        let max = self.max(set);
        if value <= max {
            return Ok(());
        }
        let (name, what) = (self.name, self.what);
        let otherwise = self.allowed_otherwise(set, value);
        Err(Failure::rejected(
            format!("the module exceeds the bound {name}: {value} where {max} is the most ({what}){otherwise}"),
            offset,
        ))
    }

    /// The advice for a refusal; empty where the other set refuses, too.
    pub fn allowed_otherwise(&self, set: Set, value: u64) -> String {
        if set == Set::Program || value > self.program {
            return String::new();
        }
        format!("; the bounds of the set program allow {}", self.program)
    }
}
