//! The C surface as C++ uses it, with the pointers it hands over: what Miri can look at, in the tier that Miri can run.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use crate::support::*;
use petri_engine::code::{Code, Instance, Number, Series};
use petri_engine::failure::Status;
use petri_engine::ffi::*;
use petri_engine::guest::{Budget, End, EndKind};
use petri_engine::raw::{Caller, HostFunction};

/// Miri runs no machine code.
const TIERS: &[u32] = if cfg!(miri) { &[0] } else { &[0, 1] };

const KEEPER: &str = r#"(module
  (import "host" "mark" (func $mark (param i32) (result i32)))
  (memory (export "memory") 1 3)
  (global $count (export "count") (mut i32) (i32.const 5))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (call $mark (i32.const 100))))
    (global.get $count))
  (func (export "grow") (result i32) (memory.grow (i32.const 1)))
  (func (export "trap") (unreachable))
  (func (export "petri_alloc") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1000))))"#;
const NEXT: u32 = 2;
const GROW: u32 = 3;
const TRAP: u32 = 4;

/// Asks the guest for memory, writes into it through the pointer it is lent, and charges for it.
unsafe extern "C" fn mark(_: *mut c_void, caller: *mut Caller, args: *const u64, results: *mut u64) -> u32 {
    let (mut data, mut size) = (ptr::null_mut(), 0);
    let (mut address, mut after) = (0, 1);
    // SAFETY: as petri_engine.h says; one argument and one result, as the import has.
    unsafe {
        assert_eq!(petri_caller_charge(caller, 10), 0);
        ok(petri_caller_allocate(caller, 24, &mut address, &mut after, ptr::null_mut()));
        assert_eq!((address, after), (1024, 0));
        petri_caller_memory(caller, &mut data, &mut size);
        let at = *args as usize;
        slice::from_raw_parts_mut(data, size)[at] += 1;
        *petri_caller_context(caller).cast::<u32>() += 1;
        *results = 2;
    }
    0
}

fn ok(status: i32) {
    assert_eq!(status, Status::Ok as i32);
}

struct Loaded {
    artifact: *mut std::sync::Arc<petri_engine::artifact::Artifact>,
    code: *mut Code,
}

impl Loaded {
    fn new(tier: u32) -> Loaded {
        let mut bytes = MaybeUninit::<Bytes>::zeroed();
        let (mut artifact, mut code) = (ptr::null_mut(), ptr::null_mut());
        let imports: [HostFunction; 1] = [host(mark, 3)];
        // SAFETY: as petri_engine.h says; what the text became is read before it is dropped.
        unsafe {
            ok(petri_wat(KEEPER.as_ptr(), KEEPER.len(), 0, bytes.as_mut_ptr(), ptr::null_mut()));
            // As `petri_bytes` is laid out: where, and how many.
            let (data, size) = bytes.as_ptr().cast::<(*const u8, usize)>().read();
            ok(petri_prepare(data, size, 0, &mut artifact, ptr::null_mut()));
            petri_bytes_drop(bytes.assume_init());
            ok(petri_load(artifact, tier, imports.as_ptr(), imports.len(), &mut code, ptr::null_mut()));
        }
        Loaded { artifact, code }
    }

    fn instance(&self) -> *mut Instance {
        let (mut instance, mut end) = (ptr::null_mut(), no_end());
        let (context, budget) = (ptr::null_mut(), plenty());
        // SAFETY: as petri_engine.h says.
        unsafe {
            ok(petri_instantiate(
                self.code,
                ptr::null(),
                ROOMY,
                &budget,
                context,
                &mut instance,
                &mut end,
                ptr::null_mut(),
            ));
        }
        instance
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: made above, and given up here.
        unsafe {
            petri_code_drop(self.code);
            petri_artifact_drop(self.artifact);
        }
    }
}

fn no_end() -> End {
    End { kind: EndKind::Refused, code: 0, fuel_used: 0, memory_bytes: 0 }
}

