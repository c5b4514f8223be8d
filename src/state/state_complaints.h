// Complaints about a state and its fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaints.h"
#include "petri/state.h"

namespace petri {

struct StateStep;

// A name as messages show it: escaped, quoted and not too long.
std::string shown_name(std::string_view name);

// `what` is a whole clause that names the field, as in: "count" is a list of 0 elements. The field becomes a detail,
// followed by the details given.
void complain(Complaints& complaints, std::string_view field, std::string what, std::vector<ErrorDetail> details = {});
// A step that a plan refuses: its field, both types and the reason.
void complain(Complaints& complaints, const StateStep& refused);

// Fields in the order of their names: how many there are, their names, no name twice, no field without elements.
void check_state_fields(std::span<const StateField> fields, Complaints& complaints);

}  // namespace petri
