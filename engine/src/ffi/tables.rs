//! The tables of the C surface, which have no handle: the math functions, the bounds, the fuel rules and the versions.

use super::{Text, borrow_mut};
use crate::bounds::Bound;
use crate::{bounds, costs, math};

#[repr(C)]
pub struct MathInfo {
    name: Text,
    params_count: u32,
    fuel: u32,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_math_count() -> u32 {
    math::FUNCTIONS.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_math_function(index: u32, out: *mut MathInfo) {
    // SAFETY: as the header says.
    let (Ok(out), Some(entry)) = (unsafe { borrow_mut(out) }, math::FUNCTIONS.get(index as usize)) else { return };
    *out = MathInfo { name: entry.name.into(), params_count: entry.params(), fuel: entry.fuel };
}

#[repr(C)]
pub struct BoundInfo {
    name: Text,
    what: Text,
    candidate: u64,
    program: u64,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_bound_count() -> u32 {
    bounds::ALL.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bound_at(index: u32, out: *mut BoundInfo) {
    // SAFETY: as the header says.
    let (Ok(out), Some(bound)) = (unsafe { borrow_mut(out) }, bounds::ALL.get(index as usize)) else { return };
    let Bound { candidate, program, .. } = **bound;
    *out = BoundInfo { name: bound.name.into(), what: bound.what.into(), candidate, program };
}

#[repr(C)]
pub struct FuelRule {
    what: Text,
    cost: Text,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_fuel_table_version() -> u32 {
    costs::VERSION
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_fuel_rule_count() -> u32 {
    costs::RULES.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_fuel_rule_at(index: u32, out: *mut FuelRule) {
    // SAFETY: as the header says.
    let (Ok(out), Some((what, cost))) = (unsafe { borrow_mut(out) }, costs::RULES.get(index as usize)) else { return };
    *out = FuelRule { what: (*what).into(), cost: (*cost).into() };
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_engine_versions() -> Text {
    concat!("wasmi 2.0.0, wasmtime 48, petri-engine ", env!("CARGO_PKG_VERSION")).into()
}
