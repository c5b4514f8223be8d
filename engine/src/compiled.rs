//! The compiled tier: Wasmtime with Cranelift, in the dense configuration: no reservations, no guards, one engine.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use wasmtime::{
    AsContext, AsContextMut, Caller, Config, Engine, Func, FuncType, Global, Instance, InstancePre, Linker, Memory,
    Module, OptLevel, Ref, Store, Table, Val, ValRaw, ValType, WasmBacktrace, WasmFeatures,
};

use crate::artifact::{Artifact, Kind, Signature};
use crate::code::{Linked, UNKNOWN, export_name};
use crate::failure::{Failure, Result, Status};
use crate::guest::{
    Access, Account, Act, Budget, End, EndCause, EndKind, Fill, Foreknown, Opening, SLOTS, Stop, Trap, call_host,
    canonical_f32, canonical_f64,
};
use crate::locate::Locator;
use crate::meter::{DEPTH, FUEL, GLOBAL, MEMORY, START, TABLE};
use crate::raw::{self, Context, HostFunction};
use crate::{features, frames, math};

pub struct Code {
    instance: InstancePre<State>,
    linked: Arc<Linked>,
}

/// A function that has been called before.
struct Entry {
    export: u32,
    function: Func,
    signature: Signature,
    /// As many as it has parameters or results, whichever are more.
    slots: usize,
    foreknown: Foreknown,
}

pub struct Live {
    store: Store<State>,
    instance: Instance,
    depth: Option<Global>,
    depth_set: u32,
    functions: Vec<Entry>,
    /// Function and offset in the rewritten module, innermost first.
    frames: Vec<(u32, usize)>,
    /// The innermost of them met an `unreachable`.
    met_unreachable: bool,
}

struct State {
    account: Account,
    fuel: Option<Global>,
    memory: Option<Memory>,
    depth: Option<Global>,
    /// Those of a module that grows or copies tables.
    tables: Vec<Table>,
}

/// A guest's deepest stack is bounded by its call depth and the gate's bounds; this is the net below that.
const STACK_MAX: usize = 448 << 20;
const FRAMES_MAX: usize = 64;

/// In Wasmtime's own words: its reader of modules is another version than the gate's.
fn accepted_features() -> WasmFeatures {
    let named = |name| WasmFeatures::from_name(name).expect("both readers know what petri accepts");
    features::accepted().iter_names().map(|(name, _)| named(name)).collect()
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_features(WasmFeatures::all(), false)
        .wasm_features(accepted_features(), true)
        .cranelift_opt_level(OptLevel::Speed)
        .cranelift_nan_canonicalization(true)
        .memory_reservation(0)
        .memory_guard_size(0)
        .memory_reservation_for_growth(0)
        .memory_init_cow(false)
        .guard_before_linear_memory(false)
        .with_host_memory(Arc::new(raw::Mappings))
        .native_unwind_info(false)
        .parallel_compilation(false)
        .async_stack_size(STACK_MAX) // unused, but may not be less than the next
        .max_wasm_stack(STACK_MAX)
        .wasm_backtrace_max_frames(NonZeroUsize::new(FRAMES_MAX));
    config
}

/// The same configuration for modules the meter has not touched, with the engine's own fuel or none.
pub fn bare_engine(own_fuel: bool) -> &'static Engine {
    static PLAIN: OnceLock<Engine> = OnceLock::new();
    static FUELLED: OnceLock<Engine> = OnceLock::new();
    let engine = if own_fuel { &FUELLED } else { &PLAIN };
    engine.get_or_init(|| Engine::new(config().consume_fuel(own_fuel)).expect("the configuration is fixed"))
}

/// How hard the compiler tries. Frugal code is made without the optimisations that keep values alive for longer than the
/// guest does, so that its frames are smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Full,
    Frugal,
}

impl Effort {
    fn engine(self) -> &'static Engine {
        static ENGINES: [OnceLock<Engine>; 2] = [const { OnceLock::new() }; 2];
        self.engine_among(&ENGINES, false)
    }

    /// Compiles to the same code, with all threads of the pool it is called in.
    fn shared_engine(self) -> &'static Engine {
        static ENGINES: [OnceLock<Engine>; 2] = [const { OnceLock::new() }; 2];
        self.engine_among(&ENGINES, true)
    }

    fn engine_among(self, engines: &'static [OnceLock<Engine>; 2], shared: bool) -> &'static Engine {
        let level = if self == Effort::Full { OptLevel::Speed } else { OptLevel::None };
        engines[self as usize].get_or_init(|| {
            let mut config = config();
            config.cranelift_opt_level(level).parallel_compilation(shared);
            Engine::new(&config).expect("the configuration is fixed")
        })
    }
}

