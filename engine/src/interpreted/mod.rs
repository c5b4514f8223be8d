//! The interpreted tier: wasmi. An engine frees the code of its modules when it ends itself, so each module has one of
//! its own, but for those that are small and soon gone.

use wasmi::{
    AsContextMut, Error, Func, Global, Instance, Memory, Module, Nullable, Ref, Store, StoreContextMut, Table,
    TrapCode, TypedFunc,
};

use self::callable::{Callable, val};
use self::imports::imports;
use crate::account::Account;
use crate::artifact::{Artifact, Kind, Signature};
use crate::failure::{Failure, Result};
use crate::guest::{EndCause, Stop, Trap};
use crate::linked::Linked;
use crate::live::{Engine, Live, Look, Made, Reach, State};
use crate::raw;

mod callable;
mod engines;
mod imports;

pub use self::callable::{number, wide};
pub use self::engines::{Stay, config, leave_shared_engine};

pub struct Code {
    engine: wasmi::Engine,
    module: Module,
}

impl Code {
    pub fn load(artifact: &Artifact, stay: Stay) -> Result<Code> {
        let metered = artifact.metered();
        let engine = engines::engine_for(artifact, metered.len(), stay);
        let module = raw::load_interpreted(&engine, &metered);
        let module =
            module.map_err(|error| Failure::fault(format!("the interpreter did not take the module: {error}")))?;
        Ok(Code { engine, module })
    }

    pub fn instantiate(&self, linked: &Linked, account: Account) -> Result<Made<Wasmi>> {
        let mut store = Store::new(&self.engine, State::new(account));
        let imports = imports(&mut store, linked);
        match Instance::new(&mut store, &self.module, &imports) {
            Ok(instance) => Live::new(store, instance, linked),
            Err(error) => Ok(Err((segment_trap(&error)?, store.into_data().account))),
        }
    }
}

/// A segment that does not fit its memory or table.
fn segment_trap(error: &Error) -> Result<EndCause> {
    let text = error.to_string();
    match Wasmi::end_cause(error) {
        Ok(cause) => Ok(cause),
        Err(_) if text.contains("table") || text.contains("element") => Ok(EndCause::Trap(Trap::TableOutOfBounds)),
        Err(_) if text.contains("memory") => Ok(EndCause::Trap(Trap::MemoryOutOfBounds)),
        Err(failure) => Err(failure),
    }
}

/// The interpreter, as `live` sees it.
pub struct Wasmi;

/// The content of its stores.
type Held = State<Wasmi>;

/// How many pages were made since somebody looked at the clock for their sake.
#[derive(Default)]
pub struct PagesUnseen(u64);

/// How many pages are made between two looks at the clock: every byte is cleared at once, which takes half a millisecond.
const PAGES_AT_ONCE: u64 = 16;

impl From<Stop> for Error {
    fn from(stop: Stop) -> Error {
        Error::host(stop)
    }
}

impl Engine for Wasmi {
    type Store = Store<Held>;
    type Instance = Instance;
    type Global = Global;
    type Memory = Memory;
    type Table = Table;
    type Function = Callable;
    type Allocator = TypedFunc<i32, i32>;
    type Error = Error;
    type Own = PagesUnseen;
    type Reached<'a> = StoreContextMut<'a, Held>;

    const WRITES_NEW_PAGES: bool = true;
    /// It takes half a millisecond for them.
    const SLOTS_AT_ONCE: u64 = 32_768;

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
        let function: Func =
            instance.get_func(&*store, name).ok_or_else(|| Failure::fault("an export has vanished"))?;
        Callable::new(store, function, signature)
            .map_err(|error| Failure::fault(format!("an export has another type than was checked: {error}")))
    }

    fn allocator(store: &mut Store<Held>, instance: &Instance, name: &str) -> Option<TypedFunc<i32, i32>> {
        instance.get_typed_func(&*store, name).ok()
    }

    fn call(function: &Callable, store: &mut Store<Held>, slots: &mut [u64]) -> std::result::Result<(), Error> {
        function.call(store, slots)
    }

    fn end_cause(error: &Error) -> Result<EndCause> {
        let trap = match error.as_trap_code() {
            Some(TrapCode::UnreachableCodeReached) => Trap::Unreachable,
            Some(TrapCode::MemoryOutOfBounds) => Trap::MemoryOutOfBounds,
            Some(TrapCode::TableOutOfBounds) => Trap::TableOutOfBounds,
            Some(TrapCode::IndirectCallToNull) => Trap::IndirectCallToNull,
            Some(TrapCode::IntegerDivisionByZero) => Trap::IntegerDivideByZero,
            Some(TrapCode::IntegerOverflow) => Trap::IntegerOverflow,
            Some(TrapCode::BadConversionToInteger) => Trap::BadConversionToInteger,
            Some(TrapCode::BadSignature) => Trap::BadSignature,
            Some(TrapCode::StackOverflow) => return Ok(EndCause::StackOverflow),
            _ if error.downcast_ref::<Stop>().is_some() => return Ok(EndCause::Stopped),
            _ => return Err(Failure::fault(format!("the interpreter failed: {error}"))),
        };
        Ok(EndCause::Trap(trap))
    }
}

impl Reach for StoreContextMut<'_, Held> {
    type Engine = Wasmi;

    fn state(&mut self) -> &mut Held {
        self.data_mut()
    }
    fn get(&mut self, global: Global) -> u64 {
        wide(&global.get(&*self))
    }
    fn set(&mut self, global: Global, kind: Kind, value: u64) -> bool {
        global.set(self, val(kind, value)).is_ok()
    }
    fn bytes(&mut self, memory: Memory) -> (&mut [u8], &mut Held) {
        memory.data_and_store_mut(self)
    }
    fn grow_memory(&mut self, memory: Memory, by: u64, look: Look) -> std::result::Result<bool, Error> {
        let mut left = by;
        while left > 0 {
            let pages = left.min(PAGES_AT_ONCE - self.data().own.0);
            memory.grow(&mut *self, pages)?;
            left -= pages;
            let State { account, own: PagesUnseen(unseen), .. } = self.data_mut();
            *unseen += pages;
            if *unseen == PAGES_AT_ONCE {
                *unseen = 0;
                look(account)?;
            }
        }
        Ok(true)
    }
    fn grow_table(&mut self, table: Table, by: u64) -> std::result::Result<(), Error> {
        table.grow(self, by, Ref::Func(Nullable::Null)).map(|_| ()).map_err(Error::from)
    }
    fn allocate(&mut self, allocator: TypedFunc<i32, i32>, bytes: u32) -> std::result::Result<u32, Error> {
        allocator.call(self, bytes as i32).map(|address| address as u32)
    }
    fn table_slots(&mut self, table: Table) -> usize {
        table.size(&*self) as usize
    }
    fn copy_table(
        &mut self,
        [to, source]: [Table; 2],
        at: usize,
        from: usize,
        slots: usize,
    ) -> std::result::Result<(), Error> {
        Table::copy(self, &to, at as u64, &source, from as u64, slots as u64).map_err(Error::from)
    }
}
