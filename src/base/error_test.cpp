#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <sstream>

#include "petri/logging/format.h"
#include "petri/result.h"

namespace petri {
namespace {

TEST(ErrorCode, HasTheSpellingOfTheDesignInItsOrder) {
  const std::vector<std::string_view> expected{"not_found",
                                               "already_exists",
                                               "validation_failed",
                                               "parse_failed",
                                               "compilation_failed",
                                               "rejected",
                                               "link_error",
                                               "module_too_large",
                                               "too_large",
                                               "busy",
                                               "timeout",
                                               "circular_dependency",
                                               "version_not_found",
                                               "state_incompatible",
                                               "migration_failed",
                                               "limit_exceeded",
                                               "permission_denied",
                                               "queue_full",
                                               "deadlock",
                                               "cancelled",
                                               "not_now",
                                               "io_error",
                                               "engine_fault",
                                               "host_fault",
                                               "start_failed"};
  std::vector<std::string_view> names;
  for (const ErrorCode code : all_error_codes()) names.push_back(name_of(code));
  EXPECT_EQ(names, expected);
}

// S20: what the classes of failure are told from.
TEST(ErrorCode, HasACategory) {
  EXPECT_EQ(category_of(ErrorCode::compilation_failed), ErrorCategory::compilation);
  EXPECT_EQ(category_of(ErrorCode::start_failed), ErrorCategory::runtime);
  EXPECT_EQ(category_of(ErrorCode::limit_exceeded), ErrorCategory::resource);
  EXPECT_EQ(category_of(ErrorCode::link_error), ErrorCategory::security);
  EXPECT_EQ(category_of(ErrorCode::host_fault), ErrorCategory::system);
  EXPECT_EQ(category_of(ErrorCode::validation_failed), ErrorCategory::usage);
}

TEST(ErrorCategory, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const ErrorCode code : all_error_codes()) names.insert(name_of(category_of(code)));
  for (const std::string_view name : names) EXPECT_EQ(name_of(*error_category_named(name)), name);
  EXPECT_EQ(names, (std::set<std::string_view>{"compilation", "resource", "runtime", "security", "system", "usage"}));
}

TEST(Error, FindsTheFirstDetailOfAKey) {
  const Error error = Error{.code = ErrorCode::parse_failed, .message = "no"}.with("line", "3").with("line", "4");
  EXPECT_EQ(error.detail("line"), "3");
  EXPECT_EQ(error.detail("column"), "");
  EXPECT_EQ(error.category(), ErrorCategory::compilation);
}

TEST(Error, IsPrintedAsItsCodeAndItsMessage) {
  std::ostringstream out;
  out << Error{.code = ErrorCode::busy, .message = "wait"};
  EXPECT_EQ(out.str(), "busy: wait");
  EXPECT_EQ(fmt::format("{:>12}", Error{.code = ErrorCode::busy, .message = "wait"}), "  busy: wait");
}

// A Result is a std::expected; what std::expected gets wrong for a bool, it has not inherited.
TEST(Result, IsCopiedComparedAndConverted) {
  Result<bool> no = false;
  const Result<bool> copy(no);
  EXPECT_FALSE(*copy);
  EXPECT_EQ(copy, no);
  EXPECT_NE(copy, Result<bool>(true));
  EXPECT_EQ(copy, false);

  Result<std::unique_ptr<std::string>> text = std::make_unique<std::string>("seven");
  const Result<std::shared_ptr<const std::string>> shared = std::move(text);
  EXPECT_EQ(**shared, "seven");

  const std::expected<int, Error> expected = Result<int>(7);
  EXPECT_EQ(Result<int>(expected), 7);
  const Result<void> refused = fail(ErrorCode::busy, "wait");
  EXPECT_EQ(refused.error().code, ErrorCode::busy);
  EXPECT_EQ(Result<void>(refused), refused);
  const std::optional<Result<int>> nested = Result<int>(fail(ErrorCode::busy, "wait"));
  EXPECT_FALSE(*nested);
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::validation_failed, "odd");
  return number / 2;
}

Result<void> check_quarter(int number) {
  PETRI_TRY(const int first, half(number));
  PETRI_TRY(half(first));
  return {};
}

TEST(Try, ReturnsTheFirstErrorToTheCaller) {
  EXPECT_TRUE(check_quarter(8));
  EXPECT_EQ(check_quarter(3).error().message, "odd");
  EXPECT_EQ(check_quarter(6).error().code, ErrorCode::validation_failed);
}

}  // namespace
}  // namespace petri
