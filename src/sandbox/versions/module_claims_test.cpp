#include "sandbox/versions/module_claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

std::string refusal(const Result<void>& result) {
  return result ? "" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
}

TEST(ModuleClaims, BelongToOneChangeAtATime) {
  ModuleClaims claims;
  EXPECT_EQ(refusal(claims.take({"a", "b"})), "");
  EXPECT_EQ(refusal(claims.take({"c", "b"})), "busy: the module b is being changed already: try again later");
  EXPECT_EQ(refusal(claims.take({"c"})), "") << "a refused claim took nothing";
}

TEST(ModuleClaims, NameAModuleOnce) {
  ModuleClaims claims;
  EXPECT_EQ(refusal(claims.take({"a", "b", "a"})), "validation_failed: the module a is named twice");
  EXPECT_EQ(refusal(claims.take({"a", "b"})), "");
}

TEST(ModuleClaims, KnowWhenTheLastIsGivenBack) {
  ModuleClaims claims;
  ASSERT_TRUE(claims.take({"a"}));
  ASSERT_TRUE(claims.take({"b", "c"}));
  EXPECT_FALSE(claims.give_back({"b", "c"}));
  EXPECT_TRUE(claims.give_back({"a"}));
  EXPECT_EQ(refusal(claims.take({"a", "b", "c"})), "");
}

}  // namespace
}  // namespace petri
