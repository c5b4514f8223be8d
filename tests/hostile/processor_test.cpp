// Family A: processor time and control flow.
#include <cstring>
#include <future>

#include "hostile/hostile_fixture.h"
#include "hostile/processor_cases.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class HostileProcessor : public HostileFixture {
 protected:
  // Ended while it ran, or kept from starting.
  static bool was_cancelled(const Result<Outcome>& result) {
    return result ? result->kind == OutcomeKind::cancelled : result.error().code == ErrorCode::cancelled;
  }
};

// A01 A02 A03 A05 A06 A07 A08 A11 A12 B10: as a call of a live process, which is started again, and as a run.
TEST_P(HostileProcessor, EndsAsItsKindSaysWhereverItRuns) {
  covers("A01 A02 A03 A05 A06 A07 A08 A11 A12 B10");
  for (std::size_t i = 0; i < hostile_cases().size(); ++i) {
    const HostileCase& one = hostile_cases()[i];
    if (copy_count() > 1 && (i + copy_) % 5 != 0) continue;  // a crowd shares them
    const std::uint64_t fuel_max = fuel();
    Sandbox sandbox = attack(one.wat, {.memory_bytes_max = 64 << 20, .fuel_max = fuel_max});
    const auto call = [&] { return sandbox.call("f"); };
    for (const auto& result : {call(), sandbox.run("m", "f"), one.trap ? timed(Latency::trap, call) : call()}) {
      ASSERT_EQ(testing::not_kind(result, one.kind), "") << one.id;
      EXPECT_EQ(result->trap, one.trap) << one.id;
      if (GetParam() != Tier::automatic) {
        EXPECT_EQ(result->tier, GetParam()) << one.id;
      }
      if (one.kind == OutcomeKind::out_of_fuel) {
        EXPECT_EQ(result->fuel_used, fuel_max) << one.id;
      }
    }
    expect_restarts(sandbox, 2);
  }
}

