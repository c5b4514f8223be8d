// Area X: nothing a guest or a caller does ends the runtime, disturbs a neighbour, leaks, or gives two answers.
#include <latch>
#include <map>
#include <random>
#include <thread>

#include "engine/fault_injection.h"
#include "host/files/temporary_folder.h"
#include "petri/scan.h"
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
      if (runtime_->create_sandbox(counter("s" + std::to_string(thread) + "-" + std::to_string(i)))) ++created;
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
  std::latch all_there(100);
  {
    std::vector<std::jthread> rivals;
    for (int i = 0; i < 100; ++i) {
      rivals.emplace_back([&] {
        all_there.arrive_and_wait();
        const auto sandbox = runtime_->create_sandbox(counter("one"));
        if (sandbox) {
          ++won;
        } else if (sandbox.error().code == ErrorCode::already_exists) {
          ++lost;
        }
      });
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 99);
  EXPECT_EQ(runtime_->list().total, 1U);
  Sandbox winner = *runtime_->find("one");
  EXPECT_EQ(next(winner), 1);
  EXPECT_EQ(winner.usage().processes, 1U);
}

// Random bytes, prefixes of a good module, and good ones with a bit or a piece changed.
std::vector<std::uint8_t> bad_bytes(std::span<const std::uint8_t> good, std::mt19937& random) {
  std::vector<std::uint8_t> bytes(good.begin(), good.end());
  switch (random() % 4) {
    case 0:
      bytes.resize(random() % 200);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      if (random() % 2 == 0 && bytes.size() >= 8) std::copy_n(good.begin(), 8, bytes.begin());
      break;
    case 1: bytes.resize(random() % bytes.size()); break;
    case 2: bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8); break;
    default:
      for (std::size_t at = random() % bytes.size(), end = std::min(bytes.size(), at + 8); at < end; ++at) {
        bytes[at] = static_cast<std::uint8_t>(random());
      }
  }
  return bytes;
}

