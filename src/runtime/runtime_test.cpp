#include "petri/runtime.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;

TEST(Runtime, IsCreatedFromAnyOneOfItsOptions) {
  const auto limited = Runtime::create({.limits = {.processes_max = 7}});
  ASSERT_TRUE(limited);
  EXPECT_EQ((*limited)->info().defaults.limits.processes_max, 7U);

  const auto audited = Runtime::create({.audit = {.entries_max = 9}});
  ASSERT_TRUE(audited);
  EXPECT_EQ((*audited)->info().audit.entries_max, 9U);

  const auto broken = Runtime::create({.breaker = {.limits_max = 11}});
  ASSERT_TRUE(broken);
  EXPECT_EQ((*broken)->info().defaults.breaker->limits_max, 11U);
}

TEST(Runtime, CreatesASandboxOnlyFromASpecWithAnIdAndCode) {
  const auto runtime = Runtime::create();
  ASSERT_TRUE(runtime);
  EXPECT_EQ((*runtime)->create_sandbox({}).error().code, ErrorCode::validation_failed);
  EXPECT_TRUE((*runtime)->create_sandbox({.id = "a", .modules = {{"m", Source::wat("(module)")}}}));
}

TEST(Runtime, TakesTheLimitsOfASandboxAsDurationsAndSizes) {
  const auto runtime = Runtime::create();
  ASSERT_TRUE(runtime);
  const SandboxSpec spec{.id = "a",
                         .modules = {{"m", Source::wat("(module)")}},
                         .limits = {.execution_time_max = 20ms, .memory_bytes_max = 16 << 20, .cpu_grace = 1s}};
  auto sandbox = (*runtime)->create_sandbox(spec);
  ASSERT_TRUE(sandbox);
  const SandboxLimits limits = sandbox->info().limits;
  EXPECT_EQ(limits.execution_time_max, 20ms);
  EXPECT_EQ(limits.memory_bytes_max, 16U << 20);
  EXPECT_EQ(limits.cpu_grace, 1s);
  EXPECT_TRUE(sandbox->update_limits({.shutdown_max = 250ms}));
  EXPECT_EQ(sandbox->info().limits.shutdown_max, 250ms);
}

}  // namespace
}  // namespace petri