/// The thread that compiles and its helper, in a process that has one.
static HELPED: OnceLock<rayon_core::ThreadPool> = OnceLock::new();

/// Starts the helper, which gets a part of every module that `precompile` is given from now on by this thread.
pub fn start_helper(stack_bytes: usize) -> Result<()> {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).use_current_thread().stack_size(stack_bytes);
    let pool = pool.build().map_err(|error| Failure::fault(format!("there is no helper for the compiler: {error}")))?;
    // It runs when this is done, and has allocated: whoever measures the process finds what it takes.
    pool.broadcast(|_| drop(std::hint::black_box(Box::new(0))));
    HELPED.set(pool).map_err(|_| Failure::misuse("the compiler has a helper"))
}

/// True when no frame is larger than the gate reckons with.
fn fits(module: &Module, artifact: &Artifact) -> bool {
    let frame = |function: &wasmtime::ModuleFunction| {
        frames::measured(&module.text()[function.offset..function.offset + function.len])
    };
    let analysis = artifact.analyse_again();
    module.functions().zip(&analysis.plans).all(|(function, plan)| frame(&function) <= frames::estimate(plan))
}

fn too_large() -> Failure {
    Failure::new(Status::FramesTooLarge, "the compiled code needs more stack than the gate reckons with")
}

fn compile(artifact: &Artifact) -> Result<Module> {
    let metered = artifact.metered();
    for effort in [Effort::Full, Effort::Frugal] {
        let module = Module::new(effort.engine(), &metered).map_err(fault)?;
        if fits(&module, artifact) {
            return Ok(module);
        }
    }
    Err(Failure::fault(too_large().message))
}

/// A rewritten module as machine code that `Code::load_precompiled` takes, in this process or another. Nothing of it is run.
pub fn precompile(metered: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let made = match HELPED.get() {
        Some(pool) => pool.install(|| effort.shared_engine().precompile_module(metered)),
        None => effort.engine().precompile_module(metered),
    };
    made.map_err(fault)
}

fn fault(error: wasmtime::Error) -> Failure {
    Failure::fault(format!("the compiler failed: {error:#}"))
}

impl Code {
    pub fn load(linked: &Arc<Linked>) -> Result<Code> {
        Code::of(linked, compile(&linked.artifact)?)
    }

    /// From what `precompile` made of this artifact's rewritten module with the same effort.
    ///
    /// The machine code is run as it is: `machine_code` comes from this petri's own compiler and from nowhere else.
    pub fn load_precompiled(linked: &Arc<Linked>, machine_code: &[u8], effort: Effort) -> Result<Code> {
        let module = raw::deserialize(effort.engine(), machine_code).map_err(fault)?;
        if !fits(&module, &linked.artifact) {
            return Err(too_large());
        }
        Code::of(linked, module)
    }

    fn of(linked: &Arc<Linked>, module: Module) -> Result<Code> {
        let linker = link(linked, module.engine()).map_err(fault)?;
        let instance = linker.instantiate_pre(&module).map_err(fault)?;
        Ok(Code { instance, linked: linked.clone() })
    }

