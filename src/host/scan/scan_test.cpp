#include "petri/scan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "host/functions/seeded_random.h"
#include "host/host_table.h"
#include "host/scan/scan_imports.h"

namespace petri {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr std::uint64_t kLarge = 4 << 20;

ArtifactPtr prepare(std::string_view text) {
  auto artifact = Artifact::from_wat(text, kLarge);
  EXPECT_TRUE(artifact) << artifact.error().message;
  return *artifact;
}

ScanReport scan_of(std::string_view text, const HostFunctions& host = {}) {
  auto report = scan(*prepare(text), host);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

std::vector<std::string> sentences(const ScanReport& report) {
  std::vector<std::string> texts;
  for (const Finding& finding : report.findings)
    texts.push_back(std::string(name_of(finding.severity)) + " " + to_text(finding));
  return texts;
}

TEST(Scan, ReportsImportsByTheirFamily) {
  const auto report = scan_of(R"((module
      (import "petri" "input_size" (func (result i32)))
      (import "petri" "clock_ms" (func (result i64)))
      (import "petri" "random" (func (result i64)))
      (import "petri" "send" (func (param i32 i32 i32 i32) (result i32)))
      (import "petri" "spawn" (func (param i32 i32) (result i32)))
      (import "math" "sin" (func (param f64) (result f64)))
      (import "wasi_snapshot_preview1" "path_unlink_file" (func (param i32 i32 i32) (result i32)))))");
  std::vector<std::string_view> kinds;
  for (const Finding& finding : report.findings) kinds.push_back(name_of(finding.kind));
  EXPECT_THAT(
      kinds, ElementsAre("imports_file_write", "imports_spawn", "imports_clock", "imports_random", "imports_messages"));
  EXPECT_EQ(report.findings[0].function, 6U);
  EXPECT_EQ(report.findings[2].text, "it imports petri.clock_ms");
  EXPECT_EQ(report.findings[2].function, 1U);
}

TEST(Scan, PlacesImportsAndHooksInTheModule) {
  const ArtifactPtr artifact = prepare(R"((module (import "petri" "clock_ms" (func (result i64)))
      (func (export "petri_init") (result i32) (i32.const 0))))");
  const auto report = scan(*artifact);
  const std::string_view bytes(reinterpret_cast<const char*>(artifact->bytes().data()), artifact->bytes().size());
  EXPECT_EQ(bytes.substr(report->findings[0].offset, 5), "petri");
  EXPECT_EQ(bytes.substr(report->findings[1].offset, 10), "petri_init");
}

// Every built-in function is reported under the family it asks for, and not at all if it asks for nothing.
TEST(Scan, KnowsTheFamilyOfEveryHostFunction) {
  for (const HostFunction& function : builtin_functions()) {
    const ImportView import{.module = function.module,
                            .name = function.name,
                            .signature = {.params = function.signature.params, .results = function.signature.results}};
    const auto finding = import_finding(import, &function);
    ASSERT_EQ(finding.has_value(), function.permission.has_value()) << function.name;
    if (!finding) continue;
    EXPECT_EQ(name_of(finding->kind), "imports_" + std::string(name_of(*function.permission)));
  }
}

TEST(Scan, ReportsImportsNobodyOffers) {
  EXPECT_THAT(
      sentences(scan_of(R"((module (import "game" "mo\nve" (func)) (import "petri" "log" (func))
                                      (import "" "" (memory 1))))")),
      ElementsAre("medium imports_unknown in function 0 at byte 18: it imports game.mo\\nve, which nobody offers",
                  "medium imports_unknown in function 1 at byte 31: it imports petri.log, as () -> (), but it is "
                  "offered as (i32 i32 i32) -> i32",
                  "medium imports_unknown at byte 43: it imports ., a memory, and only functions can be"));
}

TEST(Scan, ReportsTheEmbeddersFunctionsByWhatTheyMayNeed) {
  HostFunctions host;
  ASSERT_TRUE(host.define("game", "move", [] {}));
  ASSERT_TRUE(host.define("game", "save", [] {}, {.permission = Permission::file_write}));
  const auto report = scan_of(R"((module (import "game" "move" (func)) (import "game" "save" (func))))", host);
  EXPECT_THAT(sentences(report), ElementsAre("medium imports_embedder in function 1 at byte 30: it imports game.save",
                                             "low imports_embedder in function 0 at byte 18: it imports game.move"));
}

TEST(Scan, ReportsHooks) {
  EXPECT_THAT(sentences(scan_of(R"((module (global (export "petri_state") i32 (i32.const 8))
                  (func (export "petri_handle") (result i32) (i32.const 0)) (func (export "petri_other"))))")),
              ElementsAre("info hook_export at byte 35: petri reads the export petri_state",
                          "info hook_export in function 0 at byte 49: petri calls the export petri_handle"));
}

