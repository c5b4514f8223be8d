// The steps of a forked child before it is the compiler: it takes the job, and gives up all rights that it does not
// need.
#pragma once

#include <cstdint>

namespace petri {

struct JobDescriptors {
  int socket = -1;
  int messages = -1;
  int folder = -1;  // -1 in a jail
};

// The arguments of the program, as main() takes them.
struct JobArguments {
  int count = 0;
  char** texts = nullptr;
};

// Reads the request, writes its files, sends the folder of results and enters the cell. Where something fails the child
// ends with kJobNotStarted. `address_space_bytes` is what the server has mapped.
// With `any_program` the limit of memory is on what is written, not on addresses, and no system call is filtered: what
// holds then is the jail.
JobArguments enter_cell(const JobDescriptors& descriptors, std::uint64_t address_space_bytes, bool any_program);

// The address space of this process. It is found by limiting it, because a jail has no /proc.
std::uint64_t address_space_bytes();

}  // namespace petri
