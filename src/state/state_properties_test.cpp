// Properties of every schema and document; each case can be repeated by its seed.
#include <gtest/gtest.h>

#include <algorithm>

#include "petri/state.h"
#include "state/state_fixture.h"

namespace petri {
namespace {

constexpr StatePolicy kDrop{.drop = true};

struct Change {
  std::vector<StateField> to;
  StateHints hints;
};

// Another version of these fields: some of other types or counts, some renamed, some gone, some new.
Change changed(const std::vector<StateField>& from, StateMaker& maker, std::string_view version) {
  Change change;
  for (const StateField& old : from) {
    if (maker.likely(10)) continue;
    StateField field = maker.likely(50) ? old : maker.field(old.name);
    if (maker.likely(50)) field.count = old.count;
    if (maker.likely(30)) {
      field.name = fmt::format("{}_{}", old.name, version);
      change.hints.push_back({.from = old.name, .to = field.name});
    }
    change.to.push_back(field);
  }
  if (maker.likely(30)) change.to.push_back(maker.field(fmt::format("new_{}", version)));
  return change;
}

TEST(StateProperties, LosslessPlansLeadThereAndBackToAnEqualDocument) {  // T21 hostile G12
  int lossless = 0;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const auto from = schema_of(maker.fields());
    const Change change = changed(from->fields(), maker, "2");
    const auto to = schema_of(change.to);
    const StatePlan plan = StatePlan::create(from, to, change.hints).value();
    const StateDocument document = maker.document(from);
    const auto there = plan.apply(document, maker.document(to));
    ASSERT_EQ(plan.check().has_value(), plan.lossless());
    if (!there) {
      const bool by_value = std::ranges::any_of(plan.steps(), &StateStep::by_value);
      ASSERT_TRUE(!plan.lossless() || by_value) << there.error().message;
      continue;
    }
    ++lossless;
    const auto back = plan.reversed(kDrop).apply(*there, maker.document(from));
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(*back, document);
  }
  EXPECT_GT(lossless, 1'000);
}

TEST(StateProperties, PlansOfKeepWidenAndRenameNeedNoPermissionBack) {  // T21
  int plain = 0;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const auto from = schema_of(maker.fields());
    Change change = changed(from->fields(), maker, "2");
    for (StateField& field : change.to) {
      const auto old = from->find(field.name);
      if (old) field.count = from->fields()[*old].count;
    }
    const auto to = schema_of(change.to);
    const StatePlan plan = StatePlan::create(from, to, change.hints).value();
    const bool only = std::ranges::all_of(plan.steps(), [](const StateStep& step) {
      const bool same_size = step.from && step.to && step.from->count == step.to->count && !step.by_value;
      return same_size && (step.action <= StateAction::widen || step.action == StateAction::rename);
    });
    if (!only) continue;
    ++plain;
    const StateDocument document = maker.document(from);
    const auto there = plan.apply(document, maker.document(to));
    ASSERT_TRUE(there) << there.error().message;
    ASSERT_EQ(plan.reversed().apply(*there, maker.document(from)).value(), document);
  }
  EXPECT_GT(plain, 500);
}

bool refused_for_a_block(const StateStep& step) {
  return step.action == StateAction::refuse && step.to && (is_block(step.from->type) || is_block(step.to->type));
}

TEST(StateProperties, AChainDoesWhatItsPlansDoOneAfterAnother) {  // T22
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const auto first = schema_of(maker.fields());
    const StateDocument document = maker.document(first);
    StateDocument present = document;
    std::vector<StatePlan> plans;
    bool comparable = true;
    for (int version = 2; version <= 4 && comparable; ++version) {
      const Change change = changed(present.schema().fields(), maker, std::to_string(version));
      const auto to = schema_of(change.to);
      plans.push_back(StatePlan::create(present.shared_schema(), to, change.hints).value());
      const auto next = plans.back().apply(present, StateDocument(to));
      // A version in between fills what it adds or lets grow with values of its own; zeros are the same for all.
      comparable = next.has_value();
      if (next) present = *next;
    }
    if (!comparable) continue;
    const auto chain = StatePlan::chain(plans);
    ASSERT_TRUE(chain);
    if (!chain->check()) {
      // Numbers, single bytes, blocks and text become one another in steps, and not all of them at once.
      ASSERT_TRUE(std::ranges::any_of(chain->steps(), refused_for_a_block));
      continue;
    }
    ++compared;
    const auto direct = chain->apply(document, StateDocument(present.shared_schema()));
    ASSERT_TRUE(direct) << direct.error().message;
    ASSERT_EQ(*direct, present);
    ASSERT_EQ(chain->reversed(kDrop).apply(present, StateDocument(first)).value(), document);
  }
  EXPECT_GT(compared, 300);
}

TEST(StateProperties, ARefusedPlanNamesOnlyWhatItRefuses) {  // T11
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    StateMaker maker(seed);
    const auto from = schema_of(maker.fields());
    const Change change = changed(from->fields(), maker, "2");
    const StatePlan plan = StatePlan::create(from, schema_of(change.to), change.hints).value();
    const auto refused = std::ranges::count(plan.steps(), StateAction::refuse, &StateStep::action);
    const auto check = plan.check();
    ASSERT_EQ(check.has_value(), refused == 0);
    const std::size_t details = check ? 0 : check.error().details.size();
    ASSERT_EQ(details, static_cast<std::size_t>(refused) * 4);
  }
}

}  // namespace
}  // namespace petri