fn call(instance: *mut Instance, export: u32, marks: &mut u32) -> (EndKind, u64) {
    let (mut slots, mut end, budget): ([u64; 1], End, Budget) = ([0], no_end(), plenty());
    let context = ptr::from_mut(marks).cast();
    let count = usize::from(export != TRAP);
    // SAFETY: as petri_engine.h says.
    unsafe { ok(petri_call(instance, export, &budget, context, slots.as_mut_ptr(), count, &mut end, ptr::null_mut())) };
    (end.kind, slots[0])
}

/// The byte that `mark` writes, and how large the memory is.
fn marked(instance: *mut Instance) -> (u8, usize) {
    let (mut data, mut size) = (ptr::null_mut(), 0);
    // SAFETY: as petri_engine.h says; the guest does not run.
    unsafe {
        petri_instance_memory(instance, &mut data, &mut size);
        (slice::from_raw_parts(data, size)[100], size)
    }
}

#[test]
fn a_series_of_calls_shares_out_its_slots_until_one_does_not_return() {
    for tier in TIERS {
        let (loaded, mut marks, budget) = (Loaded::new(*tier), 0u32, plenty());
        let instance = loaded.instance();
        let context = ptr::from_mut(&mut marks).cast();
        let mut series = Series::default();
        let mut call = |export: u32, slots: &mut [u64], calls: usize, fuel_max: u64| {
            let each = slots.len() / calls.max(1);
            // SAFETY: as petri_engine.h says.
            unsafe {
                let slots = slots.as_mut_ptr();
                let error = ptr::null_mut();
                ok(petri_call_series(
                    instance,
                    export,
                    &budget,
                    context,
                    slots,
                    each,
                    calls,
                    fuel_max,
                    &mut series,
                    error,
                ));
            }
            (series.returned, series.fuel_used, series.end.kind, series.end.fuel_used)
        };
        let mut slots = [0; 4];
        let (_, fuel, kind, each) = call(NEXT, &mut slots, 4, u64::MAX);
        assert_eq!((slots, kind, fuel), ([7, 9, 11, 13], EndKind::Returned, 4 * each));
        let mut slots = [0; 4];
        assert_eq!(call(NEXT, &mut slots, 4, each + 1), (2, 2 * each, EndKind::Returned, each));
        assert_eq!(slots, [15, 17, 0, 0], "two are enough");
        assert_eq!(call(NEXT, &mut [], 0, u64::MAX).0, 0);
        assert_eq!(call(TRAP, &mut [], 3, u64::MAX), (0, 0, EndKind::Trapped, 1));
        // SAFETY: ours, and given up.
        unsafe { petri_instance_drop(instance) };
        assert_eq!(marks, 6);
    }
}

#[test]
fn a_module_whose_hash_is_known_is_not_hashed_again() {
    let wasm = b"\0asm\x01\0\0\0";
    let (hash, mut artifact) = ([9u8; 32], ptr::null_mut());
    // SAFETY: as petri_engine.h says.
    unsafe {
        ok(petri_prepare_hashed(wasm.as_ptr(), wasm.len(), 0, &hash, &mut artifact, ptr::null_mut()));
        assert_eq!((&*artifact).sha256, hash);
        petri_artifact_drop(artifact);
        let missing = petri_prepare_hashed(wasm.as_ptr(), wasm.len(), 0, ptr::null(), &mut artifact, ptr::null_mut());
        assert_eq!(missing, Status::Misuse as i32);
    }
}

#[test]
fn a_guest_is_called_back_and_forth_through_pointers_that_stay_valid() {
    const PAGE: usize = 1 << 16;
    for tier in TIERS {
        let (loaded, mut marks) = (Loaded::new(*tier), 0);
        let instance = loaded.instance();
        assert_eq!(call(instance, NEXT, &mut marks), (EndKind::Returned, 7));
        assert_eq!(marked(instance), (1, PAGE));
        assert_eq!(call(instance, GROW, &mut marks), (EndKind::Returned, 1));
        assert_eq!(marked(instance), (1, 2 * PAGE));
        assert_eq!(call(instance, NEXT, &mut marks), (EndKind::Returned, 9));
        assert_eq!(call(instance, TRAP, &mut marks).0, EndKind::Trapped);
        assert_eq!((marked(instance), marks), ((2, 2 * PAGE), 2));
        // SAFETY: ours, and given up.
        unsafe { petri_instance_drop(instance) };
    }
}

