//! One guest's account while it runs: fuel in slices, deadline, turns, growth; the same for both engines.

use crate::artifact::{CallCosts, Module, PAGE};
use crate::costs::{FUEL_MAX, SLICE};
use crate::guest::{Budget, End, EndCause, EndKind, Stop};
use crate::raw::{Context, Growth, Host, monotonic_ns};

pub struct Account {
    /// The guest's counter after its last call.
    counter: i64,
    budget: i64,
    /// The part of the budget that the guest's counter has not been given yet.
    ungranted: i64,
    deadline_ns: u64,
    pub turn_ns: u64,
    pub call_depth: u32,
    pub context: Context,
    host: Host,
    pub memory_bytes_max: u64,
    pub memory_bytes: u64,
    /// Slots now and at most, of each table.
    tables: Vec<(u64, u64)>,
    pages: u64,
    pages_max: u64,
    /// Why the guest was stopped, if it was.
    pub ending: Option<(EndKind, i32)>,
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
            Foreknown::Bounds(CallCosts { first, .. }) => {
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

    /// Looks at what may end a guest besides its fuel: the host's flag, the deadline, the end of its turn.
    pub fn look(&mut self) -> Result<(), Stop> {
        self.look_after(0)
    }

    /// Looks where it is known how much fuel this call has used, which the host learns at the end of a turn.
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

    /// Charges `fuel` and returns the rest of the counter.
    pub fn charge(&mut self, counter: i64, fuel: u64) -> Result<i64, Stop> {
        let counter = counter.saturating_sub(fuel.min(FUEL_MAX) as i64);
        if counter < 0 { self.refill(counter) } else { Ok(counter) }
    }

    pub fn used(&self, counter: i64) -> u64 {
        (self.budget - self.ungranted).saturating_sub(counter).max(0) as u64
    }

    /// The rest for another guest that works for this one, whose counter and depth these are.
    pub fn rest(&self, counter: i64, call_depth: u32) -> Budget {
        let fuel = counter.saturating_add(self.ungranted).max(0) as u64;
        Budget { fuel, deadline_ns: self.deadline_ns, turn_ns: self.turn_ns, call_depth }
    }

    pub fn stop(&mut self, kind: EndKind, code: i32) -> Stop {
        self.ending.get_or_insert((kind, code));
        Stop
    }

    /// Returns whether a guest that worked for this one has trapped.
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

/// The number of pages that 32 bits can address.
pub const PAGES_MAX: u64 = 65_536;
/// Both engines take tables of this size.
const TABLE_SLOTS_MAX: u64 = 1_000_000;

/// Facts about the cost of a call that are known before it.
#[derive(Debug, Clone, Copy)]
pub enum Foreknown {
    Nothing,
    Bounds(CallCosts),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::Trap;

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
