//! An artifact with its imports bound, and what the engines ask of it.

use std::sync::Arc;

use crate::account::Foreknown;
use crate::artifact::{Artifact, Charging, Export, Extern, Signature};
use crate::failure::{Failure, Result};
use crate::raw::HostFunction;
use crate::{math, meter};

/// `petri_call`'s index of the start function.
pub const START: u32 = u32::MAX;

/// An artifact with its imports bound.
pub struct Linked {
    pub artifact: Arc<Artifact>,
    pub functions: Vec<HostFunction>,
    /// The start of the names of hidden exports.
    prefix: String,
}

const NOTHING: &Signature = &Signature { params: Vec::new(), results: Vec::new() };

impl Linked {
    /// The artifact with a host function for each of its imports.
    pub fn new(artifact: Arc<Artifact>, functions: &[HostFunction]) -> Result<Arc<Linked>> {
        let module = &artifact.module;
        if functions.len() != module.imports.len()
            || module.imports.iter().any(|import| import.kind != Extern::Function)
        {
            return Err(Failure::misuse("every import must be a function and have its host function"));
        }
        if functions.iter().any(|f| f.callback.is_none() && f.intrinsic as usize >= math::FUNCTIONS.len()) {
            return Err(Failure::misuse("a host function has neither callback nor intrinsic"));
        }
        let prefix = meter::hidden_prefix(module, &artifact.wasm);
        Ok(Arc::new(Linked { functions: functions.into(), prefix, artifact }))
    }

    /// The signature of a function export or of the start function, if the host can call it: it has no references to pass.
    pub fn callable(&self, export: u32) -> Result<&Signature> {
        let module = &self.artifact.module;
        let exported = module.exports.get(export as usize).filter(|export| export.kind == Extern::Function);
        let signature = match (export, exported) {
            (START, _) if module.start.is_some() => NOTHING,
            (_, Some(export)) => module.signature(export.index),
            _ => return Err(Failure::misuse("no function is exported under this index")),
        };
        if signature.params.iter().any(|kind| kind.is_reference()) {
            return Err(Failure::misuse("the function takes references, which the host has none of"));
        }
        Ok(signature)
    }

    /// Facts about the cost of a call to an export that are known before it.
    pub fn foreknown(&self, export: u32) -> Foreknown {
        let module = &self.artifact.module;
        let exported = || module.exports.get(export as usize).map(|export| export.index);
        let Some(function) = (if export == START { module.start } else { exported() }) else {
            return Foreknown::Nothing;
        };
        let function = function as usize;
        match &module.charging {
            Charging::Inside => Foreknown::Nothing,
            Charging::CheckedUpFront(costs) => Foreknown::Bounds(costs[function]),
            Charging::Known(costs) => Foreknown::Cost(costs[function]),
        }
    }

    /// Under which export a global can be reached: a hidden one when it is mutable, else one of the guest's.
    pub fn global_name(&self, index: u32) -> Option<String> {
        let module = &self.artifact.module;
        let global = module.globals.get(index as usize)?;
        if global.kind.is_reference() {
            return None;
        }
        if global.mutable {
            return Some(self.hidden_name(&format!("{}{index}", meter::GLOBAL)));
        }
        let export = module.exports.iter().find(|export| export.kind == Extern::Global && export.index == index)?;
        Some(self.text(export))
    }

    /// The name under which the rewritten module exports a function, or the start function.
    pub fn export_name(&self, export: u32) -> String {
        if export == START {
            return self.hidden_name(meter::START);
        }
        self.text(&self.artifact.module.exports[export as usize])
    }

    /// The name of one of the meter's own exports.
    pub fn hidden_name(&self, name: &str) -> String {
        [self.prefix.as_str(), name].concat()
    }

    /// The name of an export, in the module as it was sent.
    pub fn text_of(&self, export: &Export) -> &[u8] {
        self.artifact.text(&export.name)
    }

    fn text(&self, export: &Export) -> String {
        String::from_utf8_lossy(self.artifact.text(&export.name)).into_owned()
    }
}
