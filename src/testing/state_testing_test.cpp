#include <gmock/gmock.h>

#include <random>

#include "petri/testing/testing.h"

namespace petri::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<StateEntry> ledger(StateType hits = StateType::i32, const std::string& name = "hits") {
  return {{.field = {.name = name, .type = hits}, .values = {std::int64_t{7}}},
          {.field = {.name = "scores", .type = StateType::f64, .count = 2}, .values = {0.5, 1.5}},
          {.field = {.name = "title", .type = StateType::text, .count = 8}, .values = {std::string("first")}}};
}
// Counts in the field that comes first by name.
constexpr std::string_view kNext = R"((func (export "next") (result i32)
  (i32.store (global.get $state) (i32.add (i32.load (global.get $state)) (i32.const 1)))
  (i32.load (global.get $state))))";

class StateTestingTest : public ::testing::Test {
 protected:
  ScopedSandbox create(const Source& source) {
    auto sandbox = ScopedSandbox::create(*runtime_, {.modules = {{"m", source}}});
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return std::move(*sandbox);
  }
  std::unique_ptr<Runtime> runtime_ = std::move(*Runtime::create({.workers = 2}));
};

TEST_F(StateTestingTest, MakesGuestsThatDescribeTheirState) {  // T02
  ScopedSandbox sandbox = create(*state_guest(ledger(), kNext));
  EXPECT_EQ(*sandbox->state(), *StateDocument::create(ledger()));
  EXPECT_EQ(not_value(sandbox->call("next"), 8), "");
  EXPECT_EQ(not_state(*sandbox, {.field = "hits", .value = std::int64_t{8}}), "");
}

TEST_F(StateTestingTest, RefusesGuestsThatNoStateFits) {
  std::vector<StateEntry> twice = ledger();
  twice.push_back(twice.front());
  EXPECT_EQ(not_error(state_guest(twice), ErrorCode::validation_failed), "");
  EXPECT_EQ(not_error(state_guest({{{.field = {.name = "small", .type = StateType::u8}, .values = {300.0}}}}),
                      ErrorCode::validation_failed),
            "");
}

TEST_F(StateTestingTest, SaysWhatVersionAndStateThereIsInstead) {  // Y02
  ScopedSandbox sandbox = create(*state_guest(ledger()));
  EXPECT_EQ(not_version(*sandbox, "m", 1), "");
  EXPECT_THAT(not_version(*sandbox, "m", 2), HasSubstr("is version 1 where 2 was wanted"));
  EXPECT_THAT(not_version(*sandbox, "n", 2), HasSubstr("no module n"));
  EXPECT_EQ(not_state(*sandbox, {.field = "scores", .value = 1.5, .index = 1}), "");
  EXPECT_EQ(not_state(*sandbox, {.field = "title", .value = std::string("x")}),
            "title is \"first\" where \"x\" was wanted");
  EXPECT_THAT(not_state(*sandbox, {.field = "none", .value = 1.5}), HasSubstr("none"));
  EXPECT_THAT(not_state(*sandbox, {.field = "hits", .value = 1.5, .process = "nobody"}), HasSubstr("nobody"));
  EXPECT_THAT(not_error(sandbox->restart(), ErrorCode::busy),
              HasSubstr("it went well where the error busy was wanted"));
  EXPECT_THAT(not_error(sandbox->rollback("m"), ErrorCode::busy), HasSubstr("the error version_not_found"));
}

TEST_F(StateTestingTest, SeesWhetherStateCrossed) {  // T05, T09
  ScopedSandbox sandbox = create(*state_guest(ledger()));
  const StateCheck check(*sandbox);
  EXPECT_THAT(check.changes(), IsEmpty());
  // Another type, another name, and one field more.
  std::vector<StateEntry> more = ledger(StateType::i64, "count");
  more.push_back({.field = {.name = "added"}, .values = {std::int64_t{1}}});
  const StateHints renames{{.from = "hits", .to = "count"}};
  ASSERT_TRUE(sandbox->reload("m", *state_guest(more), {.renames = renames}));
  EXPECT_THAT(check.changes(renames), IsEmpty());
  EXPECT_THAT(check.changes(), AllOf(HasSubstr("m: "), HasSubstr("hits"), HasSubstr("gone")));
  ASSERT_TRUE(sandbox->update_state({{"count", std::int64_t{9}}, {"added", std::int64_t{2}}}));
  EXPECT_EQ(check.changes(renames), "m: count is 9 where 7 was wanted");
  ASSERT_TRUE(sandbox->stop());
  EXPECT_THAT(check.changes(renames), HasSubstr("m: "));
}

TEST_F(StateTestingTest, SeesWhatDoesNotComeBackByAPlan) {  // T21
  std::mt19937_64 random(7);
  const auto narrow = *StateDocument::create(ledger());
  const auto wide = *StateDocument::create(ledger(StateType::i64));
  const auto plan = StatePlan::create(narrow.shared_schema(), wide.shared_schema());
  for (int i = 0; i < 100; ++i) {
    StateDocument document = narrow;
    ASSERT_TRUE(document.set("hits", static_cast<std::int64_t>(static_cast<std::int32_t>(random()))));
    ASSERT_EQ(lost_on_the_way(*plan, document, wide), "");
  }
  const auto dropping =
      StatePlan::create(narrow.shared_schema(), std::make_shared<const StateSchema>(), {}, {.drop = true});
  EXPECT_THAT(lost_on_the_way(*dropping, narrow, StateDocument()),
              AllOf(HasSubstr("hits is 0 where 7 was wanted"), HasSubstr("title is \"\" where \"first\" was wanted")));
  StateDocument large = wide;
  ASSERT_TRUE(large.set("hits", std::int64_t{1} << 40));
  EXPECT_THAT(lost_on_the_way(plan->reversed(), large, narrow), HasSubstr("1099511627776"));
}

TEST_F(StateTestingTest, WaitsForAReloadAndHasItsReportOrItsError) {  // Y07
  ScopedSandbox sandbox = create(*state_guest(ledger()));
  const Pending reloading([&] { return sandbox->reload("m", *state_guest(ledger(StateType::i64))); });
  const Result<ReloadReport> report = reloading.wait();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->to, 2U);
  EXPECT_TRUE(reloading.done());
  EXPECT_EQ(reloading.wait()->to, 2U);
  const Pending refused([&] { return sandbox->reload("m", Source::wat("(module")); });
  EXPECT_EQ(not_error(refused.wait(), ErrorCode::parse_failed), "");
}

TEST_F(StateTestingTest, DoesNotWaitForEver) {  // Y07
  std::promise<void> go;
  const Pending pending([&]() -> Result<int> {
    go.get_future().wait();
    return 3;
  });
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(not_error(pending.wait(std::chrono::milliseconds(1)), ErrorCode::timeout), "");
  go.set_value();
  EXPECT_EQ(*pending.wait(), 3);
}

}  // namespace
}  // namespace petri::testing
