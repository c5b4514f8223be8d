//! The gate's structural part: a module is validated as it was sent, held to the bounds, and described.

use wasmparser::{Parser, Payload, ValidPayload, Validator};

use self::gate::Gate;
use self::weights::weigh;
use crate::artifact::{Module, Span};
use crate::bounds::Set;
use crate::failure::{Failure, Result, Status};
use crate::large_memory::LargeMemory;
use crate::plan::{Findings, FunctionPlan};
use crate::shared_declarations::{self, CheckedDeclarations};
use crate::{features, proposals};

mod expressions;
mod gate;
mod weights;

/// Facts that the meter needs to rewrite a module.
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
pub fn analyse(wasm: &[u8], set: Set) -> Result<Analysis> {
    read_module(wasm, set).map_err(|failure| name_the_reason(wasm, failure))
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

fn read_module(wasm: &[u8], set: Set) -> Result<Analysis> {
    let checked = shared_declarations::find(wasm, set);
    let mut analysis = match checked.and_then(|checked| read_code(wasm, &checked)) {
        Some(read) => read?,
        None => read_all(wasm, set)?,
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
    let mut gate = Gate::behind(wasm, checked);
    for (defined, body) in bodies.into_iter().enumerate() {
        // Behind the last body comes a failure, if there are bytes left.
        let body = body.ok()?;
        if let Err(failure) = gate.function(checked.function(defined), &body) {
            return Some(Err(failure));
        }
    }
    Some(Ok(gate.into_analysis()))
}

fn read_all(wasm: &[u8], set: Set) -> Result<Analysis> {
    let mut validator = Validator::new_with_features(features::accepted());
    let mut gate = Gate::new(wasm, set);
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
