// A guest of petri: its functions are called by name, and its state moves to the next version. petri finds the state by a table
// that is exported as petri_state.
use core::sync::atomic::{AtomicI32, Ordering};

static COUNT: AtomicI32 = AtomicI32::new(0);

#[repr(C)]
pub struct Field {
    name: *const u8,
    name_length: u32,
    kind: u32,
    address: *const AtomicI32,
    values: u32,
    stride: u32,
}

#[repr(C)]
pub struct State {
    magic: u32,
    version: u32,
    field_count: u32,
    field_bytes: u32,
    fields: [Field; 1],
}

// SAFETY: the pointers are those of statics, and nothing writes through them.
unsafe impl Sync for State {}

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static petri_state: State = State {
    magic: 0x4154_5350,
    version: 1,
    field_count: 1,
    field_bytes: 24,
    // kind 5 is i32
    fields: [Field { name: "count".as_ptr(), name_length: 5, kind: 5, address: &COUNT, values: 1, stride: 4 }],
};

#[no_mangle]
pub extern "C" fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[no_mangle]
pub extern "C" fn next() -> i32 {
    let count = COUNT.load(Ordering::Relaxed) + 1;
    COUNT.store(count, Ordering::Relaxed);
    count
}
