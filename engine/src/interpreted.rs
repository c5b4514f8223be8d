//! The interpreted tier: wasmi. An engine frees the code of its modules when it ends itself, so each module has one of
//! its own, but for those that are small and soon gone.

use std::array;
use std::cell::RefCell;
use std::sync::Arc;

use wasmi::{
    AsContext, AsContextMut, Caller, CompilationMode, Config, Engine, Error, Extern, F32, F64, Func, FuncType, Global,
    Instance, Memory, Module, Nullable, Ref, Store, Table, TrapCode, TypedFunc, Val, ValType,
};

use crate::artifact::{Artifact, Kind, Signature};
use crate::code::{Linked, UNKNOWN, export_name};
use crate::failure::{Failure, Result};
use crate::guest::{
    Access, Account, Act, Budget, EndCause, Fill, Foreknown, Opening, SLOTS, Stop, Trap, call_host, canonical_f32,
    canonical_f64,
};
use crate::math;
use crate::meter::{DEPTH, FUEL, GLOBAL, MEMORY, START, TABLE};
use crate::raw::{self, Context, HostFunction};

pub struct Code {
    engine: Engine,
    module: Module,
}

/// A function that has been called before.
struct Entry {
    export: u32,
    callable: Callable,
    /// As many as it has parameters or results, whichever are more.
    slots: usize,
    foreknown: Foreknown,
}

/// Functions of a few numbers of one kind are what is evolved most. The engine checks their types once and not in each
/// call, which is a sixth of a short one.
enum Callable {
    F64(TypedFunc<f64, f64>),
    F64F64(TypedFunc<(f64, f64), f64>),
    F64F64F64(TypedFunc<(f64, f64, f64), f64>),
    I32(TypedFunc<i32, i32>),
    I32I32(TypedFunc<(i32, i32), i32>),
    I64(TypedFunc<i64, i64>),
    I64I64(TypedFunc<(i64, i64), i64>),
    Any(Func, Signature),
}

impl Callable {
    fn new(store: &Store<State>, function: Func, signature: &Signature) -> std::result::Result<Callable, Error> {
        use Kind::{F64, I32, I64};
        Ok(match (signature.params.as_slice(), signature.results.as_slice()) {
            ([F64], [F64]) => Callable::F64(function.typed(store)?),
            ([F64, F64], [F64]) => Callable::F64F64(function.typed(store)?),
            ([F64, F64, F64], [F64]) => Callable::F64F64F64(function.typed(store)?),
            ([I32], [I32]) => Callable::I32(function.typed(store)?),
            ([I32, I32], [I32]) => Callable::I32I32(function.typed(store)?),
            ([I64], [I64]) => Callable::I64(function.typed(store)?),
            ([I64, I64], [I64]) => Callable::I64I64(function.typed(store)?),
            _ => Callable::Any(function, signature.clone()),
        })
    }

    /// The slots hold what the function takes, and then what it gives.
    fn call(&self, store: &mut Store<State>, slots: &mut [u64]) -> std::result::Result<(), Error> {
        let real = |index: usize| f64::from_bits(slots[index]);
        let word = |index: usize| slots[index] as i32;
        let long = |index: usize| slots[index] as i64;
        slots[0] = match self {
            Callable::F64(f) => f.call(store, real(0))?.to_bits(),
            Callable::F64F64(f) => f.call(store, (real(0), real(1)))?.to_bits(),
            Callable::F64F64F64(f) => f.call(store, (real(0), real(1), real(2)))?.to_bits(),
            Callable::I32(f) => u64::from(f.call(store, word(0))? as u32),
            Callable::I32I32(f) => u64::from(f.call(store, (word(0), word(1)))? as u32),
            Callable::I64(f) => f.call(store, long(0))? as u64,
            Callable::I64I64(f) => f.call(store, (long(0), long(1)))? as u64,
            Callable::Any(function, signature) => return call_with_slots(store, function, signature, slots),
        };
        Ok(())
    }
}

pub struct Live {
    store: Store<State>,
    instance: Instance,
    depth: Option<Global>,
    depth_set: u32,
    functions: Vec<Entry>,
}

