//! The engines as they come, without meter or limits: what benchmarks compare petri with in the same run.

use crate::code::Tier;
use crate::failure::{Failure, Result};
use crate::{compiled, interpreted, raw};

// One at a time, on the heap.
#[allow(clippy::large_enum_variant)]
pub enum Bare {
    Interpreted { store: wasmi::Store<()>, function: wasmi::Func, results: usize },
    Compiled { store: wasmtime::Store<()>, function: wasmtime::Func },
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::misuse(format!("the bare engine failed: {error}"))
}

impl Bare {
    /// Loads a module without imports and finds one exported function of numbers.
    pub fn open(wasm: &[u8], tier: Tier, own_fuel: bool, export: &str) -> Result<Bare> {
        match tier {
            Tier::Interpreted => Bare::open_interpreted(wasm, own_fuel, export),
            Tier::Compiled => Bare::open_compiled(wasm, own_fuel, export),
        }
    }

    fn open_interpreted(wasm: &[u8], own_fuel: bool, export: &str) -> Result<Bare> {
        let mut config = interpreted::config();
        config.consume_fuel(own_fuel);
        let engine = wasmi::Engine::new(&config);
        let module = wasmi::Module::new(&engine, wasm).map_err(failed)?;
        let mut store = wasmi::Store::new(&engine, ());
        if own_fuel {
            store.set_fuel(u64::MAX).map_err(failed)?;
        }
        let instance = wasmi::Instance::new(&mut store, &module, &[]).map_err(failed)?;
        let function = instance.get_func(&store, export).ok_or_else(|| failed("no such export"))?;
        let results = function.ty(&store).results().len();
        Ok(Bare::Interpreted { store, function, results })
    }

    fn open_compiled(wasm: &[u8], own_fuel: bool, export: &str) -> Result<Bare> {
        let engine = compiled::bare_engine(own_fuel);
        let module = wasmtime::Module::new(engine, wasm).map_err(failed)?;
        let mut store = wasmtime::Store::new(engine, ());
        if own_fuel {
            store.set_fuel(u64::MAX).map_err(failed)?;
        }
        let instance = wasmtime::Instance::new(&mut store, &module, &[]).map_err(failed)?;
        let function = instance.get_func(&mut store, export).ok_or_else(|| failed("no such export"))?;
        Ok(Bare::Compiled { store, function })
    }

    /// Takes f64 or i32 arguments as bits in 64-bit slots; the kinds are the function's own.
    pub fn call(&mut self, slots: &mut [u64]) -> Result<()> {
        match self {
            Bare::Interpreted { store, function, results } => {
                let kinds = function.ty(&*store);
                let inputs: Vec<_> =
                    kinds.params().iter().zip(&*slots).map(|(kind, slot)| interpreted::number(*kind, *slot)).collect();
                let mut outputs = vec![wasmi::Val::I32(0); *results];
                function.call(&mut *store, &inputs, &mut outputs).map_err(failed)?;
                outputs.iter().zip(slots).for_each(|(value, slot)| *slot = interpreted::wide(value));
                Ok(())
            }
            Bare::Compiled { store, function } => {
                let mut values: Vec<_> = slots.iter().map(|slot| wasmtime::ValRaw::u64(*slot)).collect();
                raw::call_compiled(function, store, &mut values).map_err(failed)?;
                values.iter().zip(slots).for_each(|(value, slot)| *slot = value.get_u64());
                Ok(())
            }
        }
    }

    /// The quickest call the engine has, for a function of type (f64) -> f64, this many times. Returns the sum.
    pub fn call_typed(&mut self, times: u32) -> Result<f64> {
        let mut sum = 0.0;
        match self {
            Bare::Interpreted { store, function, .. } => {
                let function = function.typed::<f64, f64>(&*store).map_err(failed)?;
                for step in 0..times {
                    sum += function.call(&mut *store, f64::from(step)).map_err(failed)?;
                }
            }
            Bare::Compiled { store, function } => {
                let function = function.typed::<f64, f64>(&*store).map_err(failed)?;
                for step in 0..times {
                    sum += function.call(&mut *store, f64::from(step)).map_err(failed)?;
                }
            }
        }
        Ok(sum)
    }
}