#[test]
fn an_instance_is_read_written_and_moved_through_the_surface() {
    for tier in TIERS {
        let (loaded, mut marks) = (Loaded::new(*tier), 0);
        let (from, to) = (loaded.instance(), loaded.instance());
        assert_eq!(call(from, GROW, &mut marks), (EndKind::Returned, 1));
        assert_eq!(call(from, NEXT, &mut marks), (EndKind::Returned, 7));
        let (mut shape, mut number) = (MaybeUninit::<CountedShape>::zeroed(), Number { kind: 0, slot: 0 });
        // SAFETY: as petri_engine.h says.
        unsafe {
            ok(petri_instance_shape(from, shape.as_mut_ptr(), ptr::null_mut()));
            ok(petri_instance_mutable_globals(from, &mut number, 1, ptr::null_mut()));
            assert_eq!(number.slot, 7);
            let none = petri_instance_mutable_globals(from, ptr::null_mut(), 1, ptr::null_mut());
            assert_eq!(none, Status::Misuse as i32);
            ok(petri_instance_reshape(to, shape.as_ptr(), &number, ptr::null_mut()));
            assert_eq!(marked(to), (0, 2 << 16));
            assert_eq!(call(to, NEXT, &mut marks), (EndKind::Returned, 9));
            assert_eq!(petri_instance_adopt(to, to, ptr::null_mut()), Status::Misuse as i32);
            ok(petri_instance_adopt(to, from, ptr::null_mut()));
            assert_eq!(call(to, NEXT, &mut marks), (EndKind::Returned, 9));
            assert_eq!(marked(to), (2, 2 << 16));
            petri_instance_drop(from);
            petri_instance_drop(to);
        }
    }
}

#[test]
fn a_hash_is_the_same_in_pieces_and_a_text_that_is_none_leaves_nothing() {
    let (mut at_once, mut in_pieces) = ([0u8; 32], [0u8; 32]);
    let mut bytes = MaybeUninit::<Bytes>::zeroed();
    // SAFETY: as petri_engine.h says.
    unsafe {
        petri_sha256(b"abc".as_ptr(), 3, &mut at_once);
        let hasher = petri_hasher_new();
        petri_hasher_add(hasher, b"ab".as_ptr(), 2);
        petri_hasher_add(hasher, ptr::null(), 5);
        petri_hasher_add(hasher, b"c".as_ptr(), 1);
        petri_hasher_digest(hasher, &mut in_pieces);
        petri_hasher_drop(hasher);
        let text = "(module";
        assert_ne!(petri_wat(text.as_ptr(), text.len(), 0, bytes.as_mut_ptr(), ptr::null_mut()), Status::Ok as i32);
        petri_bytes_drop(bytes.assume_init());
    }
    assert_eq!(at_once, in_pieces);
}

#[test]
fn a_module_is_printed_as_text_and_what_is_none_leaves_nothing() {
    let (mut wasm, mut text) = (MaybeUninit::<Bytes>::zeroed(), MaybeUninit::<Bytes>::zeroed());
    // SAFETY: as petri_engine.h says; what is read is dropped afterwards.
    unsafe {
        ok(petri_wat(KEEPER.as_ptr(), KEEPER.len(), 0, wasm.as_mut_ptr(), ptr::null_mut()));
        let (data, size) = wasm.as_ptr().cast::<(*const u8, usize)>().read();
        ok(petri_wasm_text(data, size, text.as_mut_ptr(), ptr::null_mut()));
        let (printed, length) = text.as_ptr().cast::<(*const u8, usize)>().read();
        let printed = std::str::from_utf8(slice::from_raw_parts(printed, length)).unwrap();
        assert!(printed.starts_with("(module") && printed.contains(r#"(export "petri_alloc""#));
        petri_bytes_drop(text.assume_init());
        let mut nothing = MaybeUninit::<Bytes>::zeroed();
        assert_eq!(petri_wasm_text(data, 3, nothing.as_mut_ptr(), ptr::null_mut()), Status::Rejected as i32);
        petri_bytes_drop(nothing.assume_init());
        petri_bytes_drop(wasm.assume_init());
    }
}