struct State {
    account: Account,
    /// Missing only while the instance is being made; no guest code runs then.
    fuel: Option<Global>,
    memory: Option<Memory>,
    depth: Option<Global>,
    /// Those of a module that grows or copies tables.
    tables: Vec<Table>,
    /// How many pages were made since somebody looked at the clock for their sake.
    pages_unseen: u64,
}

pub fn config() -> Config {
    let mut config = Config::default();
    config
        .compilation_mode(CompilationMode::Eager)
        .ignore_custom_sections(true)
        .wasm_multi_memory(false)
        .wasm_tail_call(false)
        // The meter's call depth ends recursion long before these.
        .set_max_recursion_depth(1 << 20)
        .set_max_stack_height(1 << 30)
        .set_max_cached_stacks(1);
    config
}

/// What an engine may keep of values between two calls: it never gives back what a call has made its stack grow to.
const KEPT_STACK_MAX: u64 = 256 << 10;

/// How large the values of a call can be together; half of what its frames are reckoned to be, at the usual depth.
fn value_bytes_max(artifact: &Artifact) -> u64 {
    const DEPTH_USUAL: u64 = 1_024;
    (artifact.module.stack_bytes_fixed + DEPTH_USUAL * artifact.module.stack_bytes_per_depth) / 2
}

/// How long loaded code is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    Long,
    /// For an evaluation: the code may be freed a little after it is dropped.
    Brief,
}

/// An engine for small modules of one thread that are soon gone. To make one takes a third of the time of loading such a
/// module; what it keeps of them is bounded by how much it takes.
struct SharedEngine {
    engine: Engine,
    bytes_left: usize,
    functions_left: usize,
}

impl SharedEngine {
    const BYTES: usize = 32 << 10;
    /// It has room for so many before it allocates for more.
    const FUNCTIONS: usize = 96;

    fn new() -> SharedEngine {
        SharedEngine { engine: Engine::new(&config()), bytes_left: Self::BYTES, functions_left: Self::FUNCTIONS }
    }

    /// False: it does not fit in what is left.
    fn take(&mut self, bytes: usize, functions: usize) -> bool {
        let fits = bytes <= self.bytes_left && functions <= self.functions_left;
        if fits {
            self.bytes_left -= bytes;
            self.functions_left -= functions;
        }
        fits
    }
}

thread_local! {
    static SHARED: RefCell<Option<SharedEngine>> = const { RefCell::new(None) };
}

/// The thread's shared engine, or the next one; none for a module that is not small.
fn shared_engine(bytes: usize, functions: usize) -> Option<Engine> {
    const SMALL_BYTES: usize = SharedEngine::BYTES / 8;
    const SMALL_FUNCTIONS: usize = SharedEngine::FUNCTIONS / 8;
    if bytes > SMALL_BYTES || functions > SMALL_FUNCTIONS {
        return None;
    }
    SHARED.with_borrow_mut(|shared| {
        if !shared.as_mut().is_some_and(|shared| shared.take(bytes, functions)) {
            let mut next = SharedEngine::new();
            next.take(bytes, functions);
            *shared = Some(next);
        }
        shared.as_ref().map(|shared| shared.engine.clone())
    })
}

/// After a panic on this thread: nobody knows in which state it left the engine, so that modules to come have another.
pub fn leave_shared_engine() {
    // What cannot be borrowed was being exchanged for a new one when the panic came.
    SHARED.with(|shared| shared.try_borrow_mut().map(|mut shared| *shared = None).ok());
}

fn engine_for(artifact: &Artifact, metered_bytes: usize, stay: Stay) -> Engine {
    let keeps_stack = value_bytes_max(artifact) <= KEPT_STACK_MAX;
    let shared = if keeps_stack && stay == Stay::Brief {
        shared_engine(metered_bytes, artifact.module.functions.len())
    } else {
        None
    };
    shared.unwrap_or_else(|| {
        let mut config = config();
        config.set_max_cached_stacks(usize::from(keeps_stack));
        Engine::new(&config)
    })
}

