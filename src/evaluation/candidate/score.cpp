#include "evaluation/candidate/score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace petri {
namespace {

double to_double(Value value) {
  switch (value.type()) {
    case ValueType::i32: return value.i32();
    case ValueType::i64: return static_cast<double>(value.i64());
    case ValueType::f32: return value.f32();
    case ValueType::f64: return value.f64();
    case ValueType::funcref:
    case ValueType::externref: break;  // never a result of a function that is called
  }
  PETRI_UNREACHABLE();
}

bool has_a_value_for_each(const Record& record, std::size_t cases) {
  const auto is_ok = [](OutcomeKind kind) { return kind == OutcomeKind::ok; };
  return record.kinds.size() == cases && !record.value_types.empty() && std::ranges::all_of(record.kinds, is_ok);
}

}  // namespace

double with_one_nan(double number) { return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number; }

double squared_error(const Record& record, std::span<const double> targets) {
  if (!has_a_value_for_each(record, targets.size())) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t index = 0; index < targets.size(); ++index) {
    const std::uint64_t bits = record.value_bits[index * record.values_per_case()];
    const double difference = to_double(Value::from_bits(record.value_types.front(), bits)) - targets[index];
    sum += difference * difference;
  }
  return with_one_nan(sum);
}

}  // namespace petri
