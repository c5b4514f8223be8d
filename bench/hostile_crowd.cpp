#include "bench/hostile_crowd.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "petri/runtime.h"

namespace petri::bench {
namespace {

constexpr std::size_t kHostileCrowdHonest = 90;
constexpr std::size_t kHostileCrowdHostile = 10;
constexpr std::size_t kCallsEach = 2'000;  // about a second
constexpr std::size_t kAnswersPerHostile = kHostileCrowdHonest / kHostileCrowdHostile;
constexpr std::size_t kHostileCrowdRepeats = 5;

// Counts a little.
constexpr std::string_view kHonestGuest = R"((module (func (export "f") (result i32) (local $n i32)
  (loop (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 5000)))) (local.get $n))))";

// {} is a number that makes each one another module.
constexpr std::array<std::string_view, 5> kHostileGuests{
    R"((module (func (export "f") (result i32) (loop (br 0)) (i32.const {}))))",
    R"((module (memory 1) (func (export "f") (result i32)
      (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (loop (br 0)) (i32.const {}))))",
    R"((module (func (export "f") (result i32) unreachable (i32.const {}))))",
    R"((module (func $f (export "f") (result i32) (i32.add (call $f) (i32.const {})))))",
    R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
      (func (export "f") (result i32) (loop (drop (call $log (i32.const 4) (i32.const 0) (i32.const 4000))) (br 0))
        (i32.const {}))))"};

// Limits of someone who expects such guests: twenty times the fuel of an honest call, and memory it does not need at
// all. Not a time: where others use the machine as well, it would end honest ones, too.
Result<std::unique_ptr<Runtime>> guarded_runtime() {
  return Runtime::create({.workers = 2, .limits = {.memory_bytes_max = std::uint64_t{1} << 20, .fuel_max = 1'000'000}});
}

// Sandboxes that are asked again and again until each honest one has answered this many times. Hostile ones are asked
// again with their answer, or, when they are not admitted, with one of every few honest answers.
class HostileCrowd : public std::enable_shared_from_this<HostileCrowd> {
 public:
  static Result<std::shared_ptr<HostileCrowd>> create(Runtime& runtime, std::size_t hostile) {
    auto crowd = std::make_shared<HostileCrowd>();
    for (std::size_t i = 0; i < kHostileCrowdHonest; ++i) {
      PETRI_TRY(crowd->honest_.emplace_back().sandbox, made(runtime, fmt::format("honest{}", i), kHonestGuest, 0));
    }
    crowd->hostile_ = std::vector<Asked>(hostile);
    for (std::size_t i = 0; i < hostile; ++i) {
      PETRI_TRY(crowd->hostile_[i].sandbox,
                made(runtime, fmt::format("hostile{}", i), kHostileGuests[i % kHostileGuests.size()], i));
    }
    return crowd;
  }

  // Answers how many honest calls were not ok.
  std::size_t run() {
    for (Asked& one : hostile_) ask_hostile(one);
    for (Asked& one : honest_) ask_honest(one);
    done_.wait();
    over_ = true;
    return failed_;
  }
  std::size_t hostile_calls() const { return hostile_calls_; }

 private:
  struct Asked {
    std::optional<Sandbox> sandbox;
    std::size_t answers = 0;
    std::atomic<bool> waits{false};  // for its answer
    Asked() = default;
    Asked(Asked&& other) noexcept : sandbox(std::move(other.sandbox)) {}
  };

