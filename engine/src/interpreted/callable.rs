//! How the interpreter's functions are called: with slots, which its own values come from and go to.

use std::array;

use wasmi::{Error, F32, F64, Func, Store, TypedFunc, Val, ValType};

use super::Held;
use crate::artifact::{Kind, Signature};

/// Functions of a few numbers of one kind are what is evolved most. The engine checks their types once and not in each
/// call, which is a sixth of a short one.
pub enum Callable {
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
    pub fn new(store: &Store<Held>, function: Func, signature: &Signature) -> std::result::Result<Callable, Error> {
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
    pub fn call(&self, store: &mut Store<Held>, slots: &mut [u64]) -> std::result::Result<(), Error> {
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

/// How many values are passed without allocating.
const FEW: usize = 4;

fn call_with_slots(
    store: &mut Store<Held>,
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
    store: &mut Store<Held>,
    function: &Func,
    inputs: &mut [Val],
    outputs: &mut [Val],
    slots: &mut [u64],
) -> std::result::Result<(), Error> {
    function.call(store, inputs, outputs)?;
    outputs.iter().zip(slots).for_each(|(value, slot)| *slot = wide(value));
    Ok(())
}

pub fn val(kind: Kind, slot: u64) -> Val {
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

/// A number of the engine's own type from a slot.
pub fn number(kind: ValType, slot: u64) -> Val {
    match kind {
        ValType::I64 => val(Kind::I64, slot),
        ValType::F32 => val(Kind::F32, slot),
        ValType::F64 => val(Kind::F64, slot),
        _ => val(Kind::I32, slot),
    }
}

pub fn value_type(kind: Kind) -> ValType {
    match kind {
        Kind::I32 => ValType::I32,
        Kind::I64 => ValType::I64,
        Kind::F32 => ValType::F32,
        Kind::F64 => ValType::F64,
        Kind::FuncRef => ValType::FuncRef,
    }
}
