//! A live instance, the same on both engines. `Engine` and `Reach` are what they differ in; everything here is compiled for each
//! of them by itself, so that no call has to find out which engine it is for.

use crate::account::{Account, Foreknown, Opening};
use crate::artifact::{Artifact, Kind, Signature};
use crate::failure::{Failure, Result};
use crate::guest::{Access, Budget, End, EndCause, Stop};
use crate::linked::Linked;
use crate::meter::{DEPTH, FUEL, MEMORY, TABLE};
use crate::raw::Context;

/// The export that host functions ask for memory.
const ALLOCATOR: &str = "petri_alloc";

/// One of the two engines.
pub trait Engine: Sized + 'static {
    /// The engine's store of a guest, with a `State` in it.
    type Store;
    type Instance;
    type Global: Copy;
    type Memory: Copy;
    type Table: Copy;
    /// An exported function of numbers, in the form that is called fastest.
    type Function;
    /// An exported function of type (i32) -> i32.
    type Allocator: Clone;
    type Error: From<Stop>;
    /// Facts about a guest that only this engine needs.
    type Own: Default;
    type Reached<'a>: Reach<Engine = Self>;

    /// It writes zeros into the pages of a memory when it makes them, which takes time.
    const WRITES_NEW_PAGES: bool;
    /// How many slots a table grows by between two looks at the clock.
    const SLOTS_AT_ONCE: u64;

    fn state(store: &Self::Store) -> &State<Self>;
    fn state_mut(store: &mut Self::Store) -> &mut State<Self>;
    fn into_state(store: Self::Store) -> State<Self>;
    fn reach(store: &mut Self::Store) -> Self::Reached<'_>;

    fn global(store: &mut Self::Store, instance: &Self::Instance, name: &str) -> Option<Self::Global>;
    fn memory(store: &mut Self::Store, instance: &Self::Instance, name: &str) -> Option<Self::Memory>;
    fn table(store: &mut Self::Store, instance: &Self::Instance, name: &str) -> Option<Self::Table>;
    /// An exported function of this signature.
    fn function(
        store: &mut Self::Store,
        instance: &Self::Instance,
        name: &str,
        signature: &Signature,
    ) -> Result<Self::Function>;

    fn allocator(store: &mut Self::Store, instance: &Self::Instance, name: &str) -> Option<Self::Allocator>;

    /// The slots hold what the function takes, and then what it gives.
    fn call(
        function: &Self::Function,
        store: &mut Self::Store,
        slots: &mut [u64],
    ) -> std::result::Result<(), Self::Error>;

    /// Why a guest ended, or that the engine failed.
    fn end_cause(error: &Self::Error) -> Result<EndCause>;

    /// Keeps where the guest trapped, if the engine says so.
    fn keep_backtrace(_own: &mut Self::Own, _error: &Self::Error) {}
}

pub type Global<R> = <<R as Reach>::Engine as Engine>::Global;
pub type Memory<R> = <<R as Reach>::Engine as Engine>::Memory;
pub type Table<R> = <<R as Reach>::Engine as Engine>::Table;
pub type Allocator<R> = <<R as Reach>::Engine as Engine>::Allocator;
pub type Error<R> = <<R as Reach>::Engine as Engine>::Error;

/// Looks at the clock: at the guest's own time, or at that of whoever has the instance made.
pub type Look = fn(&mut Account) -> std::result::Result<(), Stop>;

/// A guest as the host reaches it, between its calls or from a host function.
pub trait Reach {
    type Engine: Engine;

    fn state(&mut self) -> &mut State<Self::Engine>;
    fn get(&mut self, global: Global<Self>) -> u64;
    /// False if the global is of another kind or cannot be set.
    fn set(&mut self, global: Global<Self>, kind: Kind, value: u64) -> bool;
    fn bytes(&mut self, memory: Memory<Self>) -> (&mut [u8], &mut State<Self::Engine>);
    /// Looks at the clock as often as it takes time to make so many pages. False if the engine cannot have them.
    fn grow_memory(&mut self, memory: Memory<Self>, by: u64, look: Look) -> std::result::Result<bool, Error<Self>>;
    fn grow_table(&mut self, table: Table<Self>, by: u64) -> std::result::Result<(), Error<Self>>;
    fn allocate(&mut self, allocator: Allocator<Self>, bytes: u32) -> std::result::Result<u32, Error<Self>>;
    fn table_slots(&mut self, table: Table<Self>) -> usize;
    /// Copies slots of the second table into the first.
    fn copy_table(
        &mut self,
        tables: [Table<Self>; 2],
        at: usize,
        from: usize,
        slots: usize,
    ) -> std::result::Result<(), Error<Self>>;
}

