#include <gmock/gmock.h>

#include <thread>

#include "compiling/compile_fault.h"
#include "petri/runtime.h"
#include "petri/testing.h"

namespace petri {
namespace {

using std::chrono::seconds;

class RestartWhileCompiling : public ::testing::Test {
 protected:
  ~RestartWhileCompiling() override { inject_compile_fault(CompileFault::none, 0); }

  static SandboxSpec spec() {
    SandboxSpec spec{.id = "a", .modules = {{"m", Source::wat("(module (func (export \"f\")))")}}};
    spec.tier = Tier::compiled;
    return spec;
  }
  static void wait_until_compiling() {
    while (compile_faults_left() > 0) std::this_thread::yield();
  }
};

// A20: 19.5 s.
TEST_F(RestartWhileCompiling, AbandonsTheCompilationAndStartsAgain) {
  const auto here = std::move(*Runtime::create({.workers = 2, .compile = {.time_max = seconds(100)}}));
  inject_compile_fault(CompileFault::never_ends);
  const testing::Pending creating([&] { return here->create(spec()); });
  wait_until_compiling();
  const auto start = std::chrono::steady_clock::now();
  const auto restarted = here->restart("a");
  EXPECT_TRUE(restarted) << restarted.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_EQ(testing::not_error(creating.wait(), ErrorCode::cancelled), "");
  EXPECT_EQ(here->info("a")->status, SandboxStatus::running);
  EXPECT_EQ(here->find("a")->call("f")->tier, Tier::compiled);
}

}  // namespace
}  // namespace petri
