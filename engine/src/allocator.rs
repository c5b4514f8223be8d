//! Where both engines' memory comes from: small pieces from mimalloc, which takes a tenth off the time of a small module,
//! large ones from the kernel, which moves them without copying. An interpreted guest that grows its memory page by page
//! would else wait for a copy of half of it, with nobody looking at its deadline.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr;

use libmimalloc_sys as mimalloc;

use crate::{pages, warm};

pub struct Allocator;

/// Copying less takes no time that matters.
pub const LARGE: usize = 1 << 20;
const PAGE: usize = 4096;

thread_local! {
    static LARGE_PIECES: Cell<u64> = const { Cell::new(0) };
}

/// How many large pieces this thread has asked for, granted or not.
pub fn large_pieces() -> u64 {
    LARGE_PIECES.get()
}

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

fn whole_pages(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

unsafe extern "C" {
    fn mi_process_init();
    fn mi_option_set(option: libc::c_int, value: libc::c_long);
}

/// `mi_option_allow_thp` of mimalloc 3. A test looks whether it is still this one.
const HUGE_PAGES: libc::c_int = 43;

/// When the program is loaded, before anything is allocated here. mimalloc asks the kernel for huge pages, so that the few
/// hundred kilobytes that a guest's thread touches would take some mebibytes. Once it has started, the option is about its
/// own memory alone; before, it would be about all of the process.
#[cfg(not(miri))]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = without_huge_pages;

extern "C" fn without_huge_pages() {
    // SAFETY: both may be called at any time.
    unsafe {
        mi_process_init();
        mi_option_set(HUGE_PAGES, 0);
    }
}

/// As every piece from mimalloc is aligned; asking for an alignment takes its longer way.
const WORD: usize = size_of::<usize>();

// SAFETY: which of the two a piece belongs to follows from its layout alone, and a piece that changes sides is copied.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout) { map(layout.size()) } else { unsafe { small(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout) { map(layout.size()) } else { unsafe { small_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if is_large(layout) {
            // SAFETY: `map` or `realloc` made it, with so many pages.
            unsafe { warm::give_back(piece, whole_pages(layout.size())) };
        } else {
            unsafe { mimalloc::mi_free(piece.cast()) }
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is valid for this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(wanted)) {
            (false, false) => unsafe { resize_small(piece, wanted) },
            (true, true) => remap(piece, layout.size(), size),
            _ => unsafe { self.change_sides(piece, layout, wanted) },
        }
    }
}

impl Allocator {
    unsafe fn change_sides(&self, piece: *mut u8, layout: Layout, wanted: Layout) -> *mut u8 {
        // SAFETY: both pieces are at least as long as what is copied, and the old one is not used again.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(piece, moved, layout.size().min(wanted.size()));
                self.dealloc(piece, layout);
            }
            moved
        }
    }
}

unsafe fn small(layout: Layout) -> *mut u8 {
    match layout.align() {
        ..=WORD => unsafe { mimalloc::mi_malloc(layout.size()) }.cast(),
        align => unsafe { mimalloc::mi_malloc_aligned(layout.size(), align) }.cast(),
    }
}

unsafe fn small_zeroed(layout: Layout) -> *mut u8 {
    match layout.align() {
        ..=WORD => unsafe { mimalloc::mi_zalloc(layout.size()) }.cast(),
        align => unsafe { mimalloc::mi_zalloc_aligned(layout.size(), align) }.cast(),
    }
}

unsafe fn resize_small(piece: *mut u8, wanted: Layout) -> *mut u8 {
    match wanted.align() {
        ..=WORD => unsafe { mimalloc::mi_realloc(piece.cast(), wanted.size()) }.cast(),
        align => unsafe { mimalloc::mi_realloc_aligned(piece.cast(), wanted.size(), align) }.cast(),
    }
}

fn map(size: usize) -> *mut u8 {
    LARGE_PIECES.set(LARGE_PIECES.get() + 1);
    if let Some(piece) = warm::take(whole_pages(size)) {
        return piece;
    }
    pages::map(whole_pages(size))
}

fn remap(piece: *mut u8, before: usize, size: usize) -> *mut u8 {
    // SAFETY: `map` made the piece, and its caller uses only what this returns.
    unsafe { pages::remap(piece, whole_pages(before), whole_pages(size)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri's own allocator is asked, and that slowly")]
    fn a_piece_keeps_its_bytes_as_it_grows_and_shrinks_across_the_border() {
        let mut bytes: Vec<u8> = Vec::new();
        for size in [100, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE, 9 * LARGE + 77] {
            bytes.reserve_exact(size - bytes.len());
            bytes.extend((bytes.len()..size).map(|index| index as u8));
            assert!(bytes.iter().enumerate().all(|(index, byte)| *byte == index as u8), "{size}");
        }
        for size in [2 * LARGE, LARGE, LARGE - 1, 5] {
            bytes.truncate(size);
            bytes.shrink_to_fit();
            assert!(bytes.iter().enumerate().all(|(index, byte)| *byte == index as u8), "{size}");
        }
    }

    /// The flags of the mapping around this address.
    fn flags_of(address: usize) -> String {
        let text = std::fs::read_to_string("/proc/self/smaps").expect("the kernel tells");
        let holds = |line: &str| {
            let (from, to) = line.split_once(' ')?.0.split_once('-')?;
            let [from, to] = [from, to].map(|number| usize::from_str_radix(number, 16));
            Some((from.ok()?..to.ok()?).contains(&address))
        };
        let mut lines = text.lines().skip_while(|line| holds(line) != Some(true));
        lines.find(|line| line.starts_with("VmFlags:")).expect("each mapping has flags").into()
    }

    #[test]
    fn a_large_piece_keeps_its_bytes_when_it_is_moved_and_is_clean_when_it_comes_again() {
        let layout = |size| Layout::from_size_align(size, 8).expect("it is one");
        for _ in 0..2 {
            // SAFETY: a piece is used as long as the layout it has now says, and not after it was moved or given back.
            unsafe {
                let piece = Allocator.alloc_zeroed(layout(LARGE));
                assert_eq!([*piece, *piece.add(LARGE - 1)], [0, 0]);
                (*piece, *piece.add(LARGE - 1)) = (3, 4);
                let larger = Allocator.realloc(piece, layout(LARGE), LARGE + 2 * PAGE + 1);
                assert_eq!([*larger, *larger.add(LARGE - 1), *larger.add(LARGE + 2 * PAGE)], [3, 4, 0]);
                let smaller = Allocator.realloc(larger, layout(LARGE + 2 * PAGE + 1), LARGE);
                assert_eq!([*smaller, *smaller.add(LARGE - 1)], [3, 4]);
                Allocator.dealloc(smaller, layout(LARGE));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "it looks at mappings of the kernel")]
    fn small_pieces_are_not_in_huge_pages() {
        let piece = Box::new([1u8; 100]);
        let flags = flags_of(piece.as_ptr() as usize);
        assert!(flags.contains(" wr ") && !flags.contains(" hg"), "{flags}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri's own allocator is asked, and that slowly")]
    fn zeroed_pieces_are_zero_also_after_a_dirty_one() {
        drop(vec![7u8; 2 * LARGE]);
        assert!(vec![0u8; 2 * LARGE].iter().all(|byte| *byte == 0));
    }
}
