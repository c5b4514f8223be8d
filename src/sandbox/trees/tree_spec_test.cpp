#include "sandbox/trees/tree_spec.h"

#include <gmock/gmock.h>

#include "sandbox/trees/trees_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> ids_of(const SupervisorSpec& tree) {
  std::vector<std::string> ids;
  for (const TreeChild& child : tree.children) ids.emplace_back(child.id());
  return ids;
}

TEST(TreeSpec, TheDefaultHasAChildForEachModuleThatNoOtherImports) {
  EXPECT_THAT(ids_of(default_tree({"shop", "tariff", "log"}, {})), ElementsAre("shop", "tariff", "log"));
  const DependencyGraph imports{{"shop", {"tariff"}}, {"tariff", {"log"}}};
  EXPECT_THAT(ids_of(default_tree({"shop", "tariff", "log"}, imports)), ElementsAre("shop"));
  const SupervisorSpec tree = default_tree({"shop"}, {});
  ASSERT_NE(tree.children[0].process(), nullptr);
  EXPECT_EQ(tree.children[0].process()->module, "shop");
}

class TreeSpecTest : public TreesFixture {};

TEST_F(TreeSpecTest, IsTheDefaultUntilOneIsSet) {
  EXPECT_THAT(ids_of(spec_.spec()), ElementsAre("counter"));
  spec_.set({.children = {ChildSpec{.id = "other", .module = "counter"}}});
  EXPECT_THAT(ids_of(spec_.spec()), ElementsAre("other"));
  spec_.pin();
  EXPECT_THAT(ids_of(spec_.spec()), ElementsAre("other"));
}

}  // namespace
}  // namespace petri
