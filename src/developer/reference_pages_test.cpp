#include "developer/reference_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "petri/limits.h"

namespace petri::developer {
namespace {

using ::testing::HasSubstr;

std::string made(std::string_view name) {
  for (const ReferencePage& page : reference_pages()) {
    if (page.name == name) return page.make();
  }
  return "";
}

std::string file_of(std::string_view name) {
  std::ifstream file(std::string(PETRI_TESTS_FOLDER) + "/../docs/reference/" + std::string(name) +
                     (name.contains('.') ? "" : ".md"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(MarkdownTable, KeepsCellsInTheirPlaces) {
  EXPECT_EQ(markdown_table({"a", "b"}, {{"1|2", "x\ny"}}), "| a | b |\n|---|---|\n| 1\\|2 | x y |\n");
}

TEST(ReferencePages, HaveARowForEachLimit) {
  for (const LimitRule& rule : limit_rules())
    EXPECT_THAT(made("limits"), HasSubstr("| `" + std::string(rule.name) + "` |"));
}

TEST(ReferencePages, InTheTreeAreThoseOfThisCode) {
  for (const ReferencePage& page : reference_pages()) {
    EXPECT_TRUE(file_of(page.name) == page.make())
        << "docs/reference/" << page.name << " is out of date: run tools/docs.";
  }
}

}  // namespace
}  // namespace petri::developer
