//! A live instance, whichever engine runs it: its calls, its memory and globals, and what is carried from one to another.

use std::sync::Arc;

use crate::account::{Account, PAGES_MAX};
use crate::artifact::{Memory, Module, PAGE};
use crate::compiled::Wasmtime;
use crate::failure::{Failure, Result, Status};
use crate::guest::{Budget, End, EndKind, Stop};
use crate::interpreted::Wasmi;
use crate::linked::Linked;
use crate::live::Live;
use crate::raw::{self, Context};

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

/// The part of an instance that is carried besides the bytes of its memory and its globals.
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
    /// The end of the last call.
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
    live: AnyLive,
    linked: Arc<Linked>,
    /// False once a call ended inside the guest: its frames were abandoned half-way.
    whole: bool,
}

/// Compiled instances live by the hundred thousand, and an interpreted one is a kilobyte larger.
pub enum AnyLive {
    Interpreted(Box<Live<Wasmi>>),
    Compiled(Live<Wasmtime>),
}

/// Does the same with the live instance of either engine.
macro_rules! on_either {
    ($any:expr, $live:ident => $act:expr) => {
        match $any {
            AnyLive::Interpreted($live) => $act,
            AnyLive::Compiled($live) => $act,
        }
    };
}

impl Instance {
    pub fn new(live: AnyLive, linked: Arc<Linked>) -> Instance {
        Instance { live, linked, whole: true }
    }

    pub fn call(&mut self, export: u32, budget: &Budget, context: Context, slots: &mut [u64]) -> Result<End> {
        if !self.whole {
            return Err(Failure::misuse("the instance ended in an earlier call"));
        }
        let end = on_either!(&mut self.live, live => live.call(&self.linked, export, budget, context, slots));
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
        on_either!(&mut self.live, live => live.account())
    }

    pub fn memory(&mut self) -> (*mut u8, usize) {
        on_either!(&mut self.live, live => live.memory())
    }

    pub fn global(&mut self, index: u32) -> Option<u64> {
        on_either!(&mut self.live, live => live.global(&self.linked, index))
    }

    pub fn set_global(&mut self, index: u32, value: u64) -> bool {
        let mutable = self.linked.artifact.module.globals.get(index as usize).is_some_and(|global| global.mutable);
        mutable && on_either!(&mut self.live, live => live.set_global(&self.linked, index, value))
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
            on_either!(&mut self.live, live => live.grow_memory(by))?;
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
            AnyLive::Interpreted(_) => Vec::new(),
            AnyLive::Compiled(live) => live.own().located(&self.linked.artifact),
        }
    }
}
