// What the allocators keep of memory that nobody uses any more.
#pragma once

namespace petri {

// Gives it back to the machine: the C library's of all threads, the crate's of this thread and of those that have
// ended. Takes milliseconds where there is much, and others wait for their allocations meanwhile.
void give_back_memory();

}  // namespace petri
