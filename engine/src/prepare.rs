//! The gate's structural part: a module is validated as it was sent, held to the bounds, and described.

use std::cell::RefCell;
use std::sync::Arc;

use wasmparser::{
    ConstExpr, DataKind, ElementItems, ElementKind, Encoding, ExternalKind, FuncToValidate, FuncValidatorAllocations,
    FunctionBody, Operator, Parser, Payload, TypeRef, ValidPayload, Validator, ValidatorResources,
};

use crate::artifact::{
    Declarations, Export, Extern, Global, Import, Kind, Memory, Module, Signature, Span, Table, span_of,
};
use crate::failure::{Failure, Result, Status};
use crate::graph::{Graph, callees_first};
use crate::large_memory::LargeMemory;
use crate::plan::{self, Findings, FunctionPlan};
use crate::shared_declarations::{self, CheckedDeclarations};
use crate::{bounds, charging, costs, features, frames, proposals};

/// What the meter needs to rewrite a module.
pub struct Analysis {
    pub module: Module,
    pub findings: Findings,
    pub plans: Vec<FunctionPlan>,
    pub raw: RawSections,
}

/// Items of the sections that are copied or spliced, without their counts.
#[derive(Default, Clone)]
pub struct RawSections {
    pub types: Span,
    pub functions: Span,
    pub tables: Span,
    pub memories: Span,
    pub elements: Vec<ElementSegment>,
    pub data_count: Option<u32>,
    pub data: Span,
    /// There are some; they are not copied.
    pub custom: bool,
}

#[derive(Clone)]
pub struct ElementSegment {
    /// Everything before the items and their count: flags, table, offset expression, kind.
    pub head: Span,
    pub items: ElementList,
}

#[derive(Clone)]
pub enum ElementList {
    Functions(Vec<u32>),
    Expressions(Vec<Span>),
}

/// Fails with `Rejected`, naming the bound, the refused proposal, or what is malformed and where.
pub fn analyse(wasm: &[u8]) -> Result<Analysis> {
    read_module(wasm).map_err(|failure| name_the_reason(wasm, failure))
}

fn name_the_reason(wasm: &[u8], failure: Failure) -> Failure {
    if failure.status != Status::Rejected || failure.message.starts_with("the module") {
        return failure;
    }
    if !wasm.starts_with(b"\0asm") {
        return Failure { message: "these bytes are not WebAssembly: they do not begin with \\0asm".into(), ..failure };
    }
    let failed_at = failure.offset.map_or(usize::MAX, |offset| offset as usize);
    let message = match proposals::used(wasm, failed_at).as_slice() {
        [] => format!("the module is not valid WebAssembly: {}", failure.message),
        names => format!("the module uses {}, which petri does not accept", names.join(", ")),
    };
    Failure { message, ..failure }
}

/// Reads a module's parts in their order.
struct Gate<'a> {
    wasm: &'a [u8],
    /// Becomes the module's once its code starts.
    declared: Declarations,
    analysis: Analysis,
    allocations: FuncValidatorAllocations,
    has_code: bool,
    /// Where the section ends that was read last.
    read_to: usize,
    /// What was found in the declarations, if they are worth keeping.
    checked: Option<Checked>,
}

struct Checked {
    bytes: usize,
    /// Without what follows the code.
    raw: RawSections,
    findings: Findings,
    resources: Option<ValidatorResources>,
}

/// The reader knows these whatever the accepted features are.
const UNKNOWN_KIND: &str = "the module imports or exports a tag or an exact function, which petri does not accept";

thread_local! {
    // Validators' stacks are worth keeping: a tiny module is checked in two or three microseconds.
    static ALLOCATIONS: RefCell<FuncValidatorAllocations> = RefCell::default();
}

/// As many as a small module has.
const SOME_EDITS: usize = 32;

fn read_module(wasm: &[u8]) -> Result<Analysis> {
    let checked = shared_declarations::find(wasm);
    let mut analysis = match checked.and_then(|checked| read_code(wasm, &checked)) {
        Some(read) => read?,
        None => read_all(wasm)?,
    };
    weigh(&mut analysis);
    analysis.module.large_memory = LargeMemory::of(wasm, &analysis.module, &analysis.raw);
    Ok(analysis)
}

