//! Requests of a guest that may take long: the host does them in pieces and looks at the clock after each.

use crate::bounds;

/// Bytes of memory that are filled or copied between two looks at the clock; touching them first takes a millisecond.
pub const PIECE: usize = 1 << 20;

/// Slots of a table that are copied between two looks at the clock; Wasmtime takes half a millisecond for them.
pub const SLOTS: usize = 32_768;

/// An act that the host does for a guest when it is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    FillMemory,
    CopyMemory,
    CopyTable { to: u32, from: u32 },
}

impl Act {
    /// As the guest hands it over.
    pub fn code(self) -> u32 {
        match self {
            Act::FillMemory => 0,
            Act::CopyMemory => 1,
            Act::CopyTable { to, from } => 2 + to * TABLES + from,
        }
    }

    pub fn of(code: i32) -> Act {
        match code as u32 {
            0 => Act::FillMemory,
            1 => Act::CopyMemory,
            tables => Act::CopyTable { to: (tables - 2) / TABLES, from: (tables - 2) % TABLES },
        }
    }
}

const TABLES: u32 = bounds::tables.candidate as u32;

/// A `memory.fill`, `memory.copy` or `table.copy` longer than that.
pub struct Fill {
    to: usize,
    /// The byte, or where the bytes come from.
    with: usize,
    left: usize,
    copies: bool,
}

impl Fill {
    /// None when it leaves the memory: the engine is to trap.
    pub fn new(numbers: [i32; 3], act: Act, memory_bytes: usize) -> Option<Fill> {
        let from_bytes = if act == Act::CopyMemory { memory_bytes } else { usize::MAX };
        Fill::within(numbers, memory_bytes, from_bytes).map(|fill| Fill { copies: act == Act::CopyMemory, ..fill })
    }

    /// A copy between two tables of these sizes, or inside of one.
    pub fn within([to, with, length]: [i32; 3], to_size: usize, from_size: usize) -> Option<Fill> {
        let [to, with, left] = [to, with, length].map(|number| number as u32 as usize);
        let fits = to + left <= to_size && with + left <= from_size;
        fits.then_some(Fill { to, with, left, copies: true })
    }

    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// To, from and the length of what is copied next. It starts from the end when that is needed, so that nothing is
    /// written before it is read.
    pub fn next_copy(&mut self, at_once: usize) -> (usize, usize, usize) {
        let length = self.left.min(at_once);
        self.left -= length;
        if self.to > self.with {
            return (self.to + self.left, self.with + self.left, length);
        }
        let next = (self.to, self.with, length);
        (self.to, self.with) = (self.to + length, self.with + length);
        next
    }

    /// Does the next piece; false when that was the last.
    pub fn piece(&mut self, memory: &mut [u8]) -> bool {
        if self.copies {
            let (to, from, length) = self.next_copy(PIECE);
            memory.copy_within(from..from + length, to);
        } else {
            let length = self.left.min(PIECE);
            self.left -= length;
            memory[self.to..self.to + length].fill(self.with as u8);
            self.to += length;
        }
        !self.is_done()
    }
}
