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

TEST(Runtime, ReadsSizesAndDurationsInJson) {
  const auto spec = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)"}},
      "limits": {"memory_bytes_max": "16MiB", "execution_time_max": "50ms", "log_bytes_per_second_max": "1KiB",
                 "cpu_grace": 1000000, "fuel_max": 1000}})json");
  ASSERT_TRUE(spec) << spec.error();
  EXPECT_EQ(spec->limits, (LimitChanges{.execution_time_max = 50ms,
                                        .memory_bytes_max = 16U << 20,
                                        .fuel_max = 1'000,
                                        .log_bytes_per_second_max = 1'024,
                                        .cpu_grace = 1ms}));
  const auto options = RuntimeOptions::from_json(R"({"memory_budget_bytes": "2GiB", "audit": {"bytes_max": "1MiB"},
      "limits": {"shutdown_max": "250ms"}, "compile": {"memory_bytes_max": "512MiB"}})");
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->memory_budget_bytes, 2ULL << 30);
  EXPECT_EQ(options->audit.bytes_max, 1U << 20);
  EXPECT_EQ(options->compile.memory_bytes_max, 512U << 20);
  EXPECT_EQ(options->limits.shutdown_max, 250ms);
  EXPECT_EQ(SandboxSpec::from_json(R"({"limits": {"memory_bytes_max": "much", "execution_time_max": "long",
                                                  "fuel_max": "1M"}})")
                .error()
                .message,
            "limits.execution_time_max is \"long\" but must be a time such as 250ms or 10s; "
            "limits.fuel_max is not an integer from 0 to 18446744073709551615; "
            "limits.memory_bytes_max is \"much\" but must be a size such as 65536 or \"64KiB\"");
}

}  // namespace
}  // namespace petri
