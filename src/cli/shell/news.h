// News that arrive beside the commands: lines of guests' logs, and answers of calls and runs in the background.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "petri/host_functions.h"
#include "petri/outcome.h"
#include "petri/result.h"

namespace petri::cli {

constexpr std::size_t kShellNewsMax = 10'000;

struct LogNews {
  std::string sandbox;
  std::string process;
  LogLevel level = LogLevel::info;
  std::string text;  // as the guest sent it
};

// A call or a run that was started in the background; both are counted by one number.
struct CallNews {
  std::uint64_t number = 0;
  std::string sandbox;
  std::string_view what = "call";  // or "run"
  Result<Outcome> result;
  // The limits of a run that has its own.
  std::optional<std::uint64_t> fuel_max;
  std::optional<std::chrono::nanoseconds> timeout;
};

using NewsItem = std::variant<LogNews, CallNews>;

// A queue that guests' threads fill and the shell empties. When it is full, log lines are lost and counted; answers of
// calls never are, because the code that starts them bounds their number. All members may be called from any thread.
class ShellNews {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void add_log(LogNews log);
  // The number of a call that is started, by which it is answered.
  std::uint64_t begin_call();
  void answer_call(CallNews answer);
  // The call was never started.
  void forget_call(std::uint64_t number);

  std::vector<NewsItem> take();
  // How many log lines were lost since this was asked last.
  std::uint64_t take_lost();

  // True if a call was ever started by this number.
  bool knows(std::uint64_t number) const;
  std::vector<std::uint64_t> calls_under_way() const;
  // Waits until this call, or without a number every call, is answered. False when time or the token ended the wait.
  bool wait_for_calls(std::optional<std::uint64_t> number, std::optional<TimePoint> deadline, std::stop_token stop);

 private:
  bool answered(std::optional<std::uint64_t> number) const;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<NewsItem> items_;
  std::set<std::uint64_t> under_way_;
  std::uint64_t last_number_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace petri::cli