    pub fn instantiate(&self, account: Account) -> Result<std::result::Result<Live, (EndCause, Account)>> {
        let engine = self.instance.module().engine();
        let mut store =
            Store::new(engine, State { account, fuel: None, memory: None, depth: None, tables: Vec::new() });
        let instance = match self.instance.instantiate(&mut store) {
            Ok(instance) => instance,
            Err(error) => return Ok(Err((end_cause(&error)?, store.into_data().account))),
        };
        let module = &self.linked.artifact.module;
        let hidden = |name: &str| [self.linked.prefix.as_str(), name].concat();
        let fuel = module.counts().then(|| instance.get_global(&mut store, &hidden(FUEL))).flatten();
        let memory = module.memory.and_then(|_| instance.get_memory(&mut store, &hidden(MEMORY)));
        let depth = module.weighs.then(|| instance.get_global(&mut store, &hidden(DEPTH))).flatten();
        let tables = if module.grows || module.fills { module.tables.len() } else { 0 };
        let names = (0..tables).map(|index| hidden(&format!("{TABLE}{index}")));
        let tables = names.map_while(|name| instance.get_table(&mut store, &name)).collect();
        let state = store.data_mut();
        (state.fuel, state.memory, state.depth, state.tables) = (fuel, memory, depth, tables);
        if let Err(cause) = make_large(&mut store, &self.linked.artifact)? {
            return Ok(Err((cause, store.into_data().account)));
        }
        Ok(Ok(Live {
            store,
            instance,
            depth,
            depth_set: 0,
            functions: Vec::new(),
            frames: Vec::new(),
            met_unreachable: false,
        }))
    }
}

/// Makes a memory what the guest declared, where that is not the engine's to do. What is not written takes no time here.
fn make_large(store: &mut Store<State>, artifact: &Artifact) -> Result<std::result::Result<(), EndCause>> {
    let (Some(large), Some(memory)) = (&artifact.module.large_memory, store.data().memory) else { return Ok(Ok(())) };
    memory.grow(&mut *store, large.more_pages).map_err(|error| Failure::fault(format!("no memory: {error:#}")))?;
    let (bytes, state) = memory.data_and_store_mut(store);
    Ok(large.fill(&artifact.wasm, bytes, &mut state.account))
}

fn end_cause(error: &wasmtime::Error) -> Result<EndCause> {
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

impl Live {
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
            Opening::Counts(Some(slice)) => self.set_global(self.store.data().fuel, Val::I64(slice))?,
            _ => {}
        }
        // A call that returned has put the depth back to where it started.
        if self.depth.is_some() && self.depth_set != budget.call_depth {
            self.set_global(self.depth, Val::I32(budget.call_depth as i32))?;
            self.depth_set = budget.call_depth;
        }
        let Entry { function, signature, .. } = &self.functions[entry];
        let outcome = call_with_slots(&mut self.store, function, signature, slots);
        let counter = match opening {
            Opening::Paid(counter) => counter,
            _ => counter_of(self.store.data().fuel, &mut self.store),
        };
        let outcome = match outcome {
            Ok(()) => Ok(()),
            Err(error) => {
                self.depth_set = UNKNOWN;
                let cause = end_cause(&error)?;
                if matches!(cause, EndCause::Trap(_)) || self.account().trapped_elsewhere() {
                    self.keep_frames(&error);
                }
                Err(cause)
            }
        };
        Ok(self.store.data_mut().account.end(outcome, counter))
    }

    fn keep_frames(&mut self, error: &wasmtime::Error) {
        let frames = error.downcast_ref::<WasmBacktrace>().map_or(&[][..], |backtrace| backtrace.frames());
        self.frames = frames.iter().map(|frame| (frame.func_index(), frame.module_offset().unwrap_or(0))).collect();
        self.met_unreachable = matches!(error.downcast_ref(), Some(wasmtime::Trap::UnreachableCodeReached));
    }

    pub fn backtrace(&self, artifact: &Artifact) -> Vec<(u32, u64)> {
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

    /// Where the export stands in `functions`; looked up and checked when it is first called.
    fn entry(&mut self, linked: &Linked, export: u32) -> Result<usize> {
        if let Some(known) = self.functions.iter().position(|entry| entry.export == export) {
            return Ok(known);
        }
        let signature = linked.callable(export)?.clone();
        let name = export_name(linked, export, START)?;
        let function =
            self.instance.get_func(&mut self.store, &name).ok_or_else(|| Failure::fault("an export has vanished"))?;
        let slots = signature.params.len().max(signature.results.len());
        let foreknown = linked.foreknown(export);
        self.functions.push(Entry { export, function, signature, slots, foreknown });
        Ok(self.functions.len() - 1)
    }

    fn set_global(&mut self, global: Option<Global>, value: Val) -> Result<()> {
        let set = global.map(|global| global.set(&mut self.store, value));
        if matches!(set, Some(Ok(()))) { Ok(()) } else { Err(Failure::fault("a counter of the meter cannot be set")) }
    }

    pub fn account(&mut self) -> &mut Account {
        &mut self.store.data_mut().account
    }

    /// For what is carried into it. Nothing is written, so that it takes no time.
    pub fn grow_memory(&mut self, by: u64) -> Result<()> {
        let memory = self.store.data().memory;
        let grown = memory.is_some_and(|memory| memory.grow(&mut self.store, by).is_ok());
        if grown { Ok(()) } else { Err(Failure::fault("there is no memory to carry an instance into")) }
    }

    pub fn memory(&mut self) -> (*mut u8, usize) {
        let memory = self.store.data().memory;
        memory_of(memory, &self.store)
    }

    pub fn global(&mut self, linked: &Linked, index: u32) -> Option<u64> {
        let global = self.find_global(linked, index)?;
        Some(wide(&global.get(&mut self.store)))
    }

    pub fn set_global_slot(&mut self, linked: &Linked, index: u32, value: u64) -> bool {
        let kind = linked.artifact.module.globals[index as usize].kind;
        let global = self.find_global(linked, index);
        global.is_some_and(|global| global.set(&mut self.store, val(kind, value)).is_ok())
    }

    fn find_global(&mut self, linked: &Linked, index: u32) -> Option<Global> {
        linked.global_name(index, GLOBAL).and_then(|name| self.instance.get_global(&mut self.store, &name))
    }
}

