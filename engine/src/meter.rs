//! Rewrites a checked module so that it counts its own fuel and call depth.
//!
//! A module whose calls have known costs (`Charging::Known`) keeps its code; the host charges them. To others are added a
//! fuel counter and, where functions can recurse, a depth counter (globals behind all of the guest's), the imports
//! `refill` (unless the host checks up front), `overflow`, `grow` and `fill` (functions behind the guest's imports),
//! where many functions look at their fuel one through which they do (behind all of the guest's), and exports through which the host reaches the counters, the start function, the memory and the mutable globals. The guest can name none of them: its
//! indices are shifted past them, all imports are renamed to their position, and the hidden exports carry a prefix
//! that no export of the guest has. Custom sections are left out.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::artifact::{Declarations, Extern, Kind, Module, Signature};
use crate::guest::{Act, PIECE, SLOTS};
use crate::large_memory::LargeMemory;
use crate::plan::{Bulk, Edit, Findings, FunctionPlan, What};
use crate::prepare::{Analysis, ElementList};
use crate::{bytes, costs};

/// `length` bytes at `new` of the rewritten module were copied from, or stand for, those at `old` of the guest's.
pub struct Copied {
    pub old: usize,
    pub new: usize,
    pub length: usize,
}

/// Positions of what the meter adds, shared with the engines.
pub struct Added {
    pub refill: Option<u32>,
    pub overflow: Option<u32>,
    pub grow: Option<u32>,
    pub fill: Option<u32>,
    /// How many functions stand between the guest's imports and its own functions.
    pub functions: u32,
    pub fuel: Option<u32>,
    pub depth: Option<u32>,
    /// The function behind all others that calls `refill` for them, with the counter in its global before and after.
    pub next_slice: Option<u32>,
}

/// A module of so many functions calls `refill` in one place. A call of its own function takes the compiler less than one of an
/// import, and the stores around it are left out; smaller modules would take longer to load for one function more.
const SHARED_REFILL_MIN: usize = 8;

impl Added {
    pub fn new(analysis: &Analysis) -> Added {
        let first = analysis.module.imported_functions;
        let Module { weighs, grows, fills, .. } = analysis.module;
        let globals = analysis.module.globals.len() as u32;
        let (counts, looks) = (analysis.module.counts(), analysis.module.looks());
        let functions = u32::from(looks) + u32::from(weighs) + u32::from(grows) + u32::from(fills);
        let shares = looks && analysis.plans.len() >= SHARED_REFILL_MIN;
        Added {
            refill: looks.then_some(first),
            overflow: weighs.then_some(first + 1),
            grow: grows.then_some(first + 1 + u32::from(weighs)),
            fill: fills.then_some(first + 1 + u32::from(weighs) + u32::from(grows)),
            functions,
            fuel: counts.then_some(globals),
            depth: weighs.then_some(globals + 1),
            next_slice: shares.then_some(first + functions + analysis.plans.len() as u32),
        }
    }
}

/// The common start of the hidden exports: no export of the guest starts like it. It is short whatever the guest's are
/// called, because there is a hidden export for each global that can change.
pub fn hidden_prefix(declared: &Declarations, wasm: &[u8]) -> String {
    let names = declared.exports.iter().map(|export| &wasm[export.name.clone()]);
    let marked: Vec<&[u8]> = names.filter_map(|name| name.strip_prefix(b"~")).collect();
    if marked.is_empty() {
        return "~".into();
    }
    // Each name takes one number at most.
    let mut taken = vec![false; marked.len() + 1];
    for name in marked {
        let digits = name.split(|byte| *byte == b'~').next().and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| digits.parse::<usize>().ok());
        if let Some(slot) = number.and_then(|number| taken.get_mut(number)) {
            *slot = true;
        }
    }
    let free = taken.iter().position(|taken| !taken).expect("there are more numbers than names");
    format!("~{free}~")
}

pub const FUEL: &str = "f";
pub const DEPTH: &str = "d";
pub const START: &str = "s";
pub const MEMORY: &str = "m";
pub const GLOBAL: &str = "g";
pub const TABLE: &str = "t";

