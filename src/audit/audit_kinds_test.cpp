#include "audit/audit_kinds.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using enum AuditKind;

TEST(AuditKind, IsFoundByItsName) {
  for (const AuditKind kind : all_audit_kinds()) EXPECT_EQ(audit_kind_named(name_of(kind)), kind);
  EXPECT_EQ(name_of(cache_rejected), "cache_rejected");
  EXPECT_EQ(audit_kind_named("sandbox.created"), std::nullopt);
}

TEST(AuditKind, HasARuleInItsOwnPlace) {
  ASSERT_EQ(audit_kind_rules().size(), all_audit_kinds().size());
  for (const AuditKind kind : all_audit_kinds()) {
    const AuditKindRule& rule = audit_kind_rules()[static_cast<std::size_t>(kind)];
    EXPECT_EQ(rule.kind, kind);
    EXPECT_FALSE(rule.meaning.empty() || rule.cause.empty()) << name_of(kind);
    EXPECT_NE(rule.kept_from, AuditLevel::none) << name_of(kind);
  }
}

// P14
TEST(AuditLevel, KeepsNothingOrWhatWasRefusedOrAlsoWhatWasGranted) {
  for (const AuditKind kind : all_audit_kinds()) {
    EXPECT_FALSE(keeps(AuditLevel::none, kind)) << name_of(kind);
    EXPECT_TRUE(keeps(AuditLevel::full, kind)) << name_of(kind);
  }
  for (const AuditKind kind : {module_rejected, permission_denied, limit_met, killed, quarantined, limits_changed})
    EXPECT_TRUE(keeps(AuditLevel::basic, kind)) << name_of(kind);
  for (const AuditKind kind : {permission_used, module_loaded, sandbox_created, sandbox_destroyed, sandbox_status})
    EXPECT_FALSE(keeps(AuditLevel::basic, kind)) << name_of(kind);
}

TEST(AuditLevel, IsFoundByItsName) {
  for (const AuditLevel level : {AuditLevel::none, AuditLevel::basic, AuditLevel::full})
    EXPECT_EQ(audit_level_named(name_of(level)), level);
  EXPECT_EQ(audit_level_named("FULL"), std::nullopt);
}

}  // namespace
}  // namespace petri
