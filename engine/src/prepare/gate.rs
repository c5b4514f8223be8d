//! The gate: what it reads of a module's sections and bodies, in their order.

use std::cell::RefCell;
use std::sync::Arc;

use wasmparser::{
    DataKind, Encoding, ExternalKind, FuncToValidate, FuncValidatorAllocations, FunctionBody, FunctionSectionReader,
    Payload, TableSectionReader, TypeRef, TypeSectionReader, ValType, ValidatorResources,
};

use super::expressions::expression_span;
use super::{Analysis, RawSections};
use crate::artifact::{
    Declarations, Export, Extern, Global, Import, Kind, Memory, Module, Signature, Span, Table, span_of,
};
use crate::bounds;
use crate::failure::{Failure, Result};
use crate::load::Load;
use crate::plan::{self, Findings};
use crate::shared_declarations::{self, CheckedDeclarations};

/// Reads a module's parts in their order.
pub struct Gate<'a> {
    pub wasm: &'a [u8],
    /// Becomes the module's once its code starts.
    pub declared: Declarations,
    pub analysis: Analysis,
    allocations: FuncValidatorAllocations,
    has_code: bool,
    /// Where the section ends that was read last.
    read_to: usize,
    /// Findings in the declarations, if they are worth keeping.
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

impl<'a> Gate<'a> {
    pub fn new(wasm: &'a [u8], set: bounds::Set) -> Gate<'a> {
        Gate {
            wasm,
            declared: Declarations::default(),
            analysis: Analysis {
                module: Module::default(),
                findings: Findings {
                    edits: Vec::with_capacity(SOME_EDITS),
                    load: Load { set, ..Load::default() },
                    ..Findings::default()
                },
                plans: Vec::new(),
                raw: RawSections::default(),
            },
            allocations: ALLOCATIONS.take(),
            has_code: false,
            read_to: 0,
            checked: None,
        }
    }

    /// A gate for the code behind declarations that were checked before.
    pub fn behind(wasm: &'a [u8], checked: &CheckedDeclarations) -> Gate<'a> {
        let mut gate = Gate::new(wasm, checked.findings.load.set);
        let Analysis { module, findings, plans, raw } = &mut gate.analysis;
        module.declared = checked.declared.clone();
        *raw = checked.raw.clone();
        *findings = Findings { edits: Vec::with_capacity(SOME_EDITS), ..checked.findings.clone() };
        plans.reserve(checked.defined());
        gate
    }

    pub fn set(&self) -> bounds::Set {
        self.analysis.findings.load.set
    }

    /// The code was accepted.
    pub fn into_analysis(self) -> Analysis {
        ALLOCATIONS.set(self.allocations);
        self.analysis
    }

    /// The module is accepted: its declarations are kept for the next ones, unless something follows its code.
    pub fn finish(mut self) -> Analysis {
        let Analysis { module, raw: all, .. } = &mut self.analysis;
        if !self.has_code {
            module.declared = Arc::new(std::mem::take(&mut self.declared));
        }
        if let Some(Checked { bytes, raw, findings, resources: Some(resources) }) = self.checked.take()
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
        self.into_analysis()
    }

    /// Counts are checked before anything reads what they count.
    pub fn bound_counts(&mut self, payload: &Payload) -> Result<()> {
        let load = &mut self.analysis.findings.load;
        let (bound, count, range, counted) = match payload {
            Payload::Version { encoding: Encoding::Component, range, .. } => {
                let message = "the module uses the component model, which petri does not accept";
                return Err(Failure::rejected(message, range.start));
            }
            Payload::TypeSection(s) => (&bounds::types, s.count(), s.range(), Some(&mut load.types)),
            Payload::ImportSection(s) => (&bounds::imports, s.count(), s.range(), Some(&mut load.imports)),
            Payload::FunctionSection(s) => (&bounds::functions, s.count(), s.range(), Some(&mut load.functions)),
            Payload::TableSection(s) => (&bounds::tables, s.count(), s.range(), None),
            Payload::GlobalSection(s) => (&bounds::globals, s.count(), s.range(), Some(&mut load.globals)),
            Payload::ExportSection(s) => (&bounds::exports, s.count(), s.range(), Some(&mut load.exports)),
            Payload::ElementSection(s) => {
                (&bounds::element_segments, s.count(), s.range(), Some(&mut load.element_segments))
            }
            Payload::DataSection(s) => (&bounds::data_segments, s.count(), s.range(), Some(&mut load.data_segments)),
            _ => return Ok(()),
        };
        bound.check(load.set, count.into(), range.start)?;
        let Some(counted) = counted else { return Ok(()) };
        *counted = count.into();
        load.check(self.wasm.len(), range.start)
    }

    pub fn section(&mut self, payload: &Payload) -> Result<()> {
        let set = self.set();
        let (declared, raw) = (&mut self.declared, &mut self.analysis.raw);
        match payload {
            Payload::TypeSection(section) => self.types(section)?,
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    self.import(import?, section.range().start)?;
                }
            }
            Payload::FunctionSection(section) => self.functions(section)?,
            Payload::TableSection(section) => self.tables(section)?,
            Payload::MemorySection(section) => {
                raw.memories = section.original_position()..section.range().end;
                for memory in section.clone() {
                    let memory = memory?;
                    bounds::memory_minimum.check(set, memory.initial, section.range().start)?;
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

    fn types(&mut self, section: &TypeSectionReader) -> Result<()> {
        let (start, set) = (section.range().start, self.set());
        self.analysis.raw.types = section.original_position()..section.range().end;
        for group in section.clone() {
            for kind in group?.into_types() {
                let function = kind.unwrap_func();
                bounds::parameters.check(set, function.params().len() as u64, start)?;
                bounds::results.check(set, function.results().len() as u64, start)?;
                let kinds = |types: &[ValType]| types.iter().map(|kind| Kind::of(*kind)).collect();
                let (params, results) = (kinds(function.params()), kinds(function.results()));
                self.declared.types.push(Signature { params, results });
            }
        }
        Ok(())
    }

    fn functions(&mut self, section: &FunctionSectionReader) -> Result<()> {
        let Analysis { findings, raw, .. } = &mut self.analysis;
        raw.functions = section.original_position()..section.range().end;
        for function in section.clone() {
            let type_index = function?;
            let signature = &self.declared.types[type_index as usize];
            if signature.results.len() > 1 {
                findings.features |= plan::USES_MULTI_VALUE;
            }
            findings.load.values += signature.values() as u64;
            self.declared.functions.push(type_index);
        }
        findings.load.check(self.wasm.len(), section.range().start)
    }

    fn tables(&mut self, section: &TableSectionReader) -> Result<()> {
        self.analysis.raw.tables = section.original_position()..section.range().end;
        for table in section.clone() {
            let table = table?.ty;
            let max = table.maximum.unwrap_or(u64::from(u32::MAX));
            self.declared.tables.push(Table { min: table.initial, max });
        }
        if self.declared.tables.len() > 1 {
            self.analysis.findings.features |= plan::USES_REFERENCE_TYPES;
        }
        bounds::table_minimum.check(self.set(), self.declared.table_slots(), section.range().start)
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
        bounds::name_bytes.check(self.set(), import.module.len().max(import.name.len()) as u64, offset)?;
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
        bounds::name_bytes.check(self.set(), export.name.len() as u64, offset)?;
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

    pub fn function(&mut self, function: FuncToValidate<ValidatorResources>, body: &FunctionBody) -> Result<()> {
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
