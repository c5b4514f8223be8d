//! One guest's account while it runs: fuel in slices, deadline, turns, growth; the same for both engines.

use std::fmt;

use crate::artifact::{DoorCosts, Module, PAGE};
use crate::code::Instance;
use crate::costs::{FUEL_MAX, SLICE};
use crate::raw::{Context, Growth, Host, HostFunction, monotonic_ns};
use crate::{bounds, failure};

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

pub struct Account {
    /// The guest's counter after its last call.
    counter: i64,
    budget: i64,
    /// What of the budget has not been given to the guest's counter yet.
    ungranted: i64,
    deadline_ns: u64,
    turn_ns: u64,
    call_depth: u32,
    pub context: Context,
    host: Host,
    pub memory_bytes_max: u64,
    pub memory_bytes: u64,
    /// Slots now and at most, of each table.
    tables: Vec<(u64, u64)>,
    pages: u64,
    pages_max: u64,
    ending: Option<(EndKind, i32)>,
    /// Somebody waits for the instance to be made.
    is_watched: bool,
}

impl Account {
    pub fn new(module: &Module, host: Host, memory_bytes_max: u64) -> Account {
        Account {
            counter: 0,
            budget: 0,
            ungranted: 0,
            deadline_ns: u64::MAX,
            turn_ns: u64::MAX,
            call_depth: 0,
            context: Context::none(),
            host,
            memory_bytes_max,
            memory_bytes: module.bytes_at_start(),
            tables: module.tables.iter().map(|table| (table.min, table.max)).collect(),
            pages: module.memory.map_or(0, |memory| memory.min),
            pages_max: module.memory.map_or(0, |memory| memory.max.unwrap_or(PAGES_MAX).min(PAGES_MAX)),
            ending: None,
            is_watched: false,
        }
    }

    /// Opens a budget. What an earlier call left in the counter is the first slice, if it is one; else the answer is
    /// what to set the counter to.
    pub fn begin(&mut self, budget: &Budget, context: Context) -> Option<i64> {
        self.budget = budget.fuel.min(FUEL_MAX) as i64;
        let most = self.budget.min(SLICE);
        let kept = (0..=most).contains(&self.counter).then_some(self.counter);
        self.ungranted = self.budget - kept.unwrap_or(most);
        self.deadline_ns = budget.deadline_ns;
        self.turn_ns = budget.turn_ns;
        self.call_depth = budget.call_depth;
        self.context = context;
        self.ending = None;
        if kept.is_some() { None } else { Some(most) }
    }

    /// Opens a budget for one call, and charges or looks as far as its cost is known before.
    pub fn open(&mut self, budget: &Budget, context: Context, foreknown: Foreknown) -> Opening {
        let slice = self.begin(budget, context);
        let counter = slice.unwrap_or(self.counter);
        let (first, opened) = match foreknown {
            Foreknown::Nothing => return Opening::Counts(slice),
            Foreknown::Cost(cost) => (cost, self.charge(counter, cost).map(Opening::Paid)),
            Foreknown::Bounds(costs) if counter >= costs.most as i64 => return Opening::Counts(slice),
            Foreknown::Bounds(DoorCosts { first, .. }) => {
                let refilled = self.refill(counter - first as i64);
                (first, refilled.map(|counter| Opening::Counts(Some(counter + first as i64))))
            }
        };
        opened.unwrap_or_else(|Stop| Opening::Stopped(self.end(Err(EndCause::Stopped), counter - first as i64)))
    }

    /// The guest's counter has fallen below zero: look at what may end it, then grant the next slice.
    pub fn refill(&mut self, counter: i64) -> Result<i64, Stop> {
        // First, so that a budget that is spent ends the same way however the clock stands.
        if counter + self.ungranted < 0 {
            return Err(self.stop(EndKind::OutOfFuel, 0));
        }
        self.look_after(self.used(counter))?;
        let grant = self.ungranted.min(SLICE.saturating_sub(counter));
        self.ungranted -= grant;
        Ok(counter + grant)
    }

