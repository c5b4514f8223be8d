#include "cli/command_error.h"

#include <fmt/format.h>

#include "cli/json.h"

namespace petri::cli {
std::string_view without_full_stop(std::string_view message) {
  if (message.ends_with('.')) message.remove_suffix(1);
  return message;
}

ExitCode report_error(const Error& error, bool json, Console& console) {
  if (json) {
    console.out.write(to_line({{"error", to_json(error)}}));
  } else {
    console.error.write_coloured(Colour::failure, "error:");
    console.error.write(fmt::format(" {}\n", without_full_stop(error.message)));
  }
  return exit_code_for(error);
}

}  // namespace petri::cli