// V9: both tiers, and the same process before and after it was compiled.
TEST(HostileTiers, AgreeOnTheEnd) {
  const auto runtime = *Runtime::create({.workers = 2});
  for (const HostileCase& one : hostile_cases()) {
    auto sandbox = runtime->create_sandbox({.id = testing::unique_id("both"),
                                            .modules = {{"m", Source::wat(std::string(one.wat))}},
                                            .limits = {.memory_bytes_max = 16 << 20, .fuel_max = 100'000}});
    ASSERT_TRUE(sandbox) << one.id;
    const auto interpreted = sandbox->run("m", "f", {}, {.tier = Tier::interpreted});
    const auto compiled = sandbox->run("m", "f", {}, {.tier = Tier::compiled});
    ASSERT_TRUE(interpreted && compiled) << one.id;
    EXPECT_EQ(interpreted->kind, compiled->kind) << one.id;
    EXPECT_EQ(interpreted->trap, compiled->trap) << one.id;
    EXPECT_EQ(interpreted->fuel_used, compiled->fuel_used) << one.id;
    EXPECT_EQ(interpreted->memory_peak_bytes, compiled->memory_peak_bytes) << one.id;
    EXPECT_EQ(interpreted->cause, compiled->cause) << one.id;
  }
}

// A01 A07: without fuel time ends it.
TEST_P(HostileProcessor, RunsOutOfTimeWhereFuelIsUnlimited) {
  covers("A01 A07");
  // No more memory than is made in one piece: on a busy machine there may be no time for more.
  Sandbox sandbox = attack(R"((module (memory 32) (func (export "loop") (loop (br 0)))
      (func (export "fill") (loop
        (memory.fill (i32.const 0) (i32.const 1) (i32.mul (memory.size) (i32.const 65536))) (br 0)))))",
                           {.execution_time_max = std::chrono::milliseconds(5)});
  for (const std::string_view function : {"loop", "fill"}) {
    const auto outcome = timed(Latency::deadline, [&] { return sandbox.call(function); }, 5ms);
    ASSERT_EQ(testing::not_kind(outcome, OutcomeKind::deadline), "");
    EXPECT_FALSE(outcome->repeatable);
  }
  EXPECT_EQ(met(sandbox, "execution_time_max"), 2U);
}

// A04: host functions do not run on what is left of the guest's stack.
TEST_P(HostileProcessor, MayCallTheHostFromItsDeepestFrame) {
  covers("A04");
  SandboxSpec spec = hostile_spec(R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
    (memory 1) (func $deeper (export "f") (param i32)
      (if (i32.gt_u (local.get 0) (i32.const 1)) (then (call $deeper (i32.sub (local.get 0) (i32.const 1))))
        (else (drop (call $log (i32.const 2) (i32.const 0) (i32.const 5))))))))",
                                  {.call_depth_max = 8'192});
  std::atomic<int> lines{0};
  spec.on_log = [&](std::string_view, LogLevel, std::string_view) { ++lines; };
  Sandbox sandbox = create(spec);
  EXPECT_EQ(testing::not_kind(sandbox.call("f", {8'192}), OutcomeKind::ok), "");
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(testing::not_kind(sandbox.call("f", {8'193}), OutcomeKind::stack_overflow), "");
}

constexpr std::string_view kAsker = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "silent")
  (func (export "spin") (loop (br 0)))
  (func (export "petri_handle") (result i32) (loop (br 0)) (i32.const 0))
  (func (export "ask") (result i32)
    (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0x7fffffff)))))";

// A09: more askers than there are workers, and the canaries are answered all the same.
TEST_P(HostileProcessor, WaitsForASilentProcessWithoutHoldingAWorker) {
  covers("A09");
  SandboxSpec spec = hostile_spec(kAsker, {.execution_time_max = std::chrono::seconds(20)});
  add_child(spec, "silent", Shutdown::brutal());
  for (const std::string id : {"b", "c", "d"}) add_child(spec, id, Shutdown::brutal());
  Sandbox sandbox = create(spec);
  std::vector<std::promise<Result<Outcome>>> answers(4);
  std::vector<std::uint64_t> calls;
  ASSERT_TRUE(sandbox.call_async("spin", {}, {.process = "silent"}, [](const Result<Outcome>&) {}));
  for (const std::string id : {"m", "b", "c", "d"}) {
    std::promise<Result<Outcome>>& answer = answers[calls.size()];
    calls.push_back(*sandbox.call_async("ask", {}, {.process = id},
                                        [&answer](Result<Outcome> result) { answer.set_value(std::move(result)); }));
  }
  canaries_->wait_for_rounds(3);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto result = timed(Latency::cancel, [&] {
      EXPECT_TRUE(sandbox.cancel(calls[i]));
      return answers[i].get_future().get();
    });
    EXPECT_TRUE(was_cancelled(result));
  }
}

// A09: whose own time is over first.
TEST_P(HostileProcessor, WaitsForASilentProcessNoLongerThanItMay) {
  covers("A09");
  SandboxSpec spec = hostile_spec(kAsker, {.execution_time_max = std::chrono::milliseconds(20)});
  add_child(spec, "silent");
  Sandbox sandbox = create(spec);
  const auto outcome = sandbox.call("ask", {}, {.process = "m"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  if (outcome->kind != OutcomeKind::deadline) {
    EXPECT_EQ(number(outcome), status(GuestError::timeout));
  }
}

// A10
TEST_P(HostileProcessor, IsNeverSeenWhenItsStartFunctionDoesNotReturn) {
  covers("A10");
  auto events = *runtime_->subscribe({.kinds = {EventKind::process_started}});
  const auto refused = [&](std::string_view body, const LimitChanges& limits) {
    const auto created =
        runtime_->create_sandbox(hostile_spec("(module (func $s " + std::string(body) + ") (start $s))", limits));
    EXPECT_FALSE(created);
    EXPECT_THAT(created.error().message, HasSubstr("in start"));
    return std::string(created.error().detail("outcome"));
  };
  EXPECT_EQ(refused("(loop (br 0))", {.fuel_max = fuel()}), "out_of_fuel");
  EXPECT_EQ(refused("(loop (br 0))", {.execution_time_max = std::chrono::milliseconds(5)}), "deadline");
  EXPECT_EQ(refused("unreachable", {}), "trapped");
  EXPECT_EQ(events.next(), nullptr);
}

// A13: one form of NaN, in every call and both tiers.
TEST_P(HostileProcessor, FindsOneNan) {
  covers("A13");
  Sandbox sandbox = attack(R"((module (func (export "f") (param f64) (result i64)
    (i64.reinterpret_f64 (f64.min (f64.div (local.get 0) (local.get 0)) (f64.const nan:0x4000000000001))))))");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(testing::not_value(sandbox.call("f", {0.0}), Value(std::int64_t{0x7ff8'0000'0000'0000})), "");
  }
}

// A14: the limit placed at every operator of a function with a call, a loop and a host call.
TEST_P(HostileProcessor, EndsExactlyWhereItsFuelEnds) {
  covers("A14");
  Sandbox sandbox = attack(R"((module (import "petri" "input_size" (func $size (result i32))) (func $callee)
    (func (export "f") (local i32) (call $callee)
      (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 3))))
      (drop (call $size)))))");
  const auto whole = sandbox.call("f");
  ASSERT_EQ(testing::not_kind(whole, OutcomeKind::ok), "");
  for (std::uint64_t fuel = 1; fuel <= whole->fuel_used; ++fuel) {
    ASSERT_TRUE(sandbox.update_limits({.fuel_max = fuel}));
    const auto outcome = sandbox.call("f");
    const bool enough = fuel == whole->fuel_used;
    EXPECT_EQ(testing::not_kind(outcome, enough ? OutcomeKind::ok : OutcomeKind::out_of_fuel), "") << fuel;
    EXPECT_EQ(outcome->fuel_used, fuel);
  }
}

