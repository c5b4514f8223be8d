//! Rewrites a checked module so that it counts its own fuel and call depth.
//!
//! A module whose calls have known costs (`Charging::Known`) keeps its code; the host charges them. To others are
//! added a fuel counter and, where functions can recurse, a depth counter (globals behind all of the guest's), the
//! imports `refill` (unless the host checks up front), `overflow`, `grow` and `fill` (functions behind the guest's
//! imports), where many functions look at their fuel one through which they do (behind all of the guest's), and
//! exports through which the host reaches the counters, the start function, the memory and the mutable globals. The
//! guest can name none of them: its indices are shifted past them, all imports are renamed to their position, and the
//! hidden exports carry a prefix that no export of the guest has. Custom sections are left out.

use std::borrow::Cow;
use std::collections::HashMap;

use self::body::Body;
use crate::artifact::{Extern, Kind, Signature};
use crate::bytes;
use crate::large_memory::LargeMemory;
use crate::plan::{Edit, Findings, FunctionPlan, What};
use crate::prepare::{Analysis, ElementList};

mod added;
mod body;
mod bulk;
mod opcodes;

pub use self::added::{Added, DEPTH, FUEL, GLOBAL, MEMORY, START, TABLE, hidden_prefix};

/// `length` bytes at `new` of the rewritten module were copied from, or stand for, those at `old` of the guest's.
pub struct Copied {
    pub old: usize,
    pub new: usize,
    pub length: usize,
}

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

/// A module that is charged up front, and of which the host reaches nothing but what it exports.
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

#[cfg(test)]
mod tests {
    use super::added::SHARED_REFILL_MIN;
    use super::*;

    /// How many calls a module's code has after the rewriting, of a guest that has none.
    fn looks(text: &str) -> usize {
        let wasm = wat::parse_str(text).expect("the text is right");
        let metered = rewrite(
            &wasm,
            &crate::prepare::analyse(&wasm, crate::bounds::Set::Candidate).expect("the module is accepted"),
            None,
        );
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
