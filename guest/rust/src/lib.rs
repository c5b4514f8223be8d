//! A guest written in Rust talks to its host with these, the functions of `guest/c/petri.h`. ABI 1.
//!
//! It needs no std, and serves both `wasm32-unknown-unknown` and `wasm32-wasip1`. A function needs its permission (in
//! brackets) when the guest is linked.
#![no_std]

extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;

/// The host's functions as they are; results below zero are `Error`s.
pub mod raw {
    #[link(wasm_import_module = "petri")]
    extern "C" {
        pub fn input_size() -> i32;
        pub fn input_read(destination: *mut u8, offset: usize, length: usize) -> i32;
        pub fn output_write(source: *const u8, length: usize) -> i32;
        pub fn log(level: i32, text: *const u8, length: usize) -> i32;
        pub fn clock_ms() -> i64;
        pub fn random() -> i64;
        pub fn exit(code: i32) -> !;
        pub fn message_kind() -> i32;
        pub fn message_tag() -> i64;
        pub fn sender(destination: *mut u8, capacity: usize) -> i32;
        #[link_name = "self"]
        pub fn self_name(destination: *mut u8, capacity: usize) -> i32;
        pub fn send(to: *const u8, to_length: usize, source: *const u8, length: usize) -> i32;
        pub fn call(
            to: *const u8,
            to_length: usize,
            source: *const u8,
            length: usize,
            timeout_ms: u32,
        ) -> i32;
        pub fn reply_read(destination: *mut u8, offset: usize, length: usize) -> i32;
        pub fn spawn(spec: *const u8, length: usize) -> i32;
        pub fn stop(name: *const u8, length: usize) -> i32;
        pub fn timer(milliseconds: u32, tag: i64) -> i32;
    }
}

/// Mathematics, the same to the bit everywhere.
pub mod math {
    #[link(wasm_import_module = "math")]
    extern "C" {
        pub fn sin(x: f64) -> f64;
        pub fn cos(x: f64) -> f64;
        pub fn tan(x: f64) -> f64;
        pub fn asin(x: f64) -> f64;
        pub fn acos(x: f64) -> f64;
        pub fn atan(x: f64) -> f64;
        pub fn atan2(y: f64, x: f64) -> f64;
        pub fn sinh(x: f64) -> f64;
        pub fn cosh(x: f64) -> f64;
        pub fn tanh(x: f64) -> f64;
        pub fn asinh(x: f64) -> f64;
        pub fn acosh(x: f64) -> f64;
        pub fn atanh(x: f64) -> f64;
        pub fn exp(x: f64) -> f64;
        pub fn exp2(x: f64) -> f64;
        pub fn expm1(x: f64) -> f64;
        pub fn log(x: f64) -> f64;
        pub fn log2(x: f64) -> f64;
        pub fn log10(x: f64) -> f64;
        pub fn log1p(x: f64) -> f64;
        pub fn pow(x: f64, y: f64) -> f64;
        pub fn fmod(x: f64, y: f64) -> f64;
        pub fn cbrt(x: f64) -> f64;
        pub fn hypot(x: f64, y: f64) -> f64;
        pub fn erf(x: f64) -> f64;
        pub fn tgamma(x: f64) -> f64;
        pub fn lgamma(x: f64) -> f64;
    }
}

/// The number of a refusal. The numbers are frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error(pub i32);

impl Error {
    pub const INVALID: Error = Error(-1);
    pub const OUT_OF_BOUNDS: Error = Error(-2);
    pub const PERMISSION_DENIED: Error = Error(-3);
    pub const NOT_FOUND: Error = Error(-4);
    pub const ALREADY_EXISTS: Error = Error(-5);
    pub const TOO_LARGE: Error = Error(-6);
    pub const LIMIT_EXCEEDED: Error = Error(-7);
    pub const QUEUE_FULL: Error = Error(-8);
    pub const DEADLOCK: Error = Error(-9);
    pub const TIMEOUT: Error = Error(-10);
    pub const NOT_NOW: Error = Error(-11);
    pub const CANCELLED: Error = Error(-12);
    pub const HOST_FUNCTION_THREW: Error = Error(-13);
    pub const TOO_DEEP: Error = Error(-14);
    pub const BUSY: Error = Error(-15);
}

pub type Result<T> = core::result::Result<T, Error>;

/// A result of the host's: a number from 0 on, or an error.
pub fn check(result: i32) -> Result<usize> {
    if result < 0 {
        Err(Error(result))
    } else {
        Ok(result as usize)
    }
}

/// All bytes that the guest was called with.
pub fn input() -> Vec<u8> {
    filled(unsafe { raw::input_size() } as usize, |bytes| unsafe {
        raw::input_read(bytes.as_mut_ptr(), 0, bytes.len())
    })
}

