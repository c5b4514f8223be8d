#include "cli/manual/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/manual/roff.h"
#include "cli/shell/verb.h"

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

std::string page_named(std::string_view name) {
  for (const ManPage& page : man_pages(command_descriptions(), "1.2.3")) {
    if (page.name == name) return page.text;
  }
  return "";
}

TEST(Roff, ShowsTextAsItIsWritten) {
  EXPECT_EQ(roff_escape(R"(a-b \n 'c' "d" ^~`)"), R"(a\-b \en \(aqc\(aq \(dqd\(dq \(ha\(ti\(ga)");
  EXPECT_EQ(roff_escape(".SH no request"), "\\&.SH no request");
  EXPECT_EQ(roff_escape("1 – 2 µs"), "1 \\[u2013] 2 \\[u00B5]s");
}

TEST(ManPage, HasATitleWithTheVersion) {
  EXPECT_THAT(page_named("petri-run"), HasSubstr(".TH \"PETRI\\-RUN\" 1 \"\" \"petri 1.2.3\" \"petri\"\n"));
  EXPECT_THAT(page_named("petri-audit-verify"), HasSubstr("petri\\-audit\\-verify \\- Follows the hashes"));
}

TEST(ManPage, HasTheSynopsisAndTheOptionsByTheirGroups) {
  const std::string page = page_named("petri-run");
  EXPECT_THAT(page,
              HasSubstr("\\fBpetri run\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR [\\fB\\-\\-\\fR \\fIARGUMENT\\fR...]\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-tier\\fR \\fITIER\\fR\ninterpreted, compiled or automatic"));
  EXPECT_THAT(page,
              HasSubstr(".SH LIMITS\n.TP\n\\fB\\-\\-timeout\\fR, \\fB\\-\\-execution\\-time\\-max\\fR \\fITIME\\fR\n"));
}

TEST(ManPage, OfTheShellHasItsVerbs) {
  for (const Verb& verb : shell_verbs())
    EXPECT_THAT(page_named("petri-shell"), HasSubstr(roff_bold(usage_of(verb)))) << verb.name;
}

TEST(ManPage, OfPetriNamesAllOthers) {
  const auto pages = man_pages(command_descriptions(), "1.2.3");
  ASSERT_EQ(pages.front().name, "petri");
  for (const ManPage& page : pages) {
    if (page.name != "petri") {
      EXPECT_THAT(pages.front().text, HasSubstr(".BR " + roff_escape(page.name) + " (1)")) << page.name;
      EXPECT_THAT(page.text, HasSubstr(".BR petri (1)")) << page.name;
    }
  }
}

}  // namespace
}  // namespace petri::cli
