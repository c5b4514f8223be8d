//! The code of the C surface: an artifact that one of the engines has loaded, or that was compiled elsewhere.

use std::slice;

use super::artifact::ArtifactHandle;
use super::{Bytes, Error, Step, borrow, borrow_mut, bytes, drop_handle, guarded};
use crate::code::{Code, Effort, Tier, precompile, start_helper};
use crate::failure::Result;
use crate::raw::HostFunction;

/// # Safety
/// `functions` is null or names `count` host functions that stay as they are while the slice is used.
unsafe fn functions_of<'a>(functions: *const HostFunction, count: usize) -> &'a [HostFunction] {
    if functions.is_null() {
        return &[];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts(functions, count) }
}

/// Hands over what `load` makes of an artifact and its host functions.
///
/// # Safety
/// The pointers are as the header says of every load.
unsafe fn load_with(
    artifact: *const ArtifactHandle,
    (imports, imports_count): (*const HostFunction, usize),
    out: *mut *mut Code,
    error: *mut Error,
    load: impl FnOnce(ArtifactHandle, &[HostFunction]) -> Result<Code>,
) -> i32 {
    guarded(Step::Load, error, || {
        // SAFETY: the caller of this function vouches for it.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        // SAFETY: the caller passes this many host functions, or none.
        let imports = unsafe { functions_of(imports, imports_count) };
        *out = Box::into_raw(Box::new(load(artifact.clone(), imports)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load(
    artifact: *const ArtifactHandle,
    tier: u32,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    let tier = if tier == 0 { Tier::Interpreted } else { Tier::Compiled };
    let load = |artifact, imports: &[HostFunction]| Code::load(artifact, tier, imports);
    // SAFETY: as the header says.
    unsafe { load_with(artifact, (imports, imports_count), out, error, load) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load_brief(
    artifact: *const ArtifactHandle,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    // SAFETY: as the header says.
    unsafe { load_with(artifact, (imports, imports_count), out, error, Code::load_brief) }
}

fn effort_of(frugal: u32) -> Effort {
    if frugal == 0 { Effort::Full } else { Effort::Frugal }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_precompile(
    metered: *const u8,
    size: usize,
    frugal: u32,
    out: *mut Bytes,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (metered, out) = unsafe { (bytes(metered, size), borrow_mut(out)?) };
        out.give(precompile(metered, effort_of(frugal))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_compile_helper(stack_bytes: usize, error: *mut Error) -> i32 {
    guarded(Step::None, error, || start_helper(stack_bytes))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load_precompiled(
    artifact: *const ArtifactHandle,
    machine_code: *const u8,
    size: usize,
    frugal: u32,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    let load = |artifact, imports: &[HostFunction]| {
        // SAFETY: as the header says.
        let machine_code = unsafe { bytes(machine_code, size) };
        Code::load_precompiled(artifact, machine_code, effort_of(frugal), imports)
    };
    // SAFETY: as the header says.
    unsafe { load_with(artifact, (imports, imports_count), out, error, load) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_code_drop(code: *mut Code) {
    // SAFETY: as the header says.
    unsafe { drop_handle(code) }
}
