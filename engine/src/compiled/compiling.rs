//! From a rewritten module to machine code, in the dense configuration: no reservations, no guards, an engine for each effort.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use wasmtime::{Config, Engine, Module, OptLevel, WasmFeatures};

use crate::artifact::Artifact;
use crate::failure::{Failure, Result, Status};
use crate::{features, frames, raw};

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
    pub fn engine(self) -> &'static Engine {
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
pub fn fits(module: &Module, artifact: &Artifact) -> bool {
    let frame = |function: &wasmtime::ModuleFunction| {
        frames::measured(&module.text()[function.offset..function.offset + function.len])
    };
    let analysis = artifact.analyse_again();
    module.functions().zip(&analysis.plans).all(|(function, plan)| frame(&function) <= frames::estimate(plan))
}

pub fn too_large() -> Failure {
    Failure::new(Status::FramesTooLarge, "the compiled code needs more stack than the gate reckons with")
}

pub fn compile(artifact: &Artifact) -> Result<Module> {
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

pub fn fault(error: wasmtime::Error) -> Failure {
    Failure::fault(format!("the compiler failed: {error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frame sizes of the functions, in their order.
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
