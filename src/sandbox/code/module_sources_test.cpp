#include "sandbox/code/module_sources.h"

#include <gmock/gmock.h>

#include "sandbox/trees/trees_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

class ModuleSourcesTest : public TreesFixture {};

TEST_F(ModuleSourcesTest, KeepTheirNamesInTheOrderOfTheSpecWhenTheyAreDropped) {
  ModuleSources sources({.services = owner_, .failed = failed_, .table = modules_, .journal = journal_},
                        {{"tariff", Source::wat("(module)")}, {"shop", Source::wat("(module)")}});
  ASSERT_EQ(sources.all()->size(), 2U);
  EXPECT_EQ(sources.all()->front().source.text(), "(module)");
  sources.drop();
  EXPECT_THAT(sources.names(), ElementsAre("tariff", "shop"));
  ASSERT_EQ(sources.all()->size(), 2U);
  for (const ModuleSpec& module : *sources.all()) {
    EXPECT_EQ(module.source.kind(), Source::Kind::artifact);
    EXPECT_EQ(module.source.artifact(), nullptr) << "a gate refuses it, and says why";
  }
}

}  // namespace
}  // namespace petri
