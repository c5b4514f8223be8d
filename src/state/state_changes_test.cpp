#include "state/state_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "state/state_fixture.h"

namespace petri {
namespace {

std::string actions_of(const StateChange& change, StatePolicy policy) {
  const auto plan = StatePlan::create(schema_of(change.from), schema_of(change.to), change.hints, policy);
  if (!plan) return plan.error().message;
  std::string text;
  for (const StateStep& step : plan->steps()) text.append(text.empty() ? "" : " ").append(name_of(step.action));
  return plan->lossless() ? text : text + ", lossy";
}

struct Expected {
  std::string_view without;  // permission to drop
  std::string_view with;
};

// By what the published row says, so that a row cannot change its outcome, come or go unseen.
const std::map<std::string_view, Expected>& expectations() {
  static const std::map<std::string_view, Expected> all{
      {"nothing changes", {"keep", "keep"}},
      {"other places in memory, other order in the table", {"keep keep", "keep keep"}},
      {"a number moves between a `state.` global and the table", {"keep", "keep"}},
      {"a wider signed integer", {"widen", "widen"}},
      {"a wider unsigned integer", {"widen", "widen"}},
      {"an unsigned integer becomes a wider signed one", {"widen", "widen"}},
      {"an unsigned integer becomes a signed one of equal width", {"convert", "convert"}},
      {"a signed integer becomes an unsigned one", {"convert", "convert"}},
      {"a narrower signed integer", {"convert", "convert"}},
      {"a narrower unsigned integer", {"convert", "convert"}},
      {"a wider float", {"widen", "widen"}},
      {"a narrower float", {"convert", "convert"}},
      {"an integer becomes a float that holds all of them", {"convert", "convert"}},
      {"an integer becomes a float that holds some of them", {"convert", "convert"}},
      {"a float becomes an integer", {"convert", "convert"}},
      {"a boolean becomes an integer", {"convert", "convert"}},
      {"an integer becomes a boolean", {"convert", "convert"}},
      {"a boolean becomes a float", {"convert", "convert"}},
      {"a list with wider elements", {"widen", "widen"}},
      {"a list with narrower elements", {"convert", "convert"}},
      {"a list grows", {"default", "default"}},
      {"a list grows and its elements become wider", {"default", "default"}},
      {"a list shrinks", {"refuse, lossy", "drop, lossy"}},
      {"a list shrinks and its elements become narrower", {"refuse, lossy", "drop, lossy"}},
      {"a number becomes the first of a list", {"default", "default"}},
      {"a list becomes its first element", {"refuse, lossy", "drop, lossy"}},
      {"more room for a text", {"widen", "widen"}},
      {"less room for a text", {"convert", "convert"}},
      {"a larger block of bytes", {"default", "default"}},
      {"a smaller block of bytes", {"refuse, lossy", "drop, lossy"}},
      {"a list of u8 becomes bytes", {"convert", "convert"}},
      {"bytes become a list of u8", {"convert", "convert"}},
      {"text becomes bytes of equal size", {"convert", "convert"}},
      {"bytes become text of equal size", {"convert", "convert"}},
      {"bytes become text of another size", {"refuse, lossy", "refuse, lossy"}},
      {"a number becomes text", {"refuse, lossy", "refuse, lossy"}},
      {"text becomes a number", {"refuse, lossy", "refuse, lossy"}},
      {"bytes become numbers wider than a byte", {"refuse, lossy", "refuse, lossy"}},
      {"a field is added", {"keep default", "keep default"}},
      {"a field is gone", {"keep refuse, lossy", "keep drop, lossy"}},
      {"all fields are gone", {"refuse, lossy", "drop, lossy"}},
      {"the first field comes", {"default", "default"}},
      {"a field has a new name, without a hint", {"default refuse, lossy", "default drop, lossy"}},
      {"a field has a new name, with a hint", {"rename", "rename"}},
      {"a field has a new name and a wider type", {"rename", "rename"}},
      {"a field has a new name and a narrower type", {"rename", "rename"}},
      {"a list has a new name and grows", {"rename", "rename"}},
      {"a list has a new name and shrinks", {"refuse, lossy", "drop, lossy"}},
      {"a field has a new name and no fitting type", {"refuse, lossy", "refuse, lossy"}},
      {"two fields change names", {"rename rename", "rename rename"}},
      {"a renamed field's old name is given to a new field", {"default rename", "default rename"}},
      {"a hint puts a field in the place of another", {"rename refuse, lossy", "rename drop, lossy"}},
  };
  return all;
}

TEST(StateChanges, ArePublishedForAtLeastThirtyKinds) {  // T12
  std::set<std::string_view> kinds;
  for (const StateChange& change : state_changes()) kinds.insert(change.what);
  EXPECT_EQ(kinds.size(), state_changes().size());
  EXPECT_GE(kinds.size(), 30U);
}

TEST(StateChanges, HaveTheOutcomesExpectedOfThem) {  // T12
  EXPECT_EQ(expectations().size(), state_changes().size());
  for (const StateChange& change : state_changes()) {
    SCOPED_TRACE(change.what);
    const auto expected = expectations().find(change.what);
    ASSERT_NE(expected, expectations().end());
    EXPECT_EQ(actions_of(change, {}), expected->second.without);
    EXPECT_EQ(actions_of(change, {.drop = true}), expected->second.with);
  }
}

}  // namespace
}  // namespace petri
