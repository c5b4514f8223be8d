//! Reading one function's body: validate it, count its basic blocks, and note every place the meter has to touch.
//!
//! The result is a list of edits in the order of the body. `meter` copies the body and carries them out; `locate` walks
//! them to find where an operator of the rewritten body came from.

use std::ops::Range;

use crate::costs;
use crate::joins::Joins;
use crate::load::Load;
use crate::long_acts::{Act, PIECE, SLOTS};

mod blocks;
mod notes;
mod operators;
mod reader;

pub use self::reader::read_function;

/// At byte `at` of the module, do `what` in place of the next `skip` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    pub at: usize,
    pub skip: usize,
    pub what: What,
}

#[derive(Debug, Clone, Copy)]
pub enum What {
    /// The charge of a basic block, on its entry. It is exposed when somebody else may read the counter before the next
    /// charge: the host after a trap or the function's end, or a callee.
    Charge {
        cost: u64,
        exposed: bool,
    },
    /// Charges where fuel is also looked at: loop heads, and function entries that do not run straight into one.
    ChargeAndCheck {
        cost: u64,
        exposed: bool,
    },
    /// A function that keeps the counter in a local reads it again: somebody else may have charged.
    Reload,
    Call {
        function: u32,
    },
    RefFunc {
        function: u32,
    },
    /// `label` names the function's own block.
    Return {
        label: u32,
    },
    /// wasmi 2.0.0 reads a stale register for some conditions unless they went through a local.
    GuardSelect,
    /// wasmi 2.0.0 loses locals on the operand stack below a block's parameters, unless an empty block stood before.
    GuardParameters,
    /// Charge the length on top of the stack, shifted down, before a bulk operation.
    ChargeLength {
        shift: u8,
    },
    /// Charges before an operator that is done in pieces when it is long.
    ChargePieces {
        bulk: Bulk,
    },
    /// Charges before an operator that the host does when it is long.
    ChargeFill {
        act: Act,
    },
    GrowMemory,
    GrowTable {
        table: u32,
    },
    /// Code that cannot be reached is left out.
    Dead,
}

/// Operators that the guest does in pieces when they are long: the host cannot, for want of the reference or segment.
#[derive(Debug, Clone, Copy)]
pub enum Bulk {
    FillTable { table: u32 },
    InitMemory { segment: u32 },
}

impl Bulk {
    pub fn shift(self) -> u8 {
        if matches!(self, Bulk::InitMemory { .. }) { costs::BYTES_SHIFT } else { costs::ELEMENTS_SHIFT }
    }

    /// The units that are done at once.
    pub fn piece(self) -> i64 {
        if matches!(self, Bulk::InitMemory { .. }) { PIECE as i64 } else { SLOTS as i64 }
    }
}

/// Facts about a function that are known once its body was read.
#[derive(Default)]
pub struct FunctionPlan {
    /// From the locals' declarations to the final `end`.
    pub body: Range<usize>,
    /// Where the first operator stands.
    pub code: usize,
    pub local_groups: Range<usize>,
    pub local_groups_count: u32,
    pub params: u32,
    pub locals: u32,
    pub operands_max: u32,
    /// The most parameters and results of a function it calls.
    pub call_values_max: u32,
    pub edits: Range<usize>,
    pub has_select: bool,
    pub has_lengths: bool,
    /// A reference is kept while its slots are filled.
    pub fills_tables: bool,
    pub fills: bool,
    /// Something is done in pieces, by the guest itself or by the host.
    pub splits: bool,
    /// The counter is in a local while the function runs, and in its global where that is exposed.
    pub keeps_counter: bool,
    /// Set once the call graph is known.
    pub weight: u32,
}

/// Facts about the whole module, gathered while its bodies are read.
#[derive(Default, Clone)]
pub struct Findings {
    pub edits: Vec<Edit>,
    /// Calls between defined functions, and `call_indirect` by type; nodes as `graph` counts them.
    pub calls: Vec<(u32, u32)>,
    /// Functions whose address is taken, by index as sent.
    pub addressed: Vec<u32>,
    pub grows_memory: bool,
    pub grows_tables: bool,
    pub copies_tables: bool,
    pub features: u32,
    pub not_movable: u32,
    pub load: Load,
    pub joins: Joins,
}

pub const USES_MUTABLE_GLOBALS: u32 = 1;
pub const USES_SIGN_EXTENSION: u32 = 1 << 1;
pub const USES_SATURATING_CONVERSIONS: u32 = 1 << 2;
pub const USES_BULK_MEMORY: u32 = 1 << 3;
pub const USES_MULTI_VALUE: u32 = 1 << 4;
pub const USES_REFERENCE_TYPES: u32 = 1 << 5;
pub const USES_EXTENDED_CONST: u32 = 1 << 6;

pub const WRITES_TABLE: u32 = 1;
pub const DROPS_SEGMENT: u32 = 1 << 1;
pub const READS_PASSIVE_DATA: u32 = 1 << 2;
pub const MUTABLE_REFERENCE: u32 = 1 << 3;
pub const IMPORTS_NON_FUNCTION: u32 = 1 << 4;
