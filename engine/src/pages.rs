//! Pages from the kernel, and what is asked of it about them. All of it is done here, so that Miri, which knows less of a
//! kernel, can look at those who use the pages.

use std::ptr;

const RIGHTS: i32 = libc::PROT_READ | libc::PROT_WRITE;
const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const UNRESERVED: i32 = if cfg!(miri) { FLAGS } else { FLAGS | libc::MAP_NORESERVE };

/// Pages that are all zero and have an owner of their own; null when the machine has none.
pub fn map(bytes: usize) -> *mut u8 {
    map_with(bytes, FLAGS)
}

/// Maps pages of which most may never be touched.
pub fn map_unreserved(bytes: usize) -> *mut u8 {
    map_with(bytes, UNRESERVED)
}

fn map_with(bytes: usize, flags: i32) -> *mut u8 {
    // SAFETY: a mapping of its own.
    or_null(unsafe { libc::mmap(ptr::null_mut(), bytes, RIGHTS, flags, -1, 0) })
}

/// Moves the pages, if need be, to where there is room for so many. Null, and nothing has changed, when there is none.
///
/// # Safety
/// `map` gave them, `before` bytes of them, and from now on only what this returns is used.
pub unsafe fn remap(start: *mut u8, before: usize, bytes: usize) -> *mut u8 {
    // SAFETY: the caller of this function vouches for it.
    or_null(unsafe { libc::mremap(start.cast(), before, bytes, libc::MREMAP_MAYMOVE) })
}

/// # Safety
/// `map` gave them, so many bytes of them, and nobody uses them any more.
pub unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: the caller of this function vouches for it.
    unsafe { libc::munmap(start.cast(), bytes) };
}

/// Hands the memory back, not the addresses: they are zero when they are touched again.
///
/// # Safety
/// They are the caller's, from one or several `map`s, and nothing in them is needed.
pub unsafe fn empty(start: *mut u8, bytes: usize) {
    // SAFETY: the caller of this function vouches for it.
    unsafe {
        if cfg!(miri) {
            ptr::write_bytes(start, 0, bytes);
        } else {
            libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED);
        }
    }
}

/// Else all of a huge page is resident at the first touch of any byte in it.
pub fn without_huge_pages(start: *mut u8, bytes: usize) {
    if !cfg!(miri) {
        // SAFETY: changes how the memory is made, not what is in it.
        unsafe { libc::madvise(start.cast(), bytes, libc::MADV_NOHUGEPAGE) };
    }
}

fn or_null(mapped: *mut libc::c_void) -> *mut u8 {
    if mapped == libc::MAP_FAILED { ptr::null_mut() } else { mapped.cast() }
}
