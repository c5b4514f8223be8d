#include "engine/loadable_artifact.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::uint64_t kScannedBytesMax = 1 << 20;

ArtifactPtr prepare_scanned(std::string_view text) {
  auto artifact = Artifact::from_wat(text, kScannedBytesMax);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

ScanReport scan_of(std::string_view text, std::uint32_t findings_max = 100) {
  auto report = loadable(*prepare_scanned(text)).scan(findings_max);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

std::vector<std::string> texts_of(const ScanReport& report) {
  std::vector<std::string> texts;
  for (const Finding& finding : report.findings)
    texts.push_back(std::string(name_of(finding.severity)) + " " + to_text(finding));
  return texts;
}

TEST(ModuleScan, ReportsDemandsAndWhatRunsByItself) {
  EXPECT_THAT(
      texts_of(scan_of(R"((module (memory 2) (table 3 funcref) (func $begin) (start $begin)))")),
      ElementsAre("low start_function in function 0 \"begin\" at byte 31: it runs when the module is instantiated",
                  "info table_minimum at byte 21: 3 table slots at the start",
                  "info memory_minimum at byte 27: 128 KiB of memory at the start",
                  "info memory_unbounded at byte 27: its memory has no maximum of its own"));
}

TEST(ModuleScan, ReportsLoopsWithoutExitByHowTheyCouldEnd) {
  const auto report = scan_of(R"((module (memory 1 1)
      (func $calls (loop (call $calls) (br 0)))
      (func $loads (loop (drop (i32.load (i32.const 0))) (br 0)))
      (func $spins (loop (br 0)))))");
  ASSERT_THAT(report.findings, SizeIs(4));
  EXPECT_EQ(report.findings[0].text,
            "no way leads out of this loop, and nothing in it can trap or calls: only a limit ends it");
  EXPECT_EQ(report.findings[0].function_name, "spins");
  EXPECT_EQ(report.findings[1].text, "no way leads out of this loop: only a trap or a limit ends it");
  EXPECT_EQ(report.findings[2].text, "no way leads out of this loop: only what it calls, a trap or a limit ends it");
}

TEST(ModuleScan, PointsAtTheLoopItself) {
  const ArtifactPtr artifact = prepare_scanned("(module (func (nop) (loop (br 0))))");
  const auto report = loadable(*artifact).scan(10);
  ASSERT_THAT(report->findings, SizeIs(1));
  constexpr std::uint8_t kLoop = 0x03;
  EXPECT_EQ(artifact->bytes()[report->findings[0].offset], kLoop);
}

TEST(ModuleScan, CallsFunctionsByTheirNamesElseByTheirExports) {
  EXPECT_EQ(scan_of(R"((module (func $own (export "out") (loop (br 0)))))").findings[0].function_name, "own");
  EXPECT_EQ(scan_of(R"((module (func (export "out") (loop (br 0)))))").findings[0].function_name, "out");
  EXPECT_EQ(scan_of(R"((module (func (loop (br 0)))))").findings[0].function_name, "");
  EXPECT_EQ(scan_of(R"((module (func (export "\1b[31m") (loop (br 0)))))").findings[0].function_name, "\\x1b[31m");
  const std::string longest(1'024, 'x');
  EXPECT_EQ(scan_of("(module (func (export \"" + longest + "\") (loop (br 0))))").findings[0].function_name.size(),
            100U);
}

TEST(ModuleScan, ReportsSizesInWords) {
  std::string nops(16 << 10, ' ');
  for (std::size_t i = 0; i < (16 << 10); ++i) nops += "nop ";
  EXPECT_EQ(scan_of("(module (func " + nops + "))").findings[0].text, "16 KiB of code");
  EXPECT_EQ(
      scan_of("(module (memory 2 2) (data (i32.const 0) \"" + std::string(64 << 10, 'x') + "\"))").findings[0].text,
      "64 KiB in one data segment");
  EXPECT_THAT(texts_of(scan_of(R"((module (@custom "o\nwn" "1234") (@custom ".debug_line" "")))")),
              ElementsAre("info custom_section at byte 10: section \"o\\nwn\" of 9 B",
                          "info debug_information at byte 21: section \".debug_line\" of 12 B"));
  EXPECT_THAT(texts_of(scan_of(R"((module (type $t (func)) (table 1 funcref)
                  (func (call_indirect (type $t) (i32.const 0)))
                  (func (call_indirect (type $t) (i32.const 0)) (call_indirect (type $t) (i32.const 0)))))")),
              ElementsAre("info table_minimum at byte 22: 1 table slot at the start",
                          "info indirect_calls in function 0 at byte 32: 1 call through a table",
                          "info indirect_calls in function 1 at byte 40: 2 calls through tables"));
}

TEST(ModuleScan, KeepsTheMostSevereAndCountsTheRest) {
  std::string quiet;
  for (int i = 0; i < 20; ++i) quiet += "(func (call_indirect (type $t) (i32.const 0)))";
  const auto report = scan_of("(module (type $t (func)) (table 1 funcref) " + quiet + "(func (loop (br 0))))", 3);
  EXPECT_THAT(report.findings, SizeIs(3));
  EXPECT_EQ(report.findings[0].kind, FindingKind::endless_loop);
  EXPECT_THAT(report.counts, ElementsAre(21, 0, 0, 1));
  EXPECT_EQ(report.not_kept(), 19U);
}

}  // namespace
}  // namespace petri
