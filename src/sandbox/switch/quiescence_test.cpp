#include "sandbox/switch/quiescence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/assert.h"
#include "process/process_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Processes of one module, of which nobody crashes.
class TestReloadHost final : public ReloadHost {
 public:
  explicit TestReloadHost(std::vector<ProcessPtr> processes) : processes_(std::move(processes)) {}
  std::vector<ProcessPtr> processes_of(std::string_view module) const override {
    return module == "counter" ? processes_ : std::vector<ProcessPtr>();
  }
  std::set<std::string> modules_with_processes() const override { return {"counter"}; }
  bool trees_are_quiet() const override { return true; }
  bool trees_are_settled() const override { return true; }
  void wait_for_restarts(Clock::TimePoint) const override {}
  std::stop_token ending() const override { return stop.get_token(); }
  ModuleGate gate() override { PETRI_UNREACHABLE(); }
  Result<void> commit(ModuleChanges&, const ModuleTable::Commit&) override { return {}; }

  std::stop_source stop;

 private:
  const std::vector<ProcessPtr> processes_;
};

class QuiescenceTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kCounter = R"((module (global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))))";
  static Clock::TimePoint soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }
  static Message next() { return {.kind = MessageKind::call, .function = "next"}; }
  std::string reach(Quiescence& quiescence, const Quiescence::Preparation* preparation = nullptr) {
    const auto reached = quiescence.reach(targets_, preparation);
    return reached ? "" : fmt::format("{}: {}", name_of(reached.error().code), reached.error().message);
  }

  SystemClock clock_;
  TestOwner owner_;
  Process& one_ = owner_.start("one", kCounter, Tier::interpreted);
  Process& two_ = owner_.start("two", kCounter, Tier::interpreted);
  TestReloadHost host_{{one_.shared_from_this(), two_.shared_from_this()}};
  const std::string id_ = "a";
  ModuleTable modules_{id_, {}};
  EventBus bus_{clock_};
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{MetricLabels{}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  Journal journal_{sinks_, owner_, id_, AuditLevel::none, operation_};
  GuestTimers guest_timers_{owner_, *timers_};
  StartGate starts_;
  const ReloadParts parts_{host_, owner_, modules_, guest_timers_, journal_, starts_};
  const std::vector<Quiescence::Target> targets_ = Quiescence::all_of({"counter", "other"});
};

TEST_F(QuiescenceTest, HasEnteredAllProcessesAndLetsThemContinueAfterwards) {
  const auto answer = std::make_shared<Reply>();
  {
    Quiescence quiescence(parts_, soon(), {});
    ASSERT_EQ(reach(quiescence), "");
    std::vector<std::string> taken;
    for (const Quiescence::Taken& process : quiescence.taken()) taken.push_back(process.process->name());
    EXPECT_THAT(taken, UnorderedElementsAre("one", "two"));
    EXPECT_EQ(one_.entrance().try_take(), Entrance::Taken::at_work);
    Message message = next();
    message.reply = answer;
    ASSERT_TRUE(one_.post(std::move(message)));
    EXPECT_FALSE(answer->settled()) << "nobody enters";
  }
  EXPECT_EQ(answer->wait()->values[0].i32(), 1);
}

TEST_F(QuiescenceTest, IsNotReachedWhileOneIsAtWorkAndLeavesAllAsTheyWere) {
  ASSERT_EQ(two_.entrance().try_take(), Entrance::Taken::taken);
  {
    Quiescence quiescence(parts_, std::chrono::steady_clock::now(), {});
    EXPECT_EQ(reach(quiescence), "busy: the process two did not come to rest in time; nothing was changed");
    EXPECT_TRUE(quiescence.taken().empty());
  }
  two_.entrance().put_back();
  for (Process* process : {&one_, &two_}) EXPECT_EQ(process->call(next(), {})->values[0].i32(), 1);
}

TEST_F(QuiescenceTest, IsGivenUpWhenTheSandboxIsEnded) {
  host_.stop.request_stop();
  Quiescence quiescence(parts_, soon(), host_.ending());
  EXPECT_EQ(reach(quiescence), "cancelled: the sandbox is being ended");
}

TEST_F(QuiescenceTest, WaitsForAProcessThatIsStarting) {
  starts_.begin(owner_.workers());
  Quiescence quiescence(parts_, std::chrono::steady_clock::now(), {});
  EXPECT_EQ(reach(quiescence), "busy: the processes did not come to rest in time; nothing was changed");
  starts_.end();
}

TEST_F(QuiescenceTest, PreparesProcessesThatCameAfterTheOthers) {
  std::vector<std::string> prepared{"one"};
  const Quiescence::Preparation preparation{
      .is_done = [&](std::size_t, const Process& process) { return std::ranges::count(prepared, process.name()) > 0; },
      .carry_out = [&](std::size_t target, Process& process) -> Result<void> {
        EXPECT_EQ(targets_[target].module, "counter");
        prepared.push_back(process.name());
        return {};
      }};
  Quiescence quiescence(parts_, soon(), {});
  EXPECT_EQ(reach(quiescence, &preparation), "");
  EXPECT_THAT(prepared, ElementsAre("one", "two"));
  EXPECT_EQ(quiescence.taken().size(), 2U);
}

TEST_F(QuiescenceTest, OfOneProcessLeavesTheOthersOfItsModuleAlone) {
  Quiescence quiescence(parts_, soon(), {});
  ASSERT_TRUE(quiescence.reach({{.module = "counter", .only = two_.shared_from_this()}}));
  ASSERT_EQ(quiescence.taken().size(), 1U);
  EXPECT_EQ(quiescence.taken()[0].process->name(), "two");
  EXPECT_EQ(one_.call(next(), {})->values[0].i32(), 1);
}

}  // namespace
}  // namespace petri