/// Room for what the meter adds to most sections.
const FEW: usize = 64;

/// Types the meter needs behind the guest's own.
struct AddedTypes {
    encoded: Vec<u8>,
    count: u32,
    first: u32,
}

impl AddedTypes {
    fn add(&mut self, signature: &Signature) -> u32 {
        self.encoded.push(0x60);
        for kinds in [&signature.params, &signature.results] {
            bytes::unsigned(&mut self.encoded, kinds.len() as u64);
            self.encoded.extend(kinds.iter().map(|kind| kind.byte()));
        }
        self.count += 1;
        self.first + self.count - 1
    }
}

struct Meter<'a> {
    wasm: &'a [u8],
    analysis: &'a Analysis,
    added: Added,
    types: AddedTypes,
    refill_type: u32,
    overflow_type: u32,
    grow_type: u32,
    fill_type: u32,
    /// The type of the block around a weighing function's body, by the function's type.
    body_types: Vec<Option<u32>>,
}

/// `copied`, when given, is filled with where the code came from.
pub fn rewrite(wasm: &[u8], analysis: &Analysis, copied: Option<&mut Vec<Copied>>) -> Vec<u8> {
    if stays_as_it_is(analysis) {
        copied.into_iter().for_each(|copied| copied.push(Copied { old: 0, new: 0, length: wasm.len() }));
        return wasm.into();
    }
    let mut meter = Meter {
        wasm,
        analysis,
        added: Added::new(analysis),
        types: AddedTypes { encoded: Vec::with_capacity(FEW), count: 0, first: analysis.module.types.len() as u32 },
        refill_type: 0,
        overflow_type: 0,
        grow_type: 0,
        fill_type: 0,
        body_types: Vec::new(),
    };
    meter.add_types();
    meter.module(copied)
}

/// A module that is charged at its door, and of which the host reaches nothing but what it exports.
fn stays_as_it_is(analysis: &Analysis) -> bool {
    let Analysis { module, findings, raw, .. } = analysis;
    let untouched = |edit: &Edit| matches!(edit.what, What::Charge { .. } | What::ChargeAndCheck { .. });
    !module.counts()
        && module.memory.is_none()
        && module.start.is_none()
        && module.mutable_globals().next().is_none()
        && !raw.custom
        && findings.edits.iter().all(untouched)
}

