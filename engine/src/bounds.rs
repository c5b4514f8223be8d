//! How large a module and its parts may be, checked before any engine translates anything.
//!
//! Ordinary compiler output passes. What passes loads at no more than three times the cost per byte of ordinary code,
//! in both engines; `bench/` measures that, and the figures below follow from it.

use crate::failure::{Failure, Result};

#[derive(Debug)]
pub struct Bound {
    pub name: &'static str,
    pub what: &'static str,
    pub max: u64,
}

macro_rules! bounds {
    ($($id:ident = $max:expr, $what:literal;)*) => {
        $(#[allow(non_upper_case_globals)] pub const $id: Bound = Bound { name: stringify!($id), what: $what, max: $max };)*
        pub const ALL: &[&Bound] = &[$(&$id),*];
    };
}

bounds! {
    types = 4_096, "function types of a module";
    parameters = 64, "parameters of a function or block type";
    results = 64, "results of a function or block type";
    imports = 1_024, "imports of a module";
    functions = 65_536, "functions of a module";
    load_points = 16_384, "points beyond one for each byte of the module: 48 a function, 2 for each of its parameters and results and 6 more if it is exported or its address is taken, 64 a function type, 6 an import or export, 4 a global and 6 more if it can change, 24 a data segment, 6 an element segment and 8 each of its entries, 2 an operator of a constant expression, 6 a basic block (operators that are expensive to load count as one to thirteen), 2 a call, 1 a value carried by a call, branch or block type and 2 by an indirect call, 1 for each local that is set inside a block and each branch to that block's label (more where a function has thousands), 1 for 16 locals of a block or of a target of br_table (a loop counts as 17 blocks)";
    tables = 16, "tables of a module";
    table_minimum = 65_536, "slots of all tables at the start";
    memory_minimum = 1_024, "pages of memory at the start (64 MiB)";
    globals = 4_096, "globals of a module";
    exports = 8_192, "exports of a module";
    name_bytes = 1_024, "bytes of an import's or export's name";
    element_segments = 4_096, "element segments of a module";
    elements = 65_536, "entries of all element segments";
    constant_operators = 63, "operators of a constant expression: an initial value, an offset, an element";
    data_segments = 16_384, "data segments of a module";
    body_bytes = 65_536, "bytes of a function's body";
    locals = 2_048, "declared locals of a function";
    nesting = 512, "blocks and ifs around an operator; a loop counts as 8";
    operands = 1_024, "values on the operand stack at once";
    branch_targets = 8_192, "targets of all br_table of a function";
    blocks = 8_192, "basic blocks of a function";
}

/// Loops in each other are more expensive than the blocks into which a compiler turns a long `switch`.
pub const LOOP_LEVELS: u32 = 8;

impl Bound {
    pub fn check(&self, value: u64, offset: usize) -> Result<()> {
        if value <= self.max {
            return Ok(());
        }
        let (name, what, max) = (self.name, self.what, self.max);
        Err(Failure::rejected(
            format!("the module exceeds the bound {name}: {value} where {max} is the most ({what})"),
            offset,
        ))
    }
}
