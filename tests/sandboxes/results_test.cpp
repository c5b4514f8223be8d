// R13: each call and run yields exactly one result, however close its time-out is to its end. PETRI_RUNS says how many
// runs in each tier; the longer suite makes a hundred thousand.
#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <mutex>
#include <thread>

#include "environment.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// Turns for about as long as the time-out, so that some runs come to their end and some do not; its child of the same
// module counts what it is sent.
constexpr std::string_view kRacer = R"((module
  (import "petri" "clock_ms" (func $clock (result i64)))
  (global $got (mut i32) (i32.const 0))
  (func (export "race") (param $turns i32) (result i32)
    (loop $again (br_if $again (local.tee $turns (i32.sub (local.get $turns) (i32.const 1)))))
    (i32.const 7))
  (func (export "petri_handle") (result i32)
    (global.set $got (i32.add (global.get $got) (i32.const 1))) (i32.const 0))
  (func (export "got") (result i32) (global.get $got))))";

class ResultsTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {};

INSTANTIATE_TEST_SUITE_P(BothTiers, ResultsTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

TEST_P(ResultsTest, OfARunAreExactlyOneEach) {  // R13
  constexpr int kThreads = 2;
  const auto runs = static_cast<int>(count_from_environment("PETRI_RUNS", 300));
  const int each = (runs + kThreads) / (kThreads + 1);  // rounded up
  Sandbox sandbox = create({.id = "a", .modules = {{"m", Source::wat(std::string(kRacer))}}, .tier = GetParam()});
  const std::uint64_t before = sandbox.usage().memory_bytes;
  std::map<std::uint64_t, std::vector<EventKind>> events;  // by run
  std::mutex mutex;
  auto listener = *EventListener::start(
      *runtime_->subscribe({.kinds = {EventKind::run_start, EventKind::run_stop, EventKind::run_exception},
                            .queue_max = kEventQueueMax}),
      [&](const Event& event) {
        const std::lock_guard lock(mutex);
        std::vector<EventKind>& kinds = events[event.correlation.id];
        kinds.push_back(event.kind);
        if (kinds.size() == 2 && kinds[0] == EventKind::run_start && kinds[1] == EventKind::run_stop) kinds.clear();
      });
  // Both ends are seen: the turns are moved to where about half of the runs come to theirs.
  std::atomic<int> ended{0}, late{0}, other{0}, completions{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        std::int32_t turns = 50'000;
        for (int i = 0; i < each; ++i) {
          const auto outcome = sandbox.run("m", "race", {turns}, {.timeout = 1ms});
          const bool well = outcome && outcome->kind == OutcomeKind::ok && outcome->values == std::vector<Value>{7};
          const bool timed_out = outcome && outcome->kind == OutcomeKind::deadline && outcome->values.empty();
          ++(well ? ended : timed_out ? late : other);
          turns = well ? turns + turns / 16 : turns - turns / 16;
        }
      });
    }
  }
  // The calls are repeated with completions, each of which is called once.
  std::vector<std::atomic<int>> called(static_cast<std::size_t>(each));
  std::latch all(each);
  for (int i = 0; i < each; ++i) {
    const auto asked = [&] {
      return sandbox.run_async("m", "race", {50'000}, {.timeout = 1ms}, [&, i](const Result<Outcome>& result) {
        ++called[static_cast<std::size_t>(i)];
        ++(result ? (result->kind == OutcomeKind::ok ? ended : late) : other);
        ++completions;
        all.count_down();
      });
    };
    while (!asked()) std::this_thread::yield();  // as many may wait as message_queue_max says
  }
  all.wait();
  EXPECT_EQ(ended + late, (kThreads + 1) * each);
  EXPECT_GE(ended + late, runs);
  EXPECT_EQ(other, 0);
  EXPECT_GT(ended, 0);
  EXPECT_GT(late, 0);
  EXPECT_EQ(completions, each);
  EXPECT_TRUE(std::ranges::all_of(called, [](const std::atomic<int>& times) { return times == 1; }));
  listener.finish();
  EXPECT_EQ(listener.lost(), 0U);
  EXPECT_EQ(events.size(), static_cast<std::size_t>((kThreads + 1) * each));
  for (const auto& [run, kinds] : events) {
    EXPECT_THAT(kinds, ::testing::IsEmpty()) << "of run " << run << ": one start and one stop are crossed out";
  }
  EXPECT_EQ(testing::not_value(sandbox.call("got"), 0), "") << "nothing came into its mailbox";
  EXPECT_EQ(sandbox.usage().messages, 0U);
  EXPECT_EQ(sandbox.usage().processes, 1U);
  EXPECT_EQ(sandbox.usage().memory_bytes, before);
  EXPECT_EQ(sandbox.info().late_answers, 0U);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

}  // namespace
}  // namespace petri
