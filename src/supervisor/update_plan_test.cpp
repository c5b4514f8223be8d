#include "supervisor/update_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ChildSpec child_with_module(std::string id, std::string module = "m") {
  return {.id = std::move(id), .module = std::move(module)};
}

std::vector<std::string> shown(const UpdatePlan& plan) {
  constexpr const char* kWords[] = {"keep ", "update ", "replace ", "start "};
  std::vector<std::string> rows;
  for (const PlannedChild& one : plan.children) rows.push_back(kWords[static_cast<int>(one.change)] + one.spec->id());
  return rows;
}

// S25
TEST(UpdatePlan, KeepsEverythingWhenNothingChanges) {
  const SupervisorSpec spec{
      .children = {child_with_module("a"), SupervisorSpec{.id = "p", .children = {child_with_module("x")}}}};
  const UpdatePlan plan = plan_update(spec, spec);
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(shown(plan), ElementsAre("keep a", "keep p"));
}

// S25
TEST(UpdatePlan, ReplacesAProcessForItsModuleOrInputOnly) {
  ChildSpec gentler = child_with_module("a");
  gentler.restart = RestartType::transient;
  gentler.shutdown = Shutdown::brutal();
  ChildSpec fed = child_with_module("b");
  fed.input = "more";
  const UpdatePlan plan =
      plan_update({.children = {child_with_module("a"), child_with_module("b"), child_with_module("c")}},
                  {.children = {gentler, fed, child_with_module("c", "other")}});
  EXPECT_THAT(plan.stop, ElementsAre("c", "b"));
  EXPECT_THAT(shown(plan), ElementsAre("keep a", "replace b", "replace c"));
  EXPECT_EQ(plan.children[0].spec->restart(), RestartType::transient);
}

TEST(UpdatePlan, StopsWhatIsGoneTheLastStartedFirst) {
  const UpdatePlan plan =
      plan_update({.children = {child_with_module("a"), child_with_module("b"), child_with_module("c")}},
                  {.children = {child_with_module("c"), child_with_module("d")}});
  EXPECT_THAT(plan.stop, ElementsAre("b", "a"));
  EXPECT_THAT(shown(plan), ElementsAre("keep c", "start d"));
}

TEST(UpdatePlan, KeepsWhatWasAddedByRequestAtTheEnd) {
  const auto node = [](std::string id) { return std::make_shared<const TreeChild>(child_with_module(std::move(id))); };
  const std::vector<PresentChild> present = {{node("a")}, {node("extra"), true}, {node("named"), true}};
  const UpdatePlan plan = plan_update(Strategy::one_for_one, present,
                                      {.children = {child_with_module("b"), child_with_module("named", "other")}});
  EXPECT_THAT(plan.stop, ElementsAre("named", "a"));
  EXPECT_THAT(shown(plan), ElementsAre("start b", "replace named", "keep extra"));
}

TEST(UpdatePlan, UpdatesASupervisorInPlaceButReplacesAnotherKind) {
  const UpdatePlan plan = plan_update(
      {.children = {SupervisorSpec{.id = "p"}, SupervisorSpec{.id = "q"}, child_with_module("r")}},
      {.children = {SupervisorSpec{.id = "p", .intensity = 9}, child_with_module("q"), SupervisorSpec{.id = "r"}}});
  EXPECT_THAT(plan.stop, ElementsAre("r", "q"));
  EXPECT_THAT(shown(plan), ElementsAre("update p", "replace q", "replace r"));
}

TEST(UpdatePlan, StartsOverFromAndToATemplate) {
  const SupervisorSpec simple{.strategy = Strategy::simple_one_for_one, .children = {child_with_module("w")}};
  const SupervisorSpec plain{.children = {child_with_module("a"), child_with_module("w")}};
  EXPECT_THAT(plan_update(plain, simple).stop, ElementsAre("w", "a"));
  EXPECT_THAT(shown(plan_update(plain, simple)), IsEmpty());
  EXPECT_THAT(shown(plan_update(simple, plain)), ElementsAre("start a", "start w"));
}

TEST(UpdatePlan, ChangesATemplateUnderItsChildren) {
  const std::vector<PresentChild> present = {{std::make_shared<const TreeChild>(child_with_module("w-1")), true}};
  const UpdatePlan plan =
      plan_update(Strategy::simple_one_for_one, present,
                  {.strategy = Strategy::simple_one_for_one, .children = {child_with_module("w", "other")}});
  EXPECT_THAT(plan.stop, IsEmpty());
  EXPECT_THAT(shown(plan), ElementsAre("keep w-1"));
}

}  // namespace
}  // namespace petri
