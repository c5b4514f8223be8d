//! Reading one function's body: validate it, count its basic blocks, and note every place the meter has to touch.
//!
//! The result is a list of edits in the order of the body. `meter` copies the body and carries them out; `locate` walks
//! them to find where an operator of the rewritten body came from.

use wasmparser::{BlockType, FrameKind, FuncValidator, FunctionBody, Operator, ValidatorResources};

use crate::artifact::{Module, Signature};
use crate::failure::Result;
use crate::guest::{Act, PIECE, SLOTS};
use crate::joins::Joins;
use crate::load::{Chain, Load, blocks_of};
use crate::{bounds, costs};

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
    /// The same where fuel is also looked at: loop heads, and function entries that do not run straight into one.
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
    /// The same before one that is done in pieces when it is long.
    ChargePieces {
        bulk: Bulk,
    },
    /// The same before one that the host does when it is long.
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

    /// What is done at once.
    pub fn piece(self) -> i64 {
        if matches!(self, Bulk::InitMemory { .. }) { PIECE as i64 } else { SLOTS as i64 }
    }
}

pub struct FunctionPlan {
    /// From the locals' declarations to the final `end`.
    pub body: std::ops::Range<usize>,
    /// Where the first operator stands.
    pub code: usize,
    pub local_groups: std::ops::Range<usize>,
    pub local_groups_count: u32,
    pub params: u32,
    pub locals: u32,
    pub operands_max: u32,
    /// The most parameters and results of a function it calls.
    pub call_values_max: u32,
    pub edits: std::ops::Range<usize>,
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

/// What reading the bodies gathers over the whole module.
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

/// Of a call, besides the values that it carries: nothing else of two bytes takes as long to validate, to rewrite and to
/// follow, and where a function has loops, the counter is read again behind it.
const CALL_POINTS: usize = 2;

/// How many carried values are counted between two checks of the points.
const UNCHECKED_MAX: usize = 1_024;

/// As many as a small function nests.
const SOME_FRAMES: usize = 8;

struct Reader<'a> {
    module: &'a Module,
    module_bytes: usize,
    unchecked: usize,
    findings: &'a mut Findings,
    node: u32,
    cost: u64,
    exposed: bool,
    /// The edit that charges the block being read.
    block: usize,
    /// It was started before an inner block and continues behind it.
    resumed: bool,
    /// The edit that charges the function's entry, while nothing was read that anybody could see done.
    silent_entry: Option<usize>,
    frames: Vec<Frame>,
    branch_targets: u64,
    blocks: u64,
    loops: u64,
    chain: Chain,
    has_select: bool,
    has_lengths: bool,
    fills_tables: bool,
    fills: bool,
    splits: bool,
    call_values_max: u32,
}

/// An open `block`, `if` or `loop`, or the function itself.
struct Frame {
    /// The block in which it was opened, as `Reader::block`.
    before: usize,
    /// The first block of an `if`, and of its `else`.
    arms: [Option<usize>; 2],
    /// The outermost frame that something inside may leave, other than by its end; all of them where the counter is
    /// exposed inside.
    left: usize,
}