impl Code {
    pub fn load(artifact: &Artifact, stay: Stay) -> Result<Code> {
        let metered = artifact.metered();
        let engine = engine_for(artifact, metered.len(), stay);
        let module = raw::load_interpreted(&engine, &metered);
        let module =
            module.map_err(|error| Failure::fault(format!("the interpreter did not take the module: {error}")))?;
        Ok(Code { engine, module })
    }

    pub fn instantiate(
        &self,
        linked: &Linked,
        account: Account,
    ) -> Result<std::result::Result<Live, (EndCause, Account)>> {
        let (fuel, memory, depth, tables) = (None, None, None, Vec::new());
        let mut store = Store::new(&self.engine, State { account, fuel, memory, depth, tables, pages_unseen: 0 });
        let imports = imports(&mut store, linked);
        let instance = match Instance::new(&mut store, &self.module, &imports) {
            Ok(instance) => instance,
            Err(error) => return Ok(Err((segment_trap(&error)?, store.into_data().account))),
        };
        let module = &linked.artifact.module;
        let hidden = |name: &str| [linked.prefix.as_str(), name].concat();
        let fuel = module.counts().then(|| instance.get_global(&store, &hidden(FUEL))).flatten();
        let memory = module.memory.and_then(|_| instance.get_memory(&store, &hidden(MEMORY)));
        let depth = module.weighs.then(|| instance.get_global(&store, &hidden(DEPTH))).flatten();
        let tables = if module.grows || module.fills { module.tables.len() } else { 0 };
        let tables =
            (0..tables).map_while(|index| instance.get_table(&store, &hidden(&format!("{TABLE}{index}")))).collect();
        let state = store.data_mut();
        (state.fuel, state.memory, state.depth, state.tables) = (fuel, memory, depth, tables);
        if let Err(cause) = make_large(&mut store, &linked.artifact)? {
            return Ok(Err((cause, store.into_data().account)));
        }
        Ok(Ok(Live { store, instance, depth, depth_set: 0, functions: Vec::new() }))
    }
}

/// Makes a memory what the guest declared, where that is not the engine's to do.
fn make_large(store: &mut Store<State>, artifact: &Artifact) -> Result<std::result::Result<(), EndCause>> {
    let (Some(large), Some(memory)) = (&artifact.module.large_memory, store.data().memory) else { return Ok(Ok(())) };
    // The engine has just made as much of it as is made at once.
    if store.data_mut().account.look_while_made().is_err() {
        return Ok(Err(EndCause::Stopped));
    }
    if let Err(error) = grow_in_pieces(&mut *store, memory, large.more_pages, Account::look_while_made) {
        return end_cause(&error).map(Err);
    }
    let (bytes, state) = memory.data_and_store_mut(store);
    Ok(large.fill(&artifact.wasm, bytes, &mut state.account))
}