impl Meter<'_> {
    fn add_types(&mut self) {
        let signature =
            |params: &[Kind], results: &[Kind]| Signature { params: params.into(), results: results.into() };
        if self.added.refill.is_some() {
            self.refill_type = self.types.add(&signature(&[Kind::I64], &[Kind::I64]));
        }
        if self.added.overflow.is_some() {
            self.overflow_type = self.types.add(&signature(&[], &[]));
        }
        if self.added.grow.is_some() {
            self.grow_type = self.types.add(&signature(&[Kind::I32, Kind::I32], &[Kind::I32]));
        }
        if self.added.fill.is_some() {
            self.fill_type = self.types.add(&signature(&[Kind::I32; 4], &[Kind::I32]));
        }
        if self.analysis.module.weighs {
            self.add_body_types();
        }
    }

    /// Each function type is looked at once, however many functions have it.
    fn add_body_types(&mut self) {
        let analysis = self.analysis;
        let mut known = HashMap::<&[Kind], u32>::new();
        self.body_types = vec![None; analysis.module.types.len()];
        for (index, plan) in analysis.plans.iter().enumerate() {
            let type_index = self.type_of(index);
            let results = analysis.module.types[type_index].results.as_slice();
            if plan.weight > 0 && results.len() > 1 && self.body_types[type_index].is_none() {
                let types = &mut self.types;
                let added = known
                    .entry(results)
                    .or_insert_with(|| types.add(&Signature { params: Vec::new(), results: results.into() }));
                self.body_types[type_index] = Some(*added);
            }
        }
    }

    fn type_of(&self, defined: usize) -> usize {
        let module = &self.analysis.module;
        module.functions[module.imported_functions as usize + defined] as usize
    }

    fn results(&self, defined: usize) -> &[Kind] {
        &self.analysis.module.types[self.type_of(defined)].results
    }

    fn shifted(&self, function: u32) -> u32 {
        if function < self.analysis.module.imported_functions { function } else { function + self.added.functions }
    }

    fn module(&self, copied: Option<&mut Vec<Copied>>) -> Vec<u8> {
        let (module, raw) = (&self.analysis.module, &self.analysis.raw);
        let copy = |span: &std::ops::Range<usize>| &self.wasm[span.clone()];
        let mut out = Vec::with_capacity(self.wasm.len() * 2 + 256);
        out.extend_from_slice(b"\0asm\x01\0\0\0");
        let types = module.types.len() + self.types.count as usize;
        bytes::vector_section(&mut out, 1, types, &[copy(&raw.types), &self.types.encoded]);
        self.imports(&mut out);
        let mut next_slice = Vec::new();
        self.added.next_slice.inspect(|_| bytes::unsigned(&mut next_slice, self.refill_type.into()));
        bytes::vector_section(&mut out, 3, self.bodies(), &[copy(&raw.functions), &next_slice]);
        let own_tables = module.tables.len() - self.imported(Extern::Table);
        bytes::vector_section(&mut out, 4, own_tables, &[copy(&raw.tables)]);
        let large = module.large_memory.as_ref();
        let memory = large.map(|large| Cow::from(large.memory_for_engine(module)));
        let memory = memory.unwrap_or(Cow::from(copy(&raw.memories)));
        bytes::vector_section(&mut out, 5, usize::from(module.memory.is_some()), &[&memory]);
        self.globals(&mut out);
        self.exports(&mut out);
        self.elements(&mut out);
        if let Some(count) = raw.data_count {
            let mut content = Vec::new();
            bytes::unsigned(&mut content, count.into());
            out.push(12);
            bytes::unsigned(&mut out, content.len() as u64);
            out.extend_from_slice(&content);
        }
        self.code(&mut out, copied);
        let data = large.map(|_| Cow::from(LargeMemory::data_for_engine(self.wasm, module, raw)));
        let data = data.unwrap_or(Cow::from(copy(&raw.data)));
        bytes::vector_section(&mut out, 11, module.data_segments as usize, &[&data]);
        out
    }

    fn imported(&self, kind: Extern) -> usize {
        self.analysis.module.imports.iter().filter(|import| import.kind == kind).count()
    }

    /// All imports are functions, named by their position; a module with others is never loaded.
    fn imports(&self, out: &mut Vec<u8>) {
        let mut items = Vec::with_capacity(FEW);
        let guest = self.analysis.module.imports.iter().filter(|import| import.kind == Extern::Function);
        let own = [
            self.added.refill.map(|_| self.refill_type),
            self.added.overflow.map(|_| self.overflow_type),
            self.added.grow.map(|_| self.grow_type),
            self.added.fill.map(|_| self.fill_type),
        ];
        let types = guest.map(|import| import.type_index).chain(own.into_iter().flatten());
        let mut count = 0;
        for (position, type_index) in types.enumerate() {
            bytes::name(&mut items, "");
            bytes::name(&mut items, &position.to_string());
            items.push(0);
            bytes::unsigned(&mut items, type_index.into());
            count += 1;
        }
        bytes::vector_section(out, 2, count, &[&items]);
    }

    fn globals(&self, out: &mut Vec<u8>) {
        let module = &self.analysis.module;
        let own = &module.globals[module.imported_globals as usize..];
        let mut items = Vec::with_capacity(FEW);
        for global in own {
            items.extend([global.kind.byte(), u8::from(global.mutable)]);
            self.expression(&mut items, &global.init);
        }
        let (fuel, depth) = (self.added.fuel.is_some(), self.added.depth.is_some());
        if fuel {
            items.extend([Kind::I64.byte(), 1, 0x42, 0, 0x0b]);
        }
        if depth {
            items.extend([Kind::I32.byte(), 1, 0x41, 0, 0x0b]);
        }
        bytes::vector_section(out, 6, own.len() + usize::from(fuel) + usize::from(depth), &[&items]);
    }

    /// Copies a constant expression; a function it names is shifted. Only `ref.func` stands alone before `end`.
    fn expression(&self, out: &mut Vec<u8>, span: &std::ops::Range<usize>) {
        let expression = &self.wasm[span.clone()];
        if expression.first() != Some(&0xd2) {
            return out.extend_from_slice(expression);
        }
        let function = wasmparser::BinaryReader::new(&expression[1..], span.start + 1).read_var_u32();
        out.push(0xd2);
        bytes::unsigned(out, self.shifted(function.expect("the expression is valid")).into());
        out.push(0x0b);
    }

    fn exports(&self, out: &mut Vec<u8>) {
        let module = &self.analysis.module;
        let (mut items, mut count) = (Vec::with_capacity(FEW), 0);
        let mut export = |name: &[u8], kind: Extern, index: u32| {
            bytes::unsigned(&mut items, name.len() as u64);
            items.extend_from_slice(name);
            items.push(kind as u8);
            bytes::unsigned(&mut items, index.into());
            count += 1;
        };
        for known in &module.exports {
            let index = if known.kind == Extern::Function { self.shifted(known.index) } else { known.index };
            export(&self.wasm[known.name.clone()], known.kind, index);
        }
        let prefix = hidden_prefix(module, self.wasm);
        let hidden = |name: &str| [prefix.as_bytes(), name.as_bytes()].concat();
        if let Some(fuel) = self.added.fuel {
            export(&hidden(FUEL), Extern::Global, fuel);
        }
        if let Some(depth) = self.added.depth {
            export(&hidden(DEPTH), Extern::Global, depth);
        }
        if let Some(start) = module.start {
            export(&hidden(START), Extern::Function, self.shifted(start));
        }
        if module.memory.is_some() {
            export(&hidden(MEMORY), Extern::Memory, 0);
        }
        let Findings { grows_tables, copies_tables, .. } = self.analysis.findings;
        let tables = if grows_tables || copies_tables { module.tables.len() } else { 0 };
        for index in 0..tables {
            export(&hidden(&format!("{TABLE}{index}")), Extern::Table, index as u32);
        }
        for (index, _) in
            module.globals.iter().enumerate().filter(|(_, global)| global.mutable && !global.kind.is_reference())
        {
            export(&hidden(&format!("{GLOBAL}{index}")), Extern::Global, index as u32);
        }
        bytes::vector_section(out, 7, count, &[&items]);
    }

    fn elements(&self, out: &mut Vec<u8>) {
        let mut items = Vec::new();
        for segment in &self.analysis.raw.elements {
            items.extend_from_slice(&self.wasm[segment.head.clone()]);
            match &segment.items {
                ElementList::Functions(functions) => {
                    bytes::unsigned(&mut items, functions.len() as u64);
                    functions.iter().for_each(|function| bytes::unsigned(&mut items, self.shifted(*function).into()));
                }
                ElementList::Expressions(expressions) => {
                    bytes::unsigned(&mut items, expressions.len() as u64);
                    expressions.iter().for_each(|expression| self.expression(&mut items, expression));
                }
            }
        }
        bytes::vector_section(out, 9, self.analysis.raw.elements.len(), &[&items]);
    }

    /// Functions with code: the guest's and what the meter adds behind them.
    fn bodies(&self) -> usize {
        self.analysis.plans.len() + usize::from(self.added.next_slice.is_some())
    }

    fn code(&self, out: &mut Vec<u8>, copied: Option<&mut Vec<Copied>>) {
        let mut bodies = Vec::with_capacity(self.wasm.len() * 2);
        let mut body = Body { meter: self, out: Vec::with_capacity(4 * FEW), copied: copied.is_some().then(Vec::new) };
        let mut all = Vec::new();
        for (index, plan) in self.analysis.plans.iter().enumerate() {
            body.out.clear();
            body.write(plan, self.body_type(index, plan));
            bytes::unsigned(&mut bodies, body.out.len() as u64);
            let moved = body.copied.iter_mut().flat_map(|pieces| pieces.drain(..));
            all.extend(moved.map(|piece| Copied { new: piece.new + bodies.len(), ..piece }));
            bodies.extend_from_slice(&body.out);
        }
        if self.added.next_slice.is_some() {
            body.out.clear();
            body.write_next_slice();
            bytes::unsigned(&mut bodies, body.out.len() as u64);
            bodies.extend_from_slice(&body.out);
        }
        bytes::vector_section(out, 10, self.bodies(), &[&bodies]);
        if let Some(copied) = copied {
            let start = out.len() - bodies.len();
            copied.extend(all.into_iter().map(|piece| Copied { new: piece.new + start, ..piece }));
        }
    }

    /// The type of the block around a weighing function's body, as the binary format writes it.
    fn body_type(&self, defined: usize, plan: &FunctionPlan) -> i64 {
        if plan.weight == 0 {
            return EMPTY;
        }
        match self.results(defined) {
            [] => EMPTY,
            [kind] => i64::from(kind.byte()) - 0x80,
            _ => i64::from(self.body_types[self.type_of(defined)].expect("add_body_types has it")),
        }
    }
}

