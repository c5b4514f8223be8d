//! Mappings that were used before, cleaned for the next memory of their size. The kernel takes a microsecond for each page
//! it makes; writing zeros into one that is there takes a tenth of that.

use std::ptr;
use std::slice;
use std::sync::{Mutex, MutexGuard};

use crate::pages;
use crate::touched::{self, PAGE, ZEROS};

/// Larger ones go back to the kernel.
const PIECE_MAX: usize = 2 << 20;
/// The most bytes of all pieces that are kept. They may be resident as a whole.
const BYTES_MAX: usize = 8 << 20;
const PIECES_MAX: usize = 32;

/// A mapping that nobody uses; all of it is zero. No bytes: there is none.
#[derive(Clone, Copy)]
struct Piece {
    start: *mut u8,
    bytes: usize,
}
// SAFETY: whoever has it has all of the mapping.
unsafe impl Send for Piece {}

/// The pieces that are kept; an array, since the allocator itself keeps its large pieces here.
struct Warm(Mutex<[Piece; PIECES_MAX]>);

static WARM: Warm = Warm::new();

/// A zero-filled mapping of exactly this size, if there is one.
pub fn take(bytes: usize) -> Option<*mut u8> {
    WARM.take(bytes)
}

/// # Safety
/// A private anonymous mapping of this size, whole pages, that nobody uses any more.
pub unsafe fn give_back(start: *mut u8, bytes: usize) {
    // SAFETY: the caller of this function vouches for it.
    if !unsafe { WARM.keep(start, bytes) } {
        // SAFETY: the same.
        unsafe { pages::unmap(start, bytes) };
    }
}

impl Warm {
    const fn new() -> Warm {
        Warm(Mutex::new([Piece { start: ptr::null_mut(), bytes: 0 }; PIECES_MAX]))
    }

    fn pieces(&self) -> MutexGuard<'_, [Piece; PIECES_MAX]> {
        self.0.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    fn take(&self, bytes: usize) -> Option<*mut u8> {
        if !(1..=PIECE_MAX).contains(&bytes) {
            return None;
        }
        let mut pieces = self.pieces();
        let piece = pieces.iter_mut().find(|piece| piece.bytes == bytes)?;
        piece.bytes = 0;
        Some(piece.start)
    }

    /// False when there is no room for it.
    ///
    /// # Safety
    /// As `give_back`.
    unsafe fn keep(&self, start: *mut u8, bytes: usize) -> bool {
        let is_small = bytes <= PIECE_MAX && bytes.is_multiple_of(PAGE);
        if !is_small || room(&mut *self.pieces(), bytes).is_none() {
            return false;
        }
        // SAFETY: the mapping is ours.
        unsafe { clean(start, bytes) };
        // Others may have filled the room meanwhile.
        room(&mut *self.pieces(), bytes).map(|slot| *slot = Piece { start, bytes }).is_some()
    }
}

fn room(pieces: &mut [Piece], bytes: usize) -> Option<&mut Piece> {
    let kept: usize = pieces.iter().map(|piece| piece.bytes).sum();
    let free = pieces.iter_mut().find(|piece| piece.bytes == 0);
    free.filter(|_| kept + bytes <= BYTES_MAX)
}

/// # Safety
/// Nobody else uses the mapping.
unsafe fn clean(start: *mut u8, bytes: usize) {
    let mut flags = [0u8; PIECE_MAX / PAGE];
    let flags = &mut flags[..bytes / PAGE];
    touched::fill(start, flags);
    // SAFETY: all of the mapping is ours.
    let memory = unsafe { slice::from_raw_parts_mut(start, bytes) };
    for (page, flag) in memory.chunks_exact_mut(PAGE).zip(flags) {
        if *flag != 0 && *page != ZEROS {
            page.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_comes_back_clean_whatever_was_written() {
        let warm = Warm::new();
        let bytes = 37 * PAGE;
        let start = pages::map(bytes);
        for touched in [vec![], vec![0], vec![3, 36], (0..37).collect()] {
            // SAFETY: ours until it is given back, and again once it is taken.
            unsafe {
                touched.iter().for_each(|page| *start.add(page * PAGE + page) = 7);
                assert!(warm.keep(start, bytes));
            }
            assert_eq!(warm.take(bytes + PAGE), None);
            assert_eq!(warm.take(bytes), Some(start));
            assert_eq!(warm.take(bytes), None, "it is given to one");
            // SAFETY: ours.
            assert!(unsafe { slice::from_raw_parts(start, bytes) }.chunks(PAGE).all(|page| *page == ZEROS));
        }
    }

    #[test]
    fn no_more_is_kept_than_the_bounds_say() {
        for (bytes, kept) in [(PIECE_MAX, BYTES_MAX / PIECE_MAX), (PAGE, PIECES_MAX), (PIECE_MAX + PAGE, 0)] {
            let warm = Warm::new();
            // SAFETY: each is its own, and nobody uses it.
            assert_eq!((0..PIECES_MAX + 1).filter(|_| unsafe { warm.keep(pages::map(bytes), bytes) }).count(), kept);
            assert_eq!((0..PIECES_MAX + 1).filter_map(|_| warm.take(bytes)).count(), kept);
        }
    }
}
