//! Unsafe things under safe names: calls out to C++, raw calls into Wasmtime, mappings.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::ValRaw;

use crate::guest::{Access, Stop};
use crate::long_acts::PIECE;
use crate::pages;
use crate::slabs::{self, SLAB};
use crate::touched::{self, ZEROS};
use crate::warm;

/// The embedder's pointer, handed back to it and never looked at.
#[derive(Clone, Copy)]
pub struct Context(pub *mut c_void);

// SAFETY: the pointer is only carried; petri_engine.h makes its owner answer for the threads it is used on.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn none() -> Context {
        Context(ptr::null_mut())
    }
}

/// `petri_host`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Host {
    pub interrupt: *const AtomicU32,
    pub grow: Option<unsafe extern "C" fn(*mut c_void, u64, u64) -> u32>,
    pub turn: Option<unsafe extern "C" fn(*mut c_void, u64) -> u64>,
}

// SAFETY: the flag is atomic and outlives its instances (petri_engine.h); functions are shared freely.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl Host {
    pub fn none() -> Host {
        Host { interrupt: ptr::null(), grow: None, turn: None }
    }

    pub fn interrupted(&self) -> bool {
        // SAFETY: null, or a flag that outlives the instance (petri_engine.h).
        unsafe { self.interrupt.as_ref() }.is_some_and(|flag| flag.load(Ordering::Relaxed) != 0)
    }

    pub fn growth(&self, context: Context, have: u64, want: u64) -> Growth {
        // SAFETY: the embedder's function, called as its type says, on the guest's thread.
        match self.grow.map_or(1, |grow| unsafe { grow(context.0, have, want) }) {
            0 => Growth::Refused,
            1 => Growth::Allowed,
            _ => Growth::Ends,
        }
    }

    pub fn next_turn(&self, context: Context, fuel_used: u64) -> u64 {
        // SAFETY: as above.
        self.turn.map_or(u64::MAX, |turn| unsafe { turn(context.0, fuel_used) })
    }
}

/// The embedder's answer to growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    Refused,
    Allowed,
    Ends,
}

/// The structure that C++ sees as `petri_caller`.
pub struct Caller<'a> {
    pub access: &'a mut dyn Access,
}

pub type Callback = unsafe extern "C" fn(*mut c_void, *mut Caller, *const u64, *mut u64) -> u32;

/// `petri_host_function`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct HostFunction {
    pub callback: Option<Callback>,
    pub data: Context,
    pub fuel: u32,
    pub intrinsic: u32,
}

impl HostFunction {
    /// False when the guest is to be stopped.
    pub fn call(&self, access: &mut dyn Access, args: &[u64], results: &mut [u64]) -> bool {
        let Some(callback) = self.callback else { return false };
        let mut caller = Caller { access };
        // SAFETY: the embedder bound this callback to an import of exactly these counts; the caller lives for the call.
        unsafe { callback(self.data.0, &mut caller, args.as_ptr(), results.as_mut_ptr()) == 0 }
    }
}

pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Translates a rewritten module without validating it once more, which takes half the time of a small one.
pub fn load_interpreted(engine: &wasmi::Engine, metered: &[u8]) -> Result<wasmi::Module, wasmi::Error> {
    // SAFETY: the guest's module is valid, and the meter keeps it so; the tests validate what it makes, and so does the
    // other engine each time.
    unsafe { wasmi::Module::new_unchecked(engine, metered) }
}

/// Machine code that the compile worker, or this process, made a moment ago.
pub fn deserialize(engine: &wasmtime::Engine, machine_code: &[u8]) -> wasmtime::Result<wasmtime::Module> {
    // SAFETY: petri_engine.h makes the caller answer for where the bytes come from: petri's own compiler, over the private
    // socket of a child that this process started. Wasmtime checks that version and configuration are the same.
    unsafe { wasmtime::Module::deserialize(engine, machine_code) }
}

/// Calls a Wasmtime function whose signature the slots fit; numbers only.
pub fn call_compiled<T: 'static>(
    function: &wasmtime::Func,
    store: &mut wasmtime::Store<T>,
    slots: &mut [ValRaw],
) -> wasmtime::Result<()> {
    // SAFETY: `compiled` has checked that there are as many slots as parameters or results, whichever is more, and that
    // all of them are numbers.
    unsafe { function.call_unchecked(store, ptr::from_mut(slots)) }
}

