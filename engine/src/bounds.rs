//! How large a module and its parts may be, checked before any engine translates anything.
//!
//! Ordinary compiler output passes. What passes loads at no more than three times the cost per byte of ordinary code,
//! in both engines; `bench/` measures that, and the figures below follow from it.

use wasmparser::Operator;

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
    function_density = 48, "functions beyond the first 256 need this many bytes of module each";
    type_density = 64, "function types beyond the first 256 need this many bytes of module each";
    element_density = 8, "element entries beyond the first 1,024 need this many bytes of module each";
    block_density = 6, "basic blocks beyond the first 1,024 need this many bytes of module each; operators that are dear to compile count as one to eight blocks";
    carried_density = 1, "values carried by calls, branches and block types beyond the first 1,024 need this many bytes of module each";
    live_density = 1, "locals times blocks (a loop counts as 17), summed over the functions and divided by 16: beyond the first 4,096 this many bytes of module each";
    tables = 16, "tables of a module";
    table_minimum = 65_536, "slots of all tables at the start";
    memory_minimum = 1_024, "pages of memory at the start (64 MiB)";
    globals = 4_096, "globals of a module";
    exports = 8_192, "exports of a module";
    name_bytes = 1_024, "bytes of an import's or export's name";
    element_segments = 4_096, "element segments of a module";
    elements = 65_536, "entries of all element segments";
    data_segments = 16_384, "data segments of a module";
    body_bytes = 65_536, "bytes of a function's body";
    locals = 2_048, "declared locals of a function";
    nesting = 128, "blocks, loops and ifs around an operator";
    operands = 1_024, "values on the operand stack at once";
    branch_targets = 8_192, "targets of all br_table of a function";
    blocks = 8_192, "basic blocks of a function";
}

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

/// A bound on how much there may be in so many bytes of module: for what is cheap to write and dear to load.
pub struct Density {
    pub bound: &'static Bound,
    /// So many are always allowed.
    pub free: u64,
}

impl Density {
    pub fn check(&self, count: u64, module_bytes: usize, offset: usize) -> Result<()> {
        let allowed = self.free + module_bytes as u64 / self.bound.max;
        if count <= allowed {
            return Ok(());
        }
        let (name, what) = (self.bound.name, self.bound.what);
        Err(Failure::rejected(
            format!(
                "the module exceeds the bound {name}: {count} in {module_bytes} bytes where {allowed} is the most ({what})"
            ),
            offset,
        ))
    }
}

pub const FUNCTIONS: Density = Density { bound: &function_density, free: 256 };
pub const TYPES: Density = Density { bound: &type_density, free: 256 };
pub const ELEMENTS: Density = Density { bound: &element_density, free: 1_024 };
pub const BLOCKS: Density = Density { bound: &block_density, free: 1_024 };
pub const CARRIED: Density = Density { bound: &carried_density, free: 1_024 };
pub const LIVE: Density = Density { bound: &live_density, free: 4_096 };

/// How many basic blocks an operator counts as: what Cranelift makes of it costs as much as theirs.
pub fn blocks_of(operator: &Operator) -> u64 {
    use Operator::*;
    match operator {
        TableCopy { .. } | TableInit { .. } => 8,
        CallIndirect { .. } | TableGet { .. } | TableGrow { .. } | TableFill { .. } => 4,
        MemoryFill { .. } | MemoryCopy { .. } => 4,
        MemoryGrow { .. } | MemoryInit { .. } => 2,
        I32Rotl | I32Rotr | I64Rotl | I64Rotr => 2,
        I32TruncF32S | I32TruncF32U | I32TruncF64S | I32TruncF64U => 1,
        I64TruncF32S | I64TruncF32U | I64TruncF64S | I64TruncF64U => 1,
        F32Sqrt | F32Ceil | F32Floor | F32Trunc | F32Nearest | F32DemoteF64 => 1,
        F64Sqrt | F64Ceil | F64Floor | F64Trunc | F64Nearest | F64PromoteF32 => 1,
        _ => 0,
    }
}