    /// On whose time an instance is made: these are looked at while the host makes its memory. Without them nothing is.
    pub fn watch(&mut self, budget: &Budget, context: Context) {
        (self.deadline_ns, self.turn_ns, self.context) = (budget.deadline_ns, budget.turn_ns, context);
        self.is_watched = true;
    }

    /// As `look`, where no guest runs yet.
    pub fn look_while_made(&mut self) -> Result<(), Stop> {
        if self.is_watched { self.look() } else { Ok(()) }
    }

    /// What may end a guest besides its fuel: the host's flag, the deadline, the end of its turn.
    pub fn look(&mut self) -> Result<(), Stop> {
        self.look_after(0)
    }

    /// The same where it is known how much fuel this call has used, which the host learns at the end of a turn.
    fn look_after(&mut self, used: u64) -> Result<(), Stop> {
        if self.host.interrupted() {
            return Err(self.stop(EndKind::Cancelled, 0));
        }
        let now = monotonic_ns();
        if now >= self.deadline_ns {
            return Err(self.stop(EndKind::Deadline, 0));
        }
        if now >= self.turn_ns {
            match self.host.next_turn(self.context, used) {
                0 => return Err(self.stop(EndKind::Cancelled, 0)),
                next => self.turn_ns = next,
            }
        }
        Ok(())
    }

    /// What is left of the counter after `fuel` more.
    pub fn charge(&mut self, counter: i64, fuel: u64) -> Result<i64, Stop> {
        let counter = counter.saturating_sub(fuel.min(FUEL_MAX) as i64);
        if counter < 0 { self.refill(counter) } else { Ok(counter) }
    }

    pub fn used(&self, counter: i64) -> u64 {
        (self.budget - self.ungranted).saturating_sub(counter).max(0) as u64
    }

    /// What is left for another guest that works for this one, whose counter and depth these are.
    fn rest(&self, counter: i64, call_depth: u32) -> Budget {
        let fuel = counter.saturating_add(self.ungranted).max(0) as u64;
        Budget { fuel, deadline_ns: self.deadline_ns, turn_ns: self.turn_ns, call_depth }
    }

    pub fn stop(&mut self, kind: EndKind, code: i32) -> Stop {
        self.ending.get_or_insert((kind, code));
        Stop
    }

    /// Whether a guest that worked for this one has trapped.
    pub fn trapped_elsewhere(&self) -> bool {
        matches!(self.ending, Some((EndKind::Trapped, _)))
    }

    /// The verdict over a call that left the counter here: whoever used more than the budget is out of fuel, however it ended.
    pub fn end(&mut self, outcome: Result<(), EndCause>, counter: i64) -> End {
        self.counter = counter;
        let (kind, code) = match outcome {
            Ok(()) => (EndKind::Returned, 0),
            Err(EndCause::Trap(trap)) => (EndKind::Trapped, trap as i32),
            Err(EndCause::StackOverflow) => (EndKind::StackOverflow, 0),
            Err(EndCause::Stopped) => self.ending.take().unwrap_or((EndKind::Cancelled, 0)),
        };
        let used = self.used(counter);
        let overdrawn = used > self.budget as u64 || kind == EndKind::OutOfFuel;
        let timed = matches!(kind, EndKind::Deadline | EndKind::Cancelled);
        if overdrawn && !timed {
            return End {
                kind: EndKind::OutOfFuel,
                code: 0,
                fuel_used: self.budget as u64,
                memory_bytes: self.memory_bytes,
            };
        }
        End { kind, code, fuel_used: used.min(self.budget as u64), memory_bytes: self.memory_bytes }
    }

    /// The number of pages before, when the memory may grow by this many.
    pub fn grow_memory(&mut self, by: u64) -> Result<Option<u64>, Stop> {
        let before = self.pages;
        if before + by > self.pages_max || !self.grow_bytes(by * PAGE)? {
            return Ok(None);
        }
        self.pages += by;
        Ok(Some(before))
    }

    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Counts pages that were added at the host's wish, not the guest's.
    pub fn add_pages(&mut self, by: u64) {
        self.pages += by;
        self.memory_bytes += by * PAGE;
    }

