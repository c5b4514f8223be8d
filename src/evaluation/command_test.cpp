// Candidates that are WASI commands: each case is a program run of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/records/records_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

// Writes its standard input to standard output, and remembers the end of it as a C library does: a second `_start` in
// the same instance writes nothing.
constexpr std::string_view kEcho = R"((module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $ended (mut i32) (i32.const 0))
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 1024))
    (if (global.get $ended) (then (return)))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (global.set $ended (i32.const 1))
    (i32.store (i32.const 4) (i32.load (i32.const 8)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))))";

// Calls the candidate's `_start` once a case.
constexpr std::string_view kCaller = R"((module
  (import "candidate" "_start" (func $start))
  (func (export "run") (call $start))))";

class CommandTest : public RecordsTest {
 protected:
  CommandTest() { spec_.function = "_start"; }

  std::vector<std::string> outputs(Tier tier, std::string_view candidate = kEcho) {
    std::vector<std::string> all;
    EvaluationOptions options{.tier = tier, .use_cache = false};
    options.scorer = [&all](std::size_t, std::span<const CaseView> cases) {
      for (const CaseView& one : cases) all.emplace_back(one.output);
      return 0.0;
    };
    evaluate(evaluator_, CandidateSet{std::string(candidate)}, cases_, spec_, options);
    return all;
  }

  const std::vector<Case> cases_{{.arguments = {}, .input = "1 2 3"}, {.arguments = {}, .input = "10 20"}};
  EvaluationSpec spec_ = small_spec();
};

TEST_F(CommandTest, HasAFreshInstanceForEachCase) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    EXPECT_THAT(outputs(tier), ElementsAre("1 2 3", "10 20")) << name_of(tier);
  }
}

TEST_F(CommandTest, HasAFreshInstanceForEachCaseOfAHarness) {
  spec_.function = "run";
  spec_.harness = *Artifact::from_wat(std::string(kCaller), 1 << 20);
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    EXPECT_THAT(outputs(tier), ElementsAre("1 2 3", "10 20")) << name_of(tier);
  }
}

TEST_F(CommandTest, FindsItsNameAndNoArguments) {
  constexpr std::string_view kShowsArguments = R"((module
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start")
      (drop (call $sizes (i32.const 16) (i32.const 4)))
      (drop (call $args (i32.const 32) (i32.const 256)))
      (i32.store (i32.const 0) (i32.const 256))
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))))";
  const std::string name("guest\0", 6);
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    EXPECT_THAT(outputs(tier, kShowsArguments), ElementsAre(name, name)) << name_of(tier);
  }
}

// It answered for the second call as well, with what a program does whose input is at its end.
TEST_F(CommandTest, IsRefusedToAHarnessThatCallsItTwiceInOneCase) {
  spec_.function = "run";
  spec_.harness = *Artifact::from_wat(R"((module
    (import "candidate" "_start" (func $start))
    (func (export "run") (call $start) (call $start))))",
                                      1 << 20);
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    const EvaluationOptions options{.tier = tier, .use_cache = false};
    const Record record =
        evaluate(evaluator_, CandidateSet{std::string(kEcho)}, cases_, spec_, options).records.front();
    EXPECT_EQ(record.error, ErrorCode::rejected) << name_of(tier);
    EXPECT_EQ(record.message,
              "the _start of another module was called twice, and a WASI command runs once in an instance; call it "
              "once a case or message");
    EXPECT_TRUE(record.repeatable);
  }
}

TEST_F(CommandTest, PaysForEachCaseWhatOneAloneCosts) {
  const CandidateSet echo{std::string(kEcho)};
  const Evaluation both = evaluate(evaluator_, echo, cases_, spec_);
  std::uint64_t fuel = 0;
  for (const Case& one : cases_) fuel += evaluate(evaluator_, echo, std::span(&one, 1), spec_).records[0].fuel_used;
  EXPECT_EQ(both.records[0].fuel_used, fuel);
}

TEST_F(CommandTest, IsVerifiedInEveryTier) {
  write(CandidateSet{std::string(kEcho)}, cases_, spec_);
  for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
    EXPECT_EQ(verified({.tier = tier}).verdict(), VerificationVerdict::verified) << name_of(tier);
  }
}

}  // namespace
}  // namespace petri
