#include "host/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace petri {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Permissions kAll{Permission::messages, Permission::timers, Permission::spawn,     Permission::log,
                       Permission::clock,    Permission::random, Permission::file_read, Permission::file_write};

Result<Linked> link_text(const std::string& imports, Permissions permissions = kAll, const HostFunctions& host = {}) {
  static std::vector<ArtifactPtr> kept;
  auto artifact = Artifact::from_wat("(module " + imports + ")", 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  kept.push_back(*artifact);
  return link(loadable(**artifact), host, permissions);
}

Error error_of(const std::string& imports, Permissions permissions = kAll, const HostFunctions& host = {}) {
  const auto linked = link_text(imports, permissions, host);
  EXPECT_FALSE(linked) << imports;
  return linked ? Error{} : linked.error();
}

std::string types_text(const std::vector<ValueType>& types) {
  std::string text;
  for (const ValueType type : types) text += std::string(" ") + std::string(name_of(type));
  return text;
}

std::string import_text(const HostFunction& function, const Signature& signature) {
  return "(import \"" + function.module + "\" \"" + function.name + "\" (func (param" + types_text(signature.params) +
         ") (result" + types_text(signature.results) + ")))";
}

TEST(Link, BindsEachImportInOrder) {
  const auto linked =
      link_text(R"((import "petri" "exit" (func (param i32))) (import "math" "sin" (func (param f64) (result f64))))");
  ASSERT_TRUE(linked) << linked.error().message;
  ASSERT_EQ(linked->imports.functions.size(), 2U);
  EXPECT_EQ(linked->imports.functions[0], &find_builtin("petri", "exit")->import);
  EXPECT_EQ(linked->imports.functions[1], &find_builtin("math", "sin")->import);
  EXPECT_TRUE(linked->deterministic);
  EXPECT_TRUE(linked->repeatable);
}

// E01
TEST(Link, NamesAnImportNobodyOffers) {
  const Error error = error_of(R"((import "env" "launch" (func (param i32) (result f64))))");
  EXPECT_EQ(error.code, ErrorCode::link_error);
  EXPECT_THAT(error.message, AllOf(HasSubstr("\"env\".\"launch\""), HasSubstr("(i32) -> f64"), HasSubstr("nobody")));
  EXPECT_EQ(error.detail("module"), "env");
  EXPECT_EQ(error.detail("name"), "launch");
}

// E02
TEST(Link, RefusesEveryHostFunctionWithAnotherType) {
  for (const HostFunction& function : builtin_functions()) {
    EXPECT_TRUE(link_text(import_text(function, function.signature))) << function.name;
    std::vector<Signature> wrong(3, function.signature);
    wrong[0].params.push_back(ValueType::i32);
    if (!wrong[1].params.empty()) wrong[1].params.pop_back();
    if (wrong[1] == function.signature) wrong[1].params.push_back(ValueType::f32);
    wrong[2].results = {ValueType::f32};
    for (const Signature& signature : wrong) {
      const Error error = error_of(import_text(function, signature));
      EXPECT_EQ(error.code, ErrorCode::link_error) << function.name;
      EXPECT_THAT(error.message, AllOf(HasSubstr(function.name), HasSubstr(to_text(signature)),
                                       HasSubstr(to_text(function.signature))));
    }
    for (const std::string kind : {"memory 1", "table 1 funcref", "global i32"}) {
      const Error error = error_of("(import \"" + function.module + "\" \"" + function.name + "\" (" + kind + "))");
      EXPECT_EQ(error.code, ErrorCode::link_error) << function.name;
      EXPECT_THAT(error.message,
                  AllOf(HasSubstr("is a " + kind.substr(0, kind.find(' '))), HasSubstr(to_text(function.signature))));
    }
  }
}

TEST(Link, RefusesMemoriesTablesAndGlobalsNobodyOffers) {
  EXPECT_THAT(error_of(R"((import "env" "memory" (memory 1)))").message,
              AllOf(HasSubstr("a memory"), HasSubstr("nobody")));
}

// E03
TEST(Link, EscapesAndShortensNames) {
  const std::string name = "../\\n\\1b[31m" + std::string(900, 'x');
  const Error error = error_of("(import \"\\00\" \"" + name + "\" (func))");
  EXPECT_EQ(error.code, ErrorCode::link_error);
  EXPECT_LT(error.message.size(), 400U);
  EXPECT_THAT(error.message, HasSubstr("\"../\\n\\x1b[31mxxx"));
  for (const char character : error.message) EXPECT_GE(static_cast<unsigned char>(character), 0x20);
}

// E04, P04
TEST(Link, NamesThePermissionThatIsMissing) {
  for (const HostFunction& function : builtin_functions()) {
    if (!function.permission) {
      EXPECT_TRUE(link_text(import_text(function, function.signature), {})) << function.name;
      continue;
    }
    const Error error = error_of(import_text(function, function.signature), kAll.without(*function.permission));
    EXPECT_EQ(error.code, ErrorCode::link_error);
    EXPECT_EQ(error.detail("permission"), name_of(*function.permission));
    EXPECT_THAT(error.message, AllOf(HasSubstr(function.name), HasSubstr(std::string(name_of(*function.permission)))));
    EXPECT_TRUE(link_text(import_text(function, function.signature), Permissions{*function.permission}))
        << function.name;
  }
}

// E05
TEST(Link, OffersNoOtherPartsOfWasi) {
  for (const std::string name : {"sock_open", "sock_connect", "fd_fdstat_set_rights", "proc_raise", "thread_spawn"}) {
    EXPECT_EQ(error_of("(import \"wasi_snapshot_preview1\" \"" + name + "\" (func))").code, ErrorCode::link_error);
  }
}

TEST(Link, KeepsMessagesBehindTheirPermission) {
  const std::string send = R"((import "petri" "send" (func (param i32 i32 i32 i32) (result i32))))";
  EXPECT_THAT(link_text(send, {}).error().message, HasSubstr("needs the permission messages"));
  EXPECT_FALSE(link_text(send, {Permission::messages})->deterministic);
}

TEST(Link, LeavesTheModuleEnvToOthersButForAbort) {
  const std::string abort = R"((import "env" "abort" (func (param i32 i32 i32 i32))))";
  const std::string launch = R"((import "env" "launch" (func)))";
  const auto linked = [](const std::string& import) {
    const ArtifactPtr artifact = *Artifact::from_wat("(module " + import + ")", 1 << 20);
    return link(loadable(*artifact), HostFunctions(), kAll, Neighbours::may_be);
  };
  EXPECT_THAT(linked(abort)->from_modules, testing::IsEmpty());
  EXPECT_EQ(linked(launch)->from_modules.size(), 1U);
}

TEST(Link, KnowsWhetherFunctionsAreDeterministic) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "roll", [] { return std::int32_t{4}; }));
  ASSERT_TRUE(host.define("game", "rule", [] { return std::int32_t{6}; }, {.deterministic = true}));
  const auto roll = link_text(R"((import "game" "roll" (func (result i32))))", {}, host);
  EXPECT_FALSE(roll->deterministic);
  EXPECT_FALSE(roll->repeatable);
  const auto rule = link_text(R"((import "game" "rule" (func (result i32))))", {}, host);
  EXPECT_TRUE(rule->deterministic);
  EXPECT_TRUE(rule->repeatable);
  const auto file =
      link_text(R"((import "wasi_snapshot_preview1" "path_unlink_file" (func (param i32 i32 i32) (result i32))))");
  EXPECT_FALSE(file->deterministic);
  EXPECT_TRUE(file->repeatable);
}

}  // namespace
}  // namespace petri
