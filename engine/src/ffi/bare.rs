//! The bare module of the C surface: an engine as it comes, for benchmarks to compare petri with.

use super::{Error, Step, borrow_mut, bytes, drop_handle, guarded, slots_of};
use crate::bare::Bare;
use crate::code::Tier;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_open(
    wasm: *const u8,
    size: usize,
    tier: u32,
    own_fuel: u32,
    export: *const u8,
    export_size: usize,
    out: *mut *mut Bare,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (wasm, export, out) = unsafe { (bytes(wasm, size), bytes(export, export_size), borrow_mut(out)?) };
        let tier = if tier == 0 { Tier::Interpreted } else { Tier::Compiled };
        let export = String::from_utf8_lossy(export);
        *out = Box::into_raw(Box::new(Bare::open(wasm, tier, own_fuel != 0, &export)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_call(
    bare: *mut Bare,
    slots: *mut u64,
    slots_count: usize,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        // SAFETY: as the header says.
        unsafe { borrow_mut(bare)? }.call(slots)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_call_typed(bare: *mut Bare, times: u32, sum: *mut f64, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (bare, sum) = unsafe { (borrow_mut(bare)?, borrow_mut(sum)?) };
        *sum = bare.call_typed(times)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_drop(bare: *mut Bare) {
    // SAFETY: as the header says.
    unsafe { drop_handle(bare) }
}
