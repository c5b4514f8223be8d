// Every limit is an option: by its name, and the common ones by a short alias.
#pragma once

#include <string>

#include "petri/limits.h"

namespace CLI {
class App;
}

namespace petri::cli {

// "--fuel,--fuel_max": the alias first where there is one.
std::string option_names(const LimitRule& rule);

// One option per limit, which sets it in `limits`; what stands there already is shown as the default. Whether the
// values lie in their ranges is for validate(limits) to say, which reports all that are wrong at once.
void add_limit_options(CLI::App& command, Limits& limits);
// Only the option of this limit.
void add_limit_option(CLI::App& command, Limits& limits, std::string_view name);

}  // namespace petri::cli
