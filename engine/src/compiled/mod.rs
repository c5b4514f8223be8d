//! The compiled tier: Wasmtime with Cranelift.

use std::sync::Arc;

use wasmtime::{
    AsContextMut, Error, Func, Global, Instance, InstancePre, Memory, Module, Ref, Store, StoreContextMut, Table,
    TypedFunc, WasmBacktrace,
};

use self::compiling::{compile, fault, fits, too_large};
use self::values::{call_with_slots, val, wide};
use crate::account::Account;
use crate::artifact::{Artifact, Kind, Signature};
use crate::failure::{Failure, Result};
use crate::guest::{EndCause, Stop, Trap};
use crate::linked::Linked;
use crate::live::{Engine, Live, Look, Made, Reach, State};
use crate::locate::Locator;
use crate::raw;

mod compiling;
mod imports;
mod values;

pub use self::compiling::{Effort, bare_engine, precompile, start_helper};

pub struct Code {
    instance: InstancePre<Held>,
    linked: Arc<Linked>,
}

impl Code {
    pub fn load(linked: &Arc<Linked>) -> Result<Code> {
        Code::new(linked, compile(&linked.artifact)?)
    }

    /// From what `precompile` made of this artifact's rewritten module with the same effort.
    ///
    /// The machine code is run as it is: `machine_code` comes from this petri's own compiler and from nowhere else.
    pub fn load_precompiled(linked: &Arc<Linked>, machine_code: &[u8], effort: Effort) -> Result<Code> {
        let module = raw::deserialize(effort.engine(), machine_code).map_err(fault)?;
        if !fits(&module, &linked.artifact) {
            return Err(too_large());
        }
        Code::new(linked, module)
    }

    fn new(linked: &Arc<Linked>, module: Module) -> Result<Code> {
        let linker = imports::link(linked, module.engine()).map_err(fault)?;
        let instance = linker.instantiate_pre(&module).map_err(fault)?;
        Ok(Code { instance, linked: linked.clone() })
    }

    pub fn instantiate(&self, account: Account) -> Result<Made<Wasmtime>> {
        let mut store = Store::new(self.instance.module().engine(), State::new(account));
        match self.instance.instantiate(&mut store) {
            Ok(instance) => Live::new(store, instance, &self.linked),
            Err(error) => Ok(Err((Wasmtime::end_cause(&error)?, store.into_data().account))),
        }
    }
}

/// Where the guest trapped last.
#[derive(Default)]
pub struct Backtrace {
    /// Function and offset in the rewritten module, innermost first.
    frames: Vec<(u32, usize)>,
    /// The innermost of them met an `unreachable`.
    met_unreachable: bool,
}

impl Backtrace {
    /// Function and offset of each frame, innermost first, in the guest's own numbers.
    pub fn located(&self, artifact: &Artifact) -> Vec<(u32, u64)> {
        if self.frames.is_empty() {
            return Vec::new();
        }
        let locator = Locator::new(artifact);
        let located = self.frames.iter().enumerate().filter_map(|(depth, (function, offset))| {
            let function = locator.function(*function)?;
            let at = match self.met_unreachable && depth == 0 {
                true => locator.unreachable(artifact, function, *offset),
                false => locator.offset(*offset),
            };
            Some((function, at as u64))
        });
        located.collect()
    }
}

/// The compiler and what runs its code, as `live` sees them.
pub struct Wasmtime;

/// The content of its stores.
type Held = State<Wasmtime>;

/// An exported function.
pub struct Callable {
    function: Func,
    signature: Signature,
}

impl Engine for Wasmtime {
    type Store = Store<Held>;
    type Instance = Instance;
    type Global = Global;
    type Memory = Memory;
    type Table = Table;
    type Function = Callable;
    type Allocator = TypedFunc<i32, i32>;
    type Error = Error;
    type Own = Backtrace;
    type Reached<'a> = StoreContextMut<'a, Held>;

    const WRITES_NEW_PAGES: bool = false;
    /// It takes up to half a millisecond for them.
    const SLOTS_AT_ONCE: u64 = 8_192;