/// A segment that does not fit its memory or table.
fn segment_trap(error: &Error) -> Result<EndCause> {
    let text = error.to_string();
    match end_cause(error) {
        Ok(cause) => Ok(cause),
        Err(_) if text.contains("table") || text.contains("element") => Ok(EndCause::Trap(Trap::TableOutOfBounds)),
        Err(_) if text.contains("memory") => Ok(EndCause::Trap(Trap::MemoryOutOfBounds)),
        Err(failure) => Err(failure),
    }
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

impl Live {
    pub fn call(
        &mut self,
        linked: &Linked,
        export: u32,
        budget: &Budget,
        context: Context,
        slots: &mut [u64],
    ) -> Result<crate::guest::End> {
        let entry = self.entry(linked, export)?;
        if slots.len() != self.functions[entry].slots {
            return Err(Failure::misuse("the number of slots does not fit the function"));
        }
        let foreknown = self.functions[entry].foreknown;
        let opening = self.account().open(budget, context, foreknown);
        match opening {
            Opening::Stopped(end) => return Ok(end),
            Opening::Counts(Some(slice)) => self.set_global(self.store.data().fuel, Val::I64(slice))?,
            _ => {}
        }
        // A call that returned has put the depth back to where it started.
        if self.depth.is_some() && self.depth_set != budget.call_depth {
            self.set_global(self.depth, Val::I32(budget.call_depth as i32))?;
            self.depth_set = budget.call_depth;
        }
        let outcome = self.functions[entry].callable.call(&mut self.store, slots);
        let counter = match opening {
            Opening::Paid(counter) => counter,
            _ => self.store.data().fuel.map_or(0, |fuel| wide(&fuel.get(&self.store)) as i64),
        };
        let outcome = match outcome {
            Ok(()) => Ok(()),
            Err(error) => {
                self.depth_set = UNKNOWN;
                Err(end_cause(&error)?)
            }
        };
        Ok(self.store.data_mut().account.end(outcome, counter))
    }

    /// Where the export stands in `functions`; looked up and checked when it is first called.
    fn entry(&mut self, linked: &Linked, export: u32) -> Result<usize> {
        if let Some(known) = self.functions.iter().position(|entry| entry.export == export) {
            return Ok(known);
        }
        let signature = linked.callable(export)?;
        let name = export_name(linked, export, START)?;
        let function =
            self.instance.get_func(&self.store, &name).ok_or_else(|| Failure::fault("an export has vanished"))?;
        let slots = signature.params.len().max(signature.results.len());
        let callable = Callable::new(&self.store, function, signature)
            .map_err(|error| Failure::fault(format!("an export has another type than was checked: {error}")))?;
        self.functions.push(Entry { export, callable, slots, foreknown: linked.foreknown(export) });
        Ok(self.functions.len() - 1)
    }

    fn set_global(&mut self, global: Option<Global>, value: Val) -> Result<()> {
        let set = global.map(|global| global.set(&mut self.store, value));
        if matches!(set, Some(Ok(()))) { Ok(()) } else { Err(Failure::fault("a counter of the meter cannot be set")) }
    }

    pub fn account(&mut self) -> &mut Account {
        &mut self.store.data_mut().account
    }

    /// For what is carried into it, on the time that the instance was made within.
    pub fn grow_memory(&mut self, by: u64) -> Result<()> {
        let none = || Failure::fault("there is no memory to carry an instance into");
        let memory = self.store.data().memory.ok_or_else(none)?;
        grow_in_pieces(&mut self.store, memory, by, Account::look_while_made).map_err(|error| {
            if matches!(end_cause(&error), Ok(EndCause::Stopped)) { Failure::stopped() } else { none() }
        })
    }

    pub fn memory(&mut self) -> (*mut u8, usize) {
        memory_of(&self.store, self.store.data().memory)
    }

    pub fn global(&self, linked: &Linked, index: u32) -> Option<u64> {
        self.find_global(linked, index).map(|global| wide(&global.get(&self.store)))
    }

    pub fn set_global_slot(&mut self, linked: &Linked, index: u32, value: u64) -> bool {
        let kind = linked.artifact.module.globals[index as usize].kind;
        let global = self.find_global(linked, index);
        global.is_some_and(|global| global.set(&mut self.store, val(kind, value)).is_ok())
    }

    fn find_global(&self, linked: &Linked, index: u32) -> Option<Global> {
        linked.global_name(index, GLOBAL).and_then(|name| self.instance.get_global(&self.store, &name))
    }
}

/// How many values are passed without allocating.
const FEW: usize = 4;

fn call_with_slots(
    store: &mut Store<State>,
    function: &Func,
    signature: &Signature,
    slots: &mut [u64],
) -> std::result::Result<(), Error> {
    let (params, results) = (signature.params.len(), signature.results.len());
    if params > FEW || results > FEW {
        let mut inputs: Vec<Val> = signature.params.iter().zip(&*slots).map(|(kind, slot)| val(*kind, *slot)).collect();
        let mut outputs = vec![Val::I32(0); results];
        return call_with_values(store, function, &mut inputs, &mut outputs, slots);
    }
    let mut inputs: [Val; FEW] =
        array::from_fn(|index| signature.params.get(index).map_or(Val::I32(0), |kind| val(*kind, slots[index])));
    let mut outputs: [Val; FEW] = array::from_fn(|_| Val::I32(0));
    call_with_values(store, function, &mut inputs[..params], &mut outputs[..results], slots)
}

fn call_with_values(
    store: &mut Store<State>,
    function: &Func,
    inputs: &mut [Val],
    outputs: &mut [Val],
    slots: &mut [u64],
) -> std::result::Result<(), Error> {
    function.call(store, inputs, outputs)?;
    outputs.iter().zip(slots).for_each(|(value, slot)| *slot = wide(value));
    Ok(())
}

fn val(kind: Kind, slot: u64) -> Val {
    match kind {
        Kind::I32 => Val::I32(slot as i32),
        Kind::I64 => Val::I64(slot as i64),
        Kind::F32 => Val::F32(F32::from_bits(slot as u32)),
        Kind::F64 => Val::F64(F64::from_bits(slot)),
        Kind::FuncRef => Val::default_for_ty(ValType::FuncRef),
    }
}

/// A number as a slot; a reference as whether it is one.
pub fn wide(value: &Val) -> u64 {
    match value {
        Val::I32(value) => u64::from(*value as u32),
        Val::I64(value) => *value as u64,
        Val::F32(value) => u64::from(value.to_bits()),
        Val::F64(value) => value.to_bits(),
        _ => u64::from(value.funcref().is_some_and(|reference| !reference.is_null())),
    }
}

fn memory_of<'a>(context: impl Into<wasmi::StoreContext<'a, State>>, memory: Option<Memory>) -> (*mut u8, usize) {
    let context = context.into();
    memory.map_or((std::ptr::null_mut(), 0), |memory| (memory.data_ptr(context), memory.data_size(context)))
}

