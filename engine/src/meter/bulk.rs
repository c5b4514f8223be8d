//! Operations on as many bytes or slots as the guest likes: fills, copies and growth, which the meter writes so that the
//! host can look at the clock in between.

use super::body::{Body, Scratch};
use super::opcodes::*;
use crate::bytes;
use crate::long_acts::Act;
use crate::plan::Bulk;

impl Body<'_> {
    /// A long fill or copy is done by the host, in pieces with a look at the clock between them; it answers the length
    /// that is left to the engine: none, or all of it when it leaves the memory and has to trap.
    pub(super) fn split_fill(&mut self, act: Act, piece: usize, scratch: Scratch) {
        self.op(LOCAL_SET, scratch.operands + 1);
        self.op(LOCAL_SET, scratch.operands);
        self.op(LOCAL_GET, scratch.number);
        self.constant(piece as i64);
        self.out.extend([I32_GT_U, IF, 0x40]);
        self.fill_operands(scratch);
        self.constant(act.code().into());
        self.op(CALL, self.meter.added.fill.expect("the module fills"));
        self.op(LOCAL_SET, scratch.number);
        self.out.push(END);
        self.fill_operands(scratch);
    }

    /// Off the stack, but for the length.
    pub(super) fn keep_operands(&mut self, bulk: Bulk, scratch: Scratch) {
        let second = if matches!(bulk, Bulk::FillTable { .. }) { scratch.reference } else { scratch.operands + 1 };
        self.op(LOCAL_SET, second);
        self.op(LOCAL_SET, scratch.operands);
    }

    /// Does all but a piece of a long operation, in pieces with a look at the clock after each; the operands and the
    /// length are those of what is left. The last piece comes first, so that what is out of bounds traps at once.
    pub(super) fn pieces(&mut self, bulk: Bulk, scratch: Scratch) {
        let piece = bulk.piece();
        self.out.extend([LOOP, 0x40]);
        self.op(LOCAL_GET, scratch.number);
        self.constant(piece);
        self.out.extend([I32_GT_U, IF, 0x40]);
        self.op(LOCAL_GET, scratch.number);
        self.constant(piece);
        self.out.push(I32_SUB);
        self.op(LOCAL_SET, scratch.number);
        self.bulk_operands(bulk, scratch, |body| {
            body.op(LOCAL_GET, scratch.number);
            body.out.push(I32_ADD);
        });
        self.constant(piece);
        self.bulk_operator(bulk);
        self.op(GLOBAL_GET, self.fuel());
        self.op(CALL, self.meter.added.refill.expect("the module counts"));
        self.op(GLOBAL_SET, self.fuel());
        self.op(BR, 1);
        self.out.extend([END, END]);
    }

    /// Both operands but the length, each changed by `then` if it is a place.
    pub(super) fn bulk_operands(&mut self, bulk: Bulk, scratch: Scratch, then: impl Fn(&mut Self)) {
        self.op(LOCAL_GET, scratch.operands);
        then(self);
        if matches!(bulk, Bulk::FillTable { .. }) {
            return self.op(LOCAL_GET, scratch.reference);
        }
        self.op(LOCAL_GET, scratch.operands + 1);
        then(self);
    }

    fn bulk_operator(&mut self, bulk: Bulk) {
        self.out.push(0xfc);
        match bulk {
            Bulk::FillTable { table } => self.op(TABLE_FILL, table),
            Bulk::InitMemory { segment } => {
                self.op(MEMORY_INIT, segment);
                self.out.push(0);
            }
        }
    }

    fn fill_operands(&mut self, scratch: Scratch) {
        for local in [scratch.operands, scratch.operands + 1, scratch.number] {
            self.op(LOCAL_GET, local);
        }
    }

    /// `grow(table, by)`; the memory is table -1. The answer is on the stack.
    pub(super) fn ask_to_grow(&mut self, table: i64, scratch: Scratch) {
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, table);
        self.op(LOCAL_GET, scratch.number);
        self.op(CALL, self.meter.added.grow.expect("the module grows"));
    }

    /// The host has grown the table, since each `table.grow` keeps a frame on wasmi's native stack, granted or refused.
    /// Fills the new slots; the size before, or -1, stays on the stack.
    pub(super) fn fill_grown(&mut self, table: u32, scratch: Scratch) {
        self.out.push(I64_EXTEND_I32_S);
        self.op(LOCAL_TEE, scratch.fuel);
        self.out.extend([I64_CONST, 0, I64_GE_S, IF, 0x40]);
        self.op(LOCAL_GET, scratch.fuel);
        self.out.push(I32_WRAP_I64);
        self.op(LOCAL_SET, scratch.operands);
        let bulk = Bulk::FillTable { table };
        self.pieces(bulk, scratch);
        self.bulk_operands(bulk, scratch, |_| {});
        self.op(LOCAL_GET, scratch.number);
        self.bulk_operator(bulk);
        self.out.push(END);
        self.op(LOCAL_GET, scratch.fuel);
        self.out.push(I32_WRAP_I64);
    }
}
