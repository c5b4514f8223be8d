//! Services that the code of a rewritten module asks of the host, the same for both engines.

use crate::account::Account;
use crate::artifact::Module;
use crate::guest::{Access, EndKind};
use crate::live::{Engine, Error, Reach, Table};
use crate::long_acts::{Act, Fill, SLOTS};

/// A function that the meter imports behind the guest's own imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Gives the next slice of fuel.
    Refill,
    /// Ends a guest whose calls are too deep.
    Overflow,
    /// Grows memory and tables.
    Grow,
    /// Fills and copies what is long.
    Fill,
}

impl Service {
    /// The services that a module's code asks for, in the order of its imports.
    pub fn of(module: &Module) -> impl Iterator<Item = Service> {
        let asked = [
            (module.looks(), Service::Refill),
            (module.weighs, Service::Overflow),
            (module.grows, Service::Grow),
            (module.fills, Service::Fill),
        ];
        asked.into_iter().filter(|(asked, _)| *asked).map(|(_, service)| service)
    }
}

pub fn refill<R: Reach>(guest: &mut R, counter: i64) -> Result<i64, Error<R>> {
    Ok(guest.account().refill(counter)?)
}

pub fn overflow<R: Reach>(guest: &mut R) -> Result<(), Error<R>> {
    Err(guest.account().stop(EndKind::StackOverflow, 0).into())
}

/// Grows a table, or the memory if it is none; as the operators, the answer is the size before or -1.
pub fn grow<R: Reach>(guest: &mut R, table: i32, by: i32) -> Result<i32, Error<R>> {
    let by = u64::from(by as u32);
    if let Ok(table) = usize::try_from(table) {
        let Some(before) = guest.account().grow_table(table, by)? else { return Ok(-1) };
        let Some(table) = guest.state().tables.get(table).copied() else { return Ok(-1) };
        grow_table_in_pieces(guest, table, by)?;
        return Ok(before as i32);
    }
    let Some(before) = guest.account().grow_memory(by)? else { return Ok(-1) };
    let Some(memory) = guest.state().memory else { return Ok(-1) };
    let grown = guest.grow_memory(memory, by, Account::look)?;
    Ok(if grown { before as i32 } else { -1 })
}

fn grow_table_in_pieces<R: Reach>(guest: &mut R, table: Table<R>, by: u64) -> Result<(), Error<R>> {
    let mut left = by;
    while left > 0 {
        let slots = left.min(R::Engine::SLOTS_AT_ONCE);
        guest.grow_table(table, slots)?;
        left -= slots;
        if left > 0 {
            guest.account().look()?;
        }
    }
    Ok(())
}

/// Does a long act whole. Otherwise it leaves the memory or the table, and the answer is its length: the engine is to trap.
pub fn fill<R: Reach>(guest: &mut R, numbers: [i32; 3], act: i32) -> Result<i32, Error<R>> {
    let act = Act::of(act);
    if let Act::CopyTable { to, from } = act {
        return copy_table(guest, [to, from], numbers);
    }
    let Some(memory) = guest.state().memory else { return Ok(numbers[2]) };
    let size = guest.bytes(memory).0.len();
    let Some(mut fill) = Fill::new(numbers, act, size) else { return Ok(numbers[2]) };
    while fill.piece(guest.bytes(memory).0) {
        guest.account().look()?;
    }
    Ok(0)
}

fn copy_table<R: Reach>(guest: &mut R, tables: [u32; 2], numbers: [i32; 3]) -> Result<i32, Error<R>> {
    let [Some(to), Some(from)] = tables.map(|table| guest.state().tables.get(table as usize).copied()) else {
        return Ok(numbers[2]);
    };
    let sizes = [to, from].map(|table| guest.table_slots(table));
    let Some(mut copy) = Fill::within(numbers, sizes[0], sizes[1]) else { return Ok(numbers[2]) };
    while !copy.is_done() {
        let (at, source, slots) = copy.next_copy(SLOTS);
        guest.copy_table([to, from], at, source, slots)?;
        guest.account().look()?;
    }
    Ok(0)
}

/// Charges a function of `math`, which needs no callback.
pub fn charge<R: Reach>(guest: &mut R, fuel: u64) -> Result<(), Error<R>> {
    Ok(guest.charge(fuel)?)
}
