// watch, unwatch, auto-reload.
#include <fmt/format.h>

#include <filesystem>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"
#include "cli/shell/watch_text.h"

namespace petri::cli {
namespace {

Answer watch_answer(const std::vector<WatchInfo>& watched) {
  Answer answer{.text = to_text(watched)};
  answer.json["watched"] = to_json(watched);
  return answer;
}

Result<WatchSpec> spec_of(const BoundArguments& arguments) {
  WatchSpec spec{.patterns = arguments.values("--pattern")};
  PETRI_TRY(const auto debounce, time_option(arguments, "--debounce"));
  spec.debounce = debounce.value_or(spec.debounce);
  return spec;
}

// One folder, or files.
Result<void> add_places(WatchSpec& spec, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown)) {
      spec.files.push_back(path);
    } else if (std::exchange(spec.folder, path).empty()) {
      continue;
    } else {
      return fail(ErrorCode::validation_failed, "watch takes one folder at a time; give each a watch of its own");
    }
  }
  return {};
}

}  // namespace

Result<Answer> watch_sources(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(WatchSpec spec, spec_of(arguments));
  PETRI_TRY(add_places(spec, arguments.from(1)));
  PETRI_TRY(const auto watched, session.runtime().watch(arguments.at(0), spec));
  return watch_answer(watched);
}

Result<Answer> unwatch_sources(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(session.runtime().unwatch(arguments.at(0), arguments.has(1) ? arguments.at(1) : ""));
  PETRI_TRY(const SandboxInfo info, session.runtime().info(arguments.at(0)));
  return watch_answer(info.watched);
}

Result<Answer> switch_auto_reload(ShellSession& session, const BoundArguments& arguments) {
  const std::string& action = arguments.at(1);
  if (action == "off") {
    PETRI_TRY(session.runtime().disable_auto_reload(arguments.at(0)));
    PETRI_TRY(const SandboxInfo info, session.runtime().info(arguments.at(0)));
    return watch_answer(info.watched);
  }
  if (action != "on") return no_such("action", action, {"on", "off"});
  PETRI_TRY(const WatchSpec spec, spec_of(arguments));
  PETRI_TRY(const auto watched, session.runtime().enable_auto_reload(arguments.at(0), spec));
  return watch_answer(watched);
}

}  // namespace petri::cli
