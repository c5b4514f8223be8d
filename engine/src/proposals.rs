//! Refused proposals that a module uses, read in one pass over its bytes.
//!
//! Nothing is validated and nothing is kept, so that naming the reason of a refusal takes time linear in the module.
//! Validating it again for each proposal, as the answer would ask for, took seconds for a module made to be refused.

use wasmparser::{
    AbstractHeapType, BlockType, CompositeInnerType, ConstExpr, DataKind, ElementItems, ElementKind, Encoding,
    FunctionBody, GlobalType, HeapType, MemoryType, Operator, Parser, Payload, RefType, StorageType, SubType,
    TableInit, TableType, TypeRef, ValType, WasmFeatures,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Proposal {
    Externref,
    Simd,
    RelaxedSimd,
    Threads,
    TailCalls,
    Exceptions,
    MultiMemory,
    Memory64,
    CustomPageSizes,
    TypedFunctionReferences,
    Gc,
    WideArithmetic,
    SharedEverythingThreads,
    StackSwitching,
    MemoryControl,
    CustomDescriptors,
    ComponentModel,
}

use Proposal::*;

/// In the order in which they are named.
const NAMES: &[(Proposal, &str)] = &[
    (Externref, "externref"),
    (Simd, "SIMD"),
    (RelaxedSimd, "relaxed SIMD"),
    (Threads, "threads"),
    (TailCalls, "tail calls"),
    (Exceptions, "exceptions"),
    (MultiMemory, "multi-memory"),
    (Memory64, "memory64"),
    (CustomPageSizes, "custom page sizes"),
    (TypedFunctionReferences, "typed function references"),
    (Gc, "GC"),
    (WideArithmetic, "wide arithmetic"),
    (SharedEverythingThreads, "shared-everything threads"),
    (StackSwitching, "stack switching"),
    (MemoryControl, "memory control"),
    (CustomDescriptors, "custom descriptors"),
    (ComponentModel, "the component model"),
];

/// Proposals that include others: naming the larger one is enough.
const INCLUDED: &[(Proposal, &[Proposal])] = &[
    (RelaxedSimd, &[Simd]),
    (Exceptions, &[Externref]),
    (TypedFunctionReferences, &[Externref]),
    (Gc, &[TypedFunctionReferences, Externref]),
    (SharedEverythingThreads, &[Threads]),
    (StackSwitching, &[TypedFunctionReferences, Exceptions, Externref]),
    (CustomDescriptors, &[Gc, TypedFunctionReferences, Externref]),
];

/// The groups in which the reader lists operators.
#[allow(non_upper_case_globals)]
mod group {
    use super::Proposal::{self, *};

    pub const mvp: Option<Proposal> = None;
    pub const sign_extension: Option<Proposal> = None;
    pub const saturating_float_to_int: Option<Proposal> = None;
    pub const bulk_memory: Option<Proposal> = None;
    pub const reference_types: Option<Proposal> = None;
    pub const gc: Option<Proposal> = Some(Gc);
    pub const custom_descriptors: Option<Proposal> = Some(CustomDescriptors);
    pub const tail_call: Option<Proposal> = Some(TailCalls);
    pub const memory_control: Option<Proposal> = Some(MemoryControl);
    pub const threads: Option<Proposal> = Some(Threads);
    pub const simd: Option<Proposal> = Some(Simd);
    pub const relaxed_simd: Option<Proposal> = Some(RelaxedSimd);
    pub const exceptions: Option<Proposal> = Some(Exceptions);
    pub const legacy_exceptions: Option<Proposal> = Some(Exceptions);
    pub const shared_everything_threads: Option<Proposal> = Some(SharedEverythingThreads);
    pub const function_references: Option<Proposal> = Some(TypedFunctionReferences);
    pub const stack_switching: Option<Proposal> = Some(StackSwitching);
    pub const wide_arithmetic: Option<Proposal> = Some(WideArithmetic);
}

macro_rules! define_proposal_of {
    ($(@$group:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        fn proposal_of(operator: &Operator) -> Option<Proposal> {
            match operator {
                $(Operator::$op { .. } => group::$group,)*
                _ => None,
            }
        }
    };
}
wasmparser::for_each_operator!(define_proposal_of);

/// The names of the refused proposals a module uses, if it uses one at or before `failed_at`, where the gate refused it:
/// a module that is wrong before it uses any of them is refused for that.
pub fn used(wasm: &[u8], failed_at: usize) -> Vec<&'static str> {
    let mut survey = Survey::default();
    let mut parser = Parser::new(0);
    parser.set_features(WasmFeatures::all());
    // Bytes that cannot be read end the survey: the parts before have shown what they use.
    for payload in parser.parse_all(wasm) {
        let Ok(payload) = payload else { break };
        if survey.payload(&payload).is_err() || survey.has(ComponentModel) {
            break;
        }
    }
    if survey.first.is_some_and(|first| first <= failed_at) { survey.names() } else { Vec::new() }
}

#[derive(Default)]
struct Survey {
    found: u32,
    /// Where the first of them is used.
    first: Option<usize>,
    memories: u32,
}

type Read = wasmparser::Result<()>;

impl Survey {
    fn has(&self, proposal: Proposal) -> bool {
        self.found & (1 << proposal as u32) != 0
    }

    fn note(&mut self, proposal: Proposal, at: usize) {
        self.found |= 1 << proposal as u32;
        self.first.get_or_insert(at);
    }

    fn note_if(&mut self, uses: bool, proposal: Proposal, at: usize) {
        if uses {
            self.note(proposal, at);
        }
    }

    fn names(&self) -> Vec<&'static str> {
        let included = |small: Proposal| INCLUDED.iter().any(|(large, all)| self.has(*large) && all.contains(&small));
        let named = NAMES.iter().filter(|(proposal, _)| self.has(*proposal) && !included(*proposal));
        named.map(|(_, name)| *name).collect()
    }

    fn payload(&mut self, payload: &Payload) -> Read {
        let at = payload.as_section().map_or(0, |(_, range)| range.start);
        match payload {
            Payload::Version { encoding: Encoding::Component, range, .. } => self.note(ComponentModel, range.start),
            Payload::TypeSection(section) => {
                for group in section.clone() {
                    let group = group?;
                    self.note_if(group.is_explicit_rec_group(), Gc, at);
                    group.types().for_each(|kind| self.sub_type(kind, at));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    self.import(&import?.ty, at);
                }
            }
            Payload::TableSection(section) => {
                for table in section.clone() {
                    let table = table?;
                    self.table(&table.ty, at);
                    if let TableInit::Expr(expression) = &table.init {
                        self.note(TypedFunctionReferences, at);
                        self.expression(expression)?;
                    }
                }
            }
            Payload::MemorySection(section) => {
                for memory in section.clone() {
                    self.memory(&memory?, at);
                }
            }
            Payload::TagSection(_) => self.note(Exceptions, at),
            Payload::GlobalSection(section) => {
                for global in section.clone() {
                    let global = global?;
                    self.global(&global.ty, at);
                    self.expression(&global.init_expr)?;
                }
            }
            Payload::ElementSection(section) => {
                for element in section.clone() {
                    self.element(&element?, at)?;
                }
            }
            Payload::DataSection(section) => {
                for data in section.clone() {
                    if let DataKind::Active { offset_expr, .. } = data?.kind {
                        self.expression(&offset_expr)?;
                    }
                }
            }
            Payload::CodeSectionEntry(body) => self.body(body)?,
            _ => {}
        }
        Ok(())
    }

    fn sub_type(&mut self, kind: &SubType, at: usize) {
        let composite = &kind.composite_type;
        self.note_if(!kind.is_final || kind.supertype_idx.is_some(), Gc, at);
        self.note_if(composite.shared, SharedEverythingThreads, at);
        self.note_if(composite.descriptor_idx.is_some() || composite.describes_idx.is_some(), CustomDescriptors, at);
        match &composite.inner {
            CompositeInnerType::Func(function) => {
                function.params().iter().chain(function.results()).for_each(|value| self.value(*value, at));
            }
            CompositeInnerType::Array(array) => self.field(array.0.element_type, at),
            CompositeInnerType::Struct(fields) => {
                self.note(Gc, at);
                fields.fields.iter().for_each(|field| self.field(field.element_type, at));
            }
            CompositeInnerType::Cont(_) => self.note(StackSwitching, at),
        }
    }

    fn field(&mut self, kind: StorageType, at: usize) {
        self.note(Gc, at);
        if let StorageType::Val(value) = kind {
            self.value(value, at);
        }
    }

    fn value(&mut self, value: ValType, at: usize) {
        match value {
            ValType::V128 => self.note(Simd, at),
            ValType::Ref(reference) => self.reference(reference, at),
            _ => {}
        }
    }

    fn reference(&mut self, reference: RefType, at: usize) {
        self.note_if(!reference.is_nullable(), TypedFunctionReferences, at);
        self.heap(reference.heap_type(), at);
    }

    fn heap(&mut self, heap: HeapType, at: usize) {
        match heap {
            HeapType::Abstract { shared, ty } => {
                self.note_if(shared, SharedEverythingThreads, at);
                self.abstract_heap(ty, at);
            }
            HeapType::Concrete(_) => self.note(TypedFunctionReferences, at),
            HeapType::Exact(_) => self.note(CustomDescriptors, at),
        }
    }

    fn abstract_heap(&mut self, heap: AbstractHeapType, at: usize) {
        match heap {
            AbstractHeapType::Func => {}
            AbstractHeapType::Extern => self.note(Externref, at),
            AbstractHeapType::Exn | AbstractHeapType::NoExn => self.note(Exceptions, at),
            AbstractHeapType::Cont | AbstractHeapType::NoCont => self.note(StackSwitching, at),
            _ => self.note(Gc, at),
        }
    }

    fn import(&mut self, import: &TypeRef, at: usize) {
        match import {
            TypeRef::Func(_) => {}
            TypeRef::FuncExact(_) => self.note(CustomDescriptors, at),
            TypeRef::Table(table) => self.table(table, at),
            TypeRef::Memory(memory) => self.memory(memory, at),
            TypeRef::Global(global) => self.global(global, at),
            TypeRef::Tag(_) => self.note(Exceptions, at),
        }
    }

    fn table(&mut self, table: &TableType, at: usize) {
        self.note_if(table.table64, Memory64, at);
        self.note_if(table.shared, SharedEverythingThreads, at);
        self.reference(table.element_type, at);
    }

    fn memory(&mut self, memory: &MemoryType, at: usize) {
        self.memories += 1;
        self.note_if(self.memories > 1, MultiMemory, at);
        self.note_if(memory.memory64, Memory64, at);
        self.note_if(memory.shared, Threads, at);
        self.note_if(memory.page_size_log2.is_some(), CustomPageSizes, at);
    }

    fn global(&mut self, global: &GlobalType, at: usize) {
        self.note_if(global.shared, SharedEverythingThreads, at);
        self.value(global.content_type, at);
    }

    fn element(&mut self, element: &wasmparser::Element, at: usize) -> Read {
        if let ElementKind::Active { offset_expr, .. } = &element.kind {
            self.expression(offset_expr)?;
        }
        if let ElementItems::Expressions(kind, items) = &element.items {
            self.reference(*kind, at);
            for item in items.clone() {
                self.expression(&item?)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody) -> Read {
        let at = body.range().start;
        let mut locals = body.get_locals_reader()?;
        for _ in 0..locals.get_count() {
            let (_, value) = locals.read()?;
            self.value(value, at);
        }
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let (operator, at) = operators.read_with_offset()?;
            self.operator(&operator, at);
        }
        Ok(())
    }

    fn expression(&mut self, expression: &ConstExpr) -> Read {
        for operator in expression.get_operators_reader().into_iter_with_offsets() {
            let (operator, at) = operator?;
            self.operator(&operator, at);
        }
        Ok(())
    }

    fn operator(&mut self, operator: &Operator, at: usize) {
        if let Some(proposal) = proposal_of(operator) {
            self.note(proposal, at);
        }
        match operator {
            Operator::Block { blockty: BlockType::Type(value) }
            | Operator::Loop { blockty: BlockType::Type(value) }
            | Operator::If { blockty: BlockType::Type(value) }
            | Operator::TypedSelect { ty: value } => self.value(*value, at),
            Operator::RefNull { hty } => self.heap(*hty, at),
            _ => {}
        }
    }
}
