// The compiled tier's way through a worker.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "engine/engine.h"
#include "engine/loadable_artifact.h"
#include "engine/precompile.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ArtifactPtr prepared(const std::string& text) {
  auto artifact = wasm_engine().prepare_wat(text, 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

std::uint64_t called(const Code& code, std::uint64_t argument) {
  const Instantiated made = *code.instantiate({}, 1 << 20);
  std::uint64_t slot = argument;
  const auto end = made.instance->call(0, {.fuel = 1'000'000}, nullptr, {&slot, 1});
  EXPECT_EQ(end->kind, EndKind::returned);
  return slot;
}

// A thousand expressions that occur twice, before and behind a call: an optimising compiler keeps all of them alive, in
// a frame far larger than the gate reckons with.
std::string greedy() {
  std::string terms;
  for (int term = 0; term < 1'000; ++term) {
    terms += fmt::format("(local.set 2 (i64.xor (local.get 2) (i64.mul (local.get 1) (i64.const {}))))", 2 * term + 3);
  }
  return fmt::format(
      "(module (global $g (mut i64) (i64.const 77))"
      " (func $f (export \"f\") (param i64) (result i64) (local i64 i64)"
      "  (local.set 1 (global.get $g)) {0} (if (i64.ne (local.get 0) (i64.const 0))"
      "   (then (drop (call $f (i64.sub (local.get 0) (i64.const 1)))))) {0} (local.get 2)))",
      terms);
}

class CompiledLoad : public testing::Test {
 protected:
  ~CompiledLoad() override { inject_compile_fault(CompileFault::none, 0); }
  const ArtifactPtr adder_ =
      prepared("(module (func (export \"f\") (param i64) (result i64) (i64.add (local.get 0) (i64.const 1))))");
};

TEST_F(CompiledLoad, GivesCodeThatDoesTheSameAsTheInterpreters) {
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    const auto code = loadable(*adder_).load(tier, {});
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ((*code)->tier(), tier);
    EXPECT_EQ(called(**code, 41), 42U);
  }
}

TEST_F(CompiledLoad, CompilesFrugallyWhatWouldNeedTooLargeFrames) {
  const ArtifactPtr artifact = prepared(greedy());
  const auto worker = loadable(*artifact).load(Tier::compiled, {}, {.compile = {.time_max = seconds(100)}});
  ASSERT_TRUE(worker) << worker.error().message;
  EXPECT_EQ((*worker)->tier(), Tier::compiled);
  const auto here = loadable(*artifact).load(Tier::compiled, {}, {.compile = {.in_process = true}});
  ASSERT_TRUE(here);
  EXPECT_EQ(called(**worker, 3), called(**here, 3));
}

// The worker has two threads, and this process compiles with one.
TEST_F(CompiledLoad, TheCodeIsTheSameHoweverManyThreadsCompileIt) {
  std::string functions;
  for (int number = 0; number < 150; ++number) {
    functions += fmt::format(
        "(func (param i64) (result i64) (loop (br_if 0 (i64.eqz (local.tee 0 (i64.mul (local.get 0) (i64.const "
        "{0}))))))"
        " (i64.xor (i64.rotl (local.get 0) (i64.const {0})) (i64.sub (local.get 0) (i64.const {0}))))",
        number);
  }
  const ArtifactPtr artifact = prepared("(module " + functions + ")");
  ASSERT_GT(artifact->bytes().size(), 4'096U);
  for (const bool frugal : {false, true}) {
    std::vector<std::uint8_t> here;
    precompile(artifact->bytes(), frugal,
               [&here](const Precompiled& made) { here.assign(made.machine_code.begin(), made.machine_code.end()); });
    ASSERT_FALSE(here.empty());
    const auto deadline = std::chrono::steady_clock::now() + seconds(100);
    const auto worker = compile_in_worker(artifact->bytes(), frugal, {.time_max = seconds(100)}, deadline, {});
    ASSERT_TRUE(worker) << worker.error().message;
    EXPECT_EQ(*worker, here);
  }
}

TEST_F(CompiledLoad, AnArtifactThatWasNotCompiledInTimeCanStillBeInterpretedAndCompiledLater) {
  inject_compile_fault(CompileFault::never_ends);
  const auto late = loadable(*adder_).load(Tier::compiled, {}, {.compile = {.time_max = milliseconds(100)}});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  EXPECT_TRUE(loadable(*adder_).load(Tier::interpreted, {}));
  EXPECT_TRUE(loadable(*adder_).load(Tier::compiled, {}));
}

}  // namespace
}  // namespace petri
