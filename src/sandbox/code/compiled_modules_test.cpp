#include "sandbox/code/compiled_modules.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompileReport report_of(const std::vector<std::string>& modules) {
  CompileReport report;
  for (const std::string& module : modules) {
    report.modules.push_back({.module = module,
                              .language = "c",
                              .file = module + ".c",
                              .text = std::make_shared<const std::string>("of " + module)});
  }
  return report;
}

std::vector<std::string> matched(const CompileReport& report, const Source& source,
                                 const std::vector<ModulePlace>& modules) {
  std::vector<std::string> names;
  for (const ModuleSpec& spec : modules_for(report, source, modules))
    names.push_back(spec.name + " " + spec.source.text());
  return names;
}

TEST(CompiledModules, BelongToTheModulesOfTheirNamesInTheOrderOfTheReport) {
  EXPECT_THAT(matched(report_of({"b", "a", "c"}), Source::folder("/src"), {{"a", ""}, {"b", ""}}),
              ElementsAre("b of b", "a of a"));
}

TEST(CompiledModules, BelongToTheModuleThatWasReadFromTheirFileWhateverItsName) {
  EXPECT_THAT(matched(report_of({"a", "b"}), Source::folder("/src"), {{"orders", "/src/a.c"}, {"a", "/other/a.c"}}),
              ElementsAre("orders of a"));
  EXPECT_THAT(matched(report_of({"a"}), Source::file("/src/../src/a.c"), {{"orders", "/src/a.c"}}),
              ElementsAre("orders of a"));
}

TEST(CompiledModules, OfAFolderWithOneModuleBelongToTheModuleThatWasReadFromTheFolder) {
  EXPECT_THAT(matched(report_of({"a"}), Source::folder("/src"), {{"orders", "/src"}}), ElementsAre("orders of a"));
  EXPECT_THAT(matched(report_of({"a", "b"}), Source::folder("/src"), {{"orders", "/src"}}), IsEmpty());
}

TEST(CompiledModules, KeepLanguageAndPath) {
  const auto specs = modules_for(report_of({"a"}), Source::folder("/src"), {{"a", ""}});
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(specs[0].source.language(), "c");
  EXPECT_EQ(specs[0].source.path(), "/src/a.c");
}

TEST(CompiledModules, OfNoModuleAreNamed) {
  EXPECT_THAT(no_module_sentence(report_of({"a", "b"}), Source::folder("/src"), {{"c", ""}}),
              HasSubstr("/src has the modules a, b and the sandbox has c"));
}

}  // namespace
}  // namespace petri