  static Result<Sandbox> made(Runtime& runtime, std::string id, std::string_view wat, std::size_t number) {
    return runtime.create_sandbox(
        {.id = std::move(id), .modules = {{"m", Source::wat(fmt::format(fmt::runtime(wat), number))}}});
  }
  void ask_honest(Asked& one) {
    const auto called =
        one.sandbox->call_async("f", {}, {}, [self = shared_from_this(), &one](Result<Outcome> outcome) {
          if (!outcome || outcome->kind != OutcomeKind::ok) ++self->failed_;
          self->honest_answered(one);
        });
    if (called) return;
    ++failed_;
    done_.count_down();
  }
  void honest_answered(Asked& one) {
    const std::size_t answer = answers_++;
    if (!hostile_.empty() && answer % kAnswersPerHostile == 0) {
      ask_hostile(hostile_[answer / kAnswersPerHostile % hostile_.size()]);
    }
    ++one.answers < kCallsEach ? ask_honest(one) : done_.count_down();
  }
  void ask_hostile(Asked& one) {
    if (over_ || one.waits.exchange(true)) return;
    const auto called =
        one.sandbox->call_async("f", {}, {}, [self = shared_from_this(), &one](Result<Outcome> outcome) {
          one.waits = false;
          if (outcome) self->ask_hostile(one);
        });
    if (called) ++hostile_calls_;
    if (!called) one.waits = false;
  }

  std::vector<Asked> honest_, hostile_;
  std::latch done_{kHostileCrowdHonest};
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> failed_{0}, hostile_calls_{0}, answers_{0};
};

struct Seconds {
  double processor = 0, wall = 0;
  std::size_t hostile_calls = 0;
};

Result<Seconds> seconds_beside(std::size_t hostile) {
  PETRI_TRY(const auto runtime, guarded_runtime());
  PETRI_TRY(const auto crowd, HostileCrowd::create(*runtime, hostile));
  std::size_t failed = 0;
  Seconds seconds;
  PETRI_TRY(seconds.processor, processor_seconds_of([&]() -> Result<void> {
              PETRI_TRY(seconds.wall, wall_seconds_of([&]() -> Result<void> {
                          failed = crowd->run();
                          return {};
                        }));
              return {};
            }));
  if (failed > 0) return fail(ErrorCode::host_fault, fmt::format("{} honest calls were not ok", failed));
  seconds.hostile_calls = crowd->hostile_calls();
  return seconds;
}

Result<Measurement> measure_hostile_crowd() {
  PETRI_TRY(seconds_beside(0));  // warms up
  std::vector<double> alone, together, alone_wall, together_wall, calls;
  for (std::size_t i = 0; i < kHostileCrowdRepeats; ++i) {
    PETRI_TRY(const Seconds honest, seconds_beside(0));
    PETRI_TRY(const Seconds mixed, seconds_beside(kHostileCrowdHostile));
    alone.push_back(honest.processor);
    together.push_back(mixed.processor);
    alone_wall.push_back(honest.wall);
    together_wall.push_back(mixed.wall);
    calls.push_back(static_cast<double>(mixed.hostile_calls));
  }
  const double honest_calls = static_cast<double>(kHostileCrowdHonest * kCallsEach);
  return Measurement{
      .value = 100 * middle_of(alone) / middle_of(together),
      .reference = std::nullopt,
      .notes = {
          fmt::format("{:.1f} us of the processor an honest call alone, {:.1f} us beside hostile ones",
                      median(alone) / honest_calls * 1e6, median(together) / honest_calls * 1e6),
          fmt::format("by the steady clock {:.1f} %", 100 * median(alone_wall) / median(together_wall)),
          fmt::format("{:.0f} hostile calls were let in beside {:.0f} honest ones", median(calls), honest_calls)}};
}

}  // namespace

Benchmark hostile_honest_percent() {
  return {
      .name = "hostile_honest_percent",
      .unit = "%",
      .what =
          "calls of 90 honest sandboxes in a second beside 10 hostile ones that are asked again and again (loop, grow, "
          "trap, recurse, flood the log), against the 90 alone; 1,000,000 fuel and 1 MiB each, supervision, breaker "
          "and "
          "quarantine as they are by default (processor time)",
      .bar = ">= 80",
      .measure = measure_hostile_crowd};
}

}  // namespace petri::bench
