//! One function's body as the meter writes it: the guest's operators, and the charges and checks between them.

use super::opcodes::*;
use super::{Copied, Meter};
use crate::artifact::Kind;
use crate::long_acts::{Act, PIECE, SLOTS};
use crate::plan::{Edit, FunctionPlan, What};
use crate::{bytes, costs};

/// Writes one function's body: the guest's operators as they are, and the edits between them.
pub(super) struct Body<'a> {
    pub(super) meter: &'a Meter<'a>,
    pub(super) out: Vec<u8>,
    pub(super) copied: Option<Vec<Copied>>,
}

/// Locals the meter adds behind the guest's.
#[derive(Clone, Copy)]
pub(super) struct Scratch {
    pub(super) fuel: u32,
    pub(super) number: u32,
    pub(super) depth: u32,
    /// Two of them.
    pub(super) operands: u32,
    pub(super) reference: u32,
    /// `fuel` has the counter throughout.
    pub(super) keeps_counter: bool,
}

impl Body<'_> {
    pub(super) fn write(&mut self, plan: &FunctionPlan, body_type: i64) {
        let scratch = self.locals(plan);
        if plan.weight > 0 {
            self.enter(plan.weight, scratch);
        }
        let edits = &self.meter.analysis.findings.edits[plan.edits.clone()];
        let (entry, rest) = edits.split_first().expect("every function is charged on entry");
        if self.counts() {
            self.reload(scratch);
            self.edit(entry, plan, scratch);
        }
        if plan.weight > 0 {
            self.out.push(BLOCK);
            bytes::signed(&mut self.out, body_type);
        }
        let mut at = plan.code;
        for edit in rest {
            self.copy(at, edit.at);
            self.edit(edit, plan, scratch);
            at = edit.at + edit.skip;
        }
        self.copy(at, plan.body.end);
        if plan.weight > 0 {
            self.leave(plan.weight, scratch);
        }
    }

    fn counts(&self) -> bool {
        self.meter.added.fuel.is_some()
    }

    pub(super) fn fuel(&self) -> u32 {
        self.meter.added.fuel.expect("the module counts")
    }

    fn looks(&self) -> bool {
        self.meter.added.refill.is_some()
    }

    fn locals(&mut self, plan: &FunctionPlan) -> Scratch {
        let counter = u32::from(self.looks());
        let number = plan.has_select || plan.has_lengths;
        let depth = u32::from(number);
        let operands = depth + u32::from(plan.weight > 0);
        let narrow = operands + 2 * u32::from(plan.splits);
        let groups = plan.local_groups_count + counter + u32::from(narrow > 0) + u32::from(plan.fills_tables);
        bytes::unsigned(&mut self.out, groups.into());
        self.out.extend_from_slice(&self.meter.wasm[plan.local_groups.clone()]);
        if counter > 0 {
            self.out.extend([1, Kind::I64.byte()]);
        }
        if narrow > 0 {
            self.out.extend([narrow as u8, Kind::I32.byte()]);
        }
        if plan.fills_tables {
            self.out.extend([1, Kind::FuncRef.byte()]);
        }
        let fuel = plan.params + plan.locals;
        let next = fuel + counter;
        Scratch {
            fuel,
            number: next,
            depth: next + depth,
            operands: next + operands,
            reference: next + narrow,
            keeps_counter: plan.keeps_counter,
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.stand_for(from, to - from);
        self.out.extend_from_slice(&self.meter.wasm[from..to]);
    }

    fn stand_for(&mut self, old: usize, length: usize) {
        if let Some(copied) = &mut self.copied {
            copied.push(Copied { old, new: self.out.len(), length });
        }
    }

    pub(super) fn op(&mut self, opcode: u8, index: u32) {
        self.out.push(opcode);
        bytes::unsigned(&mut self.out, index.into());
    }

    fn edit(&mut self, edit: &Edit, plan: &FunctionPlan, scratch: Scratch) {
        match edit.what {
            What::Dead => {}
            What::Charge { cost, exposed } => self.charge(cost, exposed, scratch),
            What::ChargeAndCheck { cost, .. } if !self.looks() => self.charge(cost, true, scratch),
            What::ChargeAndCheck { cost, exposed } => {
                self.subtract(cost, scratch);
                self.settle(scratch, exposed || !scratch.keeps_counter);
            }
            What::Reload => self.reload(scratch),
            What::Call { function } => self.function_op(edit, CALL, function),
            What::RefFunc { function } => self.function_op(edit, REF_FUNC, function),
            What::Return { label } => {
                self.stand_for(edit.at, 2);
                if plan.weight > 0 { self.op(BR, label) } else { self.out.push(RETURN) }
            }
            What::GuardSelect => self.op(LOCAL_TEE, scratch.number),
            What::GuardParameters => self.out.extend([BLOCK, 0x40, END]),
            What::ChargeLength { shift } => {
                self.charge_length(scratch, shift, I64_SHR_U);
                self.op(LOCAL_GET, scratch.number);
            }
            What::ChargePieces { bulk } => {
                self.charge_length(scratch, bulk.shift(), I64_SHR_U);
                self.keep_operands(bulk, scratch);
                self.pieces(bulk, scratch);
                self.reload(scratch);
                self.bulk_operands(bulk, scratch, |_| {});
                self.op(LOCAL_GET, scratch.number);
            }
            What::ChargeFill { act } => {
                let of_table = matches!(act, Act::CopyTable { .. });
                let (shift, piece) =
                    if of_table { (costs::ELEMENTS_SHIFT, SLOTS) } else { (costs::BYTES_SHIFT, PIECE) };
                self.charge_length(scratch, shift, I64_SHR_U);
                self.split_fill(act, piece, scratch);
            }
            What::GrowMemory => {
                self.charge_length(scratch, costs::PAGE_SHIFT, I64_SHL);
                self.ask_to_grow(-1, scratch);
            }
            What::GrowTable { table } => {
                self.charge_length(scratch, costs::ELEMENTS_SHIFT, I64_SHR_U);
                self.op(LOCAL_SET, scratch.reference);
                self.ask_to_grow(table.into(), scratch);
                self.fill_grown(table, scratch);
                self.reload(scratch);
            }
        }
    }

    fn function_op(&mut self, edit: &Edit, opcode: u8, function: u32) {
        self.stand_for(edit.at, 1);
        self.op(opcode, self.meter.shifted(function));
    }

    /// A charge without a check. In a local, the counter is stored where somebody else may read it, and then even if
    /// nothing is charged: what was charged before may not have been stored.
    fn charge(&mut self, cost: u64, exposed: bool, scratch: Scratch) {
        let stores = exposed || !scratch.keeps_counter;
        if !self.counts() || (cost == 0 && !(exposed && scratch.keeps_counter)) {
            return;
        }
        self.subtract(cost, scratch);
        match (scratch.keeps_counter && cost > 0, stores) {
            (true, false) => self.op(LOCAL_SET, scratch.fuel),
            (true, true) => {
                self.op(LOCAL_TEE, scratch.fuel);
                self.op(GLOBAL_SET, self.fuel());
            }
            (false, _) => self.op(GLOBAL_SET, self.fuel()),
        }
    }

    /// Reads the counter into the local, if that keeps it.
    fn reload(&mut self, scratch: Scratch) {
        if scratch.keeps_counter {
            self.op(GLOBAL_GET, self.fuel());
            self.op(LOCAL_SET, scratch.fuel);
        }
    }

    /// Leaves the counter less `cost` on the stack.
    fn subtract(&mut self, cost: u64, scratch: Scratch) {
        self.counter(scratch);
        if cost > 0 {
            self.out.push(I64_CONST);
            bytes::signed(&mut self.out, cost as i64);
            self.out.push(I64_SUB);
        }
    }

    /// On the stack.
    fn counter(&mut self, scratch: Scratch) {
        if scratch.keeps_counter { self.op(LOCAL_GET, scratch.fuel) } else { self.op(GLOBAL_GET, self.fuel()) }
    }

    /// Keeps the counter from the stack, in its global too if it is exposed, and asks for the next slice when it is below
    /// zero. Whoever is stopped there has it in the global.
    fn settle(&mut self, scratch: Scratch, exposed: bool) {
        self.op(LOCAL_TEE, scratch.fuel);
        if exposed {
            self.op(GLOBAL_SET, self.fuel());
            self.op(LOCAL_GET, scratch.fuel);
        }
        self.out.extend([I64_CONST, 0, I64_LT_S, IF, 0x40]);
        if let Some(next_slice) = self.meter.added.next_slice {
            self.op(LOCAL_GET, scratch.fuel);
            self.op(CALL, next_slice);
            self.op(LOCAL_SET, scratch.fuel);
            return self.out.push(END);
        }
        if !exposed {
            self.op(LOCAL_GET, scratch.fuel);
            self.op(GLOBAL_SET, self.fuel());
        }
        self.op(LOCAL_GET, scratch.fuel);
        self.op(CALL, self.meter.added.refill.expect("the module counts"));
        if scratch.keeps_counter {
            self.op(LOCAL_TEE, scratch.fuel);
        }
        self.op(GLOBAL_SET, self.fuel());
        self.out.push(END);
    }

    /// The function that the others ask for the next slice: its parameter is the counter, and so is its result.
    pub(super) fn write_next_slice(&mut self) {
        self.out.push(0);
        self.op(LOCAL_GET, 0);
        self.op(GLOBAL_SET, self.fuel());
        self.op(LOCAL_GET, 0);
        self.op(CALL, self.meter.added.refill.expect("the module counts"));
        self.op(LOCAL_TEE, 0);
        self.op(GLOBAL_SET, self.fuel());
        self.op(LOCAL_GET, 0);
        self.out.push(END);
    }

    /// Takes the length off the stack into the scratch local and charges it, shifted.
    fn charge_length(&mut self, scratch: Scratch, by: u8, shift: u8) {
        self.op(LOCAL_SET, scratch.number);
        self.counter(scratch);
        self.op(LOCAL_GET, scratch.number);
        self.out.extend([I64_EXTEND_I32_U, I64_CONST, by, shift, I64_SUB]);
        self.settle(scratch, true);
    }

    pub(super) fn constant(&mut self, value: i64) {
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, value);
    }

    fn enter(&mut self, weight: u32, scratch: Scratch) {
        let depth = self.meter.added.depth.expect("something weighs");
        self.op(GLOBAL_GET, depth);
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, weight.into());
        self.out.push(I32_SUB);
        self.op(LOCAL_TEE, scratch.depth);
        self.op(GLOBAL_SET, depth);
        self.op(LOCAL_GET, scratch.depth);
        self.out.extend([I32_CONST, 0, I32_LT_S, IF, 0x40]);
        self.op(CALL, self.meter.added.overflow.expect("something weighs"));
        self.out.push(END);
    }

    fn leave(&mut self, weight: u32, scratch: Scratch) {
        self.op(LOCAL_GET, scratch.depth);
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, weight.into());
        self.out.push(I32_ADD);
        self.op(GLOBAL_SET, self.meter.added.depth.expect("something weighs"));
        self.out.push(END);
    }
}
