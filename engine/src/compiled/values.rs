//! Numbers of the compiled tier, and calls with them.

use wasmtime::{Func, Store, Val, ValRaw, ValType};

use super::Held;
use crate::artifact::{Kind, Signature};
use crate::raw;

pub fn val(kind: Kind, slot: u64) -> Val {
    match kind {
        Kind::I32 => Val::I32(slot as i32),
        Kind::I64 => Val::I64(slot as i64),
        Kind::F32 => Val::F32(slot as u32),
        Kind::F64 => Val::F64(slot),
        Kind::FuncRef => Val::FuncRef(None),
    }
}

pub fn wide(value: &Val) -> u64 {
    match value {
        Val::I32(value) => u64::from(*value as u32),
        Val::I64(value) => *value as u64,
        Val::F32(bits) => u64::from(*bits),
        Val::F64(bits) => *bits,
        _ => 0,
    }
}

/// How many values are passed without allocating.
const FEW: usize = 8;

/// The slots hold what the function takes, and then what it gives.
pub fn call_with_slots(
    store: &mut Store<Held>,
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
    store: &mut Store<Held>,
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

pub fn to_raw(kind: Kind, slot: u64) -> ValRaw {
    match kind {
        Kind::I32 => ValRaw::i32(slot as i32),
        Kind::I64 => ValRaw::i64(slot as i64),
        Kind::F32 => ValRaw::f32(slot as u32),
        Kind::F64 => ValRaw::f64(slot),
        Kind::FuncRef => ValRaw::funcref(std::ptr::null_mut()),
    }
}

pub fn from_raw(kind: Kind, raw: &ValRaw) -> u64 {
    match kind {
        Kind::I32 => u64::from(raw.get_u32()),
        Kind::I64 => raw.get_u64(),
        Kind::F32 => u64::from(raw.get_f32()),
        Kind::F64 => raw.get_f64(),
        Kind::FuncRef => u64::from(!raw.get_funcref().is_null()),
    }
}

pub fn value_type(kind: Kind) -> ValType {
    match kind {
        Kind::I32 => ValType::I32,
        Kind::I64 => ValType::I64,
        Kind::F32 => ValType::F32,
        Kind::F64 => ValType::F64,
        Kind::FuncRef => ValType::FUNCREF,
    }
}
