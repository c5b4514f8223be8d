#include "evaluation/records/compare.h"

#include <gtest/gtest.h>

#include <functional>

namespace petri {
namespace {

Record some_record() {
  Record record;
  record.artifact = ArtifactId{};
  record.outcome = OutcomeKind::ok;
  record.value_types = {ValueType::f64};
  record.value_bits = {Value(1.5).bits(), Value(2.5).bits()};
  record.kinds = {OutcomeKind::ok, OutcomeKind::ok};
  record.score = 1;
  return record;
}

TEST(FirstDifference, IsNamedAsTheFileSpellsIt) {
  const auto difference = [](const std::function<void(Record&)>& change) {
    Record other = some_record();
    change(other);
    const auto first = first_difference(some_record(), other);
    return first ? first->field + ": " + first->in_file + ", " + first->found : "none";
  };
  EXPECT_EQ(difference([](Record&) {}), "none");
  EXPECT_EQ(difference([](Record& other) { other.row = 5; }), "none");
  EXPECT_EQ(difference([](Record& other) { other.value_bits[1] = Value(3.5).bits(); }), "values[1]: 2.5, 3.5");
  EXPECT_EQ(difference([](Record& other) { other.kinds[1] = OutcomeKind::trapped; }), "kinds[1]: ok, trapped");
  EXPECT_EQ(difference([](Record& other) { other.kinds.pop_back(); }), "cases: 2, 1");
  EXPECT_EQ(difference([](Record& other) { other.value_types[0] = ValueType::i64; }), "types: f64, i64");
  EXPECT_EQ(difference([](Record& other) { other.fuel_used = 7; }), "fuel: 0, 7");
  EXPECT_EQ(difference([](Record& other) { other.score.reset(); }), "score: 1, nothing");
  EXPECT_EQ(difference([](Record& other) { other.trap = TrapCode::unreachable; }), "trap: nothing, unreachable");
  EXPECT_EQ(difference([](Record& other) { other.outcome.reset(), other.error = ErrorCode::link_error; }),
            "outcome: ok, nothing");
}

}  // namespace
}  // namespace petri
