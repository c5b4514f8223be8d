// A limit that refused or cut something while the guest continued.
#pragma once

#include <cstdint>
#include <string_view>

namespace petri {

struct LimitMet {
  std::string_view limit;    // its name; a literal
  std::uint64_t wanted = 0;  // the first time, in the limit's own unit
  std::uint64_t allowed = 0;
  std::uint64_t count = 1;
};

}  // namespace petri
