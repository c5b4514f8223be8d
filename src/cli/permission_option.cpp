#include "cli/permission_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/option_error.h"
#include "cli/permission_words.h"

namespace petri::cli {
namespace {

void set_permissions(Permissions& permissions, const std::string& text) {
  const auto changed = permissions_of_list(permissions, text);
  if (!changed) throw OptionError("--allow", changed.error().message);
  permissions = *changed;
}

}  // namespace

void add_permission_option(CLI::App& command, Permissions& permissions) {
  command
      .add_option_function<std::string>(
          "--allow", [&permissions](const std::string& text) { set_permissions(permissions, text); },
          fmt::format("Permissions, separated by commas, or none; +file_write adds to the default ({})",
                      permissions.to_text()))
      ->type_name("LIST");
}

}  // namespace petri::cli
