#include "cli/shell/history_file.h"

#include <string_view>

namespace petri::cli {
namespace {

bool is_absolute(const char* path) { return path != nullptr && path[0] == '/'; }

}  // namespace

std::optional<std::string> history_path(const char* xdg_state_home, const char* home) {
  if (is_absolute(xdg_state_home)) return std::string(xdg_state_home) + "/petri/history";
  if (is_absolute(home)) return std::string(home) + "/.local/state/petri/history";
  return std::nullopt;
}

}  // namespace petri::cli
