#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/units.h"

namespace petri::cli {
namespace {

constexpr std::size_t kBarColumns = 20;
constexpr std::string_view kGap = "  ";

double share_of(const ProgressState& state) {
  return state.total == 0 ? 1.0
                          : static_cast<double>(std::min(state.done, state.total)) / static_cast<double>(state.total);
}

double per_second(const ProgressState& state) {
  const double seconds = std::chrono::duration<double>(state.elapsed).count();
  return seconds <= 0 ? 0 : static_cast<double>(state.done) / seconds;
}

std::string bar(double share) {
  const auto filled = static_cast<std::size_t>(share * kBarColumns);
  std::string inside(filled, '=');
  if (filled < kBarColumns) inside += '>';
  inside.resize(kBarColumns, ' ');
  return fmt::format("[{}]", inside);
}

// 100 % means that all is done.
std::string percent(double share) { return fmt::format("{:>3} %", static_cast<int>(share * 100)); }

std::string counted(const ProgressState& state) {
  return fmt::format("{} of {}", format_count(state.done), format_count(state.total));
}

std::string rate(double per_second) {
  if (per_second <= 0) return "";
  if (per_second < 10) return fmt::format("{:.1f}/s", per_second);
  return format_count(static_cast<std::uint64_t>(std::llround(per_second))) + "/s";
}

// In whole seconds: more would be made up. Nothing once a century is left.
std::string time_left(const ProgressState& state) {
  constexpr double kSecondsMax = 3e9;
  const double speed = per_second(state);
  if (speed <= 0 || state.done >= state.total) return "";
  const double seconds = std::ceil(static_cast<double>(state.total - state.done) / speed);
  if (seconds > kSecondsMax) return "";
  return format_duration(std::chrono::seconds(static_cast<std::int64_t>(seconds))) + " left";
}

// Parts of a line, each with its place in it, taken in as long as they fit.
class Line {
 public:
  Line(std::size_t parts, std::size_t columns) : parts_(parts), left_(columns) {}
  void take(std::size_t place, std::string part) {
    const std::size_t needed = part.size() + kGap.size();
    if (part.empty() || needed > left_) return;
    left_ -= needed;
    parts_[place] = std::move(part);
  }
  std::string text() const {
    std::string text;
    for (const std::string& part : parts_) {
      if (!part.empty()) text.append(text.empty() ? "" : kGap).append(part);
    }
    return text;
  }

 private:
  std::vector<std::string> parts_;
  std::size_t left_;
};

}  // namespace

std::string progress_line(const ProgressState& state, std::size_t columns) {
  enum Place : std::size_t { at_bar, at_percent, at_count, at_rate, at_time, at_kinds };
  const double share = share_of(state);
  // The last column stays free, or some terminals begin a new line. The first part has no gap before it.
  Line line(at_kinds + state.kinds.size(), columns + kGap.size() - std::min<std::size_t>(columns, 1));
  line.take(at_percent, percent(share));
  line.take(at_count, counted(state));
  line.take(at_time, time_left(state));
  line.take(at_rate, rate(per_second(state)));
  line.take(at_bar, bar(share));
  for (std::size_t index = 0; index < state.kinds.size(); ++index) {
    const auto& [name, count] = state.kinds[index];
    if (count > 0) line.take(at_kinds + index, fmt::format("{} {}", name, format_count(count)));
  }
  return line.text();
}

}  // namespace petri::cli
