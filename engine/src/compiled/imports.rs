//! Imports of compiled guests: host functions, functions of `math`, and the meter's services.

use wasmtime::{AsContextMut, Caller, Engine, FuncType, Linker};

use super::Held;
use super::values::{from_raw, to_raw, value_type};
use crate::artifact::{Kind, Signature};
use crate::guest::{call_host, canonical, canonical_f64};
use crate::linked::Linked;
use crate::math;
use crate::raw::{self, HostFunction};
use crate::services::{self, Service};

/// The guest's imports in their order, then the meter's, each under its position.
pub fn link(linked: &Linked, engine: &Engine) -> wasmtime::Result<Linker<Held>> {
    let mut linker = Linker::new(engine);
    let module = &linked.artifact.module;
    for (position, (function, import)) in linked.functions.iter().zip(&module.imports).enumerate() {
        host_function(&mut linker, &position.to_string(), *function, &module.types[import.type_index as usize])?;
    }
    for (position, asked) in (linked.functions.len()..).zip(Service::of(module)) {
        service(&mut linker, &position.to_string(), asked)?;
    }
    Ok(linker)
}

fn service(linker: &mut Linker<Held>, name: &str, service: Service) -> wasmtime::Result<()> {
    match service {
        Service::Refill => linker.func_wrap("", name, |mut caller: Caller<'_, Held>, counter: i64| {
            services::refill(&mut caller.as_context_mut(), counter)
        }),
        Service::Overflow => {
            linker.func_wrap("", name, |mut caller: Caller<'_, Held>| services::overflow(&mut caller.as_context_mut()))
        }
        Service::Grow => linker.func_wrap("", name, |mut caller: Caller<'_, Held>, table: i32, by: i32| {
            services::grow(&mut caller.as_context_mut(), table, by)
        }),
        Service::Fill => {
            linker.func_wrap("", name, |mut caller: Caller<'_, Held>, to: i32, with: i32, length: i32, act: i32| {
                services::fill(&mut caller.as_context_mut(), [to, with, length], act)
            })
        }
    }
    .map(|_| ())
}

fn host_function(
    linker: &mut Linker<Held>,
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
        let (args, answers) = (&args[..params.len()], &mut answers[..results.len()]);
        call_host(&mut caller.as_context_mut(), &function, args, answers)?;
        for ((slot, answer), kind) in slots.iter_mut().zip(answers).zip(&results) {
            *slot = to_raw(*kind, canonical(*kind, *answer));
        }
        Ok(())
    })
}

fn math_function(linker: &mut Linker<Held>, name: &str, function: &HostFunction) -> wasmtime::Result<()> {
    let fuel = u64::from(function.fuel);
    match math::FUNCTIONS[function.intrinsic as usize].function {
        math::Function::One(of) => linker.func_wrap("", name, move |mut caller: Caller<'_, Held>, x: f64| {
            services::charge(&mut caller.as_context_mut(), fuel).map(|()| canonical_f64(of(x)))
        }),
        math::Function::Two(of) => linker.func_wrap("", name, move |mut caller: Caller<'_, Held>, x: f64, y: f64| {
            services::charge(&mut caller.as_context_mut(), fuel).map(|()| canonical_f64(of(x, y)))
        }),
    }
    .map(|_| ())
}