/// Appends to the answer; how many bytes were kept: fewer once the answer is full.
pub fn output(bytes: &[u8]) -> Result<usize> {
    check(unsafe { raw::output_write(bytes.as_ptr(), bytes.len()) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Level {
    Trace = 0,
    Debug = 1,
    Info = 2,
    Warning = 3,
    Error = 4,
}

/// A line of the log [log]; how many bytes were kept.
pub fn log(level: Level, text: &str) -> Result<usize> {
    check(unsafe { raw::log(level as i32, text.as_ptr(), text.len()) })
}

/// Whole milliseconds since 1970 [clock]; in deterministic runs since the run started, at a million of fuel each.
pub fn clock_ms() -> i64 {
    unsafe { raw::clock_ms() }
}

/// 64 random bits that depend on the seed alone [random].
pub fn random() -> u64 {
    unsafe { raw::random() as u64 }
}

/// Ends the guest with a code.
pub fn exit(code: i32) -> ! {
    unsafe { raw::exit(code) }
}

/// The kind of message that `petri_handle` got; its bytes are the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    None,
    Call,
    Send,
    Timer,
    ChildExit,
}

pub fn message_kind() -> Message {
    match unsafe { raw::message_kind() } {
        1 => Message::Call,
        2 => Message::Send,
        3 => Message::Timer,
        4 => Message::ChildExit,
        _ => Message::None,
    }
}

/// The tag of a timer; the exit code of a child, or, when it did not exit, its reason << 32.
pub fn message_tag() -> i64 {
    unsafe { raw::message_tag() }
}

/// The sender's name; empty when the message comes from outside.
pub fn sender() -> String {
    name_from(|destination, capacity| unsafe { raw::sender(destination, capacity) })
}

/// The own name.
pub fn self_name() -> String {
    name_from(|destination, capacity| unsafe { raw::self_name(destination, capacity) })
}

/// Puts a message into the mailbox of a process of the same sandbox [messages].
pub fn send(to: &str, message: &[u8]) -> Result<()> {
    check(unsafe { raw::send(to.as_ptr(), to.len(), message.as_ptr(), message.len()) }).map(|_| ())
}

/// Calls a process of the same sandbox and waits for its reply [messages]; 0 ms: no time-out of its own.
pub fn call(to: &str, message: &[u8], timeout_ms: u32) -> Result<Vec<u8>> {
    let length = check(unsafe {
        raw::call(
            to.as_ptr(),
            to.len(),
            message.as_ptr(),
            message.len(),
            timeout_ms,
        )
    })?;
    Ok(filled(length, |bytes| unsafe {
        raw::reply_read(bytes.as_mut_ptr(), 0, bytes.len())
    }))
}

/// Starts a child from a JSON text [spawn]: `{"id": "a", "module": "m"}`.
pub fn spawn(spec: &str) -> Result<()> {
    check(unsafe { raw::spawn(spec.as_ptr(), spec.len()) }).map(|_| ())
}

/// Stops a child that was spawned [spawn].
pub fn stop(name: &str) -> Result<()> {
    check(unsafe { raw::stop(name.as_ptr(), name.len()) }).map(|_| ())
}

/// A message to oneself with this tag, not before so many milliseconds [timers].
pub fn timer(milliseconds: u32, tag: i64) -> Result<()> {
    check(unsafe { raw::timer(milliseconds, tag) }).map(|_| ())
}

fn filled(length: usize, fill: impl FnOnce(&mut [u8]) -> i32) -> Vec<u8> {
    let mut bytes = alloc::vec![0; length];
    let kept = fill(&mut bytes).max(0) as usize;
    bytes.truncate(kept);
    bytes
}

fn name_from(ask: impl Fn(*mut u8, usize) -> i32) -> String {
    let mut name = [0u8; 1024]; // no name is longer
    let length = ask(name.as_mut_ptr(), name.len()).clamp(0, 1024) as usize;
    String::from_utf8_lossy(&name[..length]).into_owned()
}

/// Where a host function that returns bytes writes their place: pass `place.receive()` as its last argument, then take
/// them with `Bytes::take`.
///
/// ```ignore
/// #[link(wasm_import_module = "text")]
/// extern "C" { fn shout(text: *const u8, length: usize, place: *mut petri::Bytes) -> i32; }
///
/// fn shouted(text: &str) -> petri::Result<Vec<u8>> {
///     petri::Bytes::of(|place| unsafe { shout(text.as_ptr(), text.len(), place) })
/// }
/// ```
#[repr(C)]
pub struct Bytes {
    address: *mut u8,
    length: usize,
}

impl Bytes {
    /// The bytes that the host has returned, in memory of `petri_alloc`.
    pub fn of(ask: impl FnOnce(*mut Bytes) -> i32) -> Result<Vec<u8>> {
        let mut place = Bytes {
            address: core::ptr::null_mut(),
            length: 0,
        };
        check(ask(&mut place))?;
        if place.length == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: the host has just filled what `petri_alloc` returned for it, which is a vector of this capacity.
        Ok(unsafe { Vec::from_raw_parts(place.address, place.length, place.length) })
    }
}

/// The memory that host functions return bytes in; 0 when there is none left.
#[no_mangle]
pub extern "C" fn petri_alloc(bytes: usize) -> *mut u8 {
    let mut memory: Vec<u8> = Vec::new();
    if bytes == 0 || memory.try_reserve_exact(bytes).is_err() {
        return core::ptr::null_mut();
    }
    ManuallyDrop::new(memory).as_mut_ptr()
}
