// A part of the terminal that is drawn again and again.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace evolve {

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};
ScreenSize terminal_size();

// The first `columns` characters of UTF-8 text, each counted as one column.
std::string_view cut(std::string_view text, std::size_t columns);
bool fits(const std::vector<std::string>& lines, ScreenSize size);
// The bytes to send to a terminal that shows `lines_shown` lines, to show these instead.
std::string redraw(const std::vector<std::string>& lines, std::size_t lines_shown, ScreenSize size);

// Draws on stdout, as often as the eye can follow.
class Screen {
 public:
  // True if it is time for the next picture.
  bool is_due() const;
  // False when something had to be cut or left out.
  bool show(const std::vector<std::string>& lines);

 private:
  std::size_t lines_shown_ = 0;
  std::chrono::steady_clock::time_point shown_at_;
};

}  // namespace evolve
