#include "petri/runtime.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Runtime, IsCreatedFromAnyOneOfItsOptions) {
  const auto limited = Runtime::create({.limits = {{"processes_max", 7}}});
  ASSERT_TRUE(limited);
  EXPECT_EQ((*limited)->info().defaults.limits.at("processes_max"), 7U);

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

}  // namespace
}  // namespace petri