/// Only the code, where the declarations before it were checked before. None: all of it has to be read, and what is wrong
/// with its sections is found there.
fn read_code(wasm: &[u8], checked: &CheckedDeclarations) -> Option<Result<Analysis>> {
    let bodies = checked.code_of(wasm)?;
    // How much may be declared depends on how large the module is.
    checked.findings.load.check(wasm.len(), 0).ok()?;
    let mut gate = Gate::new(wasm);
    gate.analysis.module.declared = checked.declared.clone();
    gate.analysis.raw = checked.raw.clone();
    gate.analysis.findings = Findings { edits: Vec::with_capacity(SOME_EDITS), ..checked.findings.clone() };
    gate.analysis.plans.reserve(checked.defined());
    for (defined, body) in bodies.into_iter().enumerate() {
        // Behind the last body comes a failure, if there are bytes left.
        let body = body.ok()?;
        if let Err(failure) = gate.function(checked.function(defined), &body) {
            return Some(Err(failure));
        }
    }
    ALLOCATIONS.set(gate.allocations);
    Some(Ok(gate.analysis))
}

fn read_all(wasm: &[u8]) -> Result<Analysis> {
    let mut validator = Validator::new_with_features(features::accepted());
    let mut gate = Gate::new(wasm);
    // Refused proposals also allow longer ways to write the same numbers.
    let mut parser = Parser::new(0);
    parser.set_features(features::accepted());
    for payload in parser.parse_all(wasm) {
        let payload = payload?;
        gate.bound_counts(&payload)?;
        // There is nothing left to validate then, and a list of all types would be made.
        if matches!(payload, Payload::End(_)) {
            break;
        }
        match validator.payload(&payload)? {
            ValidPayload::Func(function, body) => gate.function(function, &body)?,
            _ => gate.section(&payload)?,
        }
    }
    Ok(gate.finish())
}

