// The rules of state as Markdown tables, made from the code that decides.
#pragma once

#include <string>

namespace petri::developer {

// Every published kind of change with what StatePlan decides for its example.
std::string state_change_table();
std::string state_type_table();

}  // namespace petri::developer