fn val(kind: Kind, slot: u64) -> Val {
    match kind {
        Kind::I32 => Val::I32(slot as i32),
        Kind::I64 => Val::I64(slot as i64),
        Kind::F32 => Val::F32(slot as u32),
        Kind::F64 => Val::F64(slot),
        Kind::FuncRef => Val::FuncRef(None),
    }
}

fn wide(value: &Val) -> u64 {
    match value {
        Val::I32(value) => u64::from(*value as u32),
        Val::I64(value) => *value as u64,
        Val::F32(bits) => u64::from(*bits),
        Val::F64(bits) => *bits,
        _ => 0,
    }
}

fn counter_of(fuel: Option<Global>, mut store: impl AsContextMut) -> i64 {
    fuel.map_or(0, |fuel| wide(&fuel.get(&mut store)) as i64)
}

fn memory_of(memory: Option<Memory>, store: impl AsContext) -> (*mut u8, usize) {
    memory.map_or((std::ptr::null_mut(), 0), |memory| (memory.data_ptr(&store), memory.data_size(&store)))
}

/// How many values are passed without allocating.
const FEW: usize = 8;

fn call_with_slots(
    store: &mut Store<State>,
    function: &Func,
    signature: &Signature,
    slots: &mut [u64],
) -> wasmtime::Result<()> {
    if slots.len() > FEW {
        let mut raw: Vec<ValRaw> = vec![ValRaw::u64(0); slots.len()];
        return call_raw(store, function, signature, &mut raw, slots);
    }
    let mut raw = [ValRaw::u64(0); FEW];
    let count = slots.len();
    call_raw(store, function, signature, &mut raw[..count], slots)
}

fn call_raw(
    store: &mut Store<State>,
    function: &Func,
    signature: &Signature,
    raw: &mut [ValRaw],
    slots: &mut [u64],
) -> wasmtime::Result<()> {
    for ((raw, slot), kind) in raw.iter_mut().zip(&*slots).zip(&signature.params) {
        *raw = to_raw(*kind, *slot);
    }
    raw::call_compiled(function, store, raw)?;
    for ((slot, raw), kind) in slots.iter_mut().zip(raw).zip(&signature.results) {
        *slot = from_raw(*kind, raw);
    }
    Ok(())
}

fn to_raw(kind: Kind, slot: u64) -> ValRaw {
    match kind {
        Kind::I32 => ValRaw::i32(slot as i32),
        Kind::I64 => ValRaw::i64(slot as i64),
        Kind::F32 => ValRaw::f32(slot as u32),
        Kind::F64 => ValRaw::f64(slot),
        Kind::FuncRef => ValRaw::funcref(std::ptr::null_mut()),
    }
}

fn from_raw(kind: Kind, raw: &ValRaw) -> u64 {
    match kind {
        Kind::I32 => u64::from(raw.get_u32()),
        Kind::I64 => raw.get_u64(),
        Kind::F32 => u64::from(raw.get_f32()),
        Kind::F64 => raw.get_f64(),
        Kind::FuncRef => u64::from(!raw.get_funcref().is_null()),
    }
}

