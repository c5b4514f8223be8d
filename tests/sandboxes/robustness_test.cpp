// Area X: nothing a guest or a caller does ends the runtime, disturbs a neighbour, leaks, or gives two answers.
#include <thread>

#include "engine/fault_injection.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

class RobustnessTest : public RuntimeFixture {};

TEST_F(RobustnessTest, CreatesAndDestroysFromManyThreads) {  // X03
  std::atomic<int> created{0}, destroyed{0}, won{0}, lost{0};
  const auto from_eight = [](const auto& body) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) threads.emplace_back([&body, thread] { body(thread); });
  };
  from_eight([&](int thread) {
    for (int i = 0; i < 125; ++i) {
      if (runtime_->create(counter("s" + std::to_string(thread) + "-" + std::to_string(i)))) ++created;
    }
  });
  EXPECT_EQ(created, 1'000);
  EXPECT_EQ(runtime_->list().total, 1'000U);
  from_eight([&](int thread) {
    for (int i = 0; i < 125; ++i) {
      if (runtime_->destroy("s" + std::to_string(thread) + "-" + std::to_string(i))) ++destroyed;
    }
  });
  EXPECT_EQ(destroyed, 1'000);
  EXPECT_EQ(runtime_->list().total, 0U);
  from_eight([&](int) {
    const auto sandbox = runtime_->create(counter("one"));
    if (sandbox) {
      ++won;
    } else if (sandbox.error().code == ErrorCode::already_exists) {
      ++lost;
    }
  });
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 7);
}

TEST_F(RobustnessTest, DisturbsNobodyWithABadModule) {  // X01, X02
  std::vector<Sandbox> others;
  for (int i = 0; i < 20; ++i) others.push_back(create(counter("other" + std::to_string(i))));
  const auto artifact = *Artifact::from_wat(kCounter, 1 << 20);
  const std::vector<std::uint8_t> good(artifact->bytes().begin(), artifact->bytes().end());
  std::uint32_t random = 1;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint8_t> bytes = good;
    random = random * 1'664'525 + 1'013'904'223;
    if (i % 2 == 0) {
      bytes.resize(random % bytes.size());
    } else {
      bytes[random % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random >> 24 & 7));
    }
    static_cast<void>(runtime_->create({.id = "bad", .modules = {{"m", Source::wasm(bytes)}}}));
    static_cast<void>(runtime_->destroy("bad"));
    static_cast<void>(others[0].run(Source::wasm(bytes), "next", {}, {.fuel_max = 10'000}));
  }
  for (Sandbox& sandbox : others) EXPECT_EQ(next(sandbox), 1);
}

TEST_F(RobustnessTest, AnswersQuestionsWhileAGuestLoops) {  // X04
  SandboxSpec spec = counter();
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "c", .module = "counter", .shutdown = Shutdown::brutal()}}};
  Sandbox sandbox = create(spec);
  auto spinning = sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {});
  ASSERT_TRUE(spinning);
  EXPECT_EQ(sandbox.info().status, SandboxStatus::running);
  EXPECT_EQ(runtime_->list().total, 1U);
  EXPECT_EQ(sandbox.children().size(), 1U);
  EXPECT_TRUE(runtime_->destroy("a"));
}

// The panic is provoked on this thread, which an idle process is called on.
TEST_F(RobustnessTest, TakesAPanicOfTheEngineForAFaultOfOneProcess) {  // X13
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec = tree(Strategy::one_for_one, {"one", "two"});
    spec.tier = tier;
    testing::ScopedSandbox sandbox = *testing::ScopedSandbox::create(*runtime_, spec);
    Sandbox other = create(counter(testing::unique_id("other")));
    EXPECT_EQ(next(*sandbox, "two"), 1);
    auto events = *runtime_->subscribe({.kinds = {EventKind::process_exited, EventKind::sandbox_status}});
    panic_at_next(EngineStep::call);
    EXPECT_EQ(testing::not_error(sandbox->run("counter", "next"), ErrorCode::engine_fault), "");
    EXPECT_EQ(sandbox->info().supervisor_restarts, 0U);
    panic_at_next(EngineStep::call);
    const auto fault = sandbox->call("next", {}, {.process = "one"});
    EXPECT_EQ(testing::not_error(fault, ErrorCode::engine_fault), "");
    EXPECT_EQ(fault.error().category(), ErrorCategory::system);
    expect_restarts(*sandbox, 1);
    EXPECT_THAT(names(events), ::testing::ElementsAre("process.exited one"));
    EXPECT_EQ(next(*sandbox, "one"), 1);
    EXPECT_EQ(next(*sandbox, "two"), 2);
    EXPECT_EQ(next(other), 1);
  }
}

TEST_F(RobustnessTest, LeavesAProcessThatCannotBeMovedInItsTier) {  // X14
  const std::string text = R"((module (table $t 1 funcref) (elem declare func $g) (func $g)
    (global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32)
      (table.set $t (i32.const 0) (ref.func $g))
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))))";
  EXPECT_THAT((*Artifact::from_wat(text, 1 << 20))->info().not_movable_because,
              ::testing::ElementsAre(::testing::HasSubstr("writes a table")));
  runtime_ = *Runtime::create({.workers = 2, .promote_fuel = 1'000, .promote_fuel_per_byte = 0});
  SandboxSpec spec = counter();
  spec.modules[0].source = Source::wat(text);
  Sandbox sandbox = create(spec);
  std::int32_t count = 0;
  expect_soon([&] {
    for (int i = 0; i < 200; ++i) EXPECT_EQ(next(sandbox), ++count);
    spec.id = testing::unique_id("later");
    return create(spec).children()[0].tier == Tier::compiled ? "" : "the artifact is not hot yet";
  });
  EXPECT_EQ(next(sandbox), ++count);
  EXPECT_EQ(sandbox.call("next")->tier, Tier::interpreted);
}

TEST_F(RobustnessTest, SurvivesMixedVerbsFromManyThreads) {
  const testing::LeakCheck check(runtime_.get());
  const testing::StressReport report = testing::stress(*runtime_, {.threads = 8, .operations = 400, .seed = 11});
  EXPECT_EQ(report.operations(), 3'200U);
  EXPECT_EQ(check.leaks(), "");
  EXPECT_EQ(runtime_->info().memory_bytes, 0U);
}

}  // namespace
}  // namespace petri
