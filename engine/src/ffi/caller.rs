//! The caller of the C surface: what a host function can do to the instance that called it.

use super::{Error, Step, borrow_mut, guarded, slots_of};
use crate::code::Instance;
use crate::guest::{self, End, EndKind};
use crate::raw::Caller;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_memory(caller: *mut Caller, data: *mut *mut u8, size: *mut usize) {
    // SAFETY: as the header says.
    let (Ok(caller), Ok(data), Ok(size)) = (unsafe { (borrow_mut(caller), borrow_mut(data), borrow_mut(size)) }) else {
        return;
    };
    (*data, *size) = caller.access.memory();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_context(caller: *mut Caller) -> *mut std::ffi::c_void {
    // SAFETY: as the header says.
    unsafe { borrow_mut(caller) }.map_or(std::ptr::null_mut(), |caller| caller.access.account().context.0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_fuel_used(caller: *mut Caller) -> u64 {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return 0 };
    let counter = caller.access.counter();
    caller.access.account().used(counter)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_charge(caller: *mut Caller, fuel: u64) -> u32 {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return 1 };
    u32::from(caller.access.charge(fuel).is_err())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_stop(caller: *mut Caller, kind: u32, code: i32) {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return };
    let kind = match kind {
        4 => EndKind::MemoryLimit,
        6 => EndKind::Exited,
        7 => EndKind::Cancelled,
        _ => EndKind::Refused,
    };
    caller.access.account().stop(kind, code);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_call_depth(caller: *mut Caller) -> u32 {
    // SAFETY: as the header says.
    unsafe { borrow_mut(caller) }.map_or(0, |caller| guest::depth_left(caller.access))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_allocate(
    caller: *mut Caller,
    bytes: u32,
    address: *mut u32,
    after: *mut u32,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says.
        let (caller, address, after) = unsafe { (borrow_mut(caller)?, borrow_mut(address)?, borrow_mut(after)?) };
        let allocated = guest::allocate(caller.access, bytes)?;
        (*address, *after) = allocated.map_or((0, 1), |address| (address, 0));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_call(
    caller: *mut Caller,
    instance: *mut Instance,
    export: u32,
    slots: *mut u64,
    slots_count: usize,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says; the instance is another than the one that called.
        let (caller, instance, end) = unsafe { (borrow_mut(caller)?, borrow_mut(instance)?, borrow_mut(end)?) };
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        *end = guest::call_linked(caller.access, instance, export, slots)?;
        Ok(())
    })
}