/// Binds a host function that works on raw slots: the first `arguments` of them come in, results go out from the first on.
pub fn link_raw<T: 'static>(
    linker: &mut wasmtime::Linker<T>,
    name: &str,
    kind: wasmtime::FuncType,
    function: impl Fn(wasmtime::Caller<'_, T>, &mut [ValRaw]) -> wasmtime::Result<()> + Send + Sync + 'static,
) -> wasmtime::Result<()> {
    let arguments = kind.params().len();
    let wrapped = move |caller: wasmtime::Caller<'_, T>, slots: &mut [MaybeUninit<ValRaw>]| {
        slots.iter_mut().skip(arguments).for_each(|slot| *slot = MaybeUninit::new(ValRaw::u64(0)));
        // SAFETY: Wasmtime has written the arguments, and the rest was written just above.
        let slots = unsafe { &mut *(ptr::from_mut(slots) as *mut [ValRaw]) };
        function(caller, slots)
    };
    // SAFETY: the function reads and writes its slots by the signature it is bound with.
    unsafe { linker.func_new_unchecked("", name, kind, wrapped) }.map(|_| ())
}

/// The most that is asked of the kernel at once: which pages of so many bytes were touched takes it half a millisecond
/// at most.
const ASKED: usize = 16 << 20;

/// Makes one guest's memory equal to another's of the same size, with a look after each piece. Pages that are zero in both
/// are not written, so that the kernel need not make them.
pub fn copy_memory(
    (from, from_size): (*mut u8, usize),
    (to, to_size): (*mut u8, usize),
    mut look: impl FnMut() -> Result<(), Stop>,
) -> Result<(), Stop> {
    let size = from_size.min(to_size);
    if size == 0 {
        return Ok(());
    }
    // SAFETY: memories of two instances, borrowed just now, each of at least this size; neither guest runs.
    let (from, to) = unsafe { (slice::from_raw_parts(from, size), slice::from_raw_parts_mut(to, size)) };
    let pages = size.min(ASKED) / touched::PAGE;
    let (mut source, mut target) = (vec![0u8; pages], vec![0u8; pages]);
    for (from, to) in from.chunks(ASKED).zip(to.chunks_mut(ASKED)) {
        let pages = from.len() / touched::PAGE;
        touched::fill(from.as_ptr(), &mut source[..pages]);
        touched::fill(to.as_ptr(), &mut target[..pages]);
        const PIECE_PAGES: usize = PIECE / touched::PAGE;
        let flags = source.chunks(PIECE_PAGES).zip(target.chunks(PIECE_PAGES));
        for ((from, to), flags) in from.chunks(PIECE).zip(to.chunks_mut(PIECE)).zip(flags) {
            copy_pages(from, to, flags);
            look()?;
        }
    }
    Ok(())
}

fn copy_pages(from: &[u8], to: &mut [u8], (source, target): (&[u8], &[u8])) {
    let pairs = from.chunks_exact(touched::PAGE).zip(to.chunks_exact_mut(touched::PAGE));
    for ((from, to), (source, target)) in pairs.zip(source.iter().zip(target)) {
        if *source != 0 && *from != ZEROS {
            to.copy_from_slice(from);
        } else if *target != 0 && *to != ZEROS {
            to.fill(0);
        }
    }
}