    /// The number of slots before, when the table may grow by this many.
    pub fn grow_table(&mut self, table: usize, by: u64) -> Result<Option<u64>, Stop> {
        let Some((before, max)) = self.tables.get(table).copied() else { return Ok(None) };
        if before + by > max.min(TABLE_SLOTS_MAX) || !self.grow_bytes(8 * by)? {
            return Ok(None);
        }
        self.tables[table].0 += by;
        Ok(Some(before))
    }

    fn grow_bytes(&mut self, by: u64) -> Result<bool, Stop> {
        let want = self.memory_bytes + by;
        if want > self.memory_bytes_max {
            return Ok(false);
        }
        if by > 0 {
            match self.host.growth(self.context, self.memory_bytes, want) {
                Growth::Refused => return Ok(false),
                Growth::Allowed => {}
                Growth::Ends => return Err(self.stop(EndKind::MemoryLimit, 0)),
            }
        }
        self.memory_bytes = want;
        Ok(true)
    }
}

/// What 32 bits can address.
pub const PAGES_MAX: u64 = 65_536;
/// Both engines take tables of this size.
const TABLE_SLOTS_MAX: u64 = 1_000_000;

/// Bytes of memory that are filled or copied between two looks at the clock; touching them first takes a millisecond.
pub const PIECE: usize = 1 << 20;

/// Slots of a table that are copied between two looks at the clock; Wasmtime takes half a millisecond for them.
pub const SLOTS: usize = 32_768;

/// What the host does for a guest when it is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    FillMemory,
    CopyMemory,
    CopyTable { to: u32, from: u32 },
}

impl Act {
    /// As the guest hands it over.
    pub fn code(self) -> u32 {
        match self {
            Act::FillMemory => 0,
            Act::CopyMemory => 1,
            Act::CopyTable { to, from } => 2 + to * TABLES + from,
        }
    }

    pub fn of(code: i32) -> Act {
        match code as u32 {
            0 => Act::FillMemory,
            1 => Act::CopyMemory,
            tables => Act::CopyTable { to: (tables - 2) / TABLES, from: (tables - 2) % TABLES },
        }
    }
}

const TABLES: u32 = bounds::tables.max as u32;

/// A `memory.fill`, `memory.copy` or `table.copy` longer than that.
pub struct Fill {
    to: usize,
    /// The byte, or where the bytes come from.
    with: usize,
    left: usize,
    copies: bool,
}

impl Fill {
    /// None when it leaves the memory: the engine is to trap.
    pub fn new(numbers: [i32; 3], act: Act, memory_bytes: usize) -> Option<Fill> {
        let from_bytes = if act == Act::CopyMemory { memory_bytes } else { usize::MAX };
        Fill::within(numbers, memory_bytes, from_bytes).map(|fill| Fill { copies: act == Act::CopyMemory, ..fill })
    }

    /// A copy between two tables of these sizes, or inside of one.
    pub fn within([to, with, length]: [i32; 3], to_size: usize, from_size: usize) -> Option<Fill> {
        let [to, with, left] = [to, with, length].map(|number| number as u32 as usize);
        let fits = to + left <= to_size && with + left <= from_size;
        fits.then_some(Fill { to, with, left, copies: true })
    }

    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// To, from and the length of what is copied next. It starts from the end when that is needed, so that nothing is
    /// written before it is read.
    pub fn next_copy(&mut self, at_once: usize) -> (usize, usize, usize) {
        let length = self.left.min(at_once);
        self.left -= length;
        if self.to > self.with {
            return (self.to + self.left, self.with + self.left, length);
        }
        let next = (self.to, self.with, length);
        (self.to, self.with) = (self.to + length, self.with + length);
        next
    }

