#include "population/individual_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/complaints.h"
#include "base/text/escape.h"
#include "base/text/utf8.h"

namespace petri {
namespace {

// A file keeps integers with a sign.
constexpr std::uint64_t kGenerationMax = INT64_MAX;

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; });
}

// The end of a sentence that starts with what the text is; empty if nothing is wrong.
std::string fault_of(std::string_view text, std::size_t bytes_max) {
  if (text.empty()) return "is empty";
  if (text.size() > bytes_max) return fmt::format("has {} bytes and may have {}", text.size(), bytes_max);
  if (!is_utf8(text)) return "is not UTF-8";
  if (has_control_characters(text)) return "has control characters";
  return {};
}

void check_text(std::string_view text, std::string_view where, std::size_t bytes_max, Complaints& complaints) {
  const std::string fault = fault_of(text, bytes_max);
  if (!fault.empty()) complaints.add(std::string(where), fault);
}

void check_list(const std::vector<std::string>& list, std::string_view where, std::size_t count_max,
                Complaints& complaints) {
  if (list.size() > count_max) {
    complaints.add(std::string(where), fmt::format("has {} elements and may have {}", list.size(), count_max));
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const std::string place = fmt::format("{}[{}]", where, index);
    check_text(list[index], place, kIndividualIdBytesMax, complaints);
    if (!seen.insert(list[index]).second) complaints.add(place, "is there twice");
  }
}

void check_fitness(const Fitness& fitness, Complaints& complaints) {
  if (fitness.components.size() > kFitnessComponentsMax) {
    complaints.add("fitness.components",
                   fmt::format("has {} elements and may have {}", fitness.components.size(), kFitnessComponentsMax));
    return;
  }
  for (const auto& [name, value] : fitness.components) {
    check_text(name, "fitness.components", kIndividualIdBytesMax, complaints);
  }
}

}  // namespace

Result<void> check_population_text(std::string_view text, std::string_view what, std::size_t bytes_max) {
  const std::string fault = fault_of(text, bytes_max);
  if (fault.empty()) return {};
  return fail(ErrorCode::validation_failed, fmt::format("{} {} {}", what, in_quotes(text), fault));
}

Result<void> check_fitness(const Fitness& fitness) {
  Complaints complaints;
  check_fitness(fitness, complaints);
  return complaints.result();
}

Result<void> check_individual(const Individual& individual) {
  Complaints complaints;
  check_text(individual.id, "id", kIndividualIdBytesMax, complaints);
  check_list(individual.parents, "parents", kParentsMax, complaints);
  check_list(individual.labels, "labels", kIndividualLabelsMax, complaints);
  if (std::ranges::find(individual.parents, individual.id) != individual.parents.end()) {
    return fail(ErrorCode::circular_dependency,
                fmt::format("the individual {} is its own parent", in_quotes(individual.id)));
  }
  if (!individual.mutation.empty()) check_text(individual.mutation, "mutation", kMutationBytesMax, complaints);
  if (individual.generation.value_or(0) > kGenerationMax) {
    complaints.add("generation", fmt::format("is above {}", kGenerationMax));
  }
  if (individual.fitness) check_fitness(*individual.fitness, complaints);
  return complaints.result(ErrorCode::validation_failed,
                           fmt::format("the individual {} cannot be added", in_quotes(individual.id)));
}

}  // namespace petri
