// Area Q: what petri says a guest uses, and the share it is held to, measured by the kernel.
#include <fmt/format.h>

#include <future>
#include <random>

#include "kernel_view.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

double percent(std::chrono::nanoseconds part, std::chrono::nanoseconds whole) {
  return 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

// Burns until the time is over; the number of milliseconds is its argument.
constexpr std::string_view kBurner = R"((module
  (import "petri" "clock_ms" (func $clock (result i64)))
  (func (export "burn") (param i64) (result i32) (local $until i64) (local $n i32)
    (local.set $until (i64.add (call $clock) (local.get 0)))
    (loop $again
      (local.set $n (i32.const 100000))
      (loop $work (br_if $work (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (br_if $again (i64.lt_s (call $clock) (local.get $until))))
    (i32.const 7))))";

// Holds as many pages as it is told, each of them written to, and turns as often as it is told.
constexpr std::string_view kRandomGuest = R"((module
  (memory 1)
  (func (export "hold") (param $pages i32) (local $at i32)
    (if (i32.eq (memory.grow (i32.sub (local.get $pages) (i32.const 1))) (i32.const -1)) (then unreachable))
    (loop $touch
      (i32.store (local.get $at) (i32.const 1))
      (local.set $at (i32.add (local.get $at) (i32.const 4096)))
      (br_if $touch (i32.lt_u (local.get $at) (i32.mul (local.get $pages) (i32.const 65536))))))
  (func (export "turn") (param $turns i32)
    (loop $again (br_if $again (local.tee $turns (i32.sub (local.get $turns) (i32.const 1))))))))";

class MeasuresTest : public RuntimeFixture {};

// What the burner was granted is what it ran and what it waited for a processor that another program had; the share of
// what it ran alone is never more.
TEST_F(MeasuresTest, HoldsABurnerToItsShareInEverySecond) {  // Q11
  constexpr double kShare = 20, kTolerance = 3;
  Sandbox sandbox = create({.id = "a",
                            .modules = {{"burner", Source::wat(std::string(kBurner))}},
                            .limits = {{"cpu_percent_max", 20}},
                            .tier = Tier::compiled});
  auto seconds = *runtime_->subscribe({.kinds = {EventKind::usage_sampled}});
  std::promise<Result<Outcome>> ended;
  ASSERT_TRUE(sandbox.call_async("burn", {Value(std::int64_t{7'000})}, {},
                                 [&](Result<Outcome> result) { ended.set_value(std::move(result)); }));
  ASSERT_NE(seconds.wait(), nullptr);
  ProcessorTime before = processor_time_of_all_threads();
  auto from = std::chrono::steady_clock::now();
  for (int second = 0; second < 5; ++second) {
    ASSERT_NE(seconds.wait(), nullptr);
    const ProcessorTime now = processor_time_of_all_threads();
    const auto until = std::chrono::steady_clock::now();
    const ProcessorTime used = now - before;
    fmt::print("second {}: granted {:.1f} %, ran {:.1f} %, petri says {:.1f} %\n", second + 1,
               percent(used.wanted(), until - from), percent(used.ran, until - from), sandbox.usage().cpu_percent);
    EXPECT_NEAR(percent(used.wanted(), until - from), kShare, kTolerance);
    EXPECT_LE(percent(used.ran, until - from), kShare + kTolerance);
    before = now;
    from = until;
  }
  EXPECT_EQ(testing::not_value(ended.get_future().get(), 7), "");
}

// PETRI_GUESTS says how many; the longer suite has a thousand, all alive at once.
TEST_F(MeasuresTest, ReportsMemoryAndProcessorTimeAsTheKernelDoes) {  // Q29
  constexpr double kTolerance = 0.05;
  const std::size_t count = count_from_environment("PETRI_GUESTS", 40);
  std::mt19937 random(29);
  std::vector<Sandbox> guests;
  std::uint64_t said_bytes = 0;
  std::chrono::nanoseconds said_time{0}, ran{0}, wanted{0};
  const std::int64_t before = resident_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    Sandbox guest = create({.id = "guest-" + std::to_string(i),
                            .modules = {{"m", Source::wat(std::string(kRandomGuest))}},
                            .tier = i % 2 == 0 ? Tier::interpreted : Tier::compiled});
    const auto pages = static_cast<std::int32_t>(16 + random() % 32);
    const auto turns = static_cast<std::int32_t>(50'000 + random() % 950'000);
    ASSERT_EQ(testing::not_kind(guest.call("hold", {pages}), OutcomeKind::ok), "");
    const std::chrono::nanoseconds said_before = guest.usage().cpu_time;
    const ProcessorTime from = processor_time_of_this_thread();
    ASSERT_EQ(testing::not_kind(guest.call("turn", {turns}), OutcomeKind::ok), "");
    const ProcessorTime used = processor_time_of_this_thread() - from;
    said_time += guest.usage().cpu_time - said_before;
    ran += used.ran;
    wanted += used.wanted();
    said_bytes += guest.usage().memory_bytes;
    guests.push_back(std::move(guest));
  }
  const auto resident = static_cast<double>(resident_bytes() - before);
  fmt::print("{} guests: petri says {:.1f} MiB, the kernel {:.1f} MiB ({:+.2f} %)\n", count,
             static_cast<double>(said_bytes) / (1 << 20), resident / (1 << 20),
             100.0 * (static_cast<double>(said_bytes) / resident - 1));
  fmt::print("petri says {:.1f} ms, the kernel {:.1f} ms ({:+.2f} %), of these {:.1f} ms without a processor\n",
             static_cast<double>(said_time.count()) / 1e6, static_cast<double>(wanted.count()) / 1e6,
             percent(said_time, wanted) - 100, static_cast<double>((wanted - ran).count()) / 1e6);
  EXPECT_NEAR(static_cast<double>(said_bytes), resident, kTolerance * resident);
  EXPECT_NEAR(percent(said_time, wanted), 100, 100 * kTolerance);
}

}  // namespace
}  // namespace petri