// A15
TEST_P(HostileProcessor, MayNotHaveLimitsThatMakeNoSense) {
  covers("A15");
  const auto bad = runtime_->create_sandbox(hostile_spec(
      "(module)",
      {.execution_time_max = std::chrono::nanoseconds(0), .memory_bytes_max = UINT64_MAX, .processes_max = 0}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(bad.error().message,
              AllOf(HasSubstr("execution_time_max"), HasSubstr("memory_bytes_max"), HasSubstr("processes_max")));
  const auto json = SandboxSpec::from_json(R"({"id": "x", "modules": {}, "limits": {
      "fuel_max": -1, "timers_max": 18446744073709551616, "output_bytes_max": "NaN", "processes_max": 1.5, "speed": 1}})");
  ASSERT_FALSE(json);
  EXPECT_THAT(json.error().message, AllOf(HasSubstr("fuel_max"), HasSubstr("timers_max"), HasSubstr("output_bytes_max"),
                                          HasSubstr("processes_max"), HasSubstr("speed")));
}

// Each process calls the one with the next number, modulo the number in its input, and hands on what it is answered.
constexpr std::string_view kChain = R"((module
  (import "petri" "self" (func $self (param i32 i32) (result i32)))
  (import "petri" "input_read" (func $input (param i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "reply_read" (func $reply (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32) (local $next i32) (local $answer i32)
    (drop (call $self (i32.const 0) (i32.const 3)))
    (drop (call $input (i32.const 8) (i32.const 0) (i32.const 4)))
    (local.set $next (i32.rem_u
      (i32.add (i32.add (i32.mul (i32.sub (i32.load8_u (i32.const 1)) (i32.const 48)) (i32.const 10))
                        (i32.sub (i32.load8_u (i32.const 2)) (i32.const 48))) (i32.const 1))
      (i32.load (i32.const 8))))
    (i32.store8 (i32.const 1) (i32.add (i32.const 48) (i32.div_u (local.get $next) (i32.const 10))))
    (i32.store8 (i32.const 2) (i32.add (i32.const 48) (i32.rem_u (local.get $next) (i32.const 10))))
    (local.set $answer (call $call (i32.const 0) (i32.const 3) (i32.const 8) (i32.const 4) (i32.const 0)))
    (i32.store (i32.const 16) (local.get $answer))
    (if (i32.ge_s (local.get $answer) (i32.const 0))
      (then (drop (call $reply (i32.const 16) (i32.const 0) (i32.const 4)))))
    (drop (call $write (i32.const 16) (i32.const 4))) (i32.const 0))))";

// A16: calls in a row, to itself, and around rings of 2 and of 100.
TEST_P(HostileProcessor, IsAnsweredWhenItsCallsNestTooDeepOrCloseARing) {
  covers("A16");
  SandboxSpec spec = hostile_spec(kChain, {.processes_max = 100});
  spec.tree->children.clear();
  for (int i = 0; i < 100; ++i) add_child(spec, "p" + std::to_string(i / 10) + std::to_string(i % 10));
  Sandbox sandbox = create(spec);
  const auto answer = [&](std::uint32_t ring) {
    const std::string input(reinterpret_cast<const char*>(&ring), sizeof(ring));
    const auto outcome = sandbox.call("", {}, {.process = "p00", .input = input});
    std::int32_t value = 0;
    if (outcome && outcome->output.size() == sizeof(value)) std::memcpy(&value, outcome->output.data(), sizeof(value));
    return value;
  };
  EXPECT_EQ(answer(1), status(GuestError::deadlock));
  EXPECT_EQ(answer(2), status(GuestError::deadlock));
  EXPECT_EQ(answer(16), status(GuestError::deadlock));
  EXPECT_EQ(answer(100), status(GuestError::too_deep));
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

// A17: how fast it is answered is a benchmark.
TEST_P(HostileProcessor, LeavesTimeForOthersHoweverManyBurn) {
  covers("A17");
  std::vector<std::pair<Sandbox, std::uint64_t>> burning;
  std::vector<std::future<Result<Outcome>>> ends;
  for (int i = 0; i < times(20, 1'000); ++i) {
    Sandbox sandbox =
        attack("(module (func (export \"f\") (loop (br 0))))", {.execution_time_max = std::chrono::minutes(10)});
    auto end = std::make_shared<std::promise<Result<Outcome>>>();
    ends.push_back(end->get_future());
    const auto call =
        sandbox.call_async("f", {}, {}, [end](Result<Outcome> result) { end->set_value(std::move(result)); });
    ASSERT_TRUE(call);
    burning.emplace_back(sandbox, *call);
  }
  canaries_->wait_for_rounds(3);
  expect_neighbours_answer();
  for (std::size_t i = 0; i < burning.size(); ++i) {
    const auto result = timed(Latency::cancel, [&] {
      EXPECT_TRUE(burning[i].first.cancel(burning[i].second));
      return ends[i].get();
    });
    EXPECT_TRUE(was_cancelled(result));
  }
}

// A20
TEST_P(HostileProcessor, IsCancelledOnce) {
  covers("A20");
  Sandbox sandbox =
      attack("(module (func (export \"f\") (loop (br 0))))", {.execution_time_max = std::chrono::seconds(20)});
  std::atomic<int> answers{0};
  std::promise<Result<Outcome>> answer;
  const auto call = sandbox.call_async("f", {}, {}, [&](Result<Outcome> result) {
    ++answers;
    answer.set_value(std::move(result));
  });
  ASSERT_TRUE(call);
  expect_soon([&] { return sandbox.children()[0].messages == 0 ? "" : "not begun"; });
  const auto result = timed(Latency::cancel, [&] {
    EXPECT_TRUE(sandbox.cancel(*call));
    static_cast<void>(sandbox.cancel(*call));
    return answer.get_future().get();
  });
  EXPECT_EQ(testing::not_kind(result, OutcomeKind::cancelled), "");
  EXPECT_EQ(sandbox.cancel(*call).error().code, ErrorCode::not_found);
  expect_restarts(sandbox, 1);
  EXPECT_EQ(answers, 1);
}

// A21
TEST_P(HostileProcessor, HasFullDepthAgainAfterATrapDeepDown) {
  covers("A21");
  Sandbox sandbox = attack(R"((module (func $deep (export "f") (param i32 i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (if (local.get 1) (then unreachable)) (return (i32.const 0))))
    (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)) (local.get 1))))))");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(testing::not_kind(sandbox.call("f", {1'000, 1}), OutcomeKind::trapped), "");
    EXPECT_EQ(testing::not_value(sandbox.call("f", {1'023, 0}), 1'023), "");
  }
}

