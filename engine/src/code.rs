//! Loaded code and live instances, whichever engine runs them.

use std::sync::Arc;

use crate::artifact::{Artifact, Extern, Signature};
use crate::failure::{Failure, Result, Status};
use crate::guest::{Account, Budget, End, EndKind};
use crate::raw::{self, Context, Host, HostFunction};
use crate::{compiled, interpreted, math, meter};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Tier {
    Interpreted = 0,
    Compiled = 1,
}

/// `petri_call`'s index of the start function.
pub const START: u32 = u32::MAX;

/// What the depth counter holds after a call that did not return: the exited guest's frames were not left one by one.
pub const UNKNOWN: u32 = u32::MAX;

/// An artifact with its imports bound.
pub struct Linked {
    pub artifact: Arc<Artifact>,
    pub functions: Vec<HostFunction>,
    /// The hidden exports' beginning.
    pub prefix: String,
    pub overflows: bool,
    pub grows: bool,
}

const NOTHING: &Signature = &Signature { params: Vec::new(), results: Vec::new() };

impl Linked {
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

    /// Under which export a global can be reached: a hidden one when it is mutable, else one of the guest's.
    pub fn global_name(&self, index: u32, hidden: &str) -> Option<String> {
        let module = &self.artifact.module;
        let global = module.globals.get(index as usize)?;
        if global.kind.is_reference() {
            return None;
        }
        if global.mutable {
            return Some(format!("{}{hidden}{index}", self.prefix));
        }
        let export = module.exports.iter().find(|export| export.kind == Extern::Global && export.index == index)?;
        Some(text(&self.artifact, export))
    }
}

fn text(artifact: &Artifact, export: &crate::artifact::Export) -> String {
    String::from_utf8_lossy(artifact.text(&export.name)).into_owned()
}

/// The name under which the rewritten module exports this function.
pub fn export_name(linked: &Linked, export: u32, start: &str) -> Result<String> {
    if export == START {
        return Ok(format!("{}{start}", linked.prefix));
    }
    Ok(text(&linked.artifact, &linked.artifact.module.exports[export as usize]))
}

pub struct Code {
    linked: Arc<Linked>,
    engine: EngineCode,
}

enum EngineCode {
    Interpreted(interpreted::Code),
    Compiled(compiled::Code),
}

impl Code {
    pub fn load(artifact: Arc<Artifact>, tier: Tier, functions: &[HostFunction]) -> Result<Code> {
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
        let linked =
            Linked { functions: functions.into(), prefix, overflows: module.weighs, grows: module.grows, artifact };
        let linked = Arc::new(linked);
        let engine = match tier {
            Tier::Interpreted => EngineCode::Interpreted(interpreted::Code::load(&linked.artifact)?),
            Tier::Compiled => EngineCode::Compiled(compiled::Code::load(&linked)?),
        };
        Ok(Code { linked, engine })
    }

    /// An instance, or why its memory or segments did not fit.
    pub fn instantiate(&self, host: Host, memory_bytes_max: u64) -> Result<std::result::Result<Instance, End>> {
        let module = &self.linked.artifact.module;
        let account = Account::new(module, host, memory_bytes_max);
        if account.memory_bytes > memory_bytes_max {
            return Ok(Err(End { kind: EndKind::MemoryLimit, code: 0, fuel_used: 0, memory_bytes: 0 }));
        }
        let live = match &self.engine {
            EngineCode::Interpreted(code) => {
                code.instantiate(&self.linked, account)?.map(Box::new).map(Live::Interpreted)
            }
            EngineCode::Compiled(code) => code.instantiate(account)?.map(Live::Compiled),
        };
        Ok(match live {
            Ok(live) => Ok(Instance { live, linked: self.linked.clone(), whole: true }),
            Err((cause, mut account)) => Err(account.end(Err(cause), 0)),
        })
    }
}

pub struct Instance {
    // Dropped before what it was linked with.
    live: Live,
    linked: Arc<Linked>,
    /// False once a call ended inside the guest: its frames were abandoned half-way.
    whole: bool,
}

/// Compiled instances live by the hundred thousand, and an interpreted one is a kilobyte larger.
enum Live {
    Interpreted(Box<interpreted::Live>),
    Compiled(compiled::Live),
}

impl Instance {
    pub fn call(&mut self, export: u32, budget: &Budget, context: Context, slots: &mut [u64]) -> Result<End> {
        if !self.whole {
            return Err(Failure::misuse("the instance ended in an earlier call"));
        }
        let end = match &mut self.live {
            Live::Interpreted(live) => live.call(&self.linked, export, budget, context, slots),
            Live::Compiled(live) => live.call(&self.linked, export, budget, context, slots),
        };
        self.whole = match &end {
            Ok(end) => matches!(end.kind, EndKind::Returned | EndKind::Exited),
            Err(failure) => failure.status == Status::Misuse,
        };
        end
    }

    pub fn account(&mut self) -> &mut Account {
        match &mut self.live {
            Live::Interpreted(live) => live.account(),
            Live::Compiled(live) => live.account(),
        }
    }

    pub fn memory(&mut self) -> (*mut u8, usize) {
        match &mut self.live {
            Live::Interpreted(live) => live.memory(),
            Live::Compiled(live) => live.memory(),
        }
    }

    pub fn global(&mut self, index: u32) -> Option<u64> {
        match &mut self.live {
            Live::Interpreted(live) => live.global(&self.linked, index),
            Live::Compiled(live) => live.global(&self.linked, index),
        }
    }

    pub fn set_global(&mut self, index: u32, value: u64) -> bool {
        let mutable = self.linked.artifact.module.globals.get(index as usize).is_some_and(|global| global.mutable);
        mutable
            && match &mut self.live {
                Live::Interpreted(live) => live.set_global_slot(&self.linked, index, value),
                Live::Compiled(live) => live.set_global_slot(&self.linked, index, value),
            }
    }

    /// Carries memory with its size and all mutable globals over from another instance of the same movable artifact; this
    /// one has not run yet.
    pub fn adopt(&mut self, from: &mut Instance) -> Result<()> {
        let artifact = self.linked.artifact.clone();
        if artifact.sha256 != from.linked.artifact.sha256
            || artifact.module.not_movable != 0
            || !self.whole
            || !from.whole
        {
            return Err(Failure::misuse("only a live instance of the same movable module can be adopted"));
        }
        let grown = from.account().pages_grown(&artifact.module);
        let fits = grown == 0
            || match &mut self.live {
                Live::Interpreted(live) => live.grow_memory(grown),
                Live::Compiled(live) => live.grow_memory(grown),
            };
        if !fits {
            return Err(Failure::fault("there is no memory to move an instance into"));
        }
        self.account().adopt_size(from.account());
        raw::copy_memory(from.memory(), self.memory());
        let mut mutable = artifact.module.globals.iter().enumerate().filter(|(_, global)| global.mutable);
        let carried = mutable
            .all(|(index, _)| from.global(index as u32).is_some_and(|value| self.set_global(index as u32, value)));
        if carried { Ok(()) } else { Err(Failure::fault("a global cannot be carried over")) }
    }

    /// Function and offset of each frame of the last trap, innermost first, in the guest's own numbers.
    pub fn backtrace(&self) -> Vec<(u32, u64)> {
        match &self.live {
            Live::Interpreted(_) => Vec::new(),
            Live::Compiled(live) => live.backtrace(&self.linked.artifact),
        }
    }
}
