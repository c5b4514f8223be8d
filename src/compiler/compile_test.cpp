#include "petri/compile.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

constexpr const char* kAdd =
    "(module (func (export \"add\") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))";

// C01
TEST(Compile, OneTextTwiceGivesOneArtifact) {
  const auto first = compile(Source::code("wat", kAdd));
  const auto second = compile(Source::wat(kAdd));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->status, CompileOutcome::compiled);
  EXPECT_EQ(first->modules.at(0).artifact->id(), second->modules.at(0).artifact->id());
  EXPECT_EQ(first->modules.at(0).module, "source");
}

// C02
TEST(Compile, AnUnknownLanguageIsRefusedWithAListOfThoseThereAre) {
  const auto report = compile(Source::code("cobol", "MOVE 1 TO X."));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(report.error().message, testing::StartsWith("there is no language \"cobol\"; the languages are wat"));
}

// C03
TEST(Compile, ReportsWhereATextDoesNotParse) {
  const auto report = compile(Source::code("wat", "(module\n (func)\n    (fnc))"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->status, CompileOutcome::failed);
  ASSERT_EQ(report->diagnostics.size(), 1U);
  const Diagnostic& diagnostic = report->diagnostics.front();
  EXPECT_EQ(diagnostic.file, "source.wat");
  EXPECT_EQ(diagnostic.line, 3U);
  EXPECT_EQ(diagnostic.column, 6U);
  EXPECT_EQ(diagnostic.severity, DiagnosticSeverity::error);
  EXPECT_EQ(diagnostic.kind, DiagnosticKind::syntax);
  EXPECT_THAT(line_of(diagnostic), testing::StartsWith("source.wat:3:6: error: "));
  ASSERT_TRUE(report->error);
  EXPECT_EQ(report->error->code, ErrorCode::parse_failed);
}

// C05
TEST(Compile, AnEmptyTextDoesNotParseInAnyLanguage) {
  for (const SourceLanguage& language : source_languages()) {
    const auto report = compile(Source::code(language.name, " \n"));
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->error) << language.name;
    EXPECT_EQ(report->error->code, ErrorCode::parse_failed);
    EXPECT_EQ(report->error->message, "the text is empty; there is nothing to compile");
  }
}

}  // namespace
}  // namespace petri
