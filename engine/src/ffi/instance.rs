//! The instance of the C surface: made from code, called, looked into and moved.

use std::slice;

use super::{Error, Step, borrow, borrow_mut, caught, drop_handle, guarded, no_such, slots_of};
use crate::code::{Code, Instance, Number, Series, Shape};
use crate::failure::Failure;
use crate::guest::{Budget, End};
use crate::raw::{Context, Host};
use crate::touched;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instantiate(
    code: *const Code,
    host: *const Host,
    memory_bytes_max: u64,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    out: *mut *mut Instance,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Instantiate, error, || {
        // SAFETY: as the header says.
        let (code, out, end) = unsafe { (borrow(code)?, borrow_mut(out)?, borrow_mut(end)?) };
        // SAFETY: null, or the caller's host.
        let host = unsafe { host.as_ref() }.copied().unwrap_or(Host::none());
        // SAFETY: null, or the caller's budget.
        let time = unsafe { budget.as_ref() }.map(|budget| (budget, Context(context)));
        *out = std::ptr::null_mut();
        match code.instantiate_within(host, memory_bytes_max, time)? {
            Ok(instance) => *out = Box::into_raw(Box::new(instance)),
            Err(why) => *end = why,
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_drop(instance: *mut Instance) {
    // SAFETY: as the header says.
    unsafe { drop_handle(instance) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_set_memory_max(instance: *mut Instance, memory_bytes_max: u64) {
    // SAFETY: as the header says.
    if let Ok(instance) = unsafe { borrow_mut(instance) } {
        instance.account().memory_bytes_max = memory_bytes_max;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_call(
    instance: *mut Instance,
    export: u32,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    slots: *mut u64,
    slots_count: usize,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says.
        let (instance, budget, end) = unsafe { (borrow_mut(instance)?, borrow(budget)?, borrow_mut(end)?) };
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        *end = instance.call(export, budget, Context(context), slots)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_call_series(
    instance: *mut Instance,
    export: u32,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    slots: *mut u64,
    slots_each: usize,
    calls: usize,
    fuel_max: u64,
    series: *mut Series,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says.
        let (instance, budget, series) = unsafe { (borrow_mut(instance)?, borrow(budget)?, borrow_mut(series)?) };
        let count = calls.checked_mul(slots_each).ok_or_else(|| Failure::misuse("there are too many slots"))?;
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, count) };
        *series = instance.call_series(export, budget, Context(context), slots, calls, fuel_max)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_memory(instance: *mut Instance, data: *mut *mut u8, size: *mut usize) {
    // SAFETY: as the header says.
    let (Ok(instance), Ok(data), Ok(size)) = (unsafe { (borrow_mut(instance), borrow_mut(data), borrow_mut(size)) })
    else {
        return;
    };
    (*data, *size) = instance.memory();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_global(instance: *mut Instance, global: u32, value: *mut u64) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let (instance, value) = unsafe { (borrow_mut(instance)?, borrow_mut(value)?) };
        *value = instance.global(global).ok_or_else(|| no_such("reachable global"))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_set_global(instance: *mut Instance, global: u32, value: u64) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let instance = unsafe { borrow_mut(instance)? };
        if instance.set_global(global, value) { Ok(()) } else { Err(no_such("mutable global")) }
    })
}

#[repr(C)]
pub struct CountedShape {
    shape: Shape,
    mutable_globals: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_shape(
    instance: *mut Instance,
    out: *mut CountedShape,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (instance, out) = unsafe { (borrow_mut(instance)?, borrow_mut(out)?) };
        *out = CountedShape { shape: instance.shape()?, mutable_globals: instance.mutable_globals_count() };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_mutable_globals(
    instance: *mut Instance,
    globals: *mut Number,
    globals_count: usize,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let instance = unsafe { borrow_mut(instance)? };
        let numbers = instance.mutable_globals()?;
        if numbers.len() != globals_count || (globals.is_null() && globals_count > 0) {
            return Err(Failure::misuse("the number of mutable globals is another"));
        }
        // SAFETY: the caller passes room for this many, or for none.
        unsafe { numbers.iter().enumerate().for_each(|(index, number)| globals.add(index).write(*number)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_reshape(
    instance: *mut Instance,
    shape: *const CountedShape,
    globals: *const Number,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (instance, shape) = unsafe { (borrow_mut(instance)?, borrow(shape)?) };
        let count = if globals.is_null() { 0 } else { shape.mutable_globals as usize };
        // SAFETY: the caller passes this many globals, or none.
        let globals = if count == 0 { &[][..] } else { unsafe { slice::from_raw_parts(globals, count) } };
        instance.reshape(&shape.shape, globals)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_adopt(instance: *mut Instance, from: *mut Instance, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        if std::ptr::eq(instance, from) {
            return Err(Failure::misuse("an instance cannot be moved into itself"));
        }
        // SAFETY: as the header says; two different instances, the caller's alone.
        let (instance, from) = unsafe { (borrow_mut(instance)?, borrow_mut(from)?) };
        instance.adopt(from)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_look(instance: *mut Instance, error: *mut Error) -> i32 {
    // SAFETY: as the header says.
    guarded(Step::None, error, || unsafe { borrow_mut(instance) }?.look_while_made())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_touched_pages(memory: *const u8, flags: *mut u8, flags_count: usize) {
    if !flags.is_null() {
        // SAFETY: the caller passes this many flags. The memory is not read.
        touched::fill(memory, unsafe { slice::from_raw_parts_mut(flags, flags_count) });
    }
}

#[repr(C)]
pub struct Frame {
    function: u32,
    offset: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_backtrace(
    instance: *mut Instance,
    frames: *mut Frame,
    frames_max: usize,
) -> usize {
    // SAFETY: as the header says.
    let Ok(instance) = (unsafe { borrow_mut(instance) }) else { return 0 };
    // SAFETY: the caller passes room for this many frames, or none.
    let room = if frames.is_null() { &mut [][..] } else { unsafe { slice::from_raw_parts_mut(frames, frames_max) } };
    let known = caught(|| instance.backtrace()).unwrap_or_default();
    for (frame, (function, offset)) in room.iter_mut().zip(&known) {
        *frame = Frame { function: *function, offset: *offset };
    }
    known.len().min(room.len())
}
