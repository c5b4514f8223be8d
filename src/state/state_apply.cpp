#include <fmt/format.h>

#include <algorithm>

#include "petri/state.h"
#include "state/state_block.h"
#include "state/state_complaints.h"
#include "state/state_number.h"
#include "state/state_type.h"

namespace petri {
namespace {

std::string element_text(const StateField& field, std::uint32_t index) {
  return field.count == 1 ? shown_name(field.name) : fmt::format("element {} of {}", index, shown_name(field.name));
}

// Carries one field over; what would not survive goes into `complaints`, and the rest of the field stays undone.
class Carrier {
 public:
  Carrier(const StateStep& step, Complaints& complaints) : from_(*step.from), to_(*step.to), complaints_(complaints) {}

  void carry(std::span<const std::uint8_t> source, std::span<std::uint8_t> target) {
    if (to_.type == StateType::text && from_.type == StateType::text) return text(source, target);
    if (to_.type == StateType::text && !is_text_block(source)) {
      return refuse(fmt::format("{} is not UTF-8 up to its end, and {} is", shown_name(from_.name), type_text(to_)));
    }
    if (from_.type == to_.type || is_block(from_.type) || is_block(to_.type)) {
      std::ranges::copy(source.first(std::min(source.size(), target.size())), target.begin());
    } else {
      numbers(source, target);
    }
  }

 private:
  void text(std::span<const std::uint8_t> source, std::span<std::uint8_t> target) {
    const std::string_view held = text_in(source);
    if (held.size() > target.size()) {
      return refuse(fmt::format("{} holds a text of {} bytes, and {} has room for {}", shown_name(from_.name),
                                held.size(), type_text(to_), target.size()));
    }
    std::ranges::fill(std::ranges::copy(held, target.begin()).out, target.end(), std::uint8_t{0});
  }

  void numbers(std::span<const std::uint8_t> source, std::span<std::uint8_t> target) {
    const std::size_t source_step = rule_of(from_.type).bytes;
    const std::size_t target_step = rule_of(to_.type).bytes;
    for (std::uint32_t i = 0; i < std::min(from_.count, to_.count); ++i) {
      const StateNumber number = load_number(from_.type, &source[i * source_step]);
      if (store_number(to_.type, number, &target[i * target_step])) continue;
      return refuse(fmt::format("{} holds {}, which {} cannot hold exactly", element_text(from_, i), to_text(number),
                                name_of(to_.type)));
    }
  }

  void refuse(std::string what) {
    std::vector<ErrorDetail> details{{.key = "old_type", .value = type_text(from_)},
                                     {.key = "new_type", .value = type_text(to_)},
                                     {.key = "reason", .value = what}};
    complain(complaints_, from_.name, std::move(what), std::move(details));
  }

  const StateField& from_;
  const StateField& to_;
  Complaints& complaints_;
};

std::span<const std::uint8_t> old_block(const StateDocument& document, const StateField& field) {
  const StateSchema& schema = document.schema();
  return document.bytes().subspan(schema.offset(*schema.find(field.name)), bytes_of(field));
}

std::span<std::uint8_t> new_block(const StateSchema& schema, std::vector<std::uint8_t>& bytes,
                                  const StateField& field) {
  return std::span(bytes).subspan(schema.offset(*schema.find(field.name)), bytes_of(field));
}

Result<void> check_schema(const StateDocument& document, const StateSchema& schema, std::string_view which) {
  if (document.schema() == schema) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("the {} document has other fields than the plan's {} version", which, which));
}

}  // namespace

Result<StateDocument> StatePlan::apply(const StateDocument& document, const StateDocument& initial) const {
  PETRI_TRY(check_schema(document, *from_, "old"));
  PETRI_TRY(check_schema(initial, *to_, "new"));
  std::vector<std::uint8_t> bytes(initial.bytes().begin(), initial.bytes().end());
  Complaints complaints;
  bool refused = false;
  for (const StateStep& step : steps_) {
    refused |= step.action == StateAction::refuse;
    if (step.action == StateAction::refuse) {
      complain(complaints, step);
    } else if (step.from && step.to) {
      Carrier(step, complaints).carry(old_block(document, *step.from), new_block(*to_, bytes, *step.to));
    }
  }
  PETRI_TRY(
      complaints.result(ErrorCode::state_incompatible, refused ? "the old state does not fit the new version"
                                                               : "the old state's values do not fit the new version"));
  return StateDocument::from_bytes(to_, std::move(bytes));
}

}  // namespace petri
