//! Memories of one page for compiled instances, used again and again.
//!
//! Mapping and unmapping a page for each instance takes the kernel's lock over all maps, so two threads that do it are
//! slower than one. Here pages come from large chunks, each thread keeps a few clean ones at hand, and what it has too
//! many of is given back to the kernel many at a time: the addresses stay, the memory goes.

use std::cell::RefCell;
use std::sync::Mutex;

use crate::pages;

/// A wasm page.
pub const SLAB: usize = 64 << 10;
/// Clean slabs a thread keeps: cleaning what was touched takes less than a page fault for each of its pages.
const HOT_MAX: usize = 32;
/// Pages of the machine in a slab.
const PAGES: usize = 16;
const PAGE: usize = SLAB / PAGES;
/// The most pages that are kept with a slab. They stay resident whoever has the slab next, so without a bound every
/// slab would hold all that anyone ever touched in it.
const WARM_PAGES_MAX: usize = 4;
/// Slabs that go between a thread and all others at once.
const BATCH: usize = 32;
const CHUNK: usize = if cfg!(miri) { 256 } else { 1_024 };
static ZEROS: [u8; PAGE] = [0; PAGE];

/// The first byte of a slab that nobody uses; all of it is zero.
struct Free(*mut u8);
// SAFETY: whoever has it has all of the slab.
unsafe impl Send for Free {}

static SHARED: Mutex<Vec<Free>> = Mutex::new(Vec::new());

#[derive(Default)]
struct Local {
    hot: Vec<Free>,
    /// To be emptied by the kernel.
    dirty: Vec<*mut u8>,
}

thread_local! {
    static LOCAL: RefCell<Local> = RefCell::default();
}

/// A zero-filled slab, or nothing when the machine has no memory for one.
pub fn take() -> Option<*mut u8> {
    let kept = LOCAL.try_with(|local| {
        let hot = &mut local.borrow_mut().hot;
        if hot.is_empty() {
            refill(hot);
        }
        hot.pop()
    });
    // A thread that is ending keeps nothing.
    kept.unwrap_or_else(|_| {
        let mut one = Vec::new();
        refill(&mut one);
        let slab = one.pop();
        SHARED.lock().unwrap_or_else(|broken| broken.into_inner()).append(&mut one);
        slab
    })
    .map(|free| free.0)
}

/// # Safety
/// The slab came from `take`, and nobody uses it any more.
pub unsafe fn give_back(slab: *mut u8) {
    let ours = LOCAL.try_with(|local| {
        let local = &mut *local.borrow_mut();
        // SAFETY: all of the slab is ours now.
        if local.hot.len() < HOT_MAX && unsafe { clean(slab) } {
            local.hot.push(Free(slab));
        } else {
            local.dirty.push(slab);
            if local.dirty.len() >= BATCH {
                empty(&mut local.dirty);
            }
        }
    });
    if ours.is_err() {
        empty(&mut vec![slab]);
    }
}

/// Writes zeros where something is. False when that is in too many places.
///
/// What was never touched is only read, which maps the kernel's one page of zeros there: it takes no memory, and is in
/// the cache from one page to the next. Asking the kernel what is resident took ten times as long.
///
/// # Safety
/// Nobody else uses the slab.
unsafe fn clean(slab: *mut u8) -> bool {
    // SAFETY: all of the slab is mapped and ours.
    let bytes = unsafe { std::slice::from_raw_parts_mut(slab, SLAB) };
    let mut touched = 0;
    for page in bytes.chunks_exact_mut(PAGE) {
        // One comparison of the C library, which takes as many bytes at a time as the machine can.
        if *page != ZEROS {
            page.fill(0);
            touched += 1;
        }
    }
    touched <= WARM_PAGES_MAX
}

impl Drop for Local {
    fn drop(&mut self) {
        self.dirty.extend(self.hot.drain(..).map(|free| free.0));
        empty(&mut self.dirty);
    }
}

/// Hands the memory of these slabs to the kernel, which gives zeros when they are touched again.
fn empty(dirty: &mut Vec<*mut u8>) {
    // SAFETY: the slabs are ours, and their mapping is private and anonymous.
    dirty.iter().for_each(|slab| unsafe { pages::empty(*slab, SLAB) });
    let mut shared = SHARED.lock().unwrap_or_else(|broken| broken.into_inner());
    shared.extend(dirty.drain(..).map(Free));
}

fn refill(hot: &mut Vec<Free>) {
    let mut shared = SHARED.lock().unwrap_or_else(|broken| broken.into_inner());
    if shared.is_empty() {
        add_chunk(&mut shared);
    }
    let rest = shared.len().saturating_sub(BATCH);
    hot.extend(shared.drain(rest..));
}

/// Addresses for many slabs at once: one map, and no memory until they are touched.
fn add_chunk(shared: &mut Vec<Free>) {
    let start = pages::map_unreserved(CHUNK * SLAB);
    if start.is_null() {
        return;
    }
    pages::without_huge_pages(start, CHUNK * SLAB);
    // SAFETY: the slabs lie inside the chunk.
    shared.extend((0..CHUNK).rev().map(|index| Free(unsafe { start.add(index * SLAB) })));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ptr;

    use super::*;

    #[test]
    fn slabs_come_back_clean_however_they_went() {
        let many: Vec<*mut u8> = (0..3 * HOT_MAX).map(|_| take().expect("memory")).collect();
        for slab in &many {
            // SAFETY: ours until it is given back.
            unsafe { ptr::write_bytes(*slab, 7, SLAB) };
        }
        many.into_iter().for_each(|slab| unsafe { give_back(slab) });
        for _ in 0..3 * HOT_MAX {
            let slab = take().expect("memory");
            // SAFETY: ours.
            let bytes = unsafe { std::slice::from_raw_parts(slab, SLAB) };
            assert!(bytes.chunks(PAGE).all(|page| *page == ZEROS));
            unsafe { give_back(slab) };
        }
    }

    #[test]
    fn a_slab_keeps_only_the_few_pages_that_were_touched() {
        for touched in [0, 1, WARM_PAGES_MAX, WARM_PAGES_MAX + 1, PAGES] {
            let slab = take().expect("memory");
            // SAFETY: ours.
            unsafe {
                pages::empty(slab, SLAB);
                (0..touched).for_each(|page| *slab.add(page * PAGE + page) = 1);
                assert_eq!(clean(slab), touched <= WARM_PAGES_MAX);
                give_back(slab);
            }
        }
    }

    #[test]
    fn no_slab_is_given_to_two() {
        const EACH: usize = if cfg!(miri) { 40 } else { 200 };
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    let slabs: Vec<Free> = (0..EACH).map(|_| Free(take().expect("memory"))).collect();
                    // SAFETY: ours.
                    slabs.iter().for_each(|slab| unsafe { *slab.0 = 1 });
                    slabs
                })
            })
            .collect();
        let all: Vec<Free> = threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect();
        let different: BTreeSet<*mut u8> = all.iter().map(|slab| slab.0).collect();
        assert_eq!(different.len(), all.len());
        // SAFETY: ours, and not used again.
        all.into_iter().for_each(|slab| unsafe { give_back(slab.0) });
    }
}
