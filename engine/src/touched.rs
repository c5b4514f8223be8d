//! Pages of a memory that were ever touched. The others are zero, and reading one to see that takes a page fault, so
//! the kernel is asked.

use std::fs::File;
use std::hint;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use crate::raw::machine_page;

pub const PAGE: usize = 4096;
pub static ZEROS: [u8; PAGE] = [0; PAGE];

/// Less is read in the time it takes to ask.
const ASKED_FROM: usize = 32 * PAGE;
/// Bytes of the kernel's answer for each page; their highest two bits say that it is in memory or swapped out.
const ENTRY: usize = 8;
const IN_MEMORY_OR_SWAPPED: u8 = 0xc0;
const ENTRIES_AT_ONCE: usize = 512;

/// Sets one flag for each page of a memory that the kernel gave out as zeros, from `start` on: 0 only where nobody has
/// touched it.
pub fn fill(start: *const u8, flags: &mut [u8]) {
    flags.fill(1);
    if flags.len() * PAGE >= ASKED_FROM && (start as usize).is_multiple_of(PAGE) && kernel_answers() {
        // Pages without an answer may be touched.
        let _ = ask(start as usize / PAGE, flags);
    }
}

/// Its pages are of the size that is counted in here, and it knows of one that was touched.
fn kernel_answers() -> bool {
    static ANSWERS: OnceLock<bool> = OnceLock::new();
    *ANSWERS.get_or_init(|| {
        if cfg!(miri) {
            return false; // the kernel does not know Miri's addresses
        }
        let touched = [1u8; PAGE];
        let mut flags = [0];
        let asked = ask(hint::black_box(&touched).as_ptr() as usize / PAGE, &mut flags);
        machine_page() == PAGE && asked.is_ok() && flags == [1]
    })
}

fn ask(first: usize, flags: &mut [u8]) -> std::io::Result<()> {
    // Opened each time: after a fork an open one would still show the parent.
    let file = File::open("/proc/self/pagemap")?;
    for (index, flags) in flags.chunks_mut(ENTRIES_AT_ONCE).enumerate() {
        let mut entries = [0u8; ENTRIES_AT_ONCE * ENTRY];
        let entries = &mut entries[..flags.len() * ENTRY];
        file.read_exact_at(entries, ((first + index * ENTRIES_AT_ONCE) * ENTRY) as u64)?;
        for (flag, entry) in flags.iter_mut().zip(entries.chunks_exact(ENTRY)) {
            *flag = u8::from(entry[ENTRY - 1] & IN_MEMORY_OR_SWAPPED != 0);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_touched_once_somebody_wrote_or_read_it() {
        const PAGES: usize = 1_100; // more than are asked for at once
        let memory = vec![0u8; PAGES * PAGE]; // large: from the kernel as it is
        let mut flags = vec![0u8; PAGES];
        for touched in [0, 511, 512, PAGES - 1] {
            hint::black_box(memory[touched * PAGE + 5]);
        }
        fill(memory.as_ptr(), &mut flags);
        assert!([0, 511, 512, PAGES - 1].iter().all(|touched| flags[*touched] == 1));
        assert!(!kernel_answers() || flags.iter().map(|flag| usize::from(*flag)).sum::<usize>() < PAGES / 2);
    }

    #[test]
    fn a_small_memory_is_not_asked_for() {
        let memory = vec![0u8; 16 * PAGE];
        let mut flags = [0u8; 16];
        fill(memory.as_ptr(), &mut flags);
        assert_eq!(flags, [1; 16]);
    }
}
