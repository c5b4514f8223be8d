// log_bytes_per_second_max is a limit of the sandbox: its processes share it, and so do those that follow one another.
#include <mutex>

#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLineBytes = 500, kLogBytesMax = 1'200;

// Logs a line of 500 bytes as it starts, and when it is asked to.
constexpr std::string_view kLogsAtItsStart = R"((module
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  (func $line (result i32) (memory.fill (i32.const 0) (i32.const 65) (i32.const 500))
    (call $log (i32.const 2) (i32.const 0) (i32.const 500)))
  (func (export "petri_init") (result i32) (drop (call $line)) (i32.const 0))
  (func (export "again") (result i32) (call $line))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

class SharedLogTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  SharedLogTest() {
    RuntimeOptions options = without_containment();
    options.clock = time_.clock();
    runtime_ = *Runtime::create(std::move(options));
  }
  ~SharedLogTest() override { runtime_.reset(); }  // before its clock

  Sandbox logging(bool deterministic) {
    SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(std::string(kLogsAtItsStart))}}, .tier = GetParam()};
    spec.limits = {.log_bytes_per_second_max = kLogBytesMax};
    spec.deterministic = deterministic;
    spec.on_log = [this](std::string_view, LogLevel, std::string_view line) {
      const std::lock_guard lock(mutex_);
      logged_ += line.size();
    };
    spec.tree = SupervisorSpec{};
    for (int i = 0; i < 10; ++i) {
      spec.tree->children.emplace_back(ChildSpec{.id = "p" + std::to_string(i), .module = "m"});
    }
    return create(spec);
  }
  std::uint64_t logged() {
    const std::lock_guard lock(mutex_);
    return logged_;
  }

  testing::ManualTime time_;
  std::mutex mutex_;
  std::uint64_t logged_ = 0;
};

INSTANTIATE_TEST_SUITE_P(BothTiers, SharedLogTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// It is of no process, and says so.
TEST_P(SharedLogTest, HearsARunUnderTheNameOfRuns) {
  std::vector<std::string> lines;
  SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat(std::string(kLogsAtItsStart))}}, .tier = GetParam()};
  spec.on_log = [&](std::string_view process, LogLevel level, std::string_view line) {
    lines.push_back(std::string(process) + " " + std::string(name_of(level)) + " " + std::to_string(line.size()));
  };
  Sandbox sandbox = create(spec);
  EXPECT_THAT(lines, ::testing::ElementsAre("m info 500"));
  EXPECT_EQ(testing::not_kind(sandbox.run("m", "again"), OutcomeKind::ok), "");
  EXPECT_THAT(lines, ::testing::ElementsAre("m info 500", "run info 500"));
}

// A sandbox once logged 715 MB/s under 64 KiB/s, by children that logged as they started.
TEST_P(SharedLogTest, HasOneRateForAllProcesses) {
  Sandbox sandbox = logging(false);
  EXPECT_EQ(logged(), 2 * kLineBytes);
  EXPECT_EQ(sandbox.info().limits_met["log_bytes_per_second_max"], 8U);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(logged(), 2 * kLineBytes) << "no time has passed";
  time_.advance(*runtime_, 1s);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(logged(), 4 * kLineBytes);
}

// The answer to a deterministic guest does not depend on what others did before.
TEST_P(SharedLogTest, LosesLinesOfDeterministicGuestsWithoutTheirKnowing) {
  Sandbox sandbox = logging(true);
  EXPECT_EQ(logged(), 2 * kLineBytes);
  EXPECT_EQ(testing::not_value(call(sandbox, "again", "p3"), Value(500)), "");
  EXPECT_EQ(logged(), 2 * kLineBytes);
}

}  // namespace
}  // namespace petri
