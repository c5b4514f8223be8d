//! The cost of loading a module beyond its bytes, as points: code that is cheap to write may not be expensive to load.
//!
//! A module may have a point for each of its bytes, and a free amount that a small one never uses up. One sum, so that
//! several expensive things at once cost no more than one of them. The prices follow from what `bench/gate_cost` and
//! `bench/search` measure.

use wasmparser::Operator;

use crate::bounds;
use crate::failure::{Failure, Result};

/// Counts over a whole module.
#[derive(Default, Clone)]
pub struct Load {
    /// The bounds that hold.
    pub set: bounds::Set,
    pub functions: u64,
    pub types: u64,
    pub imports: u64,
    pub exports: u64,
    pub globals: u64,
    /// The globals among `globals` that can change: the host reaches each by an export of its own.
    pub mutable_globals: u64,
    pub element_segments: u64,
    pub elements: u64,
    pub data_segments: u64,
    /// Operators of all constant expressions.
    pub constant_operators: u64,
    /// Parameters and results of all functions.
    pub values: u64,
    /// Values of functions that are exported or whose address is taken: the host can enter them, by code of their own.
    pub entered_values: u64,
    /// Basic blocks, and operators that cost as much as some; see `blocks_of`.
    pub blocks: u64,
    /// Calls, and values that calls, branches and block types carry.
    pub carried: u64,
    /// Values that meet where branches join; see `joins`.
    pub joined: u64,
    /// Locals times blocks and branch targets, over the functions; a loop counts as 17 blocks. `steps` are among them.
    pub live: u64,
    /// The steps that counting `joined` took.
    pub steps: u64,
    /// Parameters and locals, over the functions: the interpreter has a place for each.
    pub locals: u64,
}

impl Load {
    /// Points by what they are for.
    fn bill(&self) -> [(&'static str, u64); 13] {
        [
            ("functions", 48 * self.functions),
            ("function types", 64 * self.types),
            ("imports and exports", 6 * (self.imports + self.exports)),
            ("globals", 4 * self.globals + 6 * self.mutable_globals),
            ("element segments", 6 * self.element_segments),
            ("element entries", 8 * self.elements),
            ("data segments", 24 * self.data_segments),
            ("constant expressions", 2 * self.constant_operators),
            ("parameters and results of functions", 2 * self.values + 6 * self.entered_values),
            ("basic blocks and expensive operators", 6 * self.blocks),
            ("calls, and values carried by calls and branches", self.carried),
            ("locals that are set before branches to one place", self.of_compiler(self.joined, 0)),
            ("locals alive in many blocks", self.of_compiler(self.live, self.steps + 2 * self.locals) / 16),
        ]
    }

    /// Work of the compiler alone has no price for programs; what the gate itself has to do for it has one.
    fn of_compiler(&self, all: u64, of_gate: u64) -> u64 {
        match self.set {
            bounds::Set::Candidate => all,
            bounds::Set::Program => of_gate,
        }
    }

    pub fn points(&self) -> u64 {
        self.bill().iter().map(|(_, points)| points).sum()
    }

    pub fn check(&self, module_bytes: usize, offset: usize) -> Result<()> {
        let points = self.points();
        let allowed = bounds::load_points.max(self.set) + module_bytes as u64;
        if points <= allowed {
            return Ok(());
        }
        let (first, most) = self.bill().into_iter().max_by_key(|(_, points)| *points).unwrap_or_default();
        let (name, what) = (bounds::load_points.name, bounds::load_points.what);
        Err(Failure::rejected(
            format!(
                "the module exceeds the bound {name}: {points} points in {module_bytes} bytes where {allowed} is the most, \
                 {most} of them for {first} ({what})"
            ),
            offset,
        ))
    }
}

/// How many basic blocks an operator counts as, besides those it starts: what the meter adds to it and the engines make
/// of it costs as much as theirs.
pub fn blocks_of(operator: &Operator) -> u64 {
    use Operator::*;
    match operator {
        TableCopy { .. } => 13,
        TableGrow { .. } => 12,
        TableInit { .. } | TableFill { .. } => 10,
        MemoryInit { .. } | MemoryFill { .. } | MemoryCopy { .. } => 9,
        MemoryGrow { .. } | TableGet { .. } => 5,
        CallIndirect { .. } => 4,
        // Fuel is looked at on each turn of a loop; a trap needs the counter in its place.
        Loop { .. } | Unreachable => 1,
        I32Rotl | I32Rotr | I64Rotl | I64Rotr => 2,
        I32TruncF32S | I32TruncF32U | I32TruncF64S | I32TruncF64U => 1,
        I64TruncF32S | I64TruncF32U | I64TruncF64S | I64TruncF64U => 1,
        F32Sqrt | F32Ceil | F32Floor | F32Trunc | F32Nearest | F32DemoteF64 | F32Min | F32Max => 1,
        F64Sqrt | F64Ceil | F64Floor | F64Trunc | F64Nearest | F64PromoteF32 | F64Min | F64Max => 1,
        _ => 0,
    }
}

/// Arithmetic with a constant on the result of arithmetic: the optimiser folds a chain of these again and again, where
/// compilers have folded it before.
#[derive(Default, Clone, Copy, PartialEq)]
pub enum Chain {
    #[default]
    None,
    Result,
    Constant,
}

impl Chain {
    /// True when this operator is a link of a chain.
    pub fn follow(&mut self, operator: &Operator) -> bool {
        use Operator::*;
        let links = *self == Chain::Constant;
        *self = match operator {
            I32Add | I32Sub | I32Mul | I32DivS | I32DivU | I32RemS | I32RemU => Chain::Result,
            I64Add | I64Sub | I64Mul | I64DivS | I64DivU | I64RemS | I64RemU => Chain::Result,
            I32Const { .. } | I64Const { .. } if *self == Chain::Result => Chain::Constant,
            _ => Chain::None,
        };
        links && *self == Chain::Result
    }
}
