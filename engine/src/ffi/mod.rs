//! `petri_engine.h`: the C surface. Every function catches panics and checks its pointers; what its caller has to
//! keep to is written there. Each handle has a file of its own; what they share is here.
#![allow(clippy::missing_safety_doc)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::slice;
use std::sync::Once;

use crate::failure::{Failure, Result, Status};
use crate::interpreted;

mod artifact;
mod bare;
mod caller;
mod code;
mod hasher;
mod instance;
mod scan;
mod tables;
mod text;

pub use self::artifact::*;
pub use self::bare::*;
pub use self::caller::*;
pub use self::code::*;
pub use self::hasher::*;
pub use self::instance::*;
pub use self::scan::*;
pub use self::tables::*;
pub use self::text::*;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    data: *const u8,
    size: usize,
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text { data: bytes.as_ptr(), size: bytes.len() }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.as_bytes().into()
    }
}

const MESSAGE_MAX: usize = 1020;

#[repr(C)]
pub struct Error {
    status: i32,
    line: u32,
    column: u32,
    offset: u64,
    message_size: u32,
    message: [u8; MESSAGE_MAX],
}

impl Error {
    fn fill(&mut self, failure: &Failure) {
        self.status = failure.status as i32;
        (self.line, self.column) = failure.line_column.unwrap_or((0, 0));
        self.offset = failure.offset.unwrap_or(u64::MAX);
        let text = &failure.message;
        let size = (0..=text.len().min(MESSAGE_MAX)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.message[..size].copy_from_slice(&text.as_bytes()[..size]);
        self.message_size = size as u32;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Step {
    None = 0,
    Prepare = 1,
    Load = 2,
    Instantiate = 3,
    Call = 4,
    Drop = 5,
    Scan = 6,
}

thread_local! {
    static PANIC_AT: Cell<u32> = const { Cell::new(Step::None as u32) };
}

fn panic_if_asked(step: Step) {
    if step != Step::None && PANIC_AT.get() == step as u32 {
        PANIC_AT.set(Step::None as u32);
        panic!("asked to panic by a test");
    }
}

thread_local! {
    /// How many calls of the crate are under way on this thread whose panics are caught.
    static GUARDED: Cell<u32> = const { Cell::new(0) };
}

/// Counts itself for as long as it lives, through a panic too.
struct Guard;

impl Guard {
    fn new() -> Guard {
        static HOOK: Once = Once::new();
        HOOK.call_once(keep_caught_panics_quiet);
        GUARDED.set(GUARDED.get() + 1);
        Guard
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GUARDED.set(GUARDED.get() - 1);
    }
}

/// A panic that is caught is reported as a failure, with its message. The usual hook would also write to standard error,
/// and name a source file of the machine that built this.
fn keep_caught_panics_quiet() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if GUARDED.get() == 0 {
            usual(panic);
        }
    }));
}

fn caught<T>(action: impl FnOnce() -> T) -> std::thread::Result<T> {
    let _guard = Guard::new();
    catch_unwind(AssertUnwindSafe(action))
}

/// Apart from `caught`, so that a call that does not panic pays nothing for it: a seventh of a short one.
#[cold]
fn after_panic(panic: Box<dyn std::any::Any + Send>) -> Failure {
    let _ = catch_unwind(interpreted::leave_shared_engine);
    Failure::fault(message_of(panic))
}

fn message_of(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("an engine panicked: {}", text.unwrap_or("without a message"))
}

/// Runs an action, turning failure and panic into a status and a filled-in error.
pub(crate) fn guarded(step: Step, error: *mut Error, action: impl FnOnce() -> Result<()>) -> i32 {
    let outcome = caught(|| {
        panic_if_asked(step);
        action()
    });
    let failure = match outcome {
        Ok(Ok(())) => return Status::Ok as i32,
        Ok(Err(failure)) => failure,
        Err(panic) => after_panic(panic),
    };
    // SAFETY: null, or the caller's own error struct.
    if let Some(error) = unsafe { error.as_mut() } {
        error.fill(&failure);
    }
    failure.status as i32
}

/// # Safety
/// `data` is null or names `size` bytes that stay as they are while the slice is used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if data.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts(data, size) }
}

/// # Safety
/// `slots` is null or names `count` slots that nobody else uses meanwhile.
unsafe fn slots_of<'a>(slots: *mut u64, count: usize) -> &'a mut [u64] {
    if slots.is_null() {
        return &mut [];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts_mut(slots, count) }
}

/// # Safety
/// `handle` is null or one this crate gave out and was not given back.
unsafe fn borrow<'a, T>(handle: *const T) -> Result<&'a T> {
    // SAFETY: the caller of this function vouches for it.
    unsafe { handle.as_ref() }.ok_or_else(|| Failure::misuse("a handle is null"))
}

/// # Safety
/// As `borrow`, and nobody else uses the handle meanwhile.
unsafe fn borrow_mut<'a, T>(handle: *mut T) -> Result<&'a mut T> {
    // SAFETY: the caller of this function vouches for it.
    unsafe { handle.as_mut() }.ok_or_else(|| Failure::misuse("a handle or an out parameter is null"))
}

/// # Safety
/// `handle` is null or owned by the caller, who gives it up.
unsafe fn drop_handle<T>(handle: *mut T) {
    if !handle.is_null() {
        let _ = caught(|| {
            // SAFETY: the caller of this function vouches for it.
            let owned = unsafe { Box::from_raw(handle) };
            panic_if_asked(Step::Drop);
            drop(owned);
        });
    }
}

#[repr(C)]
pub struct Bytes {
    data: *mut u8,
    size: usize,
}

impl Bytes {
    /// Replaces the bytes without a look at those before.
    fn give(&mut self, bytes: Vec<u8>) {
        let bytes = bytes.into_boxed_slice();
        self.size = bytes.len();
        self.data = Box::into_raw(bytes).cast();
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bytes_drop(bytes: Bytes) {
    if !bytes.data.is_null() {
        // SAFETY: made by `Bytes::give` from a boxed slice of this size.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes.data, bytes.size)) });
    }
}

fn no_such(what: &str) -> Failure {
    Failure::misuse(format!("there is no {what} with this index"))
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_panic_at(step: u32) {
    PANIC_AT.set(step);
}