/// The content of an engine's store for a guest. The engine's handles are missing only while the instance is being
/// made, when no guest code runs.
pub struct State<E: Engine> {
    pub account: Account,
    pub fuel: Option<E::Global>,
    pub memory: Option<E::Memory>,
    pub depth: Option<E::Global>,
    /// The export `petri_alloc`, of a guest that imports functions.
    pub allocator: Option<E::Allocator>,
    /// The tables of a module that grows or copies tables.
    pub tables: Vec<E::Table>,
    pub own: E::Own,
}

impl<E: Engine> State<E> {
    pub fn new(account: Account) -> State<E> {
        State {
            account,
            fuel: None,
            memory: None,
            depth: None,
            allocator: None,
            tables: Vec::new(),
            own: E::Own::default(),
        }
    }
}

impl<R: Reach> Access for R {
    fn account(&mut self) -> &mut Account {
        &mut self.state().account
    }
    fn counter(&mut self) -> i64 {
        self.state().fuel.map_or(0, |fuel| self.get(fuel) as i64)
    }
    fn set_counter(&mut self, counter: i64) {
        if let Some(fuel) = self.state().fuel {
            self.set(fuel, Kind::I64, counter as u64);
        }
    }
    fn memory(&mut self) -> (*mut u8, usize) {
        let Some(memory) = self.state().memory else { return (std::ptr::null_mut(), 0) };
        let (bytes, _) = self.bytes(memory);
        (bytes.as_mut_ptr(), bytes.len())
    }
    fn call_allocator(&mut self, bytes: u32) -> Result<std::result::Result<u32, EndCause>> {
        let Some(allocator) = self.state().allocator.clone() else { return Ok(Ok(0)) };
        match self.allocate(allocator, bytes) {
            Ok(address) => Ok(Ok(address)),
            Err(error) => R::Engine::end_cause(&error).map(Err),
        }
    }
    fn depth_left(&mut self) -> Option<u32> {
        let depth = self.state().depth?;
        Some(self.get(depth) as u32)
    }
}

/// A function that has been called before.
struct Entry<E: Engine> {
    export: u32,
    function: E::Function,
    /// As many as it has parameters or results, whichever are more.
    slots: usize,
    foreknown: Foreknown,
}

pub struct Live<E: Engine> {
    store: E::Store,
    instance: E::Instance,
    /// The value of the depth counter, as far as that is known.
    depth_set: u32,
    functions: Vec<Entry<E>>,
}

/// The depth counter after a call that did not return: the exited guest's frames were not left one by one.
const UNKNOWN: u32 = u32::MAX;

/// An instance, or why it could not be made, with the account that was opened for it.
pub type Made<E> = std::result::Result<Live<E>, (EndCause, Account)>;

impl<E: Engine> Live<E> {
    /// The engine has just made the instance.
    pub fn new(store: E::Store, instance: E::Instance, linked: &Linked) -> Result<Made<E>> {
        let mut live = Live { store, instance, depth_set: 0, functions: Vec::new() };
        live.find_exports(linked);
        Ok(match live.make_large(&linked.artifact)? {
            Ok(()) => Ok(live),
            Err(cause) => Err((cause, E::into_state(live.store).account)),
        })
    }

    /// Finds what the meter exports for the host.
    fn find_exports(&mut self, linked: &Linked) {
        let Live { store, instance, .. } = self;
        let module = &linked.artifact.module;
        let hidden = |name: &str| linked.hidden_name(name);
        let fuel = module.counts().then(|| E::global(store, instance, &hidden(FUEL))).flatten();
        let memory = module.memory.and_then(|_| E::memory(store, instance, &hidden(MEMORY)));
        let depth = module.weighs.then(|| E::global(store, instance, &hidden(DEPTH))).flatten();
        let tables = if module.grows || module.fills { module.tables.len() } else { 0 };
        let names = (0..tables).map(|index| hidden(&format!("{TABLE}{index}")));
        let tables = names.map_while(|name| E::table(store, instance, &name)).collect();
        let exports_one = |name: &str| module.exports.iter().any(|export| linked.text_of(export) == name.as_bytes());
        let allocates = !linked.functions.is_empty() && exports_one(ALLOCATOR);
        let allocator = allocates.then(|| E::allocator(store, instance, ALLOCATOR)).flatten();
        let state = E::state_mut(store);
        state.allocator = allocator;
        (state.fuel, state.memory, state.depth, state.tables) = (fuel, memory, depth, tables);
    }

