#include "evaluation/records/compare.h"

#include <fmt/format.h>

#include <bit>

namespace petri {
namespace {

constexpr std::string_view kNothing = "nothing";

std::string shown(std::uint64_t number) { return std::to_string(number); }
std::string shown(std::int32_t number) { return std::to_string(number); }
std::string shown(double number) { return to_text(Value(number)); }
std::string shown(const std::string& text) { return text; }
std::string shown(const Sha256& digest) { return digest.hex(); }
std::string shown(const KeptOutput& output) { return fmt::format("{} ({} bytes)", output.text, output.bytes); }
template <typename Enum>
  requires std::is_enum_v<Enum>
std::string shown(Enum value) {
  return std::string(name_of(value));
}
template <typename T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : std::string(kNothing);
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
}
template <typename T>
bool same(const T& a, const T& b) {
  return a == b;
}

// Asked about one field after the other, it keeps the first that differs.
class Comparison {
 public:
  template <typename T>
  void field(std::string_view name, const T& in_file, const T& found) {
    if (!first_ && !same(in_file, found))
      first_ = {.field = std::string(name), .in_file = shown(in_file), .found = shown(found)};
  }
  std::optional<FieldDifference> first() { return std::move(first_); }

 private:
  std::optional<FieldDifference> first_;
};

void compare_values(Comparison& comparison, const Record& in_file, const Record& found) {
  comparison.field("types", in_file.value_types.size(), found.value_types.size());
  if (in_file.value_types.size() != found.value_types.size()) return;
  for (std::size_t index = 0; index < found.value_types.size(); ++index) {
    comparison.field("types", in_file.value_types[index], found.value_types[index]);
  }
  for (std::size_t index = 0; index < std::min(in_file.kinds.size(), found.kinds.size()); ++index) {
    for (std::size_t result = 0; result < found.values_per_case(); ++result) {
      const auto text = [&](const Record& record) {
        const auto value = record.value(index, result);
        return value ? to_text(*value) : std::string(kNothing);
      };
      if (in_file.value(index, result) != found.value(index, result)) {
        comparison.field(fmt::format("values[{}]", index * found.values_per_case() + result), text(in_file),
                         text(found));
      }
    }
  }
}

}  // namespace

namespace {

template <typename T>
void compare_list(Comparison& comparison, std::string_view name, const std::vector<T>& in_file,
                  const std::vector<T>& found) {
  comparison.field(name, in_file.size(), found.size());
  for (std::size_t index = 0; index < std::min(in_file.size(), found.size()); ++index) {
    comparison.field(fmt::format("{}[{}]", name, index), in_file[index], found[index]);
  }
}

}  // namespace

std::optional<FieldDifference> first_difference(const Record& in_file, const Record& found) {
  Comparison comparison;
  comparison.field("artifact", in_file.artifact, found.artifact);
  comparison.field("outcome", in_file.outcome, found.outcome);
  comparison.field("error", in_file.error, found.error);
  comparison.field("message", in_file.message, found.message);
  comparison.field("trap", in_file.trap, found.trap);
  comparison.field("exit_code", in_file.exit_code, found.exit_code);
  comparison.field("first_failure", in_file.first_failure, found.first_failure);
  comparison.field("cases", in_file.kinds.size(), found.kinds.size());
  for (std::size_t index = 0; index < std::min(in_file.kinds.size(), found.kinds.size()); ++index) {
    comparison.field(fmt::format("kinds[{}]", index), in_file.kinds[index], found.kinds[index]);
  }
  compare_values(comparison, in_file, found);
  comparison.field("output", in_file.output, found.output);
  comparison.field("fuel", in_file.fuel_used, found.fuel_used);
  comparison.field("memory_peak", in_file.memory_peak_bytes, found.memory_peak_bytes);
  comparison.field("score", in_file.score, found.score);
  compare_list(comparison, "wrong", in_file.wrong, found.wrong);
  compare_list(comparison, "metrics", in_file.metrics, found.metrics);
  compare_list(comparison, "outputs", in_file.outputs, found.outputs);
  comparison.field("receipt", in_file.receipt, found.receipt);
  return comparison.first();
}

}  // namespace petri
