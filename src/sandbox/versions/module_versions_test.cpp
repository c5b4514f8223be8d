#include "sandbox/versions/module_versions.h"

#include <gmock/gmock.h>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ModuleVersionsTest : public CodeFixture {
 protected:
  ModuleVersionsTest() {
    run("counter");
    set_running();
  }
  ModuleVersions versions() { return ModuleVersions(parts()); }
  std::vector<std::uint64_t> numbers(const std::string& module) {
    std::vector<std::uint64_t> all;
    const auto kept = versions().versions(module);
    for (const VersionInfo& version : *kept) all.push_back(version.number);
    return all;
  }
};

TEST(DependenciesOf, NameImportsBeforeWhatIsOnlyDeclared) {
  const ModuleCodePtr code = [] {
    const auto artifact = *Artifact::from_wat(R"((module (import "tariff" "price" (func))))", 1 << 20);
    const auto linked = *link(loadable(*artifact), HostFunctions(), Permissions::standard(), Neighbours::may_be);
    return make_module_code(artifact, linked.imports, *loadable(*artifact).load(Tier::interpreted, linked.imports),
                            nullptr, linked.from_modules);
  }();
  const Version version{.artifact = code->artifact,
                        .code = code,
                        .source = {},
                        .needs = {{"audit", {.min = 2}}, {"tariff", {.min = 3, .max = 4}}}};
  const std::vector<ModuleDependency> all = dependencies_of(version);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].module, "tariff");
  EXPECT_EQ(all[0].versions.min, 3U);
  EXPECT_EQ(all[0].kind, DependencyKind::import);
  EXPECT_EQ(all[1].module, "audit");
  EXPECT_EQ(all[1].kind, DependencyKind::declared);
}

TEST_F(ModuleVersionsTest, StageCodeThatRunsOnlyOnceItIsActivated) {
  const auto staged = versions().stage("counter", Source::wat(counter(2)), {});
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(staged->number, 2U);
  EXPECT_FALSE(staged->active);
  EXPECT_EQ(versions().stage("counter", Source::wat(counter(2)), {})->number, 2U);
  EXPECT_THAT(numbers("counter"), ElementsAre(2U, 1U));
  EXPECT_EQ(active("counter"), 1U);
  EXPECT_EQ(ask("counter", "version"), 1);
}

TEST_F(ModuleVersionsTest, LoadModulesThatNobodyHasYet) {
  const auto loaded = versions().load("other", Source::wat(counter(1)), {.metadata = {{"made", "today"}}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->metadata.at("made"), "today");
  ASSERT_EQ(loaded->state.size(), 1U);
  EXPECT_EQ(loaded->state[0].name, "count");
  EXPECT_THAT(refusal(versions().load("counter", Source::wat(counter(2)), {})), HasSubstr("already_exists"));
  EXPECT_THAT(refusal(versions().load("third", Source::wat("(module"), {})), HasSubstr("the module third"));
}

TEST_F(ModuleVersionsTest, GoFromOneSandboxToAnother) {
  ASSERT_TRUE(versions().stage("counter", Source::wat(counter(2)), {}));
  const auto archive = versions().export_module("counter");
  ASSERT_TRUE(archive);
  EXPECT_THAT(refusal(versions().import_module(*archive)), HasSubstr("already_exists")) << "the name is taken here";
  EXPECT_EQ(refusal(versions().copy_version(versions(), "counter", 7, {})),
            "version_not_found: the module counter of a has no version 7");
  EXPECT_EQ(versions().copy_version(versions(), "counter", 2, {})->number, 2U) << "code that is there keeps its number";
}

TEST_F(ModuleVersionsTest, AreNotDescribedOnceTheSandboxIsDestroyed) {
  standing_.set_destroyed();
  EXPECT_EQ(refusal(versions().history("counter")), "not_found: there is no sandbox a: it was destroyed");
}

}  // namespace
}  // namespace petri
