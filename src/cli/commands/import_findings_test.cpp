#include "cli/commands/import_findings.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

const Signature kLogType{.params = {ValueType::i32, ValueType::i32, ValueType::i32}, .results = {ValueType::i32}};
const HostFunction kLog{.module = "petri", .name = "log", .signature = kLogType, .permission = Permission::log};

ImportInfo import_of(Signature signature, ExternKind kind = ExternKind::function) {
  return {.module = "petri", .name = "log", .kind = kind, .signature = std::move(signature)};
}

TEST(ImportFindings, AnOfferedImportHasNothingAgainstIt) {
  const auto finding = examine(import_of(kLogType), &kLog, {Permission::log});
  EXPECT_EQ(finding.verdict, ImportVerdict::offered);
  EXPECT_EQ(finding.permission, Permission::log);
  EXPECT_EQ(finding.reason, "");
}

TEST(ImportFindings, SayWhyAnImportWouldBeRefused) {  // E01, E02, E04
  EXPECT_EQ(examine(import_of(kLogType), nullptr, {}).reason, "petri offers no such function");
  EXPECT_EQ(examine(import_of({}), &kLog, {Permission::log}).reason, "petri offers it as (i32 i32 i32) -> i32");
  EXPECT_EQ(examine(import_of(kLogType), &kLog, {}).reason, "it needs the permission log");
  EXPECT_EQ(examine(import_of({}, ExternKind::memory), &kLog, {}).reason,
            "a memory cannot be imported, only functions can");
}

}  // namespace
}  // namespace petri::cli
