// Family J: between sandboxes. And what canaries do when nobody is hostile, to compare with.
#include <cstring>

#include "hostile/hostile_code.h"

namespace petri {
namespace {

class IdleCanaries : public HostileFixture {
 protected:
  IdleCanaries() : HostileFixture(Latency::idle_canary) {}
};

TEST_P(IdleCanaries, AnswerWhenNothingElseHappens) { canaries_->wait_for_rounds(times(50, 500)); }

PETRI_HOSTILE_IN_BOTH_TIERS(IdleCanaries);

class HostileNeighbour : public HostileCode {};

// J01: the finest it can see is a millisecond, by every clock there is; threads and shared memory are refused (D14).
TEST_P(HostileNeighbour, HasNoFineClock) {
  covers("J01");
  Sandbox sandbox = attack(R"((module
    (import "petri" "clock_ms" (func $ms (result i64)))
    (import "wasi_snapshot_preview1" "clock_time_get" (func $wasi (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "clock_res_get" (func $grain (param i32 i32) (result i32)))
    (memory 1)
    (func (export "fine") (param $clock i32) (param $n i32) (result i32) (local $fine i32)
      (loop
        (drop (call $wasi (local.get $clock) (i64.const 0) (i32.const 8)))
        (local.set $fine (i32.or (local.get $fine)
          (i64.ne (i64.rem_u (i64.load (i32.const 8)) (i64.const 1000000)) (i64.const 0))))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (local.get $fine))
    (func (export "grain") (param i32) (result i64)
      (drop (call $grain (local.get 0) (i32.const 8))) (i64.load (i32.const 8)))
    (func (export "steps back") (param $n i32) (result i32) (local $last i64) (local $now i64) (local $back i32)
      (loop
        (local.set $now (call $ms))
        (local.set $back (i32.or (local.get $back) (i64.lt_u (local.get $now) (local.get $last))))
        (local.set $last (local.get $now))
        (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (local.get $back))))");
  for (const std::int32_t clock : {0, 1}) {
    EXPECT_EQ(testing::not_value(sandbox.call("fine", {clock, 5'000}), 0), "");
    const auto grain = sandbox.call("grain", {clock});
    ASSERT_EQ(testing::not_kind(grain, OutcomeKind::ok), "");
    EXPECT_GE(grain->values[0].i64(), 1'000'000);
  }
  EXPECT_EQ(testing::not_value(sandbox.call("steps back", {5'000}), 0), "");
}

// Asks for what its input names: the first byte is the verb.
constexpr std::string_view kProber = R"((module
  (import "petri" "input_size" (func $size (result i32)))
  (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (import "petri" "send" (func $send (param i32 i32 i32 i32) (result i32)))
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (import "petri" "stop" (func $stop (param i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32) (local $verb i32) (local $length i32)
    (drop (call $read (i32.const 1000) (i32.const 0) (call $size)))
    (local.set $verb (i32.load8_u (i32.const 1000)))
    (local.set $length (i32.sub (call $size) (i32.const 1)))
    (i32.store (i32.const 0) (if (result i32) (i32.eq (local.get $verb) (i32.const 33))
      (then (call $send (i32.const 1001) (local.get $length) (i32.const 0) (i32.const 4)))
      (else (if (result i32) (i32.eq (local.get $verb) (i32.const 63))
        (then (call $call (i32.const 1001) (local.get $length) (i32.const 0) (i32.const 4) (i32.const 100)))
        (else (call $stop (i32.const 1001) (local.get $length)))))))
    (drop (call $write (i32.const 0) (i32.const 4))) (i32.const 0))))";

// J02
TEST_P(HostileNeighbour, CannotTellOthersFromNobody) {
  covers("J02");
  Sandbox sandbox = attack(kProber);
  const auto ask = [&](const std::string& request) {
    const auto outcome = sandbox.call("", {}, {.input = request});
    std::int32_t value = INT32_MAX;
    if (outcome && outcome->output.size() == sizeof(value)) std::memcpy(&value, outcome->output.data(), sizeof(value));
    return value;
  };
  for (const std::string verb : {"!", "?", "-"}) {
    const std::int32_t nobody = ask(verb + "ghost");
    EXPECT_EQ(nobody, status(GuestError::not_found));
    for (const std::string name : {"canary-1", "canary-1/m", "/canary-1/m", "../canary-1/m", "canary-1:m",
                                   "neighbour-0", "neighbour-0/m", "..", "/", "*", "hostile-1/m", "m/m", "m/../m"}) {
      EXPECT_EQ(ask(verb + name), nobody) << verb << name;
    }
  }
}

// J03: what guest or caller can read of failures in one sandbox holds nothing of another.
TEST_P(HostileNeighbour, LearnsNothingFromItsErrors) {
  covers("J03");
  Sandbox sandbox = attack(R"((module (memory 1)
    (func $deep (export "deep") (call $deep)) (func (export "trap") unreachable) (func (export "f") (param i32))))");
  std::vector<std::string> texts;
  const auto note = [&](const auto& result) {
    if (result) return;
    texts.push_back(result.error().message);
    for (const ErrorDetail& detail : result.error().details) texts.push_back(detail.value);
  };
  note(sandbox.call("ghost"));
  note(sandbox.call("f"));
  note(sandbox.call("f", {1}, {.process = "ghost"}));
  note(sandbox.run("ghost", "f"));
  note(sandbox.run(Source::wat("(module (import \"a\" \"b\" (func)))"), "f"));
  note(sandbox.run(Source::wat("(module (func"), "f"));
  note(sandbox.run(Source::wasm({1, 2, 3}), "f"));
  note(sandbox.run(Source::file("no/such/file.wasm"), "f"));
  note(sandbox.stop_child("ghost"));
  note(sandbox.start_child(ChildSpec{.id = "m", .module = "m"}));
  note(sandbox.start_child(ChildSpec{.id = "x", .module = "ghost"}));
  note(sandbox.send("x", "ghost"));
  note(sandbox.cancel(123'456'789));
  for (const std::string_view function : {"deep", "trap"}) {
    const auto outcome = sandbox.run("m", function);
    ASSERT_TRUE(outcome);
    texts.push_back(outcome->cause);
    for (const Frame& frame : outcome->backtrace) texts.push_back(frame.name);
  }
  EXPECT_GT(texts.size(), 13U);
  for (const std::string& text : texts) EXPECT_EQ(what_leaks(text), "");
}

// J04: ids, artifacts, code and failed records, as many as it can make; another still is created, runs, and is fresh.
TEST_P(HostileNeighbour, CannotUseUpWhatIsShared) {
  covers("J04");
  const int count = times(100, 2'000);
  Sandbox place = attack("(module)");
  for (int i = 0; i < count; ++i) {
    const std::string number =
        std::to_string(hostile_seed() * 1'000'000 + copy_ * 10'000 + static_cast<std::size_t>(i));
    const auto created = runtime_->create_sandbox(
        hostile_spec("(module (func (export \"f\") (result i32) (i32.const " + number + ")))"));
    ASSERT_TRUE(created) << created.error().message;
    ASSERT_FALSE(runtime_->create_sandbox(
        hostile_spec("(module (start $s) (func $s unreachable (drop (i32.const " + number + "))))")));
    EXPECT_EQ(testing::not_kind(
                  place.run(Source::wat("(module (func (export \"f\") (drop (i32.const " + number + "))))"), "f"),
                  OutcomeKind::ok),
              "");
  }
  Sandbox other =
      create({.id = testing::unique_id("honest"), .modules = {{"m", Source::wat(std::string(kWellBehaved))}}});
  EXPECT_EQ(wrong_answer(other, 1), "");
  ASSERT_TRUE(other.restart());
  EXPECT_EQ(wrong_answer(other, 1), "");
  EXPECT_TRUE(runtime_->destroy(other.id()));
}

// J05: one of two with the same code is destroyed, traps, is restarted; the other does not notice.
TEST_P(HostileNeighbour, SharesCodeAndNothingElse) {
  covers("J05");
  const auto artifact = Artifact::from_wat(kWellBehaved, 1 << 20);
  ASSERT_TRUE(artifact);
  const auto make = [&](const std::string& name) {
    SandboxSpec spec = hostile_spec("");
    spec.id += name;
    spec.modules[0].source = Source::artifact(*artifact);
    {
      const std::lock_guard lock(mutex_);
      hostile_.push_back(spec.id);
    }
    return create(spec);
  };
  Sandbox kept = make("-kept");
  for (std::int32_t round = 1; round <= times(10, 100); ++round) {
    Sandbox gone = make("-gone" + std::to_string(round));
    EXPECT_EQ(wrong_answer(gone, 1), "");
    EXPECT_EQ(wrong_answer(kept, round), "");
    if (round % 2 == 0) {
      EXPECT_TRUE(gone.restart());
    }
    EXPECT_TRUE(runtime_->destroy(gone.id()));
    EXPECT_EQ(gone.call("next").error().code, ErrorCode::not_found);
  }
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileNeighbour);

}  // namespace
}  // namespace petri
