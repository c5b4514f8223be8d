#include "cli/permission_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/option_error.h"

namespace petri::cli {
namespace {

constexpr std::string_view kNone = "none";

void set_permissions(Permissions& permissions, const std::string& text) {
  if (text == kNone) {
    permissions = {};
    return;
  }
  const auto parsed = Permissions::parse(text);
  if (!parsed) throw OptionError("--allow", parsed.error().message);
  permissions = *parsed;
}

}  // namespace

void add_permission_option(CLI::App& command, Permissions& permissions) {
  command
      .add_option_function<std::string>(
          "--allow", [&permissions](const std::string& text) { set_permissions(permissions, text); },
          fmt::format("Permissions, separated by commas, or none (default: {})", permissions.to_text()))
      ->type_name("LIST");
}

}  // namespace petri::cli
