// Small programs of many kinds, for comparing engines: bench/kernels/*.wat, put into the command by the build.
#pragma once

#include <string_view>
#include <vector>

namespace petri::bench {

// Exports "run" of type (i32) -> one number, which does its work as many times as its argument says.
struct Kernel {
  std::string_view name;
  std::string_view text;
};
const std::vector<Kernel>& kernels();

// Kernels whose work is recursion; the others have none.
bool is_recursive(const Kernel& kernel);

}  // namespace petri::bench