impl Access for Caller<'_, State> {
    fn account(&mut self) -> &mut Account {
        &mut self.data_mut().account
    }
    fn counter(&mut self) -> i64 {
        counter_of(self.data().fuel, self.as_context_mut())
    }
    fn set_counter(&mut self, counter: i64) {
        if let Some(fuel) = self.data().fuel {
            let _ = fuel.set(self.as_context_mut(), Val::I64(counter));
        }
    }
    fn memory(&mut self) -> (*mut u8, usize) {
        memory_of(self.data().memory, self.as_context())
    }
    fn depth_left(&mut self) -> Option<u32> {
        let depth = self.data().depth?;
        Some(wide(&depth.get(self.as_context_mut())) as u32)
    }
}

/// The guest's imports in their order, then the meter's, each under its position.
fn link(linked: &Linked, engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    let module = &linked.artifact.module;
    for (position, (function, import)) in linked.functions.iter().zip(&module.imports).enumerate() {
        host_function(&mut linker, &position.to_string(), *function, &module.types[import.type_index as usize])?;
    }
    let mut position = linked.functions.len();
    let mut name = || {
        position += 1;
        (position - 1).to_string()
    };
    if module.looks() {
        linker.func_wrap("", &name(), |mut caller: Caller<'_, State>, counter: i64| {
            caller.data_mut().account.refill(counter).map_err(wasmtime::Error::from)
        })?;
    }
    if module.weighs {
        linker.func_wrap("", &name(), |mut caller: Caller<'_, State>| -> wasmtime::Result<()> {
            Err(caller.data_mut().account.stop(EndKind::StackOverflow, 0).into())
        })?;
    }
    if module.grows {
        linker.func_wrap("", &name(), grow)?;
    }
    if module.fills {
        linker.func_wrap("", &name(), fill)?;
    }
    Ok(linker)
}

/// How many slots of a table are made between two looks at the clock: Wasmtime takes up to half a millisecond for them.
const SLOTS_AT_ONCE: u64 = 8_192;

fn grow_table_in_pieces(caller: &mut Caller<'_, State>, table: Table, by: u64) -> wasmtime::Result<()> {
    let mut left = by;
    while left > 0 {
        let slots = left.min(SLOTS_AT_ONCE);
        table.grow(&mut *caller, slots, Ref::Func(None))?;
        left -= slots;
        if left > 0 {
            caller.data_mut().account.look()?;
        }
    }
    Ok(())
}

fn grow(mut caller: Caller<'_, State>, table: i32, by: i32) -> wasmtime::Result<i32> {
    let by = u64::from(by as u32);
    if let Ok(table) = usize::try_from(table) {
        let Some(before) = caller.data_mut().account.grow_table(table, by)? else { return Ok(-1) };
        let Some(table) = caller.data().tables.get(table).copied() else { return Ok(-1) };
        grow_table_in_pieces(&mut caller, table, by)?;
        return Ok(before as i32);
    }
    let Some(before) = caller.data_mut().account.grow_memory(by)? else { return Ok(-1) };
    let Some(memory) = caller.data().memory else { return Ok(-1) };
    Ok(memory.grow(&mut caller, by).map_or(-1, |_| before as i32))
}

fn fill(mut caller: Caller<'_, State>, to: i32, with: i32, length: i32, act: i32) -> wasmtime::Result<i32> {
    let act = Act::of(act);
    if let Act::CopyTable { to: table, from } = act {
        return copy_table(caller, [table, from], [to, with, length]);
    }
    let Some(memory) = caller.data().memory else { return Ok(length) };
    let fill = Fill::new([to, with, length], act, memory.data_size(&caller));
    let Some(mut fill) = fill else { return Ok(length) };
    while fill.piece(memory.data_mut(&mut caller)) {
        caller.data_mut().account.look()?;
    }
    Ok(0)
}

