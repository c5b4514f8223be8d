// The closed list of flags that a caller may give to clang.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

// Clang alone takes this much address space before it has read a line.
constexpr std::uint64_t kMemoryBytesLeast = std::uint64_t{192} << 20;

// "0", "1", "2", "3", "s" or "z"
bool is_optimisation(std::string_view level);

// Empty if the flag is on the list; else why it is refused, naming it and what there is: "the flag "-fplugin=x.so" is
// not allowed; ...".
std::string flag_refusal(std::string_view flag);

}  // namespace petri
