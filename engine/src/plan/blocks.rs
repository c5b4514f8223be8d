//! The basic blocks of a body, and what each is charged.
//!
//! A block starts with an edit that charges it. Where nobody looks at the counter in between, the block continues behind an
//! inner one, and what both ways of an `if` cost is charged before they part.

use wasmparser::Operator;

use super::{Edit, What};

/// An open `block`, `if` or `loop`, or the function itself.
struct Frame {
    /// The block in which it was opened, as `Blocks::block`.
    before: usize,
    /// The first block of an `if`, and of its `else`.
    arms: [Option<usize>; 2],
    /// The outermost frame that something inside may leave, other than by its end; all of them where the counter is
    /// exposed inside.
    left: usize,
}

/// As many as a small function nests.
const SOME_FRAMES: usize = 8;

pub fn charge(check: bool) -> What {
    let (cost, exposed) = (0, false);
    if check { What::ChargeAndCheck { cost, exposed } } else { What::Charge { cost, exposed } }
}

/// The edits are the function's; they are passed in because others are added to them in between.
pub struct Blocks {
    /// The cost so far of the block being read.
    pub cost: u64,
    exposed: bool,
    /// The edit that charges the block being read.
    block: usize,
    /// It was started before an inner block and continues behind it.
    resumed: bool,
    /// The edit that charges the function's entry, while nothing was read that anybody could see done.
    silent_entry: Option<usize>,
    frames: Vec<Frame>,
    pub count: u64,
    pub loops: u64,
}

impl Blocks {
    /// A function is entered at `at`, which costs this.
    pub fn new(edits: &mut Vec<Edit>, at: usize, cost: u64) -> Blocks {
        let block = edits.len();
        edits.push(Edit { at, skip: 0, what: charge(true) });
        let mut frames = Vec::with_capacity(SOME_FRAMES);
        frames.push(Frame { before: block, arms: [None; 2], left: usize::MAX });
        let silent_entry = Some(block);
        Blocks { cost, exposed: false, block, resumed: false, silent_entry, frames, count: 1, loops: 0 }
    }

    /// A global is set: the entry is not silent any more.
    pub fn show_entry(&mut self) {
        self.silent_entry = None;
    }

    /// An entry that runs straight into a loop is not looked at: the loop's head is, before anything is done that could be
    /// seen. A look is a call that the compiler has to keep registers for, and takes it a sixth of a small function's time.
    pub fn follow_entry(&mut self, edits: &mut [Edit], operator: &Operator) {
        if matches!(operator, Operator::Block { .. }) {
            return;
        }
        let entry = self.silent_entry.take();
        if let (Some(entry), Operator::Loop { .. }) = (entry, operator) {
            edits[entry].what = charge(false);
        }
    }

    /// Keeps the open frames, and how each may be left. An operator at which the counter is exposed starts a block of its
    /// own in one that was resumed: what was charged in between is to be seen with it.
    pub fn follow_control(&mut self, edits: &mut Vec<Edit>, operator: &Operator, exposes: bool, at: usize) {
        if exposes && self.resumed {
            self.close(edits);
            self.start(edits, at, false);
        }
        self.exposed |= exposes;
        let open = self.frames.len();
        let left = match operator {
            _ if exposes => 0,
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => open - *relative_depth as usize,
            Operator::BrTable { targets } => {
                let farthest = targets.targets().flatten().max().unwrap_or(0).max(targets.default());
                open - farthest as usize
            }
            // It looks at the counter.
            Operator::Loop { .. } => 0,
            _ => usize::MAX,
        };
        if let Some(innermost) = self.frames.last_mut() {
            innermost.left = innermost.left.min(left);
        }
        if matches!(operator, Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. }) {
            let left = if matches!(operator, Operator::Loop { .. }) { 0 } else { usize::MAX };
            self.frames.push(Frame { before: self.block, arms: [None; 2], left });
        }
    }

    /// The block after an `if` or `else` has been opened.
    pub fn note_arm(&mut self, operator: &Operator) {
        let Some(frame) = self.frames.last_mut() else { return };
        match operator {
            Operator::If { .. } => frame.arms[0] = Some(self.block),
            Operator::Else => frame.arms[1] = Some(self.block),
            _ => {}
        }
    }

    /// The block that continues behind the frame, because whoever was in it comes there, and nobody looks in between.
    pub fn close_frame(&mut self, edits: &mut [Edit]) -> Option<usize> {
        let frame = self.frames.pop()?;
        if let Some(outer) = self.frames.last_mut() {
            outer.left = outer.left.min(frame.left);
        }
        let (before_cost, before_exposed) = charged(edits, frame.before);
        if before_exposed {
            return None;
        }
        if let [Some(then), Some(other)] = frame.arms {
            // A cost that both ways share is charged before they part.
            let both = charged(edits, then).0.min(charged(edits, other).0);
            set_cost(edits, frame.before, before_cost + both);
            for arm in [then, other] {
                set_cost(edits, arm, charged(edits, arm).0 - both);
            }
        }
        (frame.left > self.frames.len() && !self.frames.is_empty()).then_some(frame.before)
    }

    pub fn resume(&mut self, edits: &[Edit], block: usize) {
        self.count += 1;
        self.block = block;
        (self.cost, self.exposed) = charged(edits, block);
        self.resumed = true;
    }

    pub fn open(&mut self, edits: &mut Vec<Edit>, at: usize, check: bool) {
        self.count += 1;
        self.loops += u64::from(check);
        self.start(edits, at, check);
    }

    fn start(&mut self, edits: &mut Vec<Edit>, at: usize, check: bool) {
        (self.cost, self.exposed, self.resumed) = (0, false, false);
        self.block = edits.len();
        edits.push(Edit { at, skip: 0, what: charge(check) });
    }

    pub fn close(&mut self, edits: &mut [Edit]) {
        match &mut edits[self.block].what {
            What::Charge { cost, exposed } | What::ChargeAndCheck { cost, exposed } => {
                (*cost, *exposed) = (self.cost, self.exposed);
            }
            _ => unreachable!("a block begins with its charge"),
        }
        (self.cost, self.exposed) = (0, false);
    }

    pub fn next(&mut self, edits: &mut Vec<Edit>, at: usize, check: bool) {
        self.close(edits);
        self.open(edits, at, check);
    }
}

fn set_cost(edits: &mut [Edit], block: usize, to: u64) {
    if let What::Charge { cost, .. } | What::ChargeAndCheck { cost, .. } = &mut edits[block].what {
        *cost = to;
    }
}

fn charged(edits: &[Edit], block: usize) -> (u64, bool) {
    match edits[block].what {
        What::Charge { cost, exposed } | What::ChargeAndCheck { cost, exposed } => (cost, exposed),
        _ => unreachable!("a block begins with its charge"),
    }
}