    fn state(store: &Store<Held>) -> &Held {
        store.data()
    }
    fn state_mut(store: &mut Store<Held>) -> &mut Held {
        store.data_mut()
    }
    fn into_state(store: Store<Held>) -> Held {
        store.into_data()
    }
    fn reach(store: &mut Store<Held>) -> StoreContextMut<'_, Held> {
        store.as_context_mut()
    }

    fn global(store: &mut Store<Held>, instance: &Instance, name: &str) -> Option<Global> {
        instance.get_global(store, name)
    }
    fn memory(store: &mut Store<Held>, instance: &Instance, name: &str) -> Option<Memory> {
        instance.get_memory(store, name)
    }
    fn table(store: &mut Store<Held>, instance: &Instance, name: &str) -> Option<Table> {
        instance.get_table(store, name)
    }
    fn function(store: &mut Store<Held>, instance: &Instance, name: &str, signature: &Signature) -> Result<Callable> {
        let function = instance.get_func(store, name).ok_or_else(|| Failure::fault("an export has vanished"))?;
        Ok(Callable { function, signature: signature.clone() })
    }

    fn allocator(store: &mut Store<Held>, instance: &Instance, name: &str) -> Option<TypedFunc<i32, i32>> {
        instance.get_typed_func(store, name).ok()
    }

    fn call(
        Callable { function, signature }: &Callable,
        store: &mut Store<Held>,
        slots: &mut [u64],
    ) -> wasmtime::Result<()> {
        call_with_slots(store, function, signature, slots)
    }

    fn end_cause(error: &Error) -> Result<EndCause> {
        use wasmtime::Trap as Cause;
        let trap = match error.downcast_ref::<Cause>() {
            Some(Cause::UnreachableCodeReached) => Trap::Unreachable,
            Some(Cause::MemoryOutOfBounds) => Trap::MemoryOutOfBounds,
            Some(Cause::TableOutOfBounds) => Trap::TableOutOfBounds,
            Some(Cause::IndirectCallToNull) => Trap::IndirectCallToNull,
            Some(Cause::IntegerDivisionByZero) => Trap::IntegerDivideByZero,
            Some(Cause::IntegerOverflow) => Trap::IntegerOverflow,
            Some(Cause::BadConversionToInteger) => Trap::BadConversionToInteger,
            Some(Cause::BadSignature) => Trap::BadSignature,
            Some(Cause::StackOverflow) => return Ok(EndCause::StackOverflow),
            _ if error.is::<Stop>() => return Ok(EndCause::Stopped),
            _ => return Err(Failure::fault(format!("the compiled code failed: {error:#}"))),
        };
        Ok(EndCause::Trap(trap))
    }

    fn keep_backtrace(own: &mut Backtrace, error: &Error) {
        let frames = error.downcast_ref::<WasmBacktrace>().map_or(&[][..], |backtrace| backtrace.frames());
        own.frames = frames.iter().map(|frame| (frame.func_index(), frame.module_offset().unwrap_or(0))).collect();
        own.met_unreachable = matches!(error.downcast_ref(), Some(wasmtime::Trap::UnreachableCodeReached));
    }
}

impl Reach for StoreContextMut<'_, Held> {
    type Engine = Wasmtime;

    fn state(&mut self) -> &mut Held {
        self.data_mut()
    }
    fn get(&mut self, global: Global) -> u64 {
        wide(&global.get(self))
    }
    fn set(&mut self, global: Global, kind: Kind, value: u64) -> bool {
        global.set(self, val(kind, value)).is_ok()
    }
    fn bytes(&mut self, memory: Memory) -> (&mut [u8], &mut Held) {
        memory.data_and_store_mut(self)
    }
    /// Pages that are not written take no time here.
    fn grow_memory(&mut self, memory: Memory, by: u64, _look: Look) -> wasmtime::Result<bool> {
        Ok(memory.grow(self, by).is_ok())
    }
    fn grow_table(&mut self, table: Table, by: u64) -> wasmtime::Result<()> {
        table.grow(self, by, Ref::Func(None)).map(|_| ())
    }
    fn allocate(&mut self, allocator: TypedFunc<i32, i32>, bytes: u32) -> wasmtime::Result<u32> {
        allocator.call(self, bytes as i32).map(|address| address as u32)
    }
    fn table_slots(&mut self, table: Table) -> usize {
        table.size(&*self) as usize
    }
    fn copy_table(&mut self, [to, source]: [Table; 2], at: usize, from: usize, slots: usize) -> wasmtime::Result<()> {
        Table::copy(self, &to, at as u64, &source, from as u64, slots as u64)
    }
}
