//! Loaded code and live instances, whichever engine runs them.

use std::sync::Arc;

use crate::artifact::{Artifact, Charging, Extern, Memory, Module, PAGE, Signature};
use crate::failure::{Failure, Result, Status};
use crate::guest::{Account, Budget, End, EndKind, Foreknown, PAGES_MAX, Stop};
use crate::interpreted::Stay;
use crate::raw::{self, Context, Host, HostFunction};
use crate::{compiled, interpreted, math, meter};

pub use crate::compiled::{Effort, precompile, start_helper};

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
    /// What the hidden exports' names start with.
    pub prefix: String,
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

    /// What is known of the cost of a call before it.
    pub fn foreknown(&self, export: u32) -> Foreknown {
        let module = &self.artifact.module;
        let exported = || module.exports.get(export as usize).map(|export| export.index);
        let Some(function) = (if export == START { module.start } else { exported() }) else {
            return Foreknown::Nothing;
        };
        let function = function as usize;
        match &module.charging {
            Charging::Inside => Foreknown::Nothing,
            Charging::LookedAtDoor(costs) => Foreknown::Bounds(costs[function]),
            Charging::Known(costs) => Foreknown::Cost(costs[function]),
        }
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

fn link(artifact: Arc<Artifact>, functions: &[HostFunction]) -> Result<Arc<Linked>> {
    let module = &artifact.module;
    if functions.len() != module.imports.len() || module.imports.iter().any(|import| import.kind != Extern::Function) {
        return Err(Failure::misuse("every import must be a function and have its host function"));
    }
    if functions.iter().any(|f| f.callback.is_none() && f.intrinsic as usize >= math::FUNCTIONS.len()) {
        return Err(Failure::misuse("a host function has neither callback nor intrinsic"));
    }
    let prefix = meter::hidden_prefix(module, &artifact.wasm);
    Ok(Arc::new(Linked { functions: functions.into(), prefix, artifact }))
}

impl Code {
    pub fn load(artifact: Arc<Artifact>, tier: Tier, functions: &[HostFunction]) -> Result<Code> {
        let linked = link(artifact, functions)?;
        let engine = match tier {
            Tier::Interpreted => EngineCode::Interpreted(interpreted::Code::load(&linked.artifact, Stay::Long)?),
            Tier::Compiled => EngineCode::Compiled(compiled::Code::load(&linked)?),
        };
        Ok(Code { linked, engine })
    }

    /// The interpreted tier, for code that is dropped soon.
    pub fn load_brief(artifact: Arc<Artifact>, functions: &[HostFunction]) -> Result<Code> {
        let linked = link(artifact, functions)?;
        let engine = EngineCode::Interpreted(interpreted::Code::load(&linked.artifact, Stay::Brief)?);
        Ok(Code { linked, engine })
    }

    /// The compiled tier, from what `precompile` made of the artifact's rewritten module; see there.
    pub fn load_precompiled(
        artifact: Arc<Artifact>,
        machine_code: &[u8],
        effort: Effort,
        functions: &[HostFunction],
    ) -> Result<Code> {
        let linked = link(artifact, functions)?;
        let engine = EngineCode::Compiled(compiled::Code::load_precompiled(&linked, machine_code, effort)?);
        Ok(Code { linked, engine })
    }

    /// An instance, however long it takes to make, or why its memory or segments did not fit.
    pub fn instantiate(&self, host: Host, memory_bytes_max: u64) -> Result<std::result::Result<Instance, End>> {
        self.instantiate_within(host, memory_bytes_max, None)
    }

    /// The same on somebody's time: the budget's deadline and turns, and the host's flag, can end it.
    pub fn instantiate_within(
        &self,
        host: Host,
        memory_bytes_max: u64,
        time: Option<(&Budget, Context)>,
    ) -> Result<std::result::Result<Instance, End>> {
        let module = &self.linked.artifact.module;
        let mut account = Account::new(module, host, memory_bytes_max);
        time.into_iter().for_each(|(budget, context)| account.watch(budget, context));
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

/// How a module declares its memory, in pages; `petri_shape` starts like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Declared {
    pub pages_min: u64,
    pub pages_max: u64,
}

impl Declared {
    fn of(module: &Module) -> Declared {
        let declared = |memory: Memory| Declared { pages_min: memory.min, pages_max: memory.max.unwrap_or(u64::MAX) };
        module.memory.map_or(Declared { pages_min: 0, pages_max: 0 }, declared)
    }

    fn most(&self) -> u64 {
        self.pages_max.min(PAGES_MAX)
    }
}

/// What is carried of an instance besides the bytes of its memory and its globals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Shape {
    pub declared: Declared,
    pub pages: u64,
}

/// `petri_number`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Number {
    pub kind: u32,
    pub slot: u64,
}

/// `petri_series`: what came of calls one after the other.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Series {
    pub returned: u64,
    /// By the calls that returned.
    pub fuel_used: u64,
    /// Of the last call.
    pub end: End,
}

