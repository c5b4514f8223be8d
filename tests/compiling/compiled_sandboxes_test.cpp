#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "petri/runtime.h"
#include "petri/testing/testing.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kGuest = R"((module
  (global $count (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "burn") (param i32)
    (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))) ))";

class CompiledSandboxes : public ::testing::Test {
 protected:
  ~CompiledSandboxes() override { inject_compile_fault(CompileFault::none, 0); }

  static SandboxSpec spec(Tier tier, std::string id = "a") {
    SandboxSpec spec{.id = std::move(id), .modules = {{"m", Source::wat(std::string(kGuest))}}};
    spec.tier = tier;
    return spec;
  }
  static std::unique_ptr<Runtime> runtime(MachineCodeOptions compile = {.time_max = seconds(60)}) {
    return std::move(*Runtime::create({.workers = 2,
                                       .promote_fuel = 1,
                                       .promote_fuel_per_byte = 0,
                                       .promotion_time_max = seconds(100),
                                       .compile = std::move(compile)}));
  }
  static void wait_until_compiling() {
    while (compile_faults_left() > 0) std::this_thread::yield();
  }
  // Ends the sandbox "a" while its compilation never ends.
  static void expect_soon_while_compiling(Runtime& here, const std::function<Result<void>()>& end) {
    inject_compile_fault(CompileFault::never_ends);
    const testing::Pending creating([&] { return here.create_sandbox(spec(Tier::compiled)); });
    wait_until_compiling();
    const auto start = std::chrono::steady_clock::now();
    const auto ended = end();
    EXPECT_TRUE(ended) << ended.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
    EXPECT_EQ(testing::not_error(creating.wait(), ErrorCode::cancelled), "");
  }
};

TEST_F(CompiledSandboxes, RunWhatAWorkerHasCompiled) {
  const auto here = runtime();
  auto sandbox = here->create_sandbox(spec(Tier::compiled));
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto outcome = sandbox->call("next");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->tier, Tier::compiled);
}

TEST_F(CompiledSandboxes, FailWhenCompilingTakesTooLong) {
  const auto here = runtime({.time_max = milliseconds(300)});
  inject_compile_fault(CompileFault::never_ends);
  const auto created = here->create_sandbox(spec(Tier::compiled));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::timeout);
  EXPECT_THAT(created.error().message, HasSubstr("the module m"));
}

// X04: of the sandbox that is compiled, and of others meanwhile.
TEST_F(CompiledSandboxes, CanBeAskedAboutWhileTheyCompile) {
  const auto here = runtime({.time_max = seconds(100)});
  auto other = here->create_sandbox(spec(Tier::interpreted, "other"));
  ASSERT_TRUE(other);
  inject_compile_fault(CompileFault::never_ends);
  const testing::Pending creating([&] { return here->create_sandbox(spec(Tier::compiled)); });
  wait_until_compiling();
  EXPECT_EQ(here->info("a")->status, SandboxStatus::compiling);
  EXPECT_EQ(here->find("a")->usage().processes, 0U);
  EXPECT_EQ(here->list().total, 2U);
  EXPECT_EQ(here->list({.status = SandboxStatus::compiling}).total, 1U);
  EXPECT_EQ(here->info("other")->status, SandboxStatus::running);
  EXPECT_EQ(testing::not_value(other->call("next"), 1), "");
  EXPECT_TRUE(here->destroy("a"));
  EXPECT_EQ(testing::not_error(creating.wait(), ErrorCode::cancelled), "");
}

// hostile G17: a caller that destroys twice, or creates what is being destroyed, has one answer each.
TEST_F(CompiledSandboxes, AreDestroyedOnceWhileTheyCompile) {
  const auto here = runtime({.time_max = seconds(100)});
  for (int round = 0; round < 3; ++round) {
    inject_compile_fault(CompileFault::never_ends);
    const testing::Pending creating([&] { return here->create_sandbox(spec(Tier::compiled)); });
    wait_until_compiling();
    const auto rival = here->create_sandbox(spec(Tier::interpreted));
    EXPECT_EQ(testing::not_error(rival, ErrorCode::already_exists), "");
    EXPECT_EQ(rival.error().detail("status"), "compiling");
    std::atomic<int> destroyed{0}, not_found{0};
    {
      std::vector<std::jthread> rivals;
      for (int i = 0; i < 8; ++i) {
        rivals.emplace_back([&] {
          const auto ended = here->destroy("a");
          ended ? ++destroyed : ++not_found;
          EXPECT_TRUE(ended || ended.error().code == ErrorCode::not_found);
        });
      }
    }
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(not_found, 7);
    EXPECT_EQ(testing::not_error(creating.wait(), ErrorCode::cancelled), "");
    EXPECT_EQ(here->list().total, 0U);
    auto again = here->create_sandbox(spec(Tier::interpreted));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(testing::not_value(again->call("next"), 1), "");
    ASSERT_TRUE(here->destroy("a"));
  }
  EXPECT_EQ(here->info().artifacts, 0U);
  EXPECT_EQ(here->info().memory_bytes, 0U);
}