pub fn read_function(
    module: &Module,
    module_bytes: usize,
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody,
    function: u32,
    findings: &mut Findings,
) -> Result<FunctionPlan> {
    let range = body.range();
    bounds::body_bytes.check(range.len() as u64, range.start)?;
    let mut locals_reader = body.get_locals_reader()?;
    let (local_groups_count, group_start) = (locals_reader.get_count(), locals_reader.original_position());
    let mut locals = 0u64;
    for _ in 0..local_groups_count {
        let (count, kind) = locals_reader.read()?;
        locals += u64::from(count);
        bounds::locals.check(locals, group_start)?;
        validator.define_locals(locals_reader.original_position(), count, kind)?;
    }
    let locals = locals as u32;
    let code = locals_reader.original_position();
    let first_edit = findings.edits.len();
    let mut reader = Reader {
        module,
        module_bytes,
        unchecked: 0,
        node: function - module.imported_functions,
        cost: costs::entry(locals),
        exposed: false,
        resumed: false,
        silent_entry: Some(first_edit),
        frames: Vec::with_capacity(SOME_FRAMES),
        block: first_edit,
        findings,
        branch_targets: 0,
        blocks: 1,
        loops: 0,
        chain: Chain::default(),
        has_select: false,
        has_lengths: false,
        fills_tables: false,
        fills: false,
        splits: false,
        call_values_max: 0,
    };
    reader.edit(code, 0, charge(true));
    reader.frames.push(Frame { before: first_edit, arms: [None; 2], left: usize::MAX });
    let params = module.signature(function).params.len() as u32;
    reader.findings.joins.open_function(params + locals);
    let operands_max = reader.read_operators(validator, body, code)?;
    let (blocks, loops, targets) = (reader.blocks, reader.loops, reader.branch_targets);
    let call_values_max = reader.call_values_max;
    let keeps_counter = loops > 0 && blocks <= KEPT_BLOCKS_MAX;
    let (has_select, has_lengths) = (reader.has_select, reader.has_lengths);
    let (fills_tables, fills, splits) = (reader.fills_tables, reader.fills, reader.splits);
    findings.load.blocks += blocks;
    findings.load.live += (blocks + 16 * loops + targets) * u64::from(params + locals);
    findings.load.live += std::mem::take(&mut findings.joins.steps);
    findings.load.joined += findings.joins.weight();
    Ok(FunctionPlan {
        body: range,
        code,
        local_groups: group_start..code,
        local_groups_count,
        params,
        locals,
        operands_max,
        call_values_max,
        edits: first_edit..findings.edits.len(),
        has_select,
        has_lengths,
        fills_tables,
        fills,
        splits,
        keeps_counter,
        weight: 0,
    })
}

/// A function keeps the counter in a local when that spares more than it costs, and does not have so many blocks that
/// one more live value would make it expensive to compile.
const KEPT_BLOCKS_MAX: u64 = 1_000;

/// What a block with parameters costs besides itself: the empty block before it, and its values in their places.
const GUARD_BLOCKS: u64 = 2;

fn charge(check: bool) -> What {
    let (cost, exposed) = (0, false);
    if check { What::ChargeAndCheck { cost, exposed } } else { What::Charge { cost, exposed } }
}

/// By opcode, the operators that neither show the counter to anybody nor have to do with control: locals, globals,
/// constants, and numbers but for divisions and for conversions that do not saturate.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut opcode = 0;
    while opcode < 256 {
        plain[opcode] = match opcode {
            0x6d..=0x70 | 0x7f..=0x82 | 0xa8..=0xab | 0xae..=0xb1 => false,
            0x01 | 0x1a..=0x1c | 0x20..=0x24 | 0x3f | 0x41..=0xc4 | 0xd0..=0xd2 => true,
            _ => false,
        };
        opcode += 1;
    }
    plain
};

/// By opcode, the plain operators of which nothing is noted but that they cost one: they are validated as they are read,
/// and expressions consist of little else.
const SIMPLE: [bool; 256] = {
    let mut simple = [false; 256];
    let mut opcode = 0;
    while opcode < 256 {
        simple[opcode] = match opcode {
            // Locals and globals read, real constants, comparisons of real numbers.
            0x20 | 0x23 | 0x43..=0x44 | 0x5b..=0x66 => true,
            // `abs`, `neg` and the four operations, single and double.
            0x8b..=0x8c | 0x92..=0x95 | 0x99..=0x9a | 0xa0..=0xa3 => true,
            _ => false,
        };
        opcode += 1;
    }
    simple
};

/// Whether the host or a callee may see the counter at this operator, which the validator has just read and which is not
/// plain: it may trap, it calls, or it leaves the function. What is not known not to is taken to.
fn exposes(operator: &Operator, validator: &FuncValidator<ValidatorResources>) -> bool {
    let leaves = |label: u32| label + 1 >= validator.control_stack_height();
    match operator {
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => leaves(*relative_depth),
        Operator::BrTable { targets } => {
            leaves(targets.default()) || targets.targets().any(|target| target.map_or(true, leaves))
        }
        Operator::End => validator.control_stack_height() == 0,
        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else => false,
        other => !is_saturating_conversion(other),
    }
}

