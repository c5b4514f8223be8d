// `--allow log,clock`: what a guest may ask of the host.
#pragma once

#include "petri/policy.h"

namespace CLI {
class App;
}

namespace petri::cli {

// The option replaces what `permissions` held, its default; "none" takes everything away.
void add_permission_option(CLI::App& command, Permissions& permissions);

}  // namespace petri::cli
