#include "evolve/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace evolve {
namespace {

constexpr std::chrono::milliseconds kBetweenPictures{40};

bool continues_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

}  // namespace

ScreenSize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0) return {};
  return {.rows = size.ws_row, .columns = size.ws_col};
}

std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!continues_a_character(text[end]) && seen++ == columns) break;
  }
  return text.substr(0, end);
}

bool fits(const std::vector<std::string>& lines, ScreenSize size) {
  const auto is_whole = [&](const std::string& line) { return cut(line, size.columns - 1).size() == line.size(); };
  return lines.size() < size.rows && std::ranges::all_of(lines, is_whole);
}

// Lines that do not fit are left out: what has scrolled away cannot be drawn over.
std::string redraw(const std::vector<std::string>& lines, std::size_t lines_shown, ScreenSize size) {
  std::string text = lines_shown > 0 ? fmt::format("\x1b[{}A\r\x1b[J", lines_shown) : "";
  const std::size_t fitting = std::min(lines.size(), size.rows - 1);
  for (std::size_t i = 0; i < fitting; ++i) text += fmt::format("{}\n", cut(lines[i], size.columns - 1));
  return text;
}

bool Screen::is_due() const { return std::chrono::steady_clock::now() >= shown_at_ + kBetweenPictures; }

bool Screen::show(const std::vector<std::string>& lines) {
  const ScreenSize size = terminal_size();
  fmt::print("{}", redraw(lines, lines_shown_, size));
  std::fflush(stdout);
  lines_shown_ = std::min(lines.size(), size.rows - 1);
  shown_at_ = std::chrono::steady_clock::now();
  return fits(lines, size);
}

}  // namespace evolve
