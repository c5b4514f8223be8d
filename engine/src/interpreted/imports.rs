//! Imports of the interpreter's guests: host functions, functions of `math`, and the meter's services.

use std::sync::Arc;

use wasmi::{AsContextMut, Caller, Extern, Func, FuncType, Store};

use super::Held;
use super::callable::{val, value_type, wide};
use crate::artifact::{Kind, Signature};
use crate::guest::{call_host, canonical, canonical_f64};
use crate::linked::Linked;
use crate::math;
use crate::raw::HostFunction;
use crate::services::{self, Service};

/// The guest's imports in their order, then the meter's.
pub fn imports(store: &mut Store<Held>, linked: &Linked) -> Vec<Extern> {
    let module = &linked.artifact.module;
    let mut imports = Vec::with_capacity(linked.functions.len() + 3);
    for (function, import) in linked.functions.iter().zip(&module.imports) {
        imports.push(host_function(store, function, &module.types[import.type_index as usize]).into());
    }
    for asked in Service::of(module) {
        imports.push(service(store, asked).into());
    }
    imports
}

fn service(store: &mut Store<Held>, service: Service) -> Func {
    match service {
        Service::Refill => Func::wrap(store, |mut caller: Caller<'_, Held>, counter: i64| {
            services::refill(&mut caller.as_context_mut(), counter)
        }),
        Service::Overflow => {
            Func::wrap(store, |mut caller: Caller<'_, Held>| services::overflow(&mut caller.as_context_mut()))
        }
        Service::Grow => Func::wrap(store, |mut caller: Caller<'_, Held>, table: i32, by: i32| {
            services::grow(&mut caller.as_context_mut(), table, by)
        }),
        Service::Fill => {
            Func::wrap(store, |mut caller: Caller<'_, Held>, to: i32, with: i32, length: i32, act: i32| {
                services::fill(&mut caller.as_context_mut(), [to, with, length], act)
            })
        }
    }
}

fn host_function(store: &mut Store<Held>, function: &HostFunction, signature: &Signature) -> Func {
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
            let (args, answers) = (&args[..inputs.len()], &mut answers[..outputs.len()]);
            call_host(&mut caller.as_context_mut(), &function, args, answers)?;
            for ((output, kind), slot) in outputs.iter_mut().zip(results.iter()).zip(answers) {
                *output = val(*kind, canonical(*kind, *slot));
            }
            Ok(())
        },
    )
}

fn math_function(store: &mut Store<Held>, function: &HostFunction) -> Func {
    let fuel = u64::from(function.fuel);
    match math::FUNCTIONS[function.intrinsic as usize].function {
        math::Function::One(of) => Func::wrap(store, move |mut caller: Caller<'_, Held>, x: f64| {
            services::charge(&mut caller.as_context_mut(), fuel).map(|()| canonical_f64(of(x)))
        }),
        math::Function::Two(of) => Func::wrap(store, move |mut caller: Caller<'_, Held>, x: f64, y: f64| {
            services::charge(&mut caller.as_context_mut(), fuel).map(|()| canonical_f64(of(x, y)))
        }),
    }
}
