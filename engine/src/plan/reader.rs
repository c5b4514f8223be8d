//! Reads the operators of one body in their order.

use wasmparser::{BlockType, FrameKind, FuncValidator, FunctionBody, Operator, ValidatorResources};

use super::blocks::Blocks;
use super::operators::{PLAIN, SIMPLE, exposes};
use super::{Edit, Findings, FunctionPlan, What};
use crate::artifact::{Module, Signature};
use crate::failure::Result;
use crate::load::Chain;
use crate::{bounds, costs};

/// Points of a call besides the values that it carries: nothing else of two bytes takes as long to validate, to rewrite
/// and to follow, and where a function has loops, the counter is read again behind it.
const CALL_POINTS: usize = 2;

/// How many carried values are counted between two checks of the points.
const UNCHECKED_MAX: usize = 1_024;

/// A function keeps the counter in a local when that spares more than it costs, and does not have so many blocks that
/// one more live value would make it expensive to compile.
const KEPT_BLOCKS_MAX: u64 = 1_000;

pub struct Reader<'a> {
    pub module: &'a Module,
    module_bytes: usize,
    unchecked: usize,
    pub findings: &'a mut Findings,
    /// Filled in as the body is read.
    pub plan: FunctionPlan,
    pub node: u32,
    pub blocks: Blocks,
    branch_targets: u64,
    pub chain: Chain,
}

pub fn read_function(
    module: &Module,
    module_bytes: usize,
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody,
    function: u32,
    findings: &mut Findings,
) -> Result<FunctionPlan> {
    let mut plan = read_locals(findings.load.set, validator, body)?;
    plan.params = module.signature(function).params.len() as u32;
    let first_edit = findings.edits.len();
    let blocks = Blocks::new(&mut findings.edits, plan.code, costs::entry(plan.locals));
    findings.joins.open_function(plan.params + plan.locals);
    let mut reader = Reader {
        module,
        module_bytes,
        unchecked: 0,
        node: function - module.imported_functions,
        plan,
        findings,
        blocks,
        branch_targets: 0,
        chain: Chain::default(),
    };
    let operands_max = reader.read_operators(validator, body)?;
    let Reader { mut plan, blocks: Blocks { count, loops, .. }, branch_targets, .. } = reader;
    plan.operands_max = operands_max;
    plan.edits = first_edit..findings.edits.len();
    plan.keeps_counter = loops > 0 && count <= KEPT_BLOCKS_MAX;
    findings.load.blocks += count;
    findings.load.live += (count + 16 * loops + branch_targets) * u64::from(plan.params + plan.locals);
    let steps = std::mem::take(&mut findings.joins.steps);
    findings.load.live += steps;
    findings.load.steps += steps;
    findings.load.locals += u64::from(plan.params + plan.locals);
    findings.load.joined += findings.joins.weight();
    Ok(plan)
}

/// The start of a body, before its operators.
fn read_locals(
    set: bounds::Set,
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody,
) -> Result<FunctionPlan> {
    let range = body.range();
    bounds::body_bytes.check(set, range.len() as u64, range.start)?;
    let mut locals_reader = body.get_locals_reader()?;
    let (local_groups_count, group_start) = (locals_reader.get_count(), locals_reader.original_position());
    let mut locals = 0u64;
    for _ in 0..local_groups_count {
        let (count, kind) = locals_reader.read()?;
        locals += u64::from(count);
        bounds::locals.check(set, locals, group_start)?;
        validator.define_locals(locals_reader.original_position(), count, kind)?;
    }
    let code = locals_reader.original_position();
    let local_groups = group_start..code;
    let locals = locals as u32;
    Ok(FunctionPlan { body: range, code, local_groups, local_groups_count, locals, ..FunctionPlan::default() })
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
    ) -> Result<u32> {
        let (bytes, start, set) = (body.as_bytes(), body.range().start, self.findings.load.set);
        let mut operators = body.get_operators_reader()?;
        let (mut operands_max, mut dead_from, mut dead_blocks, mut open_loops) = (0, None, 0u32, 0u32);
        while !operators.eof() {
            let at = operators.original_position();
            if dead_from.is_none() && SIMPLE[bytes[at - start] as usize] {
                operators.visit_operator(&mut validator.visitor(at))??;
                operands_max = operands_max.max(validator.operand_stack_height());
                self.blocks.cost += 1;
                self.chain = Chain::None;
                continue;
            }
            let operator = operators.read()?;
            match operator {
                Operator::Loop { .. } => open_loops += 1,
                Operator::End => open_loops -= u32::from(closes_loop(validator)),
                Operator::GlobalSet { .. } => self.blocks.show_entry(),
                _ => {}
            }
            self.weigh(&operator, at, validator)?;
            validator.op(at, &operator)?;
            let around = validator.control_stack_height().saturating_sub(1);
            bounds::nesting.check(set, u64::from(around + (bounds::LOOP_LEVELS - 1) * open_loops), at)?;
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
                            self.blocks.close_frame(&mut self.findings.edits);
                        }
                        self.blocks.open(&mut self.findings.edits, next, false);
                        self.blocks.note_arm(&operator);
                    }
                    _ => {}
                }
                continue;
            }
            if !PLAIN[bytes[at - start] as usize] {
                self.blocks.follow_entry(&mut self.findings.edits, &operator);
                let exposes = exposes(&operator, validator);
                self.blocks.follow_control(&mut self.findings.edits, &operator, exposes, at);
            }
            self.blocks.cost += costs::operator(&operator);
            self.note(&operator, at, next, validator);
            match operator {
                Operator::Loop { .. } => self.blocks.next(&mut self.findings.edits, next, true),
                Operator::If { .. } | Operator::Else | Operator::BrIf { .. } => {
                    self.blocks.next(&mut self.findings.edits, next, false);
                    self.blocks.note_arm(&operator);
                }
                Operator::End => {
                    self.blocks.close(&mut self.findings.edits);
                    match self.blocks.close_frame(&mut self.findings.edits) {
                        Some(before) => self.blocks.resume(&self.findings.edits, before),
                        None => self.blocks.open(&mut self.findings.edits, next, false),
                    }
                }
                Operator::Br { .. } | Operator::BrTable { .. } | Operator::Return | Operator::Unreachable => {
                    self.blocks.close(&mut self.findings.edits);
                    dead_from = Some(next);
                }
                _ => {}
            }
        }
        operators.finish()?;
        self.blocks.close(&mut self.findings.edits);
        bounds::operands.check(set, u64::from(operands_max), self.plan.code)?;
        bounds::blocks.check(set, self.blocks.count, self.plan.code)?;
        Ok(operands_max)
    }

    pub fn edit(&mut self, at: usize, skip: usize, what: What) {
        self.findings.edits.push(Edit { at, skip, what });
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
                bounds::branch_targets.check(self.findings.load.set, self.branch_targets, at)?;
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

    /// How many values a branch to this label carries; none if there is no such label.
    pub fn label_values(&self, validator: &FuncValidator<ValidatorResources>, label: u32) -> usize {
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

    pub fn function_type(&self, validator: &FuncValidator<ValidatorResources>) -> usize {
        self.module.functions[validator.index() as usize] as usize
    }
}
