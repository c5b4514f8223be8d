#include "evaluation/verify/verify_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text/byte_text.h"
#include "base/text/units.h"
#include "engine/sha256.h"
#include "evaluation/spec_check.h"

namespace petri {
namespace {

std::uint64_t key_of(const StoredRecord& stored) {
  Sha256 digest{};
  if (stored.wasm) digest = sha256(*stored.wasm);
  if (stored.wat) digest = sha256(as_bytes(*stored.wat));
  std::uint64_t key;
  std::memcpy(&key, digest.bytes.data(), sizeof(key));
  return key;
}

// At most, of one case: a case that ran out of fuel used all that it had.
std::uint64_t fuel_of_a_case(const Record& record, const EvaluationSpec& spec) {
  const bool ran_out = std::ranges::find(record.kinds, OutcomeKind::out_of_fuel) != record.kinds.end();
  return ran_out ? spec.fuel_max : std::min(record.fuel_used, spec.fuel_max);
}

std::uint64_t kept_bytes(const Record& record) {
  std::uint64_t bytes = 0;
  for (const KeptOutput& output : record.outputs) bytes += output.text.size();
  return bytes;
}

}  // namespace

RowSample::RowSample(std::size_t total, std::size_t wanted, std::uint64_t seed)
    : left_(total), wanted_(wanted == 0 ? total : std::min(wanted, total)), random_(seed) {}

bool RowSample::takes_next() {
  if (left_ == 0) return true;
  const bool taken = random_.next() % left_ < wanted_;
  --left_;
  if (taken) --wanted_;
  return taken;
}

void RowKeys::add(const StoredRecord& stored) { keys_.push_back({.row = stored.record.row, .key = key_of(stored)}); }

std::optional<FieldDifference> RowKeys::check(const StoredRecord& stored) const {
  if (!stored.record.repeats_row) return std::nullopt;
  const std::size_t row = *stored.record.repeats_row;
  const auto known = std::ranges::lower_bound(keys_, row, {}, &Entry::row);
  if (known != keys_.end() && known->row == row && known->key == key_of(stored)) return std::nullopt;
  return FieldDifference{.field = "repeats_row", .in_file = std::to_string(row), .found = "another candidate"};
}

std::optional<std::string> over_limits(const Record& record, const EvaluationSpec& spec, const VerifyLimits& limits) {
  if (const std::uint64_t fuel = fuel_of_a_case(record, spec); fuel > limits.fuel_max) {
    return fmt::format("it needs {} fuel for a case, and fuel_max is {}", format_count(fuel),
                       format_count(limits.fuel_max));
  }
  if (record.memory_peak_bytes > limits.memory_bytes_max) {
    return fmt::format("it needs {} of memory, and memory_max is {}", format_bytes(record.memory_peak_bytes),
                       format_bytes(limits.memory_bytes_max));
  }
  if (const std::uint64_t kept = kept_bytes(record); kept > limits.memory_bytes_max) {
    return fmt::format("its kept outputs take {}, and memory_max is {}", format_bytes(kept),
                       format_bytes(limits.memory_bytes_max));
  }
  const std::uint64_t values = value_bytes(record.kinds.size(), record.values_per_case());
  if (record.values_per_case() > 1 && values > limits.memory_bytes_max) {
    return fmt::format("its values take {}, and memory_max is {}", format_bytes(values),
                       format_bytes(limits.memory_bytes_max));
  }
  return std::nullopt;
}

std::optional<FieldDifference> wrong_fuel(const Record& record, const EvaluationSpec& spec) {
  const auto ran_out = static_cast<std::uint64_t>(std::ranges::count(record.kinds, OutcomeKind::out_of_fuel));
  if (ran_out == 0 || record.fuel_used / ran_out >= spec.fuel_max) return std::nullopt;
  return FieldDifference{.field = "fuel",
                         .in_file = std::to_string(record.fuel_used),
                         .found = fmt::format("{} cases that each used {}", ran_out, spec.fuel_max)};
}

std::uint64_t fuel_to_allow(const Record& record, const EvaluationSpec& spec) {
  constexpr std::uint64_t kEnoughToShowADifference = 1'000'000;
  const std::uint64_t fuel = std::min(fuel_of_a_case(record, spec), spec.fuel_max);
  return std::min(spec.fuel_max, fuel / 2 >= spec.fuel_max / 4 ? spec.fuel_max : 2 * fuel + kEnoughToShowADifference);
}

EvaluationSpec within(EvaluationSpec spec, const VerifyLimits& limits) {
  spec.fuel_max = std::min(spec.fuel_max, limits.fuel_max);
  spec.memory_bytes_max = std::min(spec.memory_bytes_max, limits.memory_bytes_max);
  spec.output_bytes_max = std::min(spec.output_bytes_max, limits.memory_bytes_max);
  return spec;
}

std::size_t bytes_held(const StoredRecord& stored) {
  const Record& record = stored.record;
  // Counts what is read, and once more what is found.
  const std::size_t results =
      2 * (record.kinds.size() + sizeof(std::uint64_t) * record.value_bits.size() + sizeof(Record));
  const std::size_t more = 2 * (kept_bytes(record) + record.outputs.size() * sizeof(KeptOutput) +
                                (record.wrong.size() + record.metrics.size()) * sizeof(std::uint64_t));
  return results + more + (stored.wasm ? stored.wasm->size() : 0) + (stored.wat ? stored.wat->size() : 0);
}

}  // namespace petri