    /// Makes a memory what the guest declared, where that is not the engine's to do.
    fn make_large(&mut self, artifact: &Artifact) -> Result<std::result::Result<(), EndCause>> {
        let memory = E::state(&self.store).memory;
        let (Some(large), Some(memory)) = (&artifact.module.large_memory, memory) else { return Ok(Ok(())) };
        // The engine has just made as much of it as is made at once.
        if E::WRITES_NEW_PAGES && self.account().look_while_made().is_err() {
            return Ok(Err(EndCause::Stopped));
        }
        let mut reached = E::reach(&mut self.store);
        match reached.grow_memory(memory, large.more_pages, Account::look_while_made) {
            Ok(true) => {}
            Ok(false) => return Err(Failure::fault(format!("no memory for {} pages more", large.more_pages))),
            Err(error) => return E::end_cause(&error).map(Err),
        }
        let (bytes, state) = reached.bytes(memory);
        Ok(large.fill(&artifact.wasm, bytes, &mut state.account))
    }

    pub fn call(
        &mut self,
        linked: &Linked,
        export: u32,
        budget: &Budget,
        context: Context,
        slots: &mut [u64],
    ) -> Result<End> {
        let entry = self.entry(linked, export)?;
        if slots.len() != self.functions[entry].slots {
            return Err(Failure::misuse("the number of slots does not fit the function"));
        }
        let foreknown = self.functions[entry].foreknown;
        let opening = self.account().open(budget, context, foreknown);
        match opening {
            Opening::Stopped(end) => return Ok(end),
            Opening::Counts(Some(slice)) => {
                let fuel = E::state(&self.store).fuel;
                self.set_counter(fuel, Kind::I64, slice as u64)?;
            }
            _ => {}
        }
        // A call that returned has put the depth back to where it started.
        let depth = E::state(&self.store).depth;
        if depth.is_some() && self.depth_set != budget.call_depth {
            self.set_counter(depth, Kind::I32, u64::from(budget.call_depth))?;
            self.depth_set = budget.call_depth;
        }
        let outcome = E::call(&self.functions[entry].function, &mut self.store, slots);
        let counter = match opening {
            Opening::Paid(counter) => counter,
            _ => E::reach(&mut self.store).counter(),
        };
        let outcome = match outcome {
            Ok(()) => Ok(()),
            Err(error) => Err(self.end_after(&error)?),
        };
        Ok(self.account().end(outcome, counter))
    }

    fn end_after(&mut self, error: &E::Error) -> Result<EndCause> {
        self.depth_set = UNKNOWN;
        let cause = E::end_cause(error)?;
        let State { account, own, .. } = E::state_mut(&mut self.store);
        if matches!(cause, EndCause::Trap(_)) || account.trapped_elsewhere() {
            E::keep_backtrace(own, error);
        }
        Ok(cause)
    }

    /// Where the export stands in `functions`; looked up and checked when it is first called.
    fn entry(&mut self, linked: &Linked, export: u32) -> Result<usize> {
        if let Some(known) = self.functions.iter().position(|entry| entry.export == export) {
            return Ok(known);
        }
        let signature = linked.callable(export)?;
        let function = E::function(&mut self.store, &self.instance, &linked.export_name(export), signature)?;
        let slots = signature.params.len().max(signature.results.len());
        self.functions.push(Entry { export, function, slots, foreknown: linked.foreknown(export) });
        Ok(self.functions.len() - 1)
    }

    fn set_counter(&mut self, counter: Option<E::Global>, kind: Kind, value: u64) -> Result<()> {
        let set = counter.is_some_and(|counter| E::reach(&mut self.store).set(counter, kind, value));
        if set { Ok(()) } else { Err(Failure::fault("a counter of the meter cannot be set")) }
    }

    pub fn account(&mut self) -> &mut Account {
        &mut E::state_mut(&mut self.store).account
    }

    pub fn own(&self) -> &E::Own {
        &E::state(&self.store).own
    }

    /// For what is carried into it, on the time that the instance was made within.
    pub fn grow_memory(&mut self, by: u64) -> Result<()> {
        let none = || Failure::fault("there is no memory to carry an instance into");
        let memory = E::state(&self.store).memory.ok_or_else(none)?;
        match E::reach(&mut self.store).grow_memory(memory, by, Account::look_while_made) {
            Ok(true) => Ok(()),
            Err(error) if matches!(E::end_cause(&error), Ok(EndCause::Stopped)) => Err(Failure::stopped()),
            _ => Err(none()),
        }
    }

    pub fn memory(&mut self) -> (*mut u8, usize) {
        E::reach(&mut self.store).memory()
    }

    pub fn global(&mut self, linked: &Linked, index: u32) -> Option<u64> {
        let global = self.find_global(linked, index)?;
        Some(E::reach(&mut self.store).get(global))
    }

    pub fn set_global(&mut self, linked: &Linked, index: u32, value: u64) -> bool {
        let kind = linked.artifact.module.globals[index as usize].kind;
        let global = self.find_global(linked, index);
        global.is_some_and(|global| E::reach(&mut self.store).set(global, kind, value))
    }

    fn find_global(&mut self, linked: &Linked, index: u32) -> Option<E::Global> {
        let name = linked.global_name(index)?;
        E::global(&mut self.store, &self.instance, &name)
    }
}
