// X11: what a deterministic guest comes to depends on its module, its input and its seed, and on nothing else.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "runtime_fixture.h"

namespace petri {
namespace {

// Everything that might differ from one time to the next: random numbers, time, memory, an answer.
constexpr std::string_view kRandomGuest = R"((module
  (import "petri" "random" (func $random (result i64)))
  (import "petri" "clock_ms" (func $clock (result i64)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
  (memory 1)
  (func (export "f") (param $n i32) (result i64) (local $sum i64) (local $i i32)
    (loop $again
      (local.set $sum (i64.rotl (i64.xor (local.get $sum) (call $random)) (i64.const 7)))
      (local.set $sum (i64.add (local.get $sum) (call $clock)))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (drop (memory.grow (i32.and (i32.wrap_i64 (local.get $sum)) (i32.const 3))))
    (i64.store (i32.const 0) (local.get $sum)) (drop (call $write (i32.const 0) (i32.const 8)))
    (local.get $sum))))";

constexpr const char* kSayVariable = "PETRI_SAY_OUTCOME";

std::string said(const Result<Outcome>& outcome) {
  if (!outcome) return outcome.error().message;
  std::string text =
      fmt::format("{} fuel {} memory {}", name_of(outcome->kind), outcome->fuel_used, outcome->memory_peak_bytes);
  for (const Value value : outcome->values) text += " " + to_text(value);
  for (const char byte : outcome->output) text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  return text;
}

// Two calls of a live process and a run, in a runtime of its own.
std::string outcomes(unsigned workers, Tier tier, std::uint64_t seed = 11) {
  const auto runtime = *Runtime::create({.workers = workers});
  auto sandbox = runtime->create_sandbox({.id = "a",
                                          .modules = {{"m", Source::wat(std::string(kRandomGuest))}},
                                          .seed = seed,
                                          .deterministic = true,
                                          .tier = tier});
  if (!sandbox) return sandbox.error().message;
  std::string text = said(sandbox->call("f", {1'000}));
  text += "; " + said(sandbox->call("f", {2'000}));
  return text + "; " + said(sandbox->run("m", "f", {500}));
}

// The outcomes in another process, which is this program once more.
std::string outcomes_elsewhere() {
  const std::string command = fmt::format("{}=1 '{}' --gtest_filter=Determinism.DependsOnNothingElse 2>&1",
                                          kSayVariable, std::filesystem::read_symlink("/proc/self/exe").string());
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): our own path
  if (pipe == nullptr) return "no process";
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) text += static_cast<char>(byte);
  ::pclose(pipe);
  return text;
}

TEST(Determinism, DependsOnNothingElse) {  // X11
  const std::string first = outcomes(1, Tier::interpreted);
  if (std::getenv(kSayVariable) != nullptr) {
    std::cout << "said: " << first << '\n';
    return;
  }
  EXPECT_THAT(first, ::testing::HasSubstr("ok fuel"));
  for (const unsigned workers : {1U, 2U, 8U}) {
    for (const Tier tier : {Tier::interpreted, Tier::compiled, Tier::automatic}) {
      EXPECT_EQ(outcomes(workers, tier), first) << workers << " workers, " << name_of(tier);
    }
  }
  EXPECT_THAT(outcomes_elsewhere(), ::testing::HasSubstr("said: " + first + "\n"));
  EXPECT_NE(outcomes(1, Tier::interpreted, 12), first) << "another seed";
}

}  // namespace
}  // namespace petri