// Every kind of end, a hundred at once.
TEST_P(HostileProcessor, ComesInHundreds) {
  const std::string_view wat = R"((module (memory 1 1000) (func $deep (call $deep))
    (func (export "spin") (loop (br 0))) (func (export "trap") unreachable) (func (export "deep") (call $deep))
    (func (export "grow") (result i32) (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (i32.const 7))))";
  const std::pair<std::string_view, OutcomeKind> kinds[] = {{"spin", OutcomeKind::out_of_fuel},
                                                            {"trap", OutcomeKind::trapped},
                                                            {"deep", OutcomeKind::stack_overflow},
                                                            {"grow", OutcomeKind::ok}};
  std::vector<std::future<std::string>> answers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(times(100, 100)); ++i) {
    const auto& [function, kind] = kinds[i % 4];
    Sandbox sandbox = attack(wat, {.memory_bytes_max = 4 << 16, .fuel_max = 100'000});
    auto answer = std::make_shared<std::promise<std::string>>();
    answers.push_back(answer->get_future());
    const auto finish = [answer, kind = kind](const Result<Outcome>& result) {
      answer->set_value(testing::not_kind(result, kind));
    };
    ASSERT_TRUE(sandbox.call_async(function, {}, {}, finish));
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get(), "");
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileProcessor);

}  // namespace
}  // namespace petri
