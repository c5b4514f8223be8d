//! Memories of one page for compiled instances, used again and again.
//!
//! Mapping and unmapping a page for each instance takes the kernel's lock over all maps, so two threads that do it are
//! slower than one. Here pages come from large chunks, each thread keeps a few clean ones at hand, and what it has too
//! many of is given back to the kernel many at a time: the addresses stay, the memory goes.

use std::cell::RefCell;
use std::ptr;
use std::sync::Mutex;

/// A wasm page.
pub const SLAB: usize = 64 << 10;
/// Clean slabs a thread keeps: cleaning one that is in the cache takes less than a page fault for each of its pages.
const HOT_MAX: usize = 32;
/// Slabs that go between a thread and all others at once.
const BATCH: usize = 32;
const CHUNK: usize = 1_024;

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
        if local.hot.len() < HOT_MAX {
            // SAFETY: all of the slab is ours now.
            unsafe { ptr::write_bytes(slab, 0, SLAB) };
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

impl Drop for Local {
    fn drop(&mut self) {
        self.dirty.extend(self.hot.drain(..).map(|free| free.0));
        empty(&mut self.dirty);
    }
}

/// Hands the memory of these slabs to the kernel, which gives zeros when they are touched again.
fn empty(dirty: &mut Vec<*mut u8>) {
    // SAFETY: the slabs are ours, and their mapping is private and anonymous.
    dirty.iter().for_each(|slab| unsafe {
        libc::madvise(slab.cast(), SLAB, libc::MADV_DONTNEED);
    });
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
    const RIGHTS: i32 = libc::PROT_READ | libc::PROT_WRITE;
    const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a mapping of its own. Huge pages would make every slab of two MiB resident at the first touch of one.
    let start = unsafe { libc::mmap(ptr::null_mut(), CHUNK * SLAB, RIGHTS, FLAGS, -1, 0) };
    if start == libc::MAP_FAILED {
        return;
    }
    // SAFETY: as above, and the slabs lie inside the chunk.
    unsafe {
        libc::madvise(start, CHUNK * SLAB, libc::MADV_NOHUGEPAGE);
        shared.extend((0..CHUNK).rev().map(|index| Free(start.cast::<u8>().add(index * SLAB))));
    }
}

#[cfg(test)]
mod tests {
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
            assert!(bytes.iter().all(|byte| *byte == 0));
            unsafe { give_back(slab) };
        }
    }

    #[test]
    fn no_slab_is_given_to_two() {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    let slabs: Vec<usize> = (0..200).map(|_| take().expect("memory") as usize).collect();
                    slabs.iter().for_each(|slab| unsafe { *(*slab as *mut u8) = 1 });
                    slabs
                })
            })
            .collect();
        let mut all: Vec<usize> = threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        all.into_iter().for_each(|slab| unsafe { give_back(slab as *mut u8) });
    }
}