impl Default for Series {
    fn default() -> Series {
        let end = End { kind: EndKind::Returned, code: 0, fuel_used: 0, memory_bytes: 0 };
        Series { returned: 0, fuel_used: 0, end }
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

    /// Calls an export several times, each time with its share of the slots and with a whole budget. Ends with the first
    /// call that does not return, or once they have used `fuel_max` together.
    pub fn call_series(
        &mut self,
        export: u32,
        budget: &Budget,
        context: Context,
        slots: &mut [u64],
        calls: usize,
        fuel_max: u64,
    ) -> Result<Series> {
        let slots_each = slots.len() / calls.max(1);
        let mut series = Series::default();
        for call in 0..calls {
            series.end = self.call(export, budget, context, &mut slots[call * slots_each..][..slots_each])?;
            if series.end.kind != EndKind::Returned {
                break;
            }
            series.returned += 1;
            series.fuel_used += series.end.fuel_used;
            if series.fuel_used >= fuel_max {
                break;
            }
        }
        Ok(series)
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

    pub fn shape(&mut self) -> Result<Shape> {
        self.check_movable()?;
        let declared = Declared::of(&self.linked.artifact.module);
        Ok(Shape { declared, pages: self.account().pages() })
    }

    pub fn mutable_globals_count(&self) -> u64 {
        self.linked.artifact.module.mutable_globals().count() as u64
    }

    /// The mutable globals in their order.
    pub fn mutable_globals(&mut self) -> Result<Vec<Number>> {
        self.check_movable()?;
        let artifact = self.linked.artifact.clone();
        let mut globals = artifact.module.mutable_globals();
        let numbers = globals.try_fold(Vec::new(), |mut numbers, (index, global)| {
            numbers.push(Number { kind: global.kind as u32, slot: self.global(index)? });
            Some(numbers)
        });
        numbers.ok_or_else(|| Failure::fault("a mutable global cannot be read"))
    }

    /// Grows the memory and sets all mutable globals, within what the instance may have.
    pub fn reshape(&mut self, shape: &Shape, globals: &[Number]) -> Result<()> {
        self.check_fits(shape, globals)?;
        let account = self.account();
        let want = account.memory_bytes.saturating_add((shape.pages - account.pages()).saturating_mul(PAGE));
        if want > account.memory_bytes_max {
            let message = format!("{want} bytes of memory are needed and {} allowed", account.memory_bytes_max);
            return Err(Failure::new(Status::OverLimit, message));
        }
        self.carry(shape, globals)
    }

    /// Carries memory with its size and all mutable globals over from another instance, of a module that declares them
    /// alike; this one has not run yet.
    pub fn adopt(&mut self, from: &mut Instance) -> Result<()> {
        let (shape, globals) = (from.shape()?, from.mutable_globals()?);
        self.check_fits(&shape, &globals)?;
        self.carry(&shape, &globals)?;
        let to = self.memory();
        let account = self.account();
        raw::copy_memory(from.memory(), to, || account.look_while_made()).map_err(|Stop| Failure::stopped())
    }

    /// For whoever fills an instance that has not run yet, on the time that it was made within.
    pub fn look_while_made(&mut self) -> Result<()> {
        self.account().look_while_made().map_err(|Stop| Failure::stopped())
    }

    fn check_movable(&self) -> Result<()> {
        if self.linked.artifact.module.not_movable != 0 {
            return Err(Failure::not_movable("the module keeps state where it cannot be read: it is not movable"));
        }
        if !self.whole {
            return Err(Failure::not_movable(
                "the instance ended inside a call and has no state that could be carried",
            ));
        }
        Ok(())
    }

    fn check_fits(&mut self, shape: &Shape, globals: &[Number]) -> Result<()> {
        let own = self.shape()?;
        let artifact = &self.linked.artifact;
        if own.declared != shape.declared {
            return Err(Failure::unfit("the two declare memories of different sizes"));
        }
        if shape.pages < own.pages || shape.pages > own.declared.most() {
            return Err(Failure::unfit(format!(
                "a memory of {} pages cannot become one of {}",
                own.pages, shape.pages
            )));
        }
        if !artifact.module.mutable_globals().map(|(_, global)| global.kind as u32).eq(globals.iter().map(|g| g.kind)) {
            return Err(Failure::unfit("the two declare different mutable globals"));
        }
        Ok(())
    }

    fn carry(&mut self, shape: &Shape, globals: &[Number]) -> Result<()> {
        let by = shape.pages - self.account().pages();
        if by > 0 {
            match &mut self.live {
                Live::Interpreted(live) => live.grow_memory(by)?,
                Live::Compiled(live) => live.grow_memory(by)?,
            }
        }
        self.account().add_pages(by);
        let artifact = self.linked.artifact.clone();
        let mut pairs = artifact.module.mutable_globals().zip(globals);
        let carried = pairs.all(|((index, _), number)| self.set_global(index, number.slot));
        if carried { Ok(()) } else { Err(Failure::fault("a mutable global cannot be set")) }
    }

    /// Function and offset of each frame of the last trap, innermost first, in the guest's own numbers.
    pub fn backtrace(&self) -> Vec<(u32, u64)> {
        match &self.live {
            Live::Interpreted(_) => Vec::new(),
            Live::Compiled(live) => live.backtrace(&self.linked.artifact),
        }
    }
}