pub fn machine_page() -> usize {
    // SAFETY: asks for a constant.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Zero-filled memory of its own, which may move when it outgrows its capacity. A page comes from the slabs.
pub struct Mapping {
    start: *mut u8,
    size: usize,
    capacity: usize,
    capacity_max: usize,
    is_slab: bool,
}

// SAFETY: the mapping belongs to this value alone.
unsafe impl Send for Mapping {}
// SAFETY: shared references do not write.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn new(size: usize, capacity_max: usize) -> Option<Mapping> {
        if (1..=SLAB).contains(&size) {
            return slabs::take().map(|start| Mapping { start, size, capacity: SLAB, capacity_max, is_slab: true });
        }
        let mut mapping = Mapping { start: ptr::null_mut(), size, capacity: 0, capacity_max, is_slab: false };
        mapping.map(size.max(4096)).then_some(mapping)
    }

    /// Capacity doubles, and pages move without being copied, so that growing page by page stays cheap.
    pub fn resize(&mut self, size: usize) -> bool {
        if size > self.capacity {
            let doubled = (self.capacity * 2).min(self.capacity_max);
            let capacity = size.max(doubled);
            let grown = if self.is_slab { self.leave_slab(capacity) } else { self.map(capacity) };
            if !grown {
                return false;
            }
        }
        self.size = size;
        true
    }

    fn leave_slab(&mut self, capacity: usize) -> bool {
        let (start, capacity_max) = (ptr::null_mut(), self.capacity_max);
        let mut moved = Mapping { start, size: self.size, capacity: 0, capacity_max, is_slab: false };
        if !moved.map(capacity) {
            return false;
        }
        // SAFETY: both are longer than a slab.
        unsafe { ptr::copy_nonoverlapping(self.start, moved.start, self.size) };
        *self = moved;
        true
    }

    fn map(&mut self, capacity: usize) -> bool {
        if self.capacity == 0
            && let Some(start) = warm::take(capacity)
        {
            (self.start, self.capacity) = (start, capacity);
            return true;
        }
        let start = match self.capacity {
            0 => pages::map_unreserved(capacity),
            // SAFETY: ours, and replaced at once.
            old => unsafe { pages::remap(self.start, old, capacity) },
        };
        if start.is_null() {
            return false;
        }
        (self.start, self.capacity) = (start, capacity);
        true
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.is_slab {
            // SAFETY: the slab is ours and nobody uses it any more.
            unsafe { slabs::give_back(self.start) };
        } else if self.capacity > 0 {
            // SAFETY: the same for the mapping.
            unsafe { warm::give_back(self.start, self.capacity) };
        }
    }
}

// SAFETY: the pointer is valid for `byte_size` bytes until the next resize, and all of them begin as zero.
unsafe impl wasmtime::LinearMemory for Mapping {
    fn byte_size(&self) -> usize {
        self.size
    }
    fn byte_capacity(&self) -> usize {
        self.capacity
    }
    fn grow_to(&mut self, size: usize) -> wasmtime::Result<()> {
        if self.resize(size) { Ok(()) } else { Err(wasmtime::Error::msg("no memory to map")) }
    }
    fn as_ptr(&self) -> *mut u8 {
        self.start
    }
}

pub struct Mappings;

// SAFETY: makes memories that keep the promises of `LinearMemory`; the configuration asks for neither reservation nor guard.
unsafe impl wasmtime::MemoryCreator for Mappings {
    fn new_memory(
        &self,
        _kind: wasmtime::MemoryType,
        minimum: usize,
        maximum: Option<usize>,
        _reserved: Option<usize>,
        _guard: usize,
    ) -> Result<Box<dyn wasmtime::LinearMemory>, String> {
        let memory = Mapping::new(minimum, maximum.unwrap_or(1 << 32));
        memory.map(|memory| Box::new(memory) as _).ok_or_else(|| "no memory to map".into())
    }
}

#[cfg(test)]
mod tests {
    use wasmtime::LinearMemory;

    use super::*;
    use crate::touched::PAGE;

    /// Writes into its last byte, and says whether the last byte it had before is still as it was.
    fn mark(memory: &mut Mapping, before: usize) -> bool {
        // SAFETY: all of `byte_size` is the mapping's, and nobody else has it.
        let bytes = unsafe { slice::from_raw_parts_mut(memory.as_ptr(), memory.byte_size()) };
        let kept = before == 0 || bytes[before - 1] == 7;
        let clean = bytes[before..].iter().step_by(PAGE - 1).all(|byte| *byte == 0);
        *bytes.last_mut().expect("it has some") = 7;
        kept && clean
    }

    #[test]
    fn a_mapping_keeps_its_bytes_when_it_leaves_its_slab_and_when_it_moves() {
        for _ in 0..2 {
            let mut memory = Mapping::new(SLAB, 16 * SLAB).expect("memory");
            assert!(mark(&mut memory, 0));
            for (before, size) in [(SLAB, 2 * SLAB), (2 * SLAB, 3 * SLAB), (3 * SLAB, 9 * SLAB)] {
                assert!(memory.resize(size));
                assert!(mark(&mut memory, before), "{size}");
            }
        }
    }

    #[test]
    fn a_copy_of_a_memory_is_equal_where_it_was_zero_too() {
        for pages in [1, 40] {
            let (mut from, mut to) = (vec![0u8; pages * PAGE], vec![9u8; pages * PAGE]);
            from[pages * PAGE - 5] = 1;
            let copied = copy_memory((from.as_mut_ptr(), from.len()), (to.as_mut_ptr(), to.len()), || Ok(()));
            assert!(copied.is_ok());
            assert_eq!(from, to);
        }
    }
}
