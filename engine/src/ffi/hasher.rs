//! The hasher of the C surface: SHA-256 of bytes, at once or piece by piece.

use sha2::{Digest, Sha256};

use super::{borrow, borrow_mut, bytes, drop_handle};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_sha256(data: *const u8, size: usize, out: *mut [u8; 32]) {
    // SAFETY: as the header says.
    let (data, Ok(out)) = (unsafe { (bytes(data, size), borrow_mut(out)) }) else { return };
    *out = Sha256::digest(data).into();
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_hasher_new() -> *mut Sha256 {
    Box::into_raw(Box::new(Sha256::new()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_add(hasher: *mut Sha256, data: *const u8, size: usize) {
    // SAFETY: as the header says.
    let (data, Ok(hasher)) = (unsafe { (bytes(data, size), borrow_mut(hasher)) }) else { return };
    hasher.update(data);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_digest(hasher: *const Sha256, out: *mut [u8; 32]) {
    // SAFETY: as the header says.
    let (Ok(hasher), Ok(out)) = (unsafe { (borrow(hasher), borrow_mut(out)) }) else { return };
    *out = hasher.clone().finalize().into();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_drop(hasher: *mut Sha256) {
    // SAFETY: as the header says.
    unsafe { drop_handle(hasher) }
}
