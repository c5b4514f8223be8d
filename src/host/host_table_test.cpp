#include "host/host_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "base/access.h"

namespace petri {
namespace {

using testing::HasSubstr;

std::int64_t plain_function(std::int64_t a) { return -a; }

Signature signature_of(const HostFunctions& host, std::string_view name) {
  return detail::Access::impl(host).find("game", name)->signature;
}

TEST(HostFunctions, DeduceTypesFromAnyCallable) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "pointer", &plain_function));
  ASSERT_TRUE(host.define("game", "lambda", [](std::uint32_t, float) -> double { return 0; }));
  ASSERT_TRUE(
      host.define("game", "mutable", [sum = std::uint64_t{0}](std::uint64_t more) mutable { return sum += more; }));
  ASSERT_TRUE(host.define("game", "function", std::function<void(const std::int32_t&)>([](std::int32_t) {})));
  ASSERT_TRUE(host.define("game", "tuple", []() noexcept { return std::tuple(std::int32_t{1}, 2.0F); }));
  EXPECT_EQ(to_text(signature_of(host, "pointer")), "(i64) -> i64");
  EXPECT_EQ(to_text(signature_of(host, "lambda")), "(i32 f32) -> f64");
  EXPECT_EQ(to_text(signature_of(host, "mutable")), "(i64) -> i64");
  EXPECT_EQ(to_text(signature_of(host, "function")), "(i32) -> ()");
  EXPECT_EQ(to_text(signature_of(host, "tuple")), "() -> (i32 f32)");
}

TEST(HostFunctions, KeepWhatTheEmbedderDeclares) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "move", [] {},
                          {.fuel = 9, .permission = Permission::spawn, .deterministic = true, .version = 3}));
  const HostFunction& function = *detail::Access::impl(host).find("game", "move");
  EXPECT_EQ(function.import.fuel, 9U);
  EXPECT_EQ(function.permission, Permission::spawn);
  EXPECT_TRUE(function.deterministic);
  EXPECT_EQ(function.version, 3U);
  EXPECT_TRUE(function.embedded);
}

TEST(HostFunctions, RefuseNamesThatAreTaken) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "move", [] {}));
  const auto twice = host.define("game", "move", [] {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::already_exists);
  EXPECT_THAT(twice.error().message, HasSubstr("\"game\".\"move\""));
  EXPECT_EQ(host.define("petri", "log", [] {}).error().code, ErrorCode::already_exists);
  EXPECT_EQ(host.define("math", "sin", [] {}).error().code, ErrorCode::already_exists);
}

TEST(HostFunctions, MayReplaceTheAbortOfAssemblyScript) {
  HostFunctions host;
  ASSERT_FALSE(detail::Access::impl(host).has("env"));
  ASSERT_FALSE(detail::Access::impl(host).find("env", "abort")->embedded);
  ASSERT_TRUE(host.define("env", "abort", [](std::int32_t) {}));
  EXPECT_TRUE(detail::Access::impl(host).find("env", "abort")->embedded);
  EXPECT_TRUE(detail::Access::impl(host).has("env"));
  EXPECT_EQ(host.define("env", "abort", [] {}).error().code, ErrorCode::already_exists);
}

TEST(HostFunctions, RefuseWhatHasNoNameOrNoFunction) {
  HostFunctions host;
  EXPECT_EQ(host.define("", "move", [] {}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(host.define("game", "", [] {}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(host.define("petri", "mine", [] {}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(host.define("petri_2", "mine", [] {}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(host.define("game", "empty", std::function<void()>()).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(host.define("game", "null", static_cast<void (*)()>(nullptr)).error().code, ErrorCode::validation_failed);
}

TEST(HostFunctions, GoTheirOwnWaysOnceCopied) {
  HostFunctions first;
  ASSERT_TRUE(first.define("game", "both", [] {}));
  HostFunctions second = first;
  ASSERT_TRUE(second.define("game", "second", [] {}));
  EXPECT_NE(detail::Access::impl(second).find("game", "both"), nullptr);
  EXPECT_EQ(detail::Access::impl(first).find("game", "second"), nullptr);
  EXPECT_EQ(detail::Access::impl(first).find("game", "both"), detail::Access::impl(second).find("game", "both"));
}

TEST(HostCallable, GivesTheGuestAnErrorNumberWhenItThrew) {
  const HostCallable callable = make_host_callable(
      [](std::int32_t) -> std::tuple<std::int32_t, std::int64_t, double> { throw std::runtime_error("no"); });
  const std::uint64_t argument = 0;
  std::uint64_t results[3] = {};
  EXPECT_FALSE(callable.call(callable.function.get(), &argument, results));
  EXPECT_EQ(static_cast<std::int32_t>(results[0]), kHostFunctionThrew);
  EXPECT_EQ(static_cast<std::int64_t>(results[1]), kHostFunctionThrew);
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(results[2])));
}

TEST(HostCallable, IgnoresTheUpperHalfOfNarrowSlots) {
  const HostCallable callable = make_host_callable([](std::int32_t a, float b) { return static_cast<float>(a) + b; });
  const std::uint64_t arguments[] = {0xdead'beef'ffff'ffffU, 0xdead'beef'4000'0000U};
  std::uint64_t result = ~std::uint64_t{0};
  EXPECT_TRUE(callable.call(callable.function.get(), arguments, &result));
  EXPECT_EQ(result, 0x3f80'0000U);
}

TEST(BuiltinFunctions, HaveUniqueNamesAndCostSomething) {
  std::set<std::pair<std::string, std::string>> names;
  for (const HostFunction& function : builtin_functions()) {
    EXPECT_TRUE(names.emplace(function.module, function.name).second) << function.name;
    EXPECT_GT(function.import.fuel, 0U) << function.name;
    EXPECT_FALSE(function.embedded);
    EXPECT_EQ(find_builtin(function.module, function.name), &function);
  }
  EXPECT_EQ(find_builtin("petri", "nothing"), nullptr);
}

}  // namespace
}  // namespace petri
