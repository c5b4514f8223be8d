// Where the lines that were typed are kept between two sessions.
#pragma once

#include <optional>
#include <string>

namespace petri::cli {

// $XDG_STATE_HOME/petri/history, else ~/.local/state/petri/history; relative paths count for nothing, as the
// specification says. Nothing when neither is known.
std::optional<std::string> history_path(const char* xdg_state_home, const char* home);

}  // namespace petri::cli