TEST_F(CompiledSandboxes, FailWhenTheWorkerIsKilledAndCanBeRestarted) {
  const auto here = runtime();
  inject_compile_fault(CompileFault::kills_itself);
  const auto created = here->create_sandbox(spec(Tier::compiled));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::host_fault);
  EXPECT_TRUE(here->restart("a"));
}

TEST_F(CompiledSandboxes, AreDestroyedWithoutWaitingForTheCompiler) {
  const auto here = runtime({.time_max = seconds(100)});
  const testing::LeakCheck check(here.get());
  expect_soon_while_compiling(*here, [&] { return here->destroy("a"); });
  EXPECT_THAT(check.leaks(), IsEmpty());
}

TEST_F(CompiledSandboxes, AreStoppedWithoutWaitingForTheCompilerAndCanBeRestarted) {
  const auto here = runtime({.time_max = seconds(100)});
  expect_soon_while_compiling(*here, [&] { return here->stop("a"); });
  EXPECT_EQ(here->info("a")->status, SandboxStatus::stopped);
  const auto restarted = here->restart("a");
  EXPECT_TRUE(restarted) << restarted.error().message;
  EXPECT_EQ(here->info("a")->status, SandboxStatus::running);
}

TEST_F(CompiledSandboxes, AreRestartedWithoutWaitingForTheCompiler) {
  const auto here = runtime({.time_max = seconds(100)});
  expect_soon_while_compiling(*here, [&] { return here->restart("a"); });
  EXPECT_EQ(here->info("a")->status, SandboxStatus::running);
  EXPECT_EQ(here->find("a")->call("next")->tier, Tier::compiled);
}

TEST_F(CompiledSandboxes, OfARuntimeThatEndsAreNotWaitedFor) {
  auto here = runtime();
  auto sandbox = here->create_sandbox(spec(Tier::automatic));
  ASSERT_TRUE(sandbox);
  inject_compile_fault(CompileFault::never_ends);
  while (compile_faults_left() > 0) ASSERT_TRUE(sandbox->call("burn", {Value(10'000)}));
  const auto start = std::chrono::steady_clock::now();
  here.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_TRUE(settle_compile_workers(seconds(10)));
}

TEST_F(CompiledSandboxes, ArePromotedByANewWorkerWhenTheFirstIsKilled) {
  const auto here = runtime();
  auto sandbox = here->create_sandbox(spec(Tier::automatic));
  ASSERT_TRUE(sandbox);
  inject_compile_fault(CompileFault::kills_itself);
  Tier tier = Tier::interpreted;
  while (tier == Tier::interpreted) {
    const auto outcome = sandbox->call("burn", {Value(1'000)});
    ASSERT_TRUE(outcome) << outcome.error().message;
    tier = outcome->tier;
  }
  EXPECT_EQ(tier, Tier::compiled);
}

TEST_F(CompiledSandboxes, StayInterpretedWithoutAWorkerAndOneEventSaysSo) {
  const auto here = runtime({.worker = "/nowhere/worker"});
  auto events = *here->subscribe({.kinds = {EventKind::compiling_unavailable}});
  EventPtr event;
  for (const char* id : {"a", "b"}) {
    auto sandbox = here->create_sandbox(spec(Tier::automatic, id));
    ASSERT_TRUE(sandbox);
    while (event == nullptr) {
      ASSERT_TRUE(sandbox->call("burn", {Value(10'000)}));
      event = events.next();
    }
    EXPECT_EQ(sandbox->call("next")->tier, Tier::interpreted);
  }
  EXPECT_THAT(std::string(event->text("message")), HasSubstr("/nowhere/worker"));
  EXPECT_EQ(events.next(), nullptr);
  const auto compiled = here->create_sandbox(spec(Tier::compiled, "c"));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::not_found);
}

TEST_F(CompiledSandboxes, OfSeveralRuntimesShareTheWorkers) {
  const auto first = runtime(), second = runtime();
  for (const auto* here : {&first, &second}) {
    auto sandbox = (*here)->create_sandbox(spec(Tier::compiled));
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    EXPECT_EQ(sandbox->call("next")->tier, Tier::compiled);
  }
  EXPECT_LE(live_workers().size(), CompileWorkers::workers_max());
}

// Only source code is compiled; wat and wasm need no compiler.
TEST_F(CompiledSandboxes, ReportTheCompilersOfTheirSources) {  // O03
  const auto here = runtime();
  Subscription events =
      *here->subscribe({.kinds = {EventKind::compile_start, EventKind::compile_stop, EventKind::compile_exception}});
  const auto create = [&](std::string text) {
    return here->create_sandbox({.id = "a", .modules = {{"m", Source::code("c", std::move(text))}}});
  };
  EXPECT_EQ(testing::not_error(create("int f(void) { return"), ErrorCode::compilation_failed), "");
  EXPECT_TRUE(create("__attribute__((export_name(\"f\"))) int f(void) { return 1; }"));
  std::vector<std::string> names;
  while (const EventPtr event = events.next()) {
    names.emplace_back(name_of(event->kind));
    EXPECT_EQ(event->text("language"), "c");
  }
  EXPECT_THAT(names, ::testing::ElementsAre("compile.start", "compile.exception", "compile.start", "compile.stop"));
  EXPECT_THAT(here->metrics(), HasSubstr("petri_compiles_total 1\n"));
}

}  // namespace
}  // namespace petri