fn copy_table(mut caller: Caller<'_, State>, tables: [u32; 2], numbers: [i32; 3]) -> wasmtime::Result<i32> {
    let [Some(to), Some(from)] = tables.map(|table| caller.data().tables.get(table as usize).copied()) else {
        return Ok(numbers[2]);
    };
    let sizes = [to, from].map(|table| table.size(&caller) as usize);
    let Some(mut copy) = Fill::within(numbers, sizes[0], sizes[1]) else { return Ok(numbers[2]) };
    while !copy.is_done() {
        let (at, source, slots) = copy.next_copy(SLOTS);
        Table::copy(&mut caller, &to, at as u64, &from, source as u64, slots as u64)?;
        caller.data_mut().account.look()?;
    }
    Ok(0)
}

fn host_function(
    linker: &mut Linker<State>,
    name: &str,
    function: HostFunction,
    signature: &Signature,
) -> wasmtime::Result<()> {
    if function.callback.is_none() {
        return math_function(linker, name, &function);
    }
    let kinds = |kinds: &[Kind]| kinds.iter().map(|kind| value_type(*kind)).collect::<Vec<_>>();
    let kind = FuncType::new(linker.engine(), kinds(&signature.params), kinds(&signature.results));
    let Signature { params, results } = signature.clone();
    raw::link_raw(linker, name, kind, move |mut caller, slots| {
        let mut args = [0u64; 64];
        let mut answers = [0u64; 64];
        for ((arg, slot), kind) in args.iter_mut().zip(&*slots).zip(&params) {
            *arg = from_raw(*kind, slot);
        }
        call_host(&mut caller, &function, &args[..params.len()], &mut answers[..results.len()])?;
        for ((slot, answer), kind) in slots.iter_mut().zip(answers).zip(&results) {
            *slot = canonical(*kind, answer);
        }
        Ok(())
    })
}

fn canonical(kind: Kind, slot: u64) -> ValRaw {
    match kind {
        Kind::F32 => ValRaw::f32(canonical_f32(f32::from_bits(slot as u32)).to_bits()),
        Kind::F64 => ValRaw::f64(canonical_f64(f64::from_bits(slot)).to_bits()),
        _ => to_raw(kind, slot),
    }
}

fn math_function(linker: &mut Linker<State>, name: &str, function: &HostFunction) -> wasmtime::Result<()> {
    let fuel = u64::from(function.fuel);
    match math::FUNCTIONS[function.intrinsic as usize].function {
        math::Function::One(of) => linker.func_wrap("", name, move |mut caller: Caller<'_, State>, x: f64| {
            caller.charge(fuel).map_err(wasmtime::Error::from).map(|()| canonical_f64(of(x)))
        }),
        math::Function::Two(of) => linker.func_wrap("", name, move |mut caller: Caller<'_, State>, x: f64, y: f64| {
            caller.charge(fuel).map_err(wasmtime::Error::from).map(|()| canonical_f64(of(x, y)))
        }),
    }
    .map(|_| ())
}

fn value_type(kind: Kind) -> ValType {
    match kind {
        Kind::I32 => ValType::I32,
        Kind::I64 => ValType::I64,
        Kind::F32 => ValType::F32,
        Kind::F64 => ValType::F64,
        Kind::FuncRef => ValType::FUNCREF,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the functions, in their order.
    fn frames_of(text: &str) -> Vec<u64> {
        let module =
            Module::new(Effort::Full.engine(), wat::parse_str(text).expect("the text is right")).expect("it compiles");
        let code = |function: wasmtime::ModuleFunction| &module.text()[function.offset..function.offset + function.len];
        module.functions().map(|function| frames::measured(code(function))).collect()
    }

    #[test]
    fn frames_are_seen_in_what_the_compiler_makes() {
        let kept: String = (0..40).map(|at| format!("(i64.load offset={} (local.get 0)) ", 8 * at)).collect();
        let text = format!(
            r#"(module (memory 1)
              (func $nothing (param f64) (result f64) (f64.mul (local.get 0) (local.get 0)))
              (func $keeps (param i32) (result i64) {kept} {})
              (func $calls (param f64) (result f64) (f64.add (local.get 0) (call $nothing (local.get 0)))))"#,
            "i64.mul ".repeat(39)
        );
        let frames = frames_of(&text);
        assert_eq!(frames[0], 0);
        assert!((100..1_000).contains(&frames[1]), "{frames:?}");
        assert!((1..100).contains(&frames[2]), "{frames:?}");
    }
}
