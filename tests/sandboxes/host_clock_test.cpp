// Host functions run on the guest's clock: what waits takes no worker away and can be woken, what is long is charged,
// bounded and meets its deadline. In both tiers.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "petri/host_functions.h"
#include "runtime_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// Says through the log that it is about to sleep, so that a test knows. Its second way goes through another process.
constexpr std::string_view kSleeper = R"((module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1)
  (data (i32.const 1000) "nap") (data (i32.const 1010) "b")
  (func $nap (export "nap") (result i32)
    (drop (call $log (i32.const 2) (i32.const 1000) (i32.const 3)))
    (i64.store (i32.const 24) (i64.const 60000000000))
    (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200)))
  (func (export "ask") (result i32)
    (call $call (i32.const 1010) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
  (func (export "awake") (result i32) (i32.const 7))
  (func (export "petri_handle") (result i32) (call $nap))))";

// Long before the nap of a minute is over, however busy the machine.
constexpr auto kSoon = 20s;

class HostClockTest : public RuntimeFixture, public ::testing::WithParamInterface<Tier> {
 protected:
  using Time = std::chrono::steady_clock;

  // Children a and b of one module.
  SandboxSpec sleepers(std::string id) {
    SandboxSpec spec{.id = std::move(id), .modules = {{"sleeper", Source::wat(std::string(kSleeper))}}};
    spec.tree = SupervisorSpec{.children = {}};
    for (const char* name : {"a", "b"}) {
      spec.tree->children.emplace_back(ChildSpec{.id = name, .module = "sleeper", .shutdown = Shutdown::after(20ms)});
    }
    spec.tier = GetParam();
    spec.on_log = [this](std::string_view, LogLevel, std::string_view) { asleep_.fetch_add(1); };
    return spec;
  }
  void wait_until_asleep(int count) {
    expect_soon([&] { return asleep_.load() >= count ? "" : "not asleep yet"; });
  }
  // A call that sleeps, and the outcome it comes to.
  std::future<Result<Outcome>> start_nap(Sandbox& sandbox, std::string_view function, std::uint64_t* call = nullptr) {
    auto promise = std::make_shared<std::promise<Result<Outcome>>>();
    const auto number = sandbox.call_async(function, {}, {.process = "a"},
                                           [promise](Result<Outcome> how) { promise->set_value(std::move(how)); });
    EXPECT_TRUE(number) << number.error().message;
    if (call != nullptr) *call = *number;
    auto answer = promise->get_future();
    wait_until_asleep(1);
    return answer;
  }
  Result<void> end_by(const std::string& verb, Sandbox& sandbox) {
    if (verb == "stop_child") return sandbox.stop_child("a");
    if (verb == "restart") return sandbox.restart();
    if (verb == "stop") return sandbox.stop();
    return runtime_->destroy("of-" + verb);
  }
  static SandboxSpec of(std::string_view text, Tier tier) {
    SandboxSpec spec{.id = "x", .modules = {{"x", Source::wat(std::string(text))}}};
    spec.tier = tier;
    return spec;
  }

  std::atomic<int> asleep_{0};
};

// As many guests asleep as there are workers, and as many again.
TEST_P(HostClockTest, GuestsThatSleepTakeNoWorkerAway) {
  Sandbox good = create(counter("good"));
  for (const std::string id : {"s0", "s1"}) {
    Sandbox sandbox = create(sleepers(id));
    for (const char* name : {"a", "b"}) ASSERT_TRUE(sandbox.send("x", name));
  }
  wait_until_asleep(4);
  for (int i = 0; i < 3; ++i) {
    const auto answer = good.call("next", {}, {.timeout = kSoon});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->values[0].i32(), i + 1);
  }
}

TEST_P(HostClockTest, CancelWakesAGuestThatSleeps) {
  Sandbox sandbox = create(sleepers("s"));
  std::uint64_t call = 0;
  auto answer = start_nap(sandbox, "nap", &call);
  ASSERT_TRUE(sandbox.cancel(call));
  ASSERT_EQ(answer.wait_for(kSoon), std::future_status::ready);
  const auto outcome = answer.get();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::cancelled);
}

TEST_P(HostClockTest, CancelWakesAGuestThatSleepsForAnother) {
  Sandbox sandbox = create(sleepers("s"));
  std::uint64_t call = 0;
  auto answer = start_nap(sandbox, "ask", &call);
  ASSERT_TRUE(sandbox.cancel(call));
  ASSERT_EQ(answer.wait_for(kSoon), std::future_status::ready);
  const auto outcome = answer.get();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::cancelled);
}