const EMPTY: i64 = 0x40 - 0x80;

/// Writes one function's body: the guest's operators as they are, and the edits between them.
struct Body<'a> {
    meter: &'a Meter<'a>,
    out: Vec<u8>,
    copied: Option<Vec<Copied>>,
}

/// Locals the meter adds behind the guest's.
#[derive(Clone, Copy)]
struct Scratch {
    fuel: u32,
    number: u32,
    depth: u32,
    /// Two of them.
    operands: u32,
    reference: u32,
    /// `fuel` has the counter throughout.
    keeps_counter: bool,
}

impl Body<'_> {
    fn write(&mut self, plan: &FunctionPlan, body_type: i64) {
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

    fn fuel(&self) -> u32 {
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

    fn op(&mut self, opcode: u8, index: u32) {
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
    fn write_next_slice(&mut self) {
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

    /// A long fill or copy is done by the host, in pieces with a look at the clock between them; it answers the length
    /// that is left to the engine: none, or all of it when it leaves the memory and has to trap.
    fn split_fill(&mut self, act: Act, piece: usize, scratch: Scratch) {
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
    fn keep_operands(&mut self, bulk: Bulk, scratch: Scratch) {
        let second = if matches!(bulk, Bulk::FillTable { .. }) { scratch.reference } else { scratch.operands + 1 };
        self.op(LOCAL_SET, second);
        self.op(LOCAL_SET, scratch.operands);
    }

    /// Does all but a piece of a long operation, in pieces with a look at the clock after each; the operands and the
    /// length are those of what is left. The last piece comes first, so that what is out of bounds traps at once.
    fn pieces(&mut self, bulk: Bulk, scratch: Scratch) {
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
    fn bulk_operands(&mut self, bulk: Bulk, scratch: Scratch, then: impl Fn(&mut Self)) {
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

    fn constant(&mut self, value: i64) {
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, value);
    }

    fn fill_operands(&mut self, scratch: Scratch) {
        for local in [scratch.operands, scratch.operands + 1, scratch.number] {
            self.op(LOCAL_GET, local);
        }
    }

    /// `grow(table, by)`; the memory is table -1. The answer is on the stack.
    fn ask_to_grow(&mut self, table: i64, scratch: Scratch) {
        self.out.push(I32_CONST);
        bytes::signed(&mut self.out, table);
        self.op(LOCAL_GET, scratch.number);
        self.op(CALL, self.meter.added.grow.expect("the module grows"));
    }

    /// The host has grown the table, since each `table.grow` keeps a frame on wasmi's native stack, granted or refused.
    /// Fills the new slots; the size before, or -1, stays on the stack.
    fn fill_grown(&mut self, table: u32, scratch: Scratch) {
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

const BLOCK: u8 = 0x02;
const LOOP: u8 = 0x03;
const IF: u8 = 0x04;
const END: u8 = 0x0b;
const BR: u8 = 0x0c;
const RETURN: u8 = 0x0f;
const CALL: u8 = 0x10;
const LOCAL_GET: u8 = 0x20;
const LOCAL_SET: u8 = 0x21;
const LOCAL_TEE: u8 = 0x22;
const GLOBAL_GET: u8 = 0x23;
const GLOBAL_SET: u8 = 0x24;
const I32_CONST: u8 = 0x41;
const I64_CONST: u8 = 0x42;
const I32_LT_S: u8 = 0x48;
const I32_GT_U: u8 = 0x4b;
const I64_LT_S: u8 = 0x53;
const I64_GE_S: u8 = 0x59;
const I32_ADD: u8 = 0x6a;
const I32_SUB: u8 = 0x6b;
const I64_SUB: u8 = 0x7d;
const I64_SHL: u8 = 0x86;
const I64_SHR_U: u8 = 0x88;
const I32_WRAP_I64: u8 = 0xa7;
const I64_EXTEND_I32_S: u8 = 0xac;
const I64_EXTEND_I32_U: u8 = 0xad;
const REF_FUNC: u8 = 0xd2;
/// Behind 0xfc.
const MEMORY_INIT: u8 = 8;
const TABLE_FILL: u8 = 17;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{Declarations, Export};

    fn prefix(names: impl IntoIterator<Item = String>) -> String {
        let (mut declared, mut wasm) = (Declarations::default(), Vec::new());
        for name in names {
            let start = wasm.len();
            wasm.extend(name.bytes());
            declared.exports.push(Export { name: start..wasm.len(), kind: Extern::Function, index: 0 });
        }
        hidden_prefix(&declared, &wasm)
    }

    #[test]
    fn hidden_names_are_short_whatever_the_guests_are_called() {
        assert_eq!(prefix([]), "~");
        assert_eq!(prefix(["f".into(), "x~0~".into()]), "~");
        assert_eq!(prefix(["~".repeat(1_000)]), "~0~");
        assert_eq!(prefix(["~0~".into(), "~1~f".into(), "~99999999999999999999~".into(), "~3~".into()]), "~2~");
        assert_eq!(prefix((0..100).map(|number| format!("~{number}~"))), "~100~");
    }

    /// How many calls a module's code has after the rewriting, of a guest that has none.
    fn looks(text: &str) -> usize {
        let wasm = wat::parse_str(text).expect("the text is right");
        let metered = rewrite(&wasm, &crate::prepare::analyse(&wasm).expect("the module is accepted"), None);
        let bodies = wasmparser::Parser::new(0).parse_all(&metered).filter_map(|payload| match payload {
            Ok(wasmparser::Payload::CodeSectionEntry(body)) => body.get_operators_reader().ok(),
            _ => None,
        });
        let calls = |operator: &_| matches!(operator, Ok(wasmparser::Operator::Call { .. }));
        bodies.map(|operators| operators.into_iter().filter(calls).count()).sum()
    }

    #[test]
    fn an_entry_is_looked_at_unless_a_loop_is_before_anything_can_be_seen() {
        let of = |before: &str| {
            looks(&format!(
                "(module (memory 1) (global (mut i32) (i32.const 0)) (func (param i32) {before} (loop (br_if 0 (local.get 0)))))"
            ))
        };
        for silent in ["", "(local.set 0 (i32.mul (local.get 0) (global.get 0)))", "(drop (memory.size))"] {
            assert_eq!(of(silent), 1, "{silent}");
        }
        for seen in [
            "(global.set 0 (i32.const 1))",
            "(i32.store (i32.const 0) (i32.const 1))",
            "(drop (i32.div_u (i32.const 1) (local.get 0)))",
            "(if (local.get 0) (then (global.set 0 (i32.const 1))))",
            "(br_if 0 (local.get 0))",
        ] {
            assert_eq!(of(seen), 2, "{seen}");
        }
        assert_eq!(looks("(module (func (block (loop (loop (br 1))))) (func (drop (i32.const 1))))"), 3);
    }

    #[test]
    fn many_functions_call_the_host_in_one_place() {
        let module = |functions: usize| format!("(module {})", "(func (loop (br 0)))".repeat(functions));
        assert_eq!(looks(&module(SHARED_REFILL_MIN - 1)), SHARED_REFILL_MIN - 1);
        assert_eq!(looks(&module(SHARED_REFILL_MIN)), SHARED_REFILL_MIN + 1);
    }
}