impl Access for Caller<'_, State> {
    fn account(&mut self) -> &mut Account {
        &mut self.data_mut().account
    }
    fn counter(&mut self) -> i64 {
        self.data().fuel.map_or(0, |fuel| wide(&fuel.get(self.as_context())) as i64)
    }
    fn set_counter(&mut self, counter: i64) {
        if let Some(fuel) = self.data().fuel {
            let _ = fuel.set(self.as_context_mut(), Val::I64(counter));
        }
    }
    fn memory(&mut self) -> (*mut u8, usize) {
        memory_of(self.as_context(), self.data().memory)
    }
    fn depth_left(&mut self) -> Option<u32> {
        self.data().depth.map(|depth| wide(&depth.get(self.as_context())) as u32)
    }
}

/// The guest's imports in their order, then the meter's.
fn imports(store: &mut Store<State>, linked: &Linked) -> Vec<Extern> {
    let module = &linked.artifact.module;
    let mut imports = Vec::with_capacity(linked.functions.len() + 3);
    for (function, import) in linked.functions.iter().zip(&module.imports) {
        imports.push(host_function(store, function, &module.types[import.type_index as usize]).into());
    }
    if module.looks() {
        let refill = |mut caller: Caller<'_, State>, counter: i64| {
            caller.data_mut().account.refill(counter).map_err(Error::host)
        };
        imports.push(Func::wrap(&mut *store, refill).into());
    }
    if module.weighs {
        let overflow = |mut caller: Caller<'_, State>| -> std::result::Result<(), Error> {
            Err(Error::host(caller.data_mut().account.stop(crate::guest::EndKind::StackOverflow, 0)))
        };
        imports.push(Func::wrap(&mut *store, overflow).into());
    }
    if module.grows {
        imports.push(Func::wrap(&mut *store, grow).into());
    }
    if module.fills {
        imports.push(Func::wrap(&mut *store, fill).into());
    }
    imports
}

/// How many pages are made between two looks at the clock: wasmi clears every byte at once, which takes half a millisecond.
const PAGES_AT_ONCE: u64 = 16;
/// The same of a table's slots.
const SLOTS_AT_ONCE: u64 = 32_768;

type Look = fn(&mut Account) -> std::result::Result<(), Stop>;

fn grow_in_pieces(
    mut context: impl AsContextMut<Data = State>,
    memory: Memory,
    by: u64,
    look: Look,
) -> std::result::Result<(), Error> {
    let mut left = by;
    while left > 0 {
        let pages = left.min(PAGES_AT_ONCE - context.as_context().data().pages_unseen);
        memory.grow(&mut context, pages)?;
        left -= pages;
        let mut context = context.as_context_mut();
        let State { account, pages_unseen, .. } = context.data_mut();
        *pages_unseen += pages;
        if *pages_unseen == PAGES_AT_ONCE {
            *pages_unseen = 0;
            look(account).map_err(Error::host)?;
        }
    }
    Ok(())
}

