// Many threads, few sandboxes, and every verb.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>

#include "petri/testing/testing.h"

namespace petri::testing {
namespace {

std::string guest_text(std::uint64_t version) {
  return fmt::format(R"((module
  (memory 1)
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "version") (result i32) (i32.const {}))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "crash") unreachable)
  (func (export "petri_handle") (result i32) (i32.const 0))))",
                     version);
}

using Results = std::map<std::string, std::uint64_t>;

template <typename T>
std::string result_of(const Result<T>& result) {
  if (!result) return std::string(name_of(result.error().code));
  if constexpr (std::is_same_v<T, Outcome>) return std::string(name_of(result->kind));
  return "ok";
}

// One thread's part: the same choices for the same seed.
class Stressor {
 public:
  Stressor(Runtime& runtime, const StressOptions& options, std::size_t thread, std::string prefix)
      : runtime_(runtime), options_(options), random_(options.seed * 1'000'003 + thread), prefix_(std::move(prefix)) {}

  Results run() {
    for (std::size_t i = 0; i < options_.operations; ++i) step();
    return std::move(results_);
  }

 private:
  void step() {
    const std::string id = another_id();
    switch (random_() % 10) {
      case 0:
        return note("create", runtime_.create_sandbox({.id = id, .modules = {{"m", Source::wat(guest_text(0))}}}));
      case 1: return note("destroy", runtime_.destroy(id));
      case 2: return note("stop", runtime_.stop(id));
      case 3: return note("restart", runtime_.restart(id));
      case 4: return note("info", runtime_.info(id));
      case 5: return note("fork", runtime_.fork(id, another_id()));
      default: break;
    }
    auto sandbox = runtime_.find(id);
    if (!sandbox) return note("find", sandbox);
    switch (random_() % 12) {
      case 0: return note("crash", sandbox->call("crash"));
      case 1: return note("send", sandbox->send("x"));
      case 2: return note("run", sandbox->run("m", "next"));
      case 6: return note("reload", sandbox->reload("m", Source::wat(guest_text(random_() % 3))));
      case 7: return note("rollback", sandbox->rollback("m"));
      case 8: return note("restart with state", sandbox->restart({.keep_state = true}));
      case 9: return note("state", sandbox->state());
      case 10: return back_and_forth(*sandbox);
      case 3: return note("update_limits", sandbox->update_limits({.fuel_max = 1'000'000 + random_() % 1'000}));
      default: return note("call", sandbox->call("next"));
    }
  }
  std::string another_id() { return fmt::format("{}-{}", prefix_, random_() % std::max<std::size_t>(1, options_.ids)); }
  void back_and_forth(Sandbox& sandbox) {
    const auto snapshot = sandbox.snapshot();
    if (!snapshot) return note("snapshot", snapshot);
    note("restore", sandbox.restore(*snapshot));
  }
  template <typename T>
  void note(std::string_view verb, const Result<T>& result) {
    ++results_[fmt::format("{} {}", verb, result_of(result))];
  }

  Runtime& runtime_;
  const StressOptions options_;
  std::mt19937_64 random_;
  const std::string prefix_;
  Results results_;
};

}  // namespace

std::uint64_t StressReport::operations() const {
  std::uint64_t sum = 0;
  for (const auto& [result, count] : results) sum += count;
  return sum;
}

StressReport stress(Runtime& runtime, const StressOptions& options) {
  StressReport report{.seed = options.seed, .results = {}};
  const std::string prefix = unique_id("stress");
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < options.threads; ++thread) {
      threads.emplace_back([&, thread] {
        const Results results = Stressor(runtime, options, thread, prefix).run();
        const std::lock_guard lock(mutex);
        for (const auto& [result, count] : results) report.results[result] += count;
      });
    }
  }
  for (std::size_t id = 0; id < options.ids; ++id) static_cast<void>(runtime.destroy(fmt::format("{}-{}", prefix, id)));
  return report;
}

}  // namespace petri::testing