impl<'a> Gate<'a> {
    fn new(wasm: &'a [u8]) -> Gate<'a> {
        Gate {
            wasm,
            declared: Declarations::default(),
            analysis: Analysis {
                module: Module::default(),
                findings: Findings { edits: Vec::with_capacity(SOME_EDITS), ..Findings::default() },
                plans: Vec::new(),
                raw: RawSections::default(),
            },
            allocations: ALLOCATIONS.take(),
            has_code: false,
            read_to: 0,
            checked: None,
        }
    }

    /// The module is accepted: its declarations are kept for the next ones, unless something follows its code.
    fn finish(mut self) -> Analysis {
        ALLOCATIONS.set(self.allocations);
        let Analysis { module, raw: all, .. } = &mut self.analysis;
        if !self.has_code {
            module.declared = Arc::new(self.declared);
        }
        if let Some(Checked { bytes, raw, findings, resources: Some(resources) }) = self.checked
            && module.data_segments == 0
            && !all.custom
        {
            shared_declarations::keep(CheckedDeclarations {
                bytes: self.wasm[..bytes].into(),
                declared: module.declared.clone(),
                raw,
                findings,
                resources,
            });
        }
        self.analysis
    }

    /// Counts are checked before anything reads what they count.
    fn bound_counts(&mut self, payload: &Payload) -> Result<()> {
        let load = &mut self.analysis.findings.load;
        match payload {
            Payload::Version { encoding: Encoding::Component, range, .. } => {
                Err(Failure::rejected("the module uses the component model, which petri does not accept", range.start))
            }
            Payload::TypeSection(s) => {
                bounds::types.check(s.count().into(), s.range().start)?;
                load.types = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::ImportSection(s) => {
                bounds::imports.check(s.count().into(), s.range().start)?;
                load.imports = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::FunctionSection(s) => {
                bounds::functions.check(s.count().into(), s.range().start)?;
                load.functions = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::TableSection(s) => bounds::tables.check(s.count().into(), s.range().start),
            Payload::GlobalSection(s) => {
                bounds::globals.check(s.count().into(), s.range().start)?;
                load.globals = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::ExportSection(s) => {
                bounds::exports.check(s.count().into(), s.range().start)?;
                load.exports = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::ElementSection(s) => {
                bounds::element_segments.check(s.count().into(), s.range().start)?;
                load.element_segments = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            Payload::DataSection(s) => {
                bounds::data_segments.check(s.count().into(), s.range().start)?;
                load.data_segments = s.count().into();
                load.check(self.wasm.len(), s.range().start)
            }
            _ => Ok(()),
        }
    }

    fn section(&mut self, payload: &Payload) -> Result<()> {
        let (declared, raw) = (&mut self.declared, &mut self.analysis.raw);
        match payload {
            Payload::TypeSection(section) => {
                raw.types = section.original_position()..section.range().end;
                for group in section.clone() {
                    for kind in group?.into_types() {
                        let function = kind.unwrap_func();
                        bounds::parameters.check(function.params().len() as u64, section.range().start)?;
                        bounds::results.check(function.results().len() as u64, section.range().start)?;
                        declared.types.push(Signature {
                            params: function.params().iter().map(|kind| Kind::of(*kind)).collect(),
                            results: function.results().iter().map(|kind| Kind::of(*kind)).collect(),
                        });
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    self.import(import?, section.range().start)?;
                }
            }
            Payload::FunctionSection(section) => {
                raw.functions = section.original_position()..section.range().end;
                for function in section.clone() {
                    let type_index = function?;
                    if declared.types[type_index as usize].results.len() > 1 {
                        self.analysis.findings.features |= plan::USES_MULTI_VALUE;
                    }
                    declared.functions.push(type_index);
                    self.analysis.findings.load.values += declared.types[type_index as usize].values() as u64;
                }
                self.analysis.findings.load.check(self.wasm.len(), section.range().start)?;
            }
            Payload::TableSection(section) => {
                raw.tables = section.original_position()..section.range().end;
                for table in section.clone() {
                    let table = table?.ty;
                    declared
                        .tables
                        .push(Table { min: table.initial, max: table.maximum.unwrap_or(u64::from(u32::MAX)) });
                }
                if declared.tables.len() > 1 {
                    self.analysis.findings.features |= plan::USES_REFERENCE_TYPES;
                }
                bounds::table_minimum.check(declared.table_slots(), section.range().start)?;
            }
            Payload::MemorySection(section) => {
                raw.memories = section.original_position()..section.range().end;
                for memory in section.clone() {
                    let memory = memory?;
                    bounds::memory_minimum.check(memory.initial, section.range().start)?;
                    declared.memory = Some(Memory { min: memory.initial, max: memory.maximum });
                }
            }
            Payload::GlobalSection(section) => {
                for global in section.clone() {
                    let global = global?;
                    self.constant(&global.init_expr)?;
                    self.global(
                        Kind::of(global.ty.content_type),
                        global.ty.mutable,
                        expression_span(&global.init_expr),
                    );
                }
                self.analysis.findings.load.check(self.wasm.len(), section.range().start)?;
            }
            Payload::ExportSection(section) => {
                for export in section.clone() {
                    self.export(export?, section.range().start)?;
                }
            }
            Payload::StartSection { func, .. } => declared.start = Some(*func),
            Payload::ElementSection(section) => self.elements(section)?,
            Payload::CodeSectionStart { range, .. } => self.begin_code(range.start)?,
            Payload::DataCountSection { count, .. } => {
                raw.data_count = Some(*count);
                self.analysis.findings.features |= plan::USES_BULK_MEMORY;
            }
            Payload::DataSection(section) => {
                raw.data = section.original_position()..section.range().end;
                self.analysis.module.data_segments = section.count();
                for data in section.clone() {
                    if let DataKind::Active { offset_expr, .. } = data?.kind {
                        self.constant(&offset_expr)?;
                    }
                }
                self.analysis.findings.load.check(self.wasm.len(), section.range().start)?;
            }
            Payload::CustomSection(section) => {
                raw.custom = true;
                if section.name() == "name" {
                    self.analysis.module.names = Some(section.data_offset()..section.range().end);
                }
            }
            _ => {}
        }
        if let Some((_, range)) = payload.as_section() {
            self.read_to = range.end;
        }
        Ok(())
    }

    /// All that is declared is known.
    fn begin_code(&mut self, offset: usize) -> Result<()> {
        self.has_code = true;
        self.analysis.module.declared = Arc::new(std::mem::take(&mut self.declared));
        self.weigh_entered(offset)?;
        if shared_declarations::are_kept(self.read_to, &self.analysis.raw) {
            let (raw, findings) = (self.analysis.raw.clone(), self.analysis.findings.clone());
            self.checked = Some(Checked { bytes: self.read_to, raw, findings, resources: None });
        }
        Ok(())
    }

    /// All exports and addresses are known before the first body.
    fn weigh_entered(&mut self, offset: usize) -> Result<()> {
        let Analysis { module, findings, .. } = &mut self.analysis;
        let mut entered = vec![false; module.functions.len()];
        findings.addressed.iter().for_each(|function| entered[*function as usize] = true);
        let exported = module.exports.iter().filter(|export| export.kind == Extern::Function);
        exported.for_each(|export| entered[export.index as usize] = true);
        let defined = module.imported_functions as usize..;
        let values =
            |(function, entered): (&u32, &bool)| u64::from(*entered) * module.types[*function as usize].values() as u64;
        findings.load.entered_values =
            module.functions[defined.clone()].iter().zip(&entered[defined]).map(values).sum();
        findings.load.check(self.wasm.len(), offset)
    }

    fn import(&mut self, import: wasmparser::Import, offset: usize) -> Result<()> {
        bounds::name_bytes.check(import.module.len().max(import.name.len()) as u64, offset)?;
        let declared = &mut self.declared;
        let (kind, type_index) = match import.ty {
            TypeRef::Func(type_index) => {
                declared.functions.push(type_index);
                declared.imported_functions += 1;
                (Extern::Function, type_index)
            }
            TypeRef::Table(_) => {
                declared.tables.push(Table { min: 0, max: 0 });
                (Extern::Table, 0)
            }
            TypeRef::Memory(_) => (Extern::Memory, 0),
            TypeRef::Global(global) => {
                declared.imported_globals += 1;
                self.global(Kind::of(global.content_type), global.mutable, 0..0);
                (Extern::Global, 0)
            }
            TypeRef::Tag(_) | TypeRef::FuncExact(_) => return Err(Failure::rejected(UNKNOWN_KIND, offset)),
        };
        if kind != Extern::Function {
            self.analysis.findings.not_movable |= plan::IMPORTS_NON_FUNCTION;
        }
        let (from, name) = (span_of(self.wasm, import.module), span_of(self.wasm, import.name));
        self.declared.imports.push(Import { module: from, name, kind, type_index });
        Ok(())
    }

    fn global(&mut self, kind: Kind, mutable: bool, init: Span) {
        self.analysis.findings.load.mutable_globals += u64::from(mutable);
        if mutable && kind.is_reference() {
            self.analysis.findings.not_movable |= plan::MUTABLE_REFERENCE;
        }
        self.declared.globals.push(Global { kind, mutable, init });
    }

    fn export(&mut self, export: wasmparser::Export, offset: usize) -> Result<()> {
        bounds::name_bytes.check(export.name.len() as u64, offset)?;
        let kind = match export.kind {
            ExternalKind::Func => Extern::Function,
            ExternalKind::Table => Extern::Table,
            ExternalKind::Memory => Extern::Memory,
            ExternalKind::Global => Extern::Global,
            ExternalKind::Tag | ExternalKind::FuncExact => return Err(Failure::rejected(UNKNOWN_KIND, offset)),
        };
        if kind == Extern::Global && self.declared.globals[export.index as usize].mutable {
            self.analysis.findings.features |= plan::USES_MUTABLE_GLOBALS;
        }
        let name = span_of(self.wasm, export.name);
        self.declared.exports.push(Export { name, kind, index: export.index });
        Ok(())
    }

    /// Reads a constant expression, wherever one stands. The interpreter evaluates it by native recursion, a level for
    /// each operator.
    fn constant(&mut self, expression: &ConstExpr) -> Result<()> {
        let mut count = 0;
        let mut operators = expression.get_operators_reader();
        while !operators.is_end_then_eof() {
            count += 1;
            bounds::constant_operators.check(count, operators.original_position())?;
            self.constant_operator(&operators.read()?);
        }
        self.analysis.findings.load.constant_operators += count;
        Ok(())
    }

    fn constant_operator(&mut self, operator: &Operator) {
        let findings = &mut self.analysis.findings;
        match operator {
            Operator::RefFunc { function_index } => findings.addressed.push(*function_index),
            Operator::I32Add
            | Operator::I32Sub
            | Operator::I32Mul
            | Operator::I64Add
            | Operator::I64Sub
            | Operator::I64Mul => {
                findings.features |= plan::USES_EXTENDED_CONST;
            }
            _ => {}
        }
    }

    fn elements(&mut self, section: &wasmparser::ElementSectionReader) -> Result<()> {
        let mut entries = 0;
        for element in section.clone() {
            let element = element?;
            if !matches!(element.kind, ElementKind::Active { table_index: None, .. }) {
                self.analysis.findings.features |= plan::USES_BULK_MEMORY;
            }
            if let ElementKind::Active { offset_expr, .. } = &element.kind {
                self.constant(offset_expr)?;
            }
            let (items, items_start) = match &element.items {
                ElementItems::Functions(functions) => {
                    entries += u64::from(functions.count());
                    bounds::elements.check(entries, element.range.start)?;
                    let list = functions.clone().into_iter().collect::<std::result::Result<Vec<u32>, _>>()?;
                    self.analysis.findings.addressed.extend_from_slice(&list);
                    (ElementList::Functions(list), functions.range().start)
                }
                ElementItems::Expressions(_, expressions) => {
                    entries += u64::from(expressions.count());
                    bounds::elements.check(entries, element.range.start)?;
                    let mut list = Vec::new();
                    for expression in expressions.clone() {
                        let expression = expression?;
                        self.constant(&expression)?;
                        list.push(expression_span(&expression));
                    }
                    (ElementList::Expressions(list), expressions.range().start)
                }
            };
            let head = element.range.start..items_start;
            self.analysis.raw.elements.push(ElementSegment { head, items });
        }
        let load = &mut self.analysis.findings.load;
        load.elements = entries;
        load.check(self.wasm.len(), section.range().start)?;
        self.declared.element_segments = section.count();
        Ok(())
    }

    fn function(&mut self, function: FuncToValidate<ValidatorResources>, body: &FunctionBody) -> Result<()> {
        let index = function.index;
        if let Some(checked @ Checked { resources: None, .. }) = &mut self.checked {
            checked.resources = Some(function.resources.clone());
        }
        let Analysis { module, findings, plans, .. } = &mut self.analysis;
        let mut validator = function.into_validator(std::mem::take(&mut self.allocations));
        let plan = plan::read_function(module, self.wasm.len(), &mut validator, body, index, findings)?;
        self.allocations = validator.into_allocations();
        findings.load.check(self.wasm.len(), plan.body.start)?;
        module.code_bytes += plan.body.len() as u64;
        plans.push(plan);
        Ok(())
    }
}

fn expression_span(expression: &ConstExpr) -> Span {
    let reader = expression.get_binary_reader();
    reader.original_position()..reader.original_position() + reader.bytes_remaining()
}

/// Decides which functions weigh on the call depth, and how much native stack a call can need.
fn weigh(analysis: &mut Analysis) {
    let Analysis { module, findings, plans, .. } = analysis;
    module.load_points = findings.load.points();
    module.elements = findings.load.elements;
    module.features = findings.features;
    module.not_movable = findings.not_movable;
    let defined = plans.len();
    let imported = module.imported_functions;
    let mut edges = std::mem::take(&mut findings.calls);
    findings.addressed.sort_unstable();
    findings.addressed.dedup();
    let addressed: Vec<u32> = findings.addressed.iter().filter(|f| **f >= imported).map(|f| f - imported).collect();
    for function in &addressed {
        edges.push((defined as u32 + module.functions[(function + imported) as usize], *function));
        plans[*function as usize].weight = costs::weight(plans[*function as usize].locals);
    }
    if edges.is_empty() {
        module.stack_bytes_fixed = plans.iter().map(frames::estimate).max().unwrap_or(0);
        module.charging = charging::of(module, plans, &findings.edits, None);
    } else {
        let graph = Graph::new(defined + module.types.len(), &edges);
        let parts = graph.parts();
        for (node, plan) in plans.iter_mut().enumerate() {
            if parts.cyclic[parts.part_of[node] as usize] {
                plan.weight = costs::weight(plan.locals);
            }
        }
        module.stack_bytes_fixed = longest_chain(&graph, &parts.part_of, parts.cyclic.len(), plans);
        module.charging = charging::of(module, plans, &findings.edits, Some((&graph, &parts.part_of)));
    }
    module.weighs = plans.iter().any(|plan| plan.weight > 0);
    module.grows = findings.grows_memory || findings.grows_tables;
    module.fills = plans.iter().any(|plan| plan.fills);
    let per_depth = |plan: &FunctionPlan| frames::estimate(plan).div_ceil(u64::from(plan.weight));
    module.stack_bytes_per_depth = plans.iter().filter(|plan| plan.weight > 0).map(per_depth).max().unwrap_or(0);
}

/// The most native stack that functions without weight can hold at once: each can be on it only once.
fn longest_chain(graph: &Graph, part_of: &[u32], parts: usize, plans: &[FunctionPlan]) -> u64 {
    let mut below = vec![0u64; parts];
    for node in callees_first(part_of) {
        let own = plans.get(node).filter(|plan| plan.weight == 0).map_or(0, frames::estimate);
        let part = part_of[node] as usize;
        let callees = graph.callees(node).iter().map(|callee| below[part_of[*callee as usize] as usize]);
        below[part] = below[part].max(own + callees.max().unwrap_or(0));
    }
    below.into_iter().max().unwrap_or(0)
}
