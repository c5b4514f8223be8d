#include "petri/scan.h"

#include <gtest/gtest.h>

#include "security/finding_rules.h"

namespace petri {
namespace {

Finding spin() {
  return {.kind = FindingKind::endless_loop,
          .severity = Severity::high,
          .function = 3,
          .function_name = "spin",
          .offset = 79,
          .text = "no way leads out of it"};
}

ScanReport report_of(std::vector<Finding> findings) {
  ScanReport report{.artifact = {}, .findings = std::move(findings)};
  for (const Finding& finding : report.findings) ++report.counts[static_cast<std::size_t>(finding.severity)];
  return report;
}

TEST(Findings, AreReportedWithTheirPlace) {
  EXPECT_EQ(to_text(spin()), "endless_loop in function 3 \"spin\" at byte 79: no way leads out of it");
  Finding memory{.kind = FindingKind::memory_minimum, .offset = 17, .text = "64 KiB at the start"};
  EXPECT_EQ(to_text(memory), "memory_minimum at byte 17: 64 KiB at the start");
  memory.function = 0;
  EXPECT_EQ(to_text(memory), "memory_minimum in function 0 at byte 17: 64 KiB at the start");
}

TEST(Findings, HaveAWorst) {
  EXPECT_EQ(worst({}), std::nullopt);
  EXPECT_EQ(worst(report_of({spin(), Finding{}})), spin());
}

TEST(Findings, AreRefusedFromTheirSeverityOn) {  // P11
  Finding finding = spin();
  for (const Severity severity : {Severity::info, Severity::low, Severity::medium, Severity::high}) {
    finding.severity = severity;
    for (const Severity from : {Severity::info, Severity::low, Severity::medium, Severity::high}) {
      EXPECT_EQ(check_findings(report_of({finding}), from).has_value(), severity < from);
    }
  }
  EXPECT_TRUE(check_findings({}, Severity::info));
}

TEST(Findings, SayInTheRefusalWhatWhereAndWhatToDo) {
  const auto refused = check_findings(report_of({spin()}), Severity::medium);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::rejected);
  EXPECT_EQ(refused.error().message,
            "the module is not accepted: the scan has a finding of severity high, endless_loop in function 3 \"spin\" "
            "at byte 79: no way leads out of it; change the module, or let findings of every severity pass");
  EXPECT_EQ(refused.error().detail("component"), "gate");
  EXPECT_EQ(refused.error().detail("finding"), "endless_loop");
  EXPECT_EQ(refused.error().detail("severity"), "high");
  EXPECT_EQ(refused.error().detail("function"), "3");
  EXPECT_EQ(refused.error().detail("offset"), "79");
}

TEST(Findings, CountWhatWasNotKept) {
  ScanReport report = report_of({spin()});
  report.counts[0] = 41;
  EXPECT_EQ(report.total(), 42U);
  EXPECT_EQ(report.not_kept(), 41U);
  EXPECT_EQ(report.count(Severity::info), 41U);
}

TEST(Findings, HaveNamesThatCanBeReadAgain) {
  for (const FindingRule& rule : finding_rules()) EXPECT_EQ(finding_kind_named(name_of(rule.kind)), rule.kind);
  for (const Severity severity : {Severity::info, Severity::low, Severity::medium, Severity::high})
    EXPECT_EQ(severity_named(name_of(severity)), severity);
  EXPECT_EQ(severity_named("severe"), std::nullopt);
  EXPECT_EQ(finding_kind_named("loop"), std::nullopt);
}

TEST(Findings, HaveAFamilyForEachPermission) {
  for (const Permission permission : all_permissions())
    EXPECT_EQ(name_of(family_of(permission)), "imports_" + std::string(name_of(permission)));
}

}  // namespace
}  // namespace petri
