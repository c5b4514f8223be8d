#include "evaluation/candidate/score.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace petri {
namespace {

Record record_of(std::vector<Value> values) {
  Record record;
  record.value_types = {values.front().type()};
  for (const Value& value : values) record.value_bits.push_back(value.bits());
  record.kinds.assign(values.size(), OutcomeKind::ok);
  return record;
}

TEST(SquaredError, SumsUpOverTheCases) {
  const std::vector<double> targets{1, 2};
  EXPECT_EQ(squared_error(record_of({Value(1.0), Value(4.0)}), targets), 4);
  EXPECT_EQ(squared_error(record_of({Value(0), Value(-1)}), targets), 10);
  EXPECT_EQ(squared_error(record_of({Value(std::int64_t{3}), Value(std::int64_t{2})}), targets), 4);
  EXPECT_EQ(squared_error(record_of({Value(1.5F), Value(2.0F)}), targets), 0.25);
}

TEST(SquaredError, IsOneNaNWhereThereIsNoNumber) {
  const std::vector<double> targets{1, 2};
  const auto expect_nan = [&](const Record& record) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(squared_error(record, targets)), 0x7ff8'0000'0000'0000U);
  };
  expect_nan(record_of({Value(1.0), Value(-std::numeric_limits<double>::quiet_NaN())}));
  expect_nan(record_of({Value(1.0)}));
  Record trapped = record_of({Value(1.0), Value(2.0)});
  trapped.kinds[1] = OutcomeKind::trapped;
  expect_nan(trapped);
  Record nothing;
  nothing.kinds.assign(2, OutcomeKind::ok);
  expect_nan(nothing);
}

TEST(SquaredError, UsesTheFirstOfSeveralValues) {
  Record record = record_of({Value(1.0), Value(9.0), Value(2.0), Value(9.0)});
  record.value_types = {ValueType::f64, ValueType::f64};
  record.kinds.resize(2);
  EXPECT_EQ(squared_error(record, std::vector<double>{1, 2}), 0);
}

}  // namespace
}  // namespace petri
