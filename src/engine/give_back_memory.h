// Memory that was freed, which the allocators of C and of the crate keep for the next to ask.
#pragma once

namespace petri {

// Has the C library keep little: 1 MiB at the end of each of its arenas instead of up to 64 MiB, blocks of 1 MiB and
// more come from the machine and go straight back, and small ones are joined with their neighbours at once. For the
// whole process, once; where its environment sets malloc itself (MALLOC_..., GLIBC_TUNABLES), that stands.
void bound_kept_memory();

// Gives what is kept back to the machine: the C library's of all threads, the crate's of this thread and of those that
// have ended. Takes milliseconds where there is much, and others wait for their allocations meanwhile.
void give_back_memory();

}  // namespace petri