fn is_saturating_conversion(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::I32TruncSatF32S
            | Operator::I32TruncSatF32U
            | Operator::I32TruncSatF64S
            | Operator::I32TruncSatF64U
            | Operator::I64TruncSatF32S
            | Operator::I64TruncSatF32U
            | Operator::I64TruncSatF64S
            | Operator::I64TruncSatF64U
    )
}

fn closes_loop(validator: &FuncValidator<ValidatorResources>) -> bool {
    validator.get_control_frame(0).is_some_and(|frame| frame.kind == FrameKind::Loop)
}

impl Reader<'_> {
    /// Returns the most values that were on the operand stack.
    fn read_operators(
        &mut self,
        validator: &mut FuncValidator<ValidatorResources>,
        body: &FunctionBody,
        code: usize,
    ) -> Result<u32> {
        let (bytes, start) = (body.as_bytes(), body.range().start);
        let mut operators = body.get_operators_reader()?;
        let (mut operands_max, mut dead_from, mut dead_blocks, mut open_loops) = (0, None, 0u32, 0u32);
        while !operators.eof() {
            let at = operators.original_position();
            if dead_from.is_none() && SIMPLE[bytes[at - start] as usize] {
                operators.visit_operator(&mut validator.visitor(at))??;
                operands_max = operands_max.max(validator.operand_stack_height());
                self.cost += 1;
                self.chain = Chain::None;
                continue;
            }
            let operator = operators.read()?;
            match operator {
                Operator::Loop { .. } => open_loops += 1,
                Operator::End => open_loops -= u32::from(closes_loop(validator)),
                Operator::GlobalSet { .. } => self.silent_entry = None,
                _ => {}
            }
            self.weigh(&operator, at, validator)?;
            validator.op(at, &operator)?;
            let around = validator.control_stack_height().saturating_sub(1);
            bounds::nesting.check(u64::from(around + (bounds::LOOP_LEVELS - 1) * open_loops), at)?;
            let next = operators.original_position();
            operands_max = operands_max.max(validator.operand_stack_height());
            if let Some(from) = dead_from {
                match operator {
                    Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => dead_blocks += 1,
                    Operator::End if dead_blocks > 0 => dead_blocks -= 1,
                    Operator::End | Operator::Else if dead_blocks == 0 => {
                        if at > from {
                            self.edit(from, at - from, What::Dead);
                        }
                        dead_from = None;
                        if matches!(operator, Operator::End) {
                            self.findings.joins.close();
                            self.close_frame();
                        }
                        self.open_block(next, false);
                        self.note_arm(&operator);
                    }
                    _ => {}
                }
                continue;
            }
            if !PLAIN[bytes[at - start] as usize] {
                self.follow_entry(&operator);
                self.follow_control(&operator, exposes(&operator, validator), at);
            }
            self.cost += costs::operator(&operator);
            self.note(&operator, at, next, validator)?;
            match operator {
                Operator::Loop { .. } => self.next_block(next, true),
                Operator::If { .. } | Operator::Else | Operator::BrIf { .. } => {
                    self.next_block(next, false);
                    self.note_arm(&operator);
                }
                Operator::End => {
                    self.close_block();
                    match self.close_frame() {
                        Some(before) => self.resume_block(before),
                        None => self.open_block(next, false),
                    }
                }
                Operator::Br { .. } | Operator::BrTable { .. } | Operator::Return | Operator::Unreachable => {
                    self.close_block();
                    dead_from = Some(next);
                }
                _ => {}
            }
        }
        operators.finish()?;
        self.close_block();
        bounds::operands.check(u64::from(operands_max), code)?;
        bounds::blocks.check(self.blocks, code)?;
        Ok(operands_max)
    }

    fn edit(&mut self, at: usize, skip: usize, what: What) {
        self.findings.edits.push(Edit { at, skip, what });
    }

    /// An entry that runs straight into a loop is not looked at: the loop's head is, before anything is done that could be
    /// seen. A look is a call that the compiler has to keep registers for, and takes it a sixth of a small function's time.
    fn follow_entry(&mut self, operator: &Operator) {
        if matches!(operator, Operator::Block { .. }) {
            return;
        }
        let entry = self.silent_entry.take();
        if let (Some(entry), Operator::Loop { .. }) = (entry, operator) {
            self.findings.edits[entry].what = charge(false);
        }
    }

    /// Keeps the open frames, and how each may be left. An operator at which the counter is exposed starts a block of its
    /// own in one that was resumed: what was charged in between is to be seen with it.
    fn follow_control(&mut self, operator: &Operator, exposes: bool, at: usize) {
        if exposes && self.resumed {
            self.close_block();
            self.begin_block(at, false);
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
    fn note_arm(&mut self, operator: &Operator) {
        let Some(frame) = self.frames.last_mut() else { return };
        match operator {
            Operator::If { .. } => frame.arms[0] = Some(self.block),
            Operator::Else => frame.arms[1] = Some(self.block),
            _ => {}
        }
    }

    /// The block that continues behind the frame, because whoever was in it comes there, and nobody looks in between.
    fn close_frame(&mut self) -> Option<usize> {
        let frame = self.frames.pop()?;
        if let Some(outer) = self.frames.last_mut() {
            outer.left = outer.left.min(frame.left);
        }
        let (before_cost, before_exposed) = self.charged(frame.before);
        if before_exposed {
            return None;
        }
        if let [Some(then), Some(other)] = frame.arms {
            // Whatever both ways cost is charged before they part.
            let both = self.charged(then).0.min(self.charged(other).0);
            self.set_cost(frame.before, before_cost + both);
            for arm in [then, other] {
                self.set_cost(arm, self.charged(arm).0 - both);
            }
        }
        (frame.left > self.frames.len() && !self.frames.is_empty()).then_some(frame.before)
    }

    fn resume_block(&mut self, block: usize) {
        self.blocks += 1;
        self.block = block;
        (self.cost, self.exposed) = self.charged(block);
        self.resumed = true;
    }

    fn set_cost(&mut self, block: usize, to: u64) {
        if let What::Charge { cost, .. } | What::ChargeAndCheck { cost, .. } = &mut self.findings.edits[block].what {
            *cost = to;
        }
    }

    fn charged(&self, block: usize) -> (u64, bool) {
        match self.findings.edits[block].what {
            What::Charge { cost, exposed } | What::ChargeAndCheck { cost, exposed } => (cost, exposed),
            _ => unreachable!("a block begins with its charge"),
        }
    }

    fn open_block(&mut self, at: usize, check: bool) {
        self.blocks += 1;
        self.loops += u64::from(check);
        self.begin_block(at, check);
    }

    fn begin_block(&mut self, at: usize, check: bool) {
        (self.cost, self.exposed, self.resumed) = (0, false, false);
        self.block = self.findings.edits.len();
        self.edit(at, 0, charge(check));
    }

    fn close_block(&mut self) {
        match &mut self.findings.edits[self.block].what {
            What::Charge { cost, exposed } | What::ChargeAndCheck { cost, exposed } => {
                (*cost, *exposed) = (self.cost, self.exposed);
            }
            _ => unreachable!("a block begins with its charge"),
        }
        (self.cost, self.exposed) = (0, false);
    }

    fn next_block(&mut self, at: usize, check: bool) {
        self.close_block();
        self.open_block(at, check);
    }

    /// Counts the values an operator carries before anything looks at them one by one: in code that cannot be reached
    /// too, which the gate validates like any other.
    fn weigh(&mut self, operator: &Operator, at: usize, validator: &FuncValidator<ValidatorResources>) -> Result<()> {
        let carried = match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                self.block_values(*blockty)
            }
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                self.label_values(validator, *relative_depth)
            }
            Operator::BrTable { targets } => {
                let count = targets.len() as usize + 1;
                self.branch_targets += count as u64;
                bounds::branch_targets.check(self.branch_targets, at)?;
                self.label_values(validator, targets.default()) * count
            }
            Operator::Return => self.module.types[self.function_type(validator)].results.len(),
            Operator::Call { function_index } => {
                let callee = self.module.functions.get(*function_index as usize);
                CALL_POINTS + callee.map_or(0, |callee| self.type_values(*callee))
            }
            // Compiled for a callee that is not known, they are twice as expensive.
            Operator::CallIndirect { type_index, .. } => CALL_POINTS + 2 * self.type_values(*type_index),
            _ => return Ok(()),
        };
        self.findings.load.carried += carried as u64;
        self.unchecked += carried;
        if self.unchecked < UNCHECKED_MAX {
            return Ok(());
        }
        self.unchecked = 0;
        self.findings.load.check(self.module_bytes, at)
    }

    /// Parameters and results of a function type, if there is such a type.
    fn type_values(&self, type_index: u32) -> usize {
        self.module.types.get(type_index as usize).map_or(0, Signature::values)
    }

    fn block_values(&self, block: BlockType) -> usize {
        match block {
            BlockType::FuncType(index) => self.type_values(index),
            _ => 0,
        }
    }

    /// Notes what a valid operator that can be reached means for the meter and the description.
    fn note(
        &mut self,
        operator: &Operator,
        at: usize,
        next: usize,
        validator: &FuncValidator<ValidatorResources>,
    ) -> Result<()> {
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
                self.cost += costs::carried(values);
                // The interpreter moves the values in a block of their own.
                let moves = values > 0 && matches!(operator, Operator::BrIf { .. });
                self.findings.load.blocks += u64::from(moves);
            }
            Operator::BrTable { targets } => {
                self.cost += costs::carried(self.label_values(validator, targets.default()));
            }
            Operator::Return => {
                self.cost += costs::carried(self.module.types[self.function_type(validator)].results.len());
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
        Ok(())
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
                self.has_lengths = true;
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
                self.fills_tables = true;
                self.pieces(at, Bulk::FillTable { table: *table });
            }
            Operator::DataDrop { .. } | Operator::ElemDrop { .. } => {
                self.findings.features |= USES_BULK_MEMORY;
                self.findings.not_movable |= DROPS_SEGMENT;
            }
            Operator::TableGrow { table } => {
                self.has_lengths = true;
                (self.fills_tables, self.splits) = (true, true);
                self.loops += 1;
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
        self.cost += costs::carried(callee.params.len());
        self.call_values_max = self.call_values_max.max(callee.values() as u32);
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
        self.has_select = true;
        self.edit(at, 0, What::GuardSelect);
    }

    /// The meter adds a loop.
    fn pieces(&mut self, at: usize, bulk: Bulk) {
        self.splits = true;
        self.loops += 1;
        self.by_length(at, What::ChargePieces { bulk });
    }

    fn fill(&mut self, at: usize, act: Act) {
        (self.fills, self.splits) = (true, true);
        self.by_length(at, What::ChargeFill { act });
    }

    fn by_length(&mut self, at: usize, what: What) {
        self.has_lengths = true;
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

    /// How many values a branch to this label carries; none if there is no such label.
    fn label_values(&self, validator: &FuncValidator<ValidatorResources>, label: u32) -> usize {
        let Some(frame) = validator.get_control_frame(label as usize) else { return 0 };
        match frame.block_type {
            BlockType::Empty => 0,
            BlockType::Type(_) => usize::from(frame.kind != FrameKind::Loop),
            BlockType::FuncType(index) if frame.kind == FrameKind::Loop => {
                self.module.types[index as usize].params.len()
            }
            BlockType::FuncType(index) => self.module.types[index as usize].results.len(),
        }
    }

    fn function_type(&self, validator: &FuncValidator<ValidatorResources>) -> usize {
        self.module.functions[validator.index() as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operator of this opcode, if it stands alone or with an operand of one to eight zeros.
    fn operator(opcode: u8) -> Option<Operator<'static>> {
        let bytes: &'static [u8] = Box::leak(Box::new([opcode, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        wasmparser::OperatorsReader::new(wasmparser::BinaryReader::new(bytes, 0)).read().ok()
    }

    #[test]
    fn simple_operators_are_plain_and_cost_one_and_nothing_else_is_noted_of_them() {
        for opcode in (0..=u8::MAX).filter(|opcode| SIMPLE[usize::from(*opcode)]) {
            let operator = operator(opcode).unwrap_or_else(|| panic!("{opcode:#x} is no operator"));
            assert!(PLAIN[usize::from(opcode)], "{operator:?}");
            assert_eq!((costs::operator(&operator), blocks_of(&operator)), (1, 0), "{operator:?}");
            for mut chain in [Chain::None, Chain::Result, Chain::Constant] {
                assert!(!chain.follow(&operator) && chain == Chain::None, "{operator:?}");
            }
        }
    }
}
