//! How a guest is called and how that ends, and what can be reached of it from outside; the same for both engines.

use std::fmt;

use crate::account::Account;
use crate::artifact::Kind;
use crate::code::Instance;
use crate::costs::FUEL_MAX;
use crate::failure;
use crate::raw::HostFunction;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum EndKind {
    Returned = 0,
    Trapped = 1,
    OutOfFuel = 2,
    Deadline = 3,
    MemoryLimit = 4,
    StackOverflow = 5,
    Exited = 6,
    Cancelled = 7,
    Refused = 8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Trap {
    Unreachable = 0,
    IntegerDivideByZero = 1,
    IntegerOverflow = 2,
    BadConversionToInteger = 3,
    MemoryOutOfBounds = 4,
    TableOutOfBounds = 5,
    IndirectCallToNull = 6,
    BadSignature = 7,
}

/// How a call ended, as `petri_engine.h` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct End {
    pub kind: EndKind,
    pub code: i32,
    pub fuel_used: u64,
    pub memory_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Budget {
    pub fuel: u64,
    pub deadline_ns: u64,
    pub turn_ns: u64,
    pub call_depth: u32,
}

/// Unwinds a guest out of its engine; the account knows why.
#[derive(Debug)]
pub struct Stop;

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the host stopped the guest")
    }
}
impl std::error::Error for Stop {}
impl wasmi::errors::HostError for Stop {}

pub enum EndCause {
    Trap(Trap),
    StackOverflow,
    Stopped,
}

/// Access of a host function to the guest that called it.
pub trait Access {
    fn account(&mut self) -> &mut Account;
    fn counter(&mut self) -> i64;
    fn set_counter(&mut self, counter: i64);
    fn memory(&mut self) -> (*mut u8, usize);
    /// Calls the guest's own allocator; 0 if it exports none. `Err`: why it ended in it, or that the engine failed.
    fn call_allocator(&mut self, bytes: u32) -> failure::Result<Result<u32, EndCause>>;
    /// The depth that is left; `None` if nothing this guest does has a depth.
    fn depth_left(&mut self) -> Option<u32>;

    fn charge(&mut self, fuel: u64) -> Result<(), Stop> {
        let counter = self.counter();
        let counter = self.account().charge(counter, fuel)?;
        self.set_counter(counter);
        Ok(())
    }
}

/// Asks the guest's own allocator for so many bytes. `Stop`: the guest ended in it, and its account knows why.
pub fn allocate(access: &mut dyn Access, bytes: u32) -> failure::Result<Result<u32, Stop>> {
    Ok(match access.call_allocator(bytes)? {
        Ok(address) => Ok(address),
        Err(EndCause::Trap(trap)) => Err(access.account().stop(EndKind::Trapped, trap as i32)),
        Err(EndCause::StackOverflow) => Err(access.account().stop(EndKind::StackOverflow, 0)),
        Err(EndCause::Stopped) => Err(Stop),
    })
}

/// How deep a guest that works for this one may go.
pub fn depth_left(access: &mut dyn Access) -> u32 {
    access.depth_left().unwrap_or(access.account().call_depth)
}

/// Calls another guest's export on what the caller has left: its fuel, its time, its depth. However that ends, the caller
/// has paid for it, and what is no return is the caller's end too.
pub fn call_linked(
    access: &mut dyn Access,
    callee: &mut Instance,
    export: u32,
    slots: &mut [u64],
) -> failure::Result<End> {
    let (counter, depth) = (access.counter(), depth_left(access));
    let account = access.account();
    let (budget, context) = (account.rest(counter, depth), account.context);
    let mut end = callee.call(export, &budget, context, slots)?;
    access.account().turn_ns = callee.account().turn_ns;
    let paid = access.charge(end.fuel_used);
    if paid.is_err() {
        access.set_counter(counter.saturating_sub(end.fuel_used.min(FUEL_MAX) as i64)); // time has ended it, and it has paid
    }
    if end.kind != EndKind::Returned {
        access.account().stop(end.kind, end.code);
    } else if paid.is_err() {
        (end.kind, end.code) = access.account().ending.unwrap_or((EndKind::Cancelled, 0));
    }
    Ok(end)
}

/// Charges a host function's declared fuel and calls it.
pub fn call_host(
    access: &mut dyn Access,
    function: &HostFunction,
    args: &[u64],
    results: &mut [u64],
) -> Result<(), Stop> {
    access.charge(u64::from(function.fuel))?;
    if function.call(access, args, results) {
        return Ok(());
    }
    Err(access.account().stop(EndKind::Refused, 0))
}

/// A number as guests get it from the host: every NaN is the same one.
pub fn canonical(kind: Kind, slot: u64) -> u64 {
    match kind {
        Kind::F32 => u64::from(canonical_f32(f32::from_bits(slot as u32)).to_bits()),
        Kind::F64 => canonical_f64(f64::from_bits(slot)).to_bits(),
        _ => slot,
    }
}

pub fn canonical_f64(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { value }
}

fn canonical_f32(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value }
}
