// How far a long command has come, as one line of a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petri::cli {

struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  // How rows ended, most important first; zeros are not shown.
  std::vector<std::pair<std::string_view, std::size_t>> kinds;
  std::chrono::nanoseconds elapsed{0};
};

// "[=====>    ]  52 %  5,200 of 10,000  48,100/s  1 s left  ok 5,000  trapped 200", in ASCII and in fewer than
// `columns`: what does not fit is left out, the least important first. Empty when nothing fits.
std::string progress_line(const ProgressState& state, std::size_t columns);

}  // namespace petri::cli
