#include "state/state_complaints.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "petri/state.h"

namespace petri {
namespace {

std::string types_text(const StateStep& step) {
  if (!step.to) return fmt::format("{}, gone", type_text(*step.from));
  return fmt::format("{} to {}", type_text(*step.from), type_text(*step.to));
}

}  // namespace

std::string shown_name(std::string_view name) { return in_quotes(name); }

void complain(Complaints& complaints, std::string_view field, std::string what, std::vector<ErrorDetail> details) {
  complaints.add_clause(escape_text(field, kWordShownBytesMax), std::move(what), std::move(details));
}

void complain(Complaints& complaints, const StateStep& refused) {
  const std::string& name = refused.from->name;
  complain(complaints, name, fmt::format("{} ({}): {}", shown_name(name), types_text(refused), refused.reason),
           {{.key = "old_type", .value = type_text(*refused.from)},
            {.key = "new_type", .value = refused.to ? type_text(*refused.to) : ""},
            {.key = "reason", .value = refused.reason}});
}

}  // namespace petri