fn grow_table_in_pieces(caller: &mut Caller<'_, State>, table: Table, by: u64) -> std::result::Result<(), Error> {
    let mut left = by;
    while left > 0 {
        let slots = left.min(SLOTS_AT_ONCE);
        table.grow(&mut *caller, slots, Ref::Func(Nullable::Null))?;
        left -= slots;
        if left > 0 {
            caller.data_mut().account.look().map_err(Error::host)?;
        }
    }
    Ok(())
}

fn grow(mut caller: Caller<'_, State>, table: i32, by: i32) -> std::result::Result<i32, Error> {
    let by = u64::from(by as u32);
    if let Ok(table) = usize::try_from(table) {
        let before = caller.data_mut().account.grow_table(table, by).map_err(Error::host)?;
        let Some(before) = before else { return Ok(-1) };
        let Some(table) = caller.data().tables.get(table).copied() else { return Ok(-1) };
        grow_table_in_pieces(&mut caller, table, by)?;
        return Ok(before as i32);
    }
    let Some(before) = caller.data_mut().account.grow_memory(by).map_err(Error::host)? else { return Ok(-1) };
    let Some(memory) = caller.data().memory else { return Ok(-1) };
    grow_in_pieces(&mut caller, memory, by, Account::look)?;
    Ok(before as i32)
}

fn fill(mut caller: Caller<'_, State>, to: i32, with: i32, length: i32, act: i32) -> std::result::Result<i32, Error> {
    let act = Act::of(act);
    if let Act::CopyTable { to: table, from } = act {
        return copy_table(caller, [table, from], [to, with, length]);
    }
    let Some(memory) = caller.data().memory else { return Ok(length) };
    let fill = Fill::new([to, with, length], act, memory.data_size(&caller));
    let Some(mut fill) = fill else { return Ok(length) };
    while fill.piece(memory.data_mut(&mut caller)) {
        caller.data_mut().account.look().map_err(Error::host)?;
    }
    Ok(0)
}

fn copy_table(mut caller: Caller<'_, State>, tables: [u32; 2], numbers: [i32; 3]) -> std::result::Result<i32, Error> {
    let [Some(to), Some(from)] = tables.map(|table| caller.data().tables.get(table as usize).copied()) else {
        return Ok(numbers[2]);
    };
    let sizes = [to, from].map(|table| table.size(&caller) as usize);
    let Some(mut copy) = Fill::within(numbers, sizes[0], sizes[1]) else { return Ok(numbers[2]) };
    while !copy.is_done() {
        let (at, source, slots) = copy.next_copy(SLOTS);
        Table::copy(&mut caller, &to, at as u64, &from, source as u64, slots as u64)?;
        caller.data_mut().account.look().map_err(Error::host)?;
    }
    Ok(0)
}

fn host_function(store: &mut Store<State>, function: &HostFunction, signature: &Signature) -> Func {
    if function.callback.is_none() {
        return math_function(store, function);
    }
    let kinds = |kinds: &[Kind]| kinds.iter().map(|kind| value_type(*kind)).collect::<Vec<_>>();
    let results: Arc<[Kind]> = signature.results.as_slice().into();
    let function = *function;
    Func::new(
        store,
        FuncType::new(kinds(&signature.params), kinds(&signature.results)),
        move |mut caller, inputs, outputs| {
            let mut args = [0u64; 64];
            let mut answers = [0u64; 64];
            inputs.iter().zip(&mut args).for_each(|(value, slot)| *slot = wide(value));
            call_host(&mut caller, &function, &args[..inputs.len()], &mut answers[..outputs.len()])
                .map_err(Error::host)?;
            for ((output, kind), slot) in outputs.iter_mut().zip(results.iter()).zip(answers) {
                *output = canonical(*kind, slot);
            }
            Ok(())
        },
    )
}

fn canonical(kind: Kind, slot: u64) -> Val {
    match kind {
        Kind::F32 => Val::F32(canonical_f32(f32::from_bits(slot as u32)).into()),
        Kind::F64 => Val::F64(canonical_f64(f64::from_bits(slot)).into()),
        _ => val(kind, slot),
    }
}