    /// Does the next piece; false when that was the last.
    pub fn piece(&mut self, memory: &mut [u8]) -> bool {
        if self.copies {
            let (to, from, length) = self.next_copy(PIECE);
            memory.copy_within(from..from + length, to);
        } else {
            let length = self.left.min(PIECE);
            self.left -= length;
            memory[self.to..self.to + length].fill(self.with as u8);
            self.to += length;
        }
        !self.is_done()
    }
}

/// What is known of the cost of a call before it.
#[derive(Debug, Clone, Copy)]
pub enum Foreknown {
    Nothing,
    Bounds(DoorCosts),
    Cost(u64),
}

/// How a call starts.
pub enum Opening {
    /// The guest counts: its counter stays as it is, or is to be set to this.
    Counts(Option<i64>),
    /// It was charged up front, which left the counter at this.
    Paid(i64),
    /// It was stopped there.
    Stopped(End),
}

pub enum EndCause {
    Trap(Trap),
    StackOverflow,
    Stopped,
}

/// What a host function can reach of the guest that called it.
pub trait Access {
    fn account(&mut self) -> &mut Account;
    fn counter(&mut self) -> i64;
    fn set_counter(&mut self, counter: i64);
    fn memory(&mut self) -> (*mut u8, usize);
    /// What is left of it; none: nothing this guest does has a depth.
    fn depth_left(&mut self) -> Option<u32>;

    fn charge(&mut self, fuel: u64) -> Result<(), Stop> {
        let counter = self.counter();
        let counter = self.account().charge(counter, fuel)?;
        self.set_counter(counter);
        Ok(())
    }
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

pub fn canonical_f64(value: f64) -> f64 {
    if value.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { value }
}

pub fn canonical_f32(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account() -> Account {
        Account::new(&Module::default(), Host::none(), 0)
    }

    fn budget(fuel: u64) -> Budget {
        Budget { fuel, deadline_ns: u64::MAX, turn_ns: u64::MAX, call_depth: 16 }
    }

    #[test]
    fn slices_add_up_to_the_budget_and_no_further() {
        let mut account = account();
        account.counter = -1;
        let mut counter = account.begin(&budget(100_000), Context::none()).unwrap();
        assert_eq!(counter, SLICE);
        let mut spent = 0;
        while let Ok(next) = account.refill(counter - 30_000) {
            spent += 30_000;
            counter = next;
        }
        assert_eq!(spent, 90_000);
    }

    #[test]
    fn a_charge_larger_than_a_slice_is_paid_in_one_go() {
        let mut account = account();
        assert_eq!(account.begin(&budget(1_000_000), Context::none()), None);
        let left = account.charge(0, 900_000).unwrap();
        assert_eq!(account.used(left), 900_000);
        assert!(account.charge(left, 100_001).is_err());
    }

    #[test]
    fn whoever_used_more_than_the_budget_is_out_of_fuel_with_the_whole_budget_used() {
        let mut account = account();
        account.begin(&budget(10), Context::none());
        let end = account.end(Err(EndCause::Trap(Trap::Unreachable)), -11);
        assert_eq!((end.kind, end.fuel_used), (EndKind::OutOfFuel, 10));
    }

    #[test]
    fn a_counter_that_is_no_slice_of_the_next_budget_is_set_anew() {
        let mut account = account();
        account.begin(&budget(100), Context::none());
        account.end(Ok(()), 60);
        assert_eq!(account.begin(&budget(60), Context::none()), None);
        assert_eq!(account.used(59), 1);
        assert_eq!(account.begin(&budget(59), Context::none()), Some(59));
        assert_eq!(account.used(58), 1);
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_guest_at_the_next_slice() {
        let mut account = account();
        account.begin(&Budget { deadline_ns: 1, ..budget(1_000_000) }, Context::none());
        assert!(account.refill(-1).is_err());
        assert_eq!(account.end(Err(EndCause::Stopped), -1).kind, EndKind::Deadline);
    }
}