TEST_F(RobustnessTest, AcceptsOrRefusesWhateverBytesItIsGiven) {  // X01
  Sandbox other = create(counter("other"));
  Sandbox loader = create(counter("loader"));
  const auto artifact = *Artifact::from_wat(kCounter, 1 << 20);
  std::mt19937 random(1);
  std::map<std::string, int> answers;
  const auto note = [&](std::string_view verb, const auto& result) {
    const bool ours = !result && (result.error().code == ErrorCode::host_fault ||
                                  result.error().code == ErrorCode::engine_fault || result.error().message.empty());
    EXPECT_FALSE(ours) << verb << ": " << result.error().message;
    ++answers[std::string(verb) + (result ? " accepted" : " refused")];
  };
  for (int i = 0; i < 300; ++i) {
    const std::vector<std::uint8_t> bytes = bad_bytes(artifact->bytes(), random);
    note("create", runtime_->create_sandbox(
                       {.id = "bad",
                        .modules = {{"m", Source::wasm(bytes)}},
                        .limits = {.execution_time_max = std::chrono::milliseconds(20), .memory_bytes_max = 1 << 20}}));
    static_cast<void>(runtime_->destroy("bad"));
    note("load", loader.load("m" + std::to_string(i), Source::wasm(bytes)));
    note("run", loader.run(Source::wasm(bytes), "next", {}, {.fuel_max = 10'000}));
    const auto checked = Artifact::from_wasm(bytes, 1 << 20);
    note("artifact", checked);
    if (checked) note("scan", scan(**checked));
    EXPECT_EQ(next(other), i + 1);
  }
  for (const char* verb : {"create", "load", "run", "artifact"}) {
    EXPECT_GT(answers[std::string(verb) + " refused"], 100) << verb;
  }
  EXPECT_GT(answers["scan accepted"], 10) << "some of them are modules still";
  EXPECT_EQ(answers["scan refused"], 0) << "what the gate accepts can be scanned";
  EXPECT_EQ(other.info().supervisor_restarts, 0U);
}

// hostile C05: thousands of values alive at once in one function.
TEST_F(RobustnessTest, LoadsAFunctionThatKeepsThousandsOfValuesOrRefusesIt) {
  const auto keeping = [](int values) {
    std::string body;
    for (int i = 0; i < values; ++i) body += "(local.get 0)";
    for (int i = 1; i < values; ++i) body += "(i32.add)";
    return Source::wat("(module (func (export \"f\") (param i32) (result i32)" + body + "))");
  };
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec{.id = std::string(name_of(tier)), .modules = {{"m", keeping(1'000)}}, .tier = tier};
    Sandbox sandbox = create(spec);
    EXPECT_EQ(testing::not_value(sandbox.call("f", {3}), 3'000), "");
    spec.id += "-more";
    spec.modules[0].source = keeping(20'000);
    const auto refused = runtime_->create_sandbox(spec);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::rejected);
    EXPECT_EQ(
        refused.error().message,
        "the module m: the module exceeds the bound operands: 20000 where 1024 is the most (values on the operand "
        "stack at once) (at byte 36)");
  }
}

TEST_F(RobustnessTest, ReportsABadStartToItsCallerOnly) {  // X02
  std::vector<Sandbox> others;
  for (int i = 0; i < 100; ++i) others.push_back(create(counter("other" + std::to_string(i))));
  const TemporaryFolder folder;
  const auto artifact = *Artifact::from_wat(kCounter, 1 << 20);
  folder.write("short.wasm", {reinterpret_cast<const char*>(artifact->bytes().data()), artifact->bytes().size() - 1});
  const auto refusal = [&](SandboxSpec spec) {
    spec.id = "bad";
    const auto made = runtime_->create_sandbox(std::move(spec));
    static_cast<void>(runtime_->destroy("bad"));
    return made ? "made" : std::string(name_of(made.error().code)) + ": " + made.error().message;
  };
  SandboxSpec spec = counter();
  spec.modules.push_back({"bad", Source::wat("(module (func (export \"petri_init\") (result i32) (i32.const 9)))")});
  spec.tree =
      SupervisorSpec{.children = {ChildSpec{.id = "good", .module = "counter"}, ChildSpec{.id = "c", .module = "bad"}}};
  EXPECT_EQ(refusal(spec), "start_failed: the child c could not be started: it ended as exited in call with code 9");
  spec.modules[1].source = Source::wat("(module (func $s unreachable) (start $s))");
  EXPECT_EQ(
      refusal(spec),
      "start_failed: the child c could not be started: it ended as trapped in start: unreachable in s at byte 26");
  spec.modules[1].source = Source::file((folder / "short.wasm").string());
  EXPECT_EQ(refusal(spec),
            "rejected: the module bad: the module is not valid WebAssembly: unexpected end-of-file (at byte 231)");
  EXPECT_EQ(runtime_->list().total, 100U);
  for (Sandbox& sandbox : others) EXPECT_EQ(next(sandbox), 1);
}

TEST_F(RobustnessTest, AnswersQuestionsWhileAGuestLoops) {  // X04
  SandboxSpec spec = counter();
  spec.tree = SupervisorSpec{.children = {ChildSpec{.id = "c", .module = "counter", .shutdown = Shutdown::brutal()}}};
  Sandbox sandbox = create(spec);
  const std::uint64_t before = sandbox.usage().fuel_used;
  auto spinning = sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {});
  ASSERT_TRUE(spinning);
  expect_soon([&] { return sandbox.usage().fuel_used > before ? "" : "it does not loop yet"; });
  Sandbox other = create(counter("other"));
  EXPECT_EQ(sandbox.info().status, SandboxStatus::running);
  EXPECT_EQ(runtime_->info("other")->status, SandboxStatus::running);
  EXPECT_EQ(runtime_->list().total, 2U);
  EXPECT_EQ(sandbox.children().size(), 1U);
  EXPECT_EQ(next(other), 1);
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
