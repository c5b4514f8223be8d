//! Loops that cannot be left.
//!
//! A loop is endless when a branch leads back to its head and no way leads from there to its own end, to a label around
//! it, to a `return` or to an `unreachable`. Every `br_if`, `if` and `br_table` may go either way, unless an `i32.const`
//! stands right before the `br_if` or `if`. So what is called endless is: who comes to its head is ended by a trap,
//! inside a call, or by a limit, and `does` says which of the first two its operators could bring about.
//!
//! One step an operator and one more a target of `br_table`: forward labels are branched to before their `end`, and a
//! loop's inside can only be come to through its head, so one reading sees all that can be reached.

use wasmparser::Operator;

/// Bits of `Endless::does`.
pub const CALLS: u8 = 1;
pub const TRAPS: u8 = 2;

#[derive(Debug, PartialEq, Eq)]
pub struct Endless {
    /// Where the `loop` stands.
    pub at: usize,
    pub does: u8,
}

#[derive(Clone, Copy)]
struct Frame {
    at: usize,
    is_loop: bool,
    /// Control can branch to its label: the head of a loop, else the end.
    branched_to: bool,
    /// True for an `if` whose `else` has not been met: control can pass by its first part.
    passed_by: bool,
    /// The outermost frame that something inside branches to.
    leaves_to: usize,
    does: u8,
}

#[derive(Default)]
pub struct Endlessness {
    frames: Vec<Frame>,
    /// Control can come to the next operator.
    live: bool,
    /// The constant that the operator before has put on the stack, when that is written there.
    constant: Option<i32>,
    pub steps: u64,
}

impl Endlessness {
    /// Starts a function's body, keeping what was allocated for the one before.
    pub fn begin(&mut self) {
        self.frames.clear();
        (self.live, self.constant) = (true, None);
        self.open(0, false, false);
    }

    /// Reads the next operator of the body; `opcode` is its first byte. An answer is given at the `end` of a loop.
    pub fn step(&mut self, operator: &Operator, opcode: u8, at: usize) -> Option<Endless> {
        self.steps += 1;
        let known = self.constant.take();
        if self.live
            && let Some(frame) = self.frames.last_mut()
        {
            frame.does |= does(operator, opcode);
        }
        match operator {
            Operator::I32Const { value } => self.constant = Some(*value),
            Operator::Block { .. } => self.open(at, false, false),
            Operator::Loop { .. } => self.open(at, true, false),
            Operator::If { .. } => {
                let (enters, passes_by) = (known != Some(0), known.is_none_or(|value| value == 0));
                self.open(at, false, self.live && passes_by);
                self.live &= enters;
            }
            Operator::Else => self.otherwise(),
            Operator::End => return self.close(),
            Operator::Br { relative_depth } => self.branch(*relative_depth, false),
            Operator::BrIf { relative_depth } if known != Some(0) => self.branch(*relative_depth, known.is_none()),
            Operator::BrTable { targets } => {
                for target in targets.targets() {
                    self.steps += 1;
                    self.branch(target.unwrap_or(0), true);
                }
                self.branch(targets.default(), false);
            }
            Operator::Return | Operator::Unreachable => self.branch(self.frames.len() as u32 - 1, false),
            _ => {}
        }
        None
    }

    fn open(&mut self, at: usize, is_loop: bool, passed_by: bool) {
        self.frames.push(Frame { at, is_loop, branched_to: false, passed_by, leaves_to: usize::MAX, does: 0 });
    }

    /// The first part of an `if` is over: falling out of it leads to the same place as a branch to its label.
    fn otherwise(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.branched_to |= self.live;
        self.live = std::mem::take(&mut frame.passed_by);
    }

    fn branch(&mut self, depth: u32, continues: bool) {
        let Some(target) = self.frames.len().checked_sub(depth as usize + 1) else { return };
        if self.live {
            self.frames[target].branched_to = true;
            let inside = self.frames.last_mut().expect("the target is one of them");
            inside.leaves_to = inside.leaves_to.min(target);
            self.live = continues;
        }
    }

    fn close(&mut self) -> Option<Endless> {
        let frame = self.frames.pop()?;
        let falls_out = self.live;
        self.live |= frame.passed_by || (!frame.is_loop && frame.branched_to);
        let own = self.frames.len();
        if let Some(around) = self.frames.last_mut() {
            around.leaves_to = around.leaves_to.min(frame.leaves_to);
            around.does |= frame.does;
        }
        let endless = frame.is_loop && frame.branched_to && !falls_out && frame.leaves_to >= own;
        endless.then_some(Endless { at: frame.at, does: frame.does })
    }
}

fn does(operator: &Operator, opcode: u8) -> u8 {
    match operator {
        Operator::Call { .. } => CALLS,
        Operator::CallIndirect { .. } => CALLS | TRAPS,
        Operator::MemoryInit { .. }
        | Operator::MemoryCopy { .. }
        | Operator::MemoryFill { .. }
        | Operator::TableInit { .. }
        | Operator::TableCopy { .. }
        | Operator::TableFill { .. } => TRAPS,
        _ => match opcode {
            0x25 | 0x26 => TRAPS,               // table.get, table.set
            0x28..=0x3e => TRAPS,               // loads and stores
            0x6d..=0x70 | 0x7f..=0x82 => TRAPS, // integer division and remainder
            0xa8..=0xab | 0xae..=0xb1 => TRAPS, // floats to integers, not saturating
            _ => 0,
        },
    }
}