// P11: the scan judges wasm, not words.
TEST(Scan, FindsNothingInNamesAndData) {
  EXPECT_THAT(
      scan_of(R"((module (memory $Photos 1 1) (func $os_system (export "os_system")) (func $exec (export "Photos"))
      (global $eval (export "rm -rf /") i32 (i32.const 0))))")
          .findings,
      ElementsAre(Field(&Finding::kind, FindingKind::memory_minimum)));
  EXPECT_THAT(scan_of(R"((module (func $os_system (export "os_system") (call $Photos)) (func $Photos)))").findings,
              IsEmpty());
  const auto with_data = [](std::string_view data) {
    return scan_of("(module (memory 1 1) (data (i32.const 0) \"" + std::string(data) + "\"))");
  };
  EXPECT_EQ(with_data("os_system Photos /etc/passwd").findings, with_data("............................").findings);
}

// P11, C19: a real finding has severity, function and offset.
TEST(Scan, FindsWhatTheCodeDoes) {
  EXPECT_THAT(sentences(scan_of(R"((module (func $harmless (loop (br 0)))))")),
              ElementsAre("high endless_loop in function 0 \"harmless\" at byte 23: no way leads out of this loop, and "
                          "nothing in it can trap or calls: only a limit ends it"));
}

TEST(Scan, PutsTheMostSevereFirstAndThenGoesByPlace) {
  const auto report = scan_of(R"((module (import "petri" "clock_ms" (func (result i64))) (memory 512) (table 1 funcref)
      (func $spin (loop (br 0))) (func $again (loop (br 0))) (start $spin)))");
  EXPECT_TRUE(std::ranges::is_sorted(report.findings, [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.offset < b.offset;
  }));
  EXPECT_THAT(report.counts, ElementsAre(3, 1, 1, 2));
}

TEST(Scan, KeepsAtMostWhatWasAskedFor) {
  const ArtifactPtr artifact =
      prepare(R"((module (import "a" "b" (func)) (import "petri" "clock_ms" (func (result i64)))
      (memory 1) (func (loop (br 0)))))");
  for (std::uint32_t kept = 1; kept <= 5; ++kept) {
    const auto report = scan(*artifact, {}, {.findings_max = kept});
    EXPECT_EQ(report->findings.size(), kept);
    EXPECT_EQ(report->findings[0].kind, FindingKind::endless_loop);
    EXPECT_EQ(report->total(), 5U);
  }
  const auto none = scan(*artifact, {}, {.findings_max = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::validation_failed);
}

// The finding that matters decides, however many small ones stand before it.
TEST(Scan, IsNotDrownedInSmallFindings) {
  // The gate bounds functions by bytes, so there are bytes beside them.
  const std::string padding(60'000, 'x');
  std::string text = "(module (type $t (func)) (table 1 funcref) (memory 2 2)";
  for (int i = 0; i < 3; ++i) text += "(data (i32.const 0) \"" + padding + "\")";
  for (int i = 0; i < 2'000; ++i) text += "(func (call_indirect (type $t) (i32.const 0)))";
  const auto report = scan_of(text + "(func $last (loop (br 0))))");
  EXPECT_EQ(report.findings.size(), 1'000U);
  EXPECT_EQ(report.total(), 2'003U);
  EXPECT_EQ(worst(report)->function_name, "last");
  EXPECT_FALSE(check_findings(report, Severity::high));
}

// C20
TEST(Scan, OfOrdinaryCodeIsNotRefused) {
  const auto report = scan_of(R"((module (func (export "sum") (param i32) (result i32) (local i32)
      (block (loop (br_if 1 (i32.eqz (local.get 0)))
        (local.set 1 (i32.add (local.get 1) (local.get 0)))
        (local.set 0 (i32.sub (local.get 0) (i32.const 1))) (br 0)))
      (local.get 1))))");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_TRUE(check_findings(report, Severity::info));
}

// X01: whatever the gate accepts can be scanned, and findings point into the module.
TEST(Scan, SurvivesChangedBytes) {
  const ArtifactPtr artifact =
      prepare(R"((module (import "petri" "log" (func (param i32 i32 i32) (result i32))) (memory 1)
      (table 2 funcref) (type $t (func)) (elem (i32.const 0) $f) (data (i32.const 0) "bytes")
      (func $f (block (loop (br_if 1 (i32.const 3)) (if (i32.load (i32.const 0)) (then (br 1)) (else (br 2))))))
      (func $g (loop (call_indirect (type $t) (i32.const 0)) (br_table 0 1 0 (i32.const 4)))) (start $g)))");
  const auto bytes = artifact->bytes();
  SeededRandom random(1);
  std::size_t accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> changed(bytes.begin(), bytes.end());
    for (std::uint64_t times = 1 + random.next() % 3; times > 0; --times)
      changed[random.next() % changed.size()] = static_cast<std::uint8_t>(random.next());
    const auto mutant = Artifact::from_wasm(changed, kLarge);
    if (!mutant) continue;
    ++accepted;
    const auto report = scan(**mutant);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->findings, Each(Field(&Finding::offset, testing::Lt(changed.size()))));
  }
  EXPECT_GT(accepted, 500U);
}

}  // namespace
}  // namespace petri