TEST_P(HostClockTest, StopRestartAndDestroyDoNotWaitForAGuestThatSleeps) {
  for (const std::string verb : {"stop_child", "restart", "stop", "destroy"}) {
    asleep_.store(0);
    Sandbox sandbox = create(sleepers("of-" + verb));
    auto answer = start_nap(sandbox, "nap");
    const Time::time_point before = Time::now();
    EXPECT_TRUE(end_by(verb, sandbox)) << verb;
    EXPECT_LT(Time::now() - before, kSoon) << verb;
    ASSERT_EQ(answer.wait_for(kSoon), std::future_status::ready) << verb;
    const auto outcome = answer.get();
    EXPECT_FALSE(outcome && outcome->kind == OutcomeKind::ok) << verb;
  }
}

TEST_P(HostClockTest, ASleepEndsAtItsDeadline) {
  Sandbox sandbox = create(sleepers("s"));
  ASSERT_TRUE(sandbox.update_limits({.execution_time_max = std::chrono::milliseconds(50)}));
  const Time::time_point before = Time::now();
  const auto outcome = sandbox.call("nap", {}, {.process = "a"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::deadline);
  EXPECT_LT(Time::now() - before, kSoon);
}

// The text that spawn parses is no longer than a message, and paid for byte by byte.
TEST_P(HostClockTest, TheSpecOfAChildIsBoundedBeforeItIsParsed) {
  Sandbox sandbox = create(of(R"((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1)
    (func (export "go") (param $bytes i32) (param $with i32) (result i32)
      (drop (memory.grow (i32.div_u (local.get $bytes) (i32.const 65536))))
      (memory.fill (i32.const 0) (local.get $with) (local.get $bytes))
      (call $spawn (i32.const 0) (local.get $bytes)))))",
                              GetParam()));
  const auto go = [&](std::int32_t bytes, char with) {
    auto outcome = sandbox.call("go", {bytes, static_cast<std::int32_t>(with)});
    EXPECT_TRUE(outcome && outcome->kind == OutcomeKind::ok);
    return outcome && outcome->kind == OutcomeKind::ok ? std::pair(outcome->values[0].i32(), outcome->fuel_used)
                                                       : std::pair(0, std::uint64_t{0});
  };
  EXPECT_EQ(go(25'165'824, '[').first, static_cast<std::int32_t>(GuestError::too_large));  // took 11 s and 1.9 GiB
  for (const char with : {'[', '{', '"', ' ', '1', '\\'}) {
    const auto [answer, fuel] = go(65'536, with);
    EXPECT_EQ(answer, static_cast<std::int32_t>(GuestError::invalid)) << with;
    EXPECT_GT(fuel, 65'536U) << with;
  }
}

// The memory that parsing takes is the guest's own for as long as it lasts, and refused where there is no room for it.
TEST_P(HostClockTest, TheSpecOfAChildIsReadWithinTheMemoryOfItsSandbox) {
  SandboxSpec spec = of(R"((module
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 16)
    (func (export "go") (param $bytes i32) (result i32)
      (memory.fill (i32.const 1) (i32.const 120) (i32.const 0xfffff))
      (i32.store8 (i32.const 0) (i32.const 34))
      (call $spawn (i32.const 0) (local.get $bytes)))))",
                        GetParam());
  spec.limits = {.memory_bytes_max = 4 << 20, .message_bytes_max = 1 << 20};
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_value(sandbox.call("go", {100'000}), static_cast<std::int32_t>(GuestError::invalid)), "");
  const std::uint64_t before = sandbox.usage().memory_bytes;
  EXPECT_EQ(testing::not_value(sandbox.call("go", {1'048'576}), static_cast<std::int32_t>(GuestError::limit_exceeded)),
            "");
  EXPECT_EQ(sandbox.usage().memory_bytes, before);
}

// No name is longer than those there are.
TEST_P(HostClockTest, LongNamesAreNotLookedAt) {
  SandboxSpec spec = of(R"((module
    (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
    (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
    (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
    (import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 0) "{\"id\":\"kid\",\"module\":\"x\"}")
    (func (export "kid") (result i32)
      (drop (memory.grow (i32.const 916)))
      (call $spawn (i32.const 0) (i32.const 25)))
    (func (export "petri_handle") (result i32) (i32.const 0))
    (func (export "sends") (result i32) (call $send (i32.const 0) (i32.const 60000000) (i32.const 0) (i32.const 0)))
    (func (export "large") (result i32) (call $send (i32.const 7) (i32.const 3) (i32.const 0) (i32.const 60000000)))
    (func (export "calls") (result i32)
      (call $call (i32.const 0) (i32.const 60000000) (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "stops") (param $times i32) (result i32) (local $r i32)
      (loop $l (local.set $r (call $stop (i32.const 0) (i32.const 60000000)))
        (br_if $l (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
      (local.get $r))))",
                        GetParam());
  spec.limits = {.execution_time_max = std::chrono::seconds(20)};
  Sandbox sandbox = create(std::move(spec));
  const auto ask = [&](std::string_view function, std::vector<Value> arguments = {}) {
    const auto outcome = sandbox.call(function, std::move(arguments), {.process = "x"});
    EXPECT_TRUE(outcome && outcome->kind == OutcomeKind::ok) << function;
    return outcome && outcome->kind == OutcomeKind::ok ? outcome->values[0].i32() : 0;
  };
  ASSERT_EQ(ask("kid"), 0);
  const Time::time_point before = Time::now();
  EXPECT_EQ(ask("stops", {Value(std::int32_t{1'000})}), static_cast<std::int32_t>(GuestError::not_found));
  EXPECT_EQ(ask("sends"), static_cast<std::int32_t>(GuestError::not_found));
  EXPECT_EQ(ask("calls"), static_cast<std::int32_t>(GuestError::not_found));
  EXPECT_EQ(ask("large"), static_cast<std::int32_t>(GuestError::too_large));
  EXPECT_LT(Time::now() - before, kSoon);  // a thousand took four minutes
}

// Each is one call that does much for little fuel, again and again until the deadline.
struct Work {
  const char* name;
  const char* import;
  const char* call;
};

TEST_P(HostClockTest, WorkThatIsLongForItsFuelMeetsItsDeadline) {
  const auto folder = std::filesystem::temp_directory_path() / ("petri-host-clock-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "many");
  for (int i = 0; i < 500; ++i) std::ofstream(folder / "many" / ("file-" + std::to_string(i)));
  for (const Work& work : {
           Work{"1,024 one-byte buffers", R"("fd_write" (func $f (param i32 i32 i32 i32) (result i32)))",
                "(i32.const 1) (i32.const 8192) (i32.const 1024) (i32.const 0)"},
           Work{"the same to the log", R"("fd_write" (func $f (param i32 i32 i32 i32) (result i32)))",
                "(i32.const 2) (i32.const 8192) (i32.const 1024) (i32.const 0)"},
           Work{"nothing but ends of lines", R"("fd_write" (func $f (param i32 i32 i32 i32) (result i32)))",
                "(i32.const 2) (i32.const 32) (i32.const 1) (i32.const 0)"},
           Work{"a listing that is not kept", R"("fd_readdir" (func $f (param i32 i32 i32 i64 i32) (result i32)))",
                "(i32.const 3) (i32.const 65536) (i32.const 65536) (i64.const 0) (i32.const 0)"},
           Work{"a path of two thousand folders",
                R"("path_filestat_get" (func $f (param i32 i32 i32 i32 i32) (result i32)))",
                "(i32.const 3) (i32.const 0) (i32.const 16384) (i32.const 4000) (i32.const 64)"},
           Work{"a long wish for chance", R"("random_get" (func $f (param i32 i32) (result i32)))",
                "(i32.const 65536) (i32.const 65536)"},
       }) {
    SandboxSpec spec = of(std::string("(module (import \"wasi_snapshot_preview1\" ") + work.import + R"()
      (memory 2)
      (data (i32.const 32) "\00\00\01\00\00\00\01\00")
      (func (export "go") (local $i i32)
        (memory.fill (i32.const 65536) (i32.const 10) (i32.const 65536))
        (loop $l (i32.store (i32.add (i32.const 8192) (i32.mul (local.get $i) (i32.const 8))) (i32.const 65536))
          (i32.store (i32.add (i32.const 8196) (i32.mul (local.get $i) (i32.const 8))) (i32.const 1))
          (i32.store16 (i32.add (i32.const 16384) (i32.mul (local.get $i) (i32.const 4))) (i32.const 0x2f2e))
          (i32.store16 (i32.add (i32.const 16386) (i32.mul (local.get $i) (i32.const 4))) (i32.const 0x2f2e))
          (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1024))))
        (loop $again (drop (call $f )" +
                              work.call + R"()) (br $again)))))",
                          GetParam());
    spec.id = "worker";
    spec.folder = folder.string();
    spec.limits = {.execution_time_max = std::chrono::milliseconds(20)};
    spec.profile = Profile::trusted;
    Sandbox sandbox = create(std::move(spec));
    const Time::time_point before = Time::now();
    const auto outcome = sandbox.call("go");
    ASSERT_TRUE(outcome) << work.name << ": " << outcome.error().message;
    EXPECT_EQ(outcome->kind, OutcomeKind::deadline) << work.name;
    EXPECT_LT(Time::now() - before, kSoon) << work.name;
    ASSERT_TRUE(runtime_->destroy("worker"));
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(BothTiers, HostClockTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
