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

// Holds as many pages as its input says, each of them written to, and turns as often as it says: its work in each turn,
// a table and some globals are drawn, so that no two guests are alike.
std::string random_guest(std::mt19937& random) {
  constexpr std::string_view kWorks[] = {
      "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const {0})))",
      "(i32.store offset={0} (i32.and (local.get $x) (i32.const 1020)) (i32.add (local.get $x) (i32.const 1)))",
      "(local.set $x (i32.load8_u offset={0} (i32.and (local.get $turns) (i32.const 255))))",
      "(local.set $x (call $mix (local.get $x)))",
      "(local.set $y (f64.sqrt (f64.add (local.get $y) (f64.const {0}))))",
      "(if (i32.and (local.get $x) (i32.const 1)) (then (local.set $x (i32.shr_u (local.get $x) (i32.const 1)))))",
  };
  std::string work;
  for (std::size_t i = 0, count = 1 + random() % 6; i < count; ++i) {
    work += fmt::format(fmt::runtime(kWorks[random() % std::size(kWorks)]), random() % 1'000);
  }
  std::string globals;
  for (std::size_t i = 0, count = random() % 20; i < count; ++i) {
    globals += fmt::format("(global (mut i64) (i64.const {}))", random());
  }
  return fmt::format(R"((module (memory 1) (table {} funcref) {}
  (func $mix (param i32) (result i32) (i32.xor (local.get 0) (i32.rotl (local.get 0) (i32.const {}))))
  (func (export "hold") (param $pages i32) (local $at i32)
    (if (i32.eq (memory.grow (i32.sub (local.get $pages) (i32.const 1))) (i32.const -1)) (then unreachable))
    (loop $touch
      (i32.store (local.get $at) (i32.const 1))
      (local.set $at (i32.add (local.get $at) (i32.const 4096)))
      (br_if $touch (i32.lt_u (local.get $at) (i32.mul (local.get $pages) (i32.const 65536))))))
  (func (export "turn") (param $turns i32) (local $x i32) (local $y f64)
    (loop $again {} (br_if $again (local.tee $turns (i32.sub (local.get $turns) (i32.const 1))))))))",
                     1 + random() % 64, globals, 1 + random() % 31, work);
}

class MeasuresTest : public RuntimeFixture {};

TEST_F(MeasuresTest, HoldsABurnerToItsShareInEverySecond) {  // Q11
  constexpr double kShare = 20, kTolerance = 3;
  Sandbox sandbox = create({.id = "a",
                            .modules = {{"burner", Source::wat(std::string(kBurner))}},
                            .limits = {.cpu_percent_max = 20},
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
    const double ran = percent(used.ran, until - from), said = sandbox.usage().cpu_percent;
    fmt::print("second {}: ran {:.1f} %, petri says {:.1f} %\n", second + 1, ran, said);
    EXPECT_NEAR(ran, kShare, kTolerance);
    EXPECT_NEAR(said, kShare, kTolerance);
    before = now;
    from = until;
  }
  EXPECT_EQ(testing::not_value(ended.get_future().get(), 7), "");
}

// A thousand children crash in one tick, and all of them run again within two seconds.
TEST_F(MeasuresTest, EndsACrashStormWithinTwoSeconds) {
  constexpr int kChildren = 1'000;
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {}, kChildren);
    spec.limits = {.memory_bytes_max = 1 << 30, .processes_max = kChildren};
    spec.tier = tier;
    for (int i = 0; i < kChildren; ++i) {
      spec.tree->children.emplace_back(ChildSpec{.id = "c" + std::to_string(i), .module = "counter"});
    }
    Sandbox sandbox = create(spec);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kChildren; ++i) {
      ASSERT_TRUE(sandbox.call_async("crash", {}, {.process = "c" + std::to_string(i)}, nullptr));
    }
    expect_restarts(sandbox, kChildren);
    const auto took = std::chrono::steady_clock::now() - start;
    fmt::print("{}: {} crashes and restarts in {:.0f} ms\n", name_of(tier), kChildren,
               std::chrono::duration<double, std::milli>(took).count());
    EXPECT_LT(took, 2s);
    EXPECT_EQ(sandbox.usage().processes, 1'000U);
    ASSERT_TRUE(runtime_->destroy("a"));
  }
}

// A thousand guests, all alive at once. Processor time is compared where the kernel left the thread its processor from
// start to end: petri does not see that another program has had it in between, and counts that time too.
TEST_F(MeasuresTest, ReportsMemoryAndProcessorTimeAsTheKernelDoes) {  // Q29
  constexpr std::size_t kGuests = 1'000;
  constexpr double kTolerance = 0.05;
  std::mt19937 random(29);
  std::vector<Sandbox> guests;
  std::uint64_t said_bytes = 0;
  std::chrono::nanoseconds said_time{0}, ran{0};
  std::size_t undisturbed = 0;
  const std::int64_t before = resident_bytes();
  for (std::size_t i = 0; i < kGuests; ++i) {
    Sandbox guest = create({.id = "guest-" + std::to_string(i),
                            .modules = {{"m", Source::wat(random_guest(random))}},
                            .tier = i % 2 == 0 ? Tier::interpreted : Tier::compiled});
    const auto pages = static_cast<std::int32_t>(16 + random() % 32);
    const auto turns = static_cast<std::int32_t>(20'000 + random() % 200'000);
    ASSERT_EQ(testing::not_kind(guest.call("hold", {pages}), OutcomeKind::ok), "");
    EXPECT_NEAR(static_cast<double>(guest.usage().memory_bytes), pages * 65'536.0, kTolerance * pages * 65'536.0) << i;
    const std::chrono::nanoseconds said_before = guest.usage().cpu_time;
    const ThreadStopwatch stopwatch;
    ASSERT_EQ(testing::not_kind(guest.call("turn", {turns}), OutcomeKind::ok), "");
    const ProcessorTime used = stopwatch.elapsed();
    if (used.waited == 0ns) {
      ++undisturbed;
      said_time += guest.usage().cpu_time - said_before;
      ran += used.ran;
    }
    said_bytes += guest.usage().memory_bytes;
    guests.push_back(std::move(guest));
  }
  const auto resident = static_cast<double>(resident_bytes() - before);
  fmt::print("{} guests: petri says {:.1f} MiB, the kernel {:.1f} MiB\n", kGuests,
             static_cast<double>(said_bytes) / (1 << 20), resident / (1 << 20));
  fmt::print("{} undisturbed: petri says {:.1f} ms, the kernel {:.1f} ms\n", undisturbed,
             static_cast<double>(said_time.count()) / 1e6, static_cast<double>(ran.count()) / 1e6);
  EXPECT_NEAR(static_cast<double>(said_bytes), resident, kTolerance * resident);
  ASSERT_GT(undisturbed, kGuests / 20) << "the machine is too busy to measure";
  EXPECT_NEAR(percent(said_time, ran), 100, 100 * kTolerance);
}

}  // namespace
}  // namespace petri