fn math_function(store: &mut Store<State>, function: &HostFunction) -> Func {
    let fuel = u64::from(function.fuel);
    match math::FUNCTIONS[function.intrinsic as usize].function {
        math::Function::One(of) => Func::wrap(store, move |mut caller: Caller<'_, State>, x: f64| {
            caller.charge(fuel).map_err(Error::host).map(|()| canonical_f64(of(x)))
        }),
        math::Function::Two(of) => Func::wrap(store, move |mut caller: Caller<'_, State>, x: f64, y: f64| {
            caller.charge(fuel).map_err(Error::host).map(|()| canonical_f64(of(x, y)))
        }),
    }
}

/// A number of the engine's own type from a slot.
pub fn number(kind: ValType, slot: u64) -> Val {
    match kind {
        ValType::I64 => val(Kind::I64, slot),
        ValType::F32 => val(Kind::F32, slot),
        ValType::F64 => val(Kind::F64, slot),
        _ => val(Kind::I32, slot),
    }
}

fn value_type(kind: Kind) -> ValType {
    match kind {
        Kind::I32 => ValType::I32,
        Kind::I64 => ValType::I64,
        Kind::F32 => ValType::F32,
        Kind::F64 => ValType::F64,
        Kind::FuncRef => ValType::FuncRef,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, stay: Stay) -> Code {
        let wasm = wat::parse_str(text).expect("the text is right");
        let artifact = Artifact::prepare(&wasm).unwrap_or_else(|failure| panic!("{}", failure.message));
        Code::load(&artifact, stay).unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    fn shares(one: &Code, other: &Code) -> bool {
        Engine::same(&one.engine, &other.engine)
    }

    /// A module of so many functions, with as much data as makes it large or not.
    fn module(functions: usize, data_bytes: usize) -> String {
        let data =
            if data_bytes > 0 { format!(r#"(memory 1) (data "{}")"#, "x".repeat(data_bytes)) } else { String::new() };
        format!("(module {} {data})", "(func)".repeat(functions))
    }

    #[test]
    fn small_modules_that_are_soon_gone_share_an_engine_until_it_is_full() {
        let small = module(SharedEngine::FUNCTIONS / 8, 0);
        let first = load(&small, Stay::Brief);
        for _ in 1..8 {
            assert!(shares(&first, &load(&small, Stay::Brief)));
        }
        assert!(!shares(&first, &load(&small, Stay::Brief)));
    }

    #[test]
    fn bytes_fill_a_shared_engine_too() {
        let small = module(1, SharedEngine::BYTES / 8 - 100);
        let first = load(&small, Stay::Brief);
        let shared = (1..20).take_while(|_| shares(&first, &load(&small, Stay::Brief))).count();
        assert_eq!(shared, 7);
    }

    #[test]
    fn modules_that_stay_or_are_large_or_deep_have_an_engine_of_their_own() {
        let small = module(1, 0);
        let deep = format!("(module (func $f (local {}) (call $f)))", "i64 ".repeat(30));
        let brief = load(&small, Stay::Brief);
        for (text, stay) in [
            (small.as_str(), Stay::Long),
            (&module(SharedEngine::FUNCTIONS / 8 + 1, 0), Stay::Brief),
            (&module(1, SharedEngine::BYTES / 8), Stay::Brief),
            (&deep, Stay::Brief),
        ] {
            assert!(!shares(&brief, &load(text, stay)), "{text:.60}");
        }
        assert!(shares(&brief, &load(&small, Stay::Brief)), "it is not used up by those");
    }

    #[test]
    fn after_a_panic_modules_have_another_shared_engine() {
        let small = module(1, 0);
        let before = load(&small, Stay::Brief);
        assert!(shares(&before, &load(&small, Stay::Brief)));
        let panics = || panic!("asked to panic by a test");
        let status = crate::ffi::guarded(crate::ffi::Step::Load, std::ptr::null_mut(), panics);
        assert_eq!(status, crate::failure::Status::EngineFault as i32);
        assert!(!shares(&before, &load(&small, Stay::Brief)));
    }
}
