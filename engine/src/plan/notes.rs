//! The meaning of a body's operators for the meter, and for the description of the module.

use wasmparser::{BlockType, FuncValidator, Operator, ValidatorResources};

use super::operators::is_saturating_conversion;
use super::reader::Reader;
use super::{
    Bulk, DROPS_SEGMENT, READS_PASSIVE_DATA, USES_BULK_MEMORY, USES_MULTI_VALUE, USES_REFERENCE_TYPES,
    USES_SATURATING_CONVERSIONS, USES_SIGN_EXTENSION, WRITES_TABLE, What,
};
use crate::artifact::Signature;
use crate::costs;
use crate::load::blocks_of;
use crate::long_acts::Act;

/// The cost of a block with parameters besides itself: the empty block before it, and its values in their places.
const GUARD_BLOCKS: u64 = 2;

impl Reader<'_> {
    /// Notes what a valid operator that can be reached means for the meter and the description.
    pub fn note(&mut self, operator: &Operator, at: usize, next: usize, validator: &FuncValidator<ValidatorResources>) {
        let skip = next - at;
        self.findings.load.blocks += blocks_of(operator) + u64::from(self.chain.follow(operator));
        match operator {
            Operator::End => self.findings.joins.close(),
            _ => self.findings.joins.follow(operator),
        }
        match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                self.block_type(*blockty, at)
            }
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                let values = self.label_values(validator, *relative_depth);
                self.blocks.cost += costs::carried(values);
                // The interpreter moves the values in a block of their own.
                let moves = values > 0 && matches!(operator, Operator::BrIf { .. });
                self.findings.load.blocks += u64::from(moves);
            }
            Operator::BrTable { targets } => {
                self.blocks.cost += costs::carried(self.label_values(validator, targets.default()));
            }
            Operator::Return => {
                self.blocks.cost += costs::carried(self.module.types[self.function_type(validator)].results.len());
                self.edit(at, skip, What::Return { label: validator.control_stack_height() - 1 });
            }
            Operator::Call { function_index } => self.call(*function_index, at, skip),
            Operator::CallIndirect { type_index, table_index } => {
                let callee = &self.module.types[*type_index as usize];
                self.call_values(callee);
                self.edit(next, 0, What::Reload);
                let defined = self.module.functions.len() as u32 - self.module.imported_functions;
                self.findings.calls.push((self.node, defined + type_index));
                if *table_index > 0 {
                    self.findings.features |= USES_REFERENCE_TYPES;
                }
            }
            Operator::Select => self.select(at),
            Operator::TypedSelect { .. } => {
                self.select(at);
                self.findings.features |= USES_REFERENCE_TYPES;
            }
            _ => self.note_addition(operator, at, skip),
        }
    }

    /// Operators that came after the MVP.
    fn note_addition(&mut self, operator: &Operator, at: usize, skip: usize) {
        match operator {
            Operator::I32Extend8S
            | Operator::I32Extend16S
            | Operator::I64Extend8S
            | Operator::I64Extend16S
            | Operator::I64Extend32S => self.findings.features |= USES_SIGN_EXTENSION,
            _ if is_saturating_conversion(operator) => self.findings.features |= USES_SATURATING_CONVERSIONS,
            Operator::MemoryGrow { .. } => {
                self.plan.has_lengths = true;
                self.findings.grows_memory = true;
                self.edit(at, skip, What::GrowMemory);
            }
            Operator::MemoryFill { .. } => self.fill(at, Act::FillMemory),
            Operator::MemoryCopy { .. } => self.fill(at, Act::CopyMemory),
            Operator::MemoryInit { data_index, .. } => {
                self.findings.not_movable |= READS_PASSIVE_DATA;
                self.pieces(at, Bulk::InitMemory { segment: *data_index });
            }
            Operator::TableInit { .. } => {
                self.findings.not_movable |= WRITES_TABLE;
                self.by_length(at, What::ChargeLength { shift: costs::ELEMENTS_SHIFT });
            }
            Operator::TableCopy { dst_table, src_table } => {
                self.findings.not_movable |= WRITES_TABLE;
                self.findings.copies_tables = true;
                self.fill(at, Act::CopyTable { to: *dst_table, from: *src_table });
            }
            Operator::TableFill { table } => {
                self.findings.not_movable |= WRITES_TABLE;
                self.findings.features |= USES_REFERENCE_TYPES;
                self.plan.fills_tables = true;
                self.pieces(at, Bulk::FillTable { table: *table });
            }
            Operator::DataDrop { .. } | Operator::ElemDrop { .. } => {
                self.findings.features |= USES_BULK_MEMORY;
                self.findings.not_movable |= DROPS_SEGMENT;
            }
            Operator::TableGrow { table } => {
                self.plan.has_lengths = true;
                (self.plan.fills_tables, self.plan.splits) = (true, true);
                self.blocks.loops += 1;
                self.findings.features |= USES_REFERENCE_TYPES;
                self.findings.not_movable |= WRITES_TABLE;
                self.findings.grows_tables = true;
                self.edit(at, skip, What::GrowTable { table: *table });
            }
            Operator::TableSet { .. } => {
                self.findings.features |= USES_REFERENCE_TYPES;
                self.findings.not_movable |= WRITES_TABLE;
            }
            Operator::RefFunc { function_index } => {
                self.findings.features |= USES_REFERENCE_TYPES;
                self.findings.addressed.push(*function_index);
                self.edit(at, skip, What::RefFunc { function: *function_index });
            }
            Operator::TableGet { .. } | Operator::TableSize { .. } | Operator::RefNull { .. } | Operator::RefIsNull => {
                self.findings.features |= USES_REFERENCE_TYPES;
            }
            _ => {}
        }
    }

    fn call_values(&mut self, callee: &Signature) {
        self.blocks.cost += costs::carried(callee.params.len());
        self.plan.call_values_max = self.plan.call_values_max.max(callee.values() as u32);
    }

    fn call(&mut self, function: u32, at: usize, skip: usize) {
        self.call_values(self.module.signature(function));
        if function >= self.module.imported_functions {
            self.findings.calls.push((self.node, function - self.module.imported_functions));
            self.edit(at, skip, What::Call { function });
        }
        self.edit(at + skip, 0, What::Reload);
    }

    fn select(&mut self, at: usize) {
        self.plan.has_select = true;
        self.edit(at, 0, What::GuardSelect);
    }

    /// The meter adds a loop.
    fn pieces(&mut self, at: usize, bulk: Bulk) {
        self.plan.splits = true;
        self.blocks.loops += 1;
        self.by_length(at, What::ChargePieces { bulk });
    }

    fn fill(&mut self, at: usize, act: Act) {
        (self.plan.fills, self.plan.splits) = (true, true);
        self.by_length(at, What::ChargeFill { act });
    }

    fn by_length(&mut self, at: usize, what: What) {
        self.plan.has_lengths = true;
        self.findings.features |= USES_BULK_MEMORY;
        self.edit(at, 0, what);
    }

    fn block_type(&mut self, block: BlockType, at: usize) {
        if let BlockType::FuncType(index) = block {
            let Signature { params, results } = &self.module.types[index as usize];
            if !params.is_empty() || results.len() > 1 {
                self.findings.features |= USES_MULTI_VALUE;
            }
            if !params.is_empty() {
                self.findings.load.blocks += GUARD_BLOCKS;
                self.edit(at, 0, What::GuardParameters);
            }
        }
    }
}
