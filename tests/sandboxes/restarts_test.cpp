// Area L: a sandbox that is stopped, restarted, or given up by its supervisor.
#include <thread>

#include "lifecycle_fixture.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(LifecycleTest, StopsAndStartsAgain) {  // L22
  auto events = *runtime_->subscribe({.kinds = {EventKind::sandbox_status}});
  SandboxSpec spec = counter();
  spec.labels = {"blue"};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(next(sandbox), 1);
  const SandboxInfo before = sandbox.info();
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
  EXPECT_EQ(sandbox.usage().processes, 0U);
  EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  EXPECT_EQ(sandbox.info().modules, before.modules);
  EXPECT_EQ(sandbox.info().labels, before.labels);
  EXPECT_THAT(*sandbox.versions("counter"), SizeIs(1));
  EXPECT_EQ(sandbox.history("counter")->active, 1U);
  EXPECT_EQ(runtime_->list({.status = SandboxStatus::stopped, .label = "blue"}).total, 1U);
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::rejected);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  EXPECT_EQ(next(sandbox), 1);
  std::vector<std::string> seen;
  while (const EventPtr event = events.next()) seen.emplace_back(event->text("to"));
  EXPECT_THAT(seen, ElementsAre("compiling", "starting", "running", "stopping", "stopped", "starting", "running"));
}

TEST_F(LifecycleTest, CountsRestartsAndKeepsWhatItIs) {  // L15, L23, L25
  SandboxSpec spec = counter();
  spec.limits = {.processes_max = 7};
  spec.labels = {"blue"};
  Sandbox sandbox = create(spec);
  const SandboxInfo before = sandbox.info();
  for (std::uint64_t count = 1; count <= 3; ++count) {
    EXPECT_EQ(next(sandbox), 1);
    ASSERT_TRUE(sandbox.restart());
    EXPECT_EQ(sandbox.info().restarts, count);
    EXPECT_EQ(sandbox.status(), SandboxStatus::running);
  }
  const SandboxInfo after = sandbox.info();
  EXPECT_EQ(after.created, before.created);
  EXPECT_GE(after.updated, before.updated);
  EXPECT_EQ(after.limits, before.limits);
  EXPECT_EQ(after.labels, before.labels);
  EXPECT_EQ(after.modules, before.modules);
}

TEST_F(LifecycleTest, CountsRestartsOfTheSupervisorApart) {  // L27
  Sandbox sandbox = create(counter());
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
  expect_restarts(sandbox, 1);
  EXPECT_EQ(sandbox.info().restarts, 0U);
}

TEST_F(LifecycleTest, FailsWithTheCauseWhenTheSupervisorGivesUp) {  // L28
  SandboxSpec spec = tree(Strategy::one_for_one, {"one"}, 0);
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_kind(call(sandbox, "crash"), OutcomeKind::trapped), "");
  expect_status(sandbox, SandboxStatus::failed);
  EXPECT_THAT(sandbox.info().cause, AllOf(HasSubstr("one"), HasSubstr("trapped")));
  EXPECT_EQ(sandbox.usage().processes, 0U);
  EXPECT_EQ(call(sandbox, "next").error().code, ErrorCode::rejected);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(next(sandbox), 1);
}

TEST_F(LifecycleTest, LetsSeveralFailAtOnce) {  // L29
  std::vector<Sandbox> sandboxes;
  for (const std::string id : {"x", "y", "z"}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"one"}, 0);
    spec.id = id;
    sandboxes.push_back(create(spec));
  }
  {
    std::vector<std::jthread> threads;
    for (Sandbox& sandbox : sandboxes) threads.emplace_back([&] { static_cast<void>(call(sandbox, "crash")); });
  }
  for (Sandbox& sandbox : sandboxes) {
    expect_status(sandbox, SandboxStatus::failed);
    EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
    EXPECT_EQ(sandbox.usage().processes, 0U);
  }
  EXPECT_EQ(runtime_->list().total, 3U);
  create(counter());
}

}  // namespace
}  // namespace petri
