// How each host function is made to work as hard as it can for its fuel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petri::bench {

// A guest that calls one function in an endless loop. Its memory has 32 MiB: a table of 1,024 one-byte buffers stands
// at 8,192, a path of 2,000 folders ("./././") at 20,480, one buffer of the whole upper half at 512, and the upper
// half, from 16 MiB on, is filled with ends of lines. Descriptor 3 is a folder with many files in it.
struct HostCostCase {
  std::string module;
  std::string name;
  std::string what;          // how it is called
  std::string arguments;     // in the text format
  std::uint64_t bytes = 0;   // of guest memory that a call hands over or has filled
  std::string prepare = {};  // done once before; "file" stands for a file that is open, as (global.get $file)
  bool ends_the_guest = false;
};

// At least one for each function there is.
const std::vector<HostCostCase>& host_cost_cases();

// The whole guest; it exports `go`, which never returns, and `once`.
std::string guest_of(const HostCostCase& one);

}  // namespace petri::bench
