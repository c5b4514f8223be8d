//! Memories that are large at the start. The interpreter writes zeros into all of a memory when it makes it, and both
//! engines copy all active data segments in one go, which takes tens of milliseconds with nobody looking at the clock.
//!
//! The rewritten module of such a guest declares a small memory, and its active segments are empty. The host makes the
//! instance what the guest declared: the memory grows and is filled in pieces, with a look at the clock after each.

use wasmparser::{BinaryReader, ConstExpr, Data, DataKind, Operator};

use crate::account::Account;
use crate::artifact::{Module, Span};
use crate::bytes;
use crate::guest::{EndCause, Stop, Trap};
use crate::long_acts::PIECE;
use crate::prepare::RawSections;

/// Pages an engine makes at once; the interpreter takes a millisecond for them.
pub const PAGES_AT_ONCE: u64 = 32;
/// Bytes of the data section that an engine copies at once.
const DATA_BYTES_AT_ONCE: usize = 256 << 10;
/// Bytes copied that count as much as touching a page of the machine.
const TOUCH: usize = 4096;

/// An active data segment.
#[derive(Debug)]
struct Segment {
    offset: u32,
    bytes: Span,
}

/// The work of the host on a new instance.
#[derive(Debug)]
pub struct LargeMemory {
    /// Beyond those that the engine has made.
    pub more_pages: u64,
    segments: Vec<Segment>,
}

impl LargeMemory {
    /// The large memory of a module; `None` if the engine makes it, in no time that matters.
    pub fn of(wasm: &[u8], module: &Module, raw: &RawSections) -> Option<LargeMemory> {
        let pages = module.memory?.min;
        if pages <= PAGES_AT_ONCE && raw.data.len() <= DATA_BYTES_AT_ONCE {
            return None;
        }
        let active = segments(wasm, module, raw).filter_map(|data| match data.kind {
            DataKind::Active { offset_expr, .. } => Some((offset_expr, data.data)),
            DataKind::Passive => None,
        });
        let segment = |(offset, data): (ConstExpr, &[u8])| {
            Some(Segment { offset: value_of(&offset)?, bytes: span_of(wasm, data) })
        };
        Some(LargeMemory {
            more_pages: pages.saturating_sub(PAGES_AT_ONCE),
            segments: active.map(segment).collect::<Option<_>>()?,
        })
    }

    /// The items of the data section for an engine: what is active is left out, and cannot be read later either.
    pub fn data_for_engine(wasm: &[u8], module: &Module, raw: &RawSections) -> Vec<u8> {
        let mut items = Vec::new();
        for data in segments(wasm, module, raw) {
            let kept = if matches!(data.kind, DataKind::Passive) { data.data } else { &[] };
            items.push(PASSIVE);
            bytes::unsigned(&mut items, kept.len() as u64);
            items.extend_from_slice(kept);
        }
        items
    }

    /// The item of the memory section for an engine.
    pub fn memory_for_engine(&self, module: &Module) -> Vec<u8> {
        let memory = module.memory.expect("it is large");
        let mut item = vec![u8::from(memory.max.is_some())];
        bytes::unsigned(&mut item, memory.min - self.more_pages);
        memory.max.into_iter().for_each(|max| bytes::unsigned(&mut item, max));
        item
    }

    /// Copies the segments into a memory of the declared size.
    pub fn fill(&self, wasm: &[u8], memory: &mut [u8], account: &mut Account) -> Result<(), EndCause> {
        let mut unseen = 0;
        for Segment { offset, bytes } in &self.segments {
            let (to, from) = (*offset as usize, &wasm[bytes.clone()]);
            let target = memory.get_mut(to..to + from.len()).ok_or(EndCause::Trap(Trap::MemoryOutOfBounds))?;
            for (target, piece) in target.chunks_mut(PIECE).zip(from.chunks(PIECE)) {
                target.copy_from_slice(piece);
                unseen += TOUCH + piece.len();
                if unseen >= PIECE {
                    account.look_while_made().map_err(|Stop| EndCause::Stopped)?;
                    unseen = 0;
                }
            }
        }
        Ok(())
    }
}

/// How the binary format marks a segment that is not active.
const PASSIVE: u8 = 1;

fn segments<'a>(wasm: &'a [u8], module: &Module, raw: &RawSections) -> impl Iterator<Item = Data<'a>> {
    let mut reader = BinaryReader::new(&wasm[raw.data.clone()], raw.data.start);
    (0..module.data_segments).map(move |_| reader.read().expect("the section is valid"))
}

fn span_of(wasm: &[u8], data: &[u8]) -> Span {
    let start = data.as_ptr() as usize - wasm.as_ptr() as usize;
    start..start + data.len()
}

/// The value of an offset; `None` when it depends on a global, which only an imported one can be: such a module is
/// never loaded.
fn value_of(expression: &ConstExpr) -> Option<u32> {
    let mut values: Vec<i32> = Vec::new();
    for operator in expression.get_operators_reader() {
        let value = match operator.ok()? {
            Operator::I32Const { value } => value,
            Operator::End => return values.pop().map(|value| value as u32),
            operator => {
                let (second, first) = (values.pop()?, values.pop()?);
                match operator {
                    Operator::I32Add => first.wrapping_add(second),
                    Operator::I32Sub => first.wrapping_sub(second),
                    Operator::I32Mul => first.wrapping_mul(second),
                    _ => return None,
                }
            }
        };
        values.push(value);
    }
    None
}
