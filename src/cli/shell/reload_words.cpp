#include "cli/shell/reload_words.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

constexpr std::array<std::string_view, 7> kPolicyOptions{"--state",       "--rolling",    "--drop", "--drop-exports",
                                                         "--trial-calls", "--trial-time", "--wait"};

Result<StateWay> way_option(const BoundArguments& arguments) {
  const auto name = arguments.value("--state");
  if (!name) return StateWay::best;
  const auto way = state_way_named(*name);
  if (!way) return no_such("way for state to cross", *name, {"best", "described", "hooks", "memory", "none"});
  return *way;
}

Result<void> read_trial(Trial& trial, const BoundArguments& arguments) {
  PETRI_TRY(const auto calls, count_option(arguments, "--trial-calls"));
  PETRI_TRY(const auto time, time_option(arguments, "--trial-time"));
  if (calls && *calls > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::validation_failed, fmt::format("--trial-calls: {} are too many", *calls));
  if (calls) trial.calls = static_cast<std::uint32_t>(*calls);
  trial.time = time.value_or(trial.time);
  return {};
}

Result<std::optional<ReloadPolicy>> policy_of(const BoundArguments& arguments) {
  if (std::ranges::none_of(kPolicyOptions, [&](std::string_view name) { return arguments.has(name); }))
    return std::nullopt;
  ReloadPolicy policy{.drop = arguments.has("--drop"), .drop_exports = arguments.has("--drop-exports")};
  policy.rolling = arguments.has("--rolling");
  PETRI_TRY(policy.state, way_option(arguments));
  PETRI_TRY(read_trial(policy.trial, arguments));
  PETRI_TRY(const auto wait, time_option(arguments, "--wait"));
  policy.quiet_wait_max = wait.value_or(policy.quiet_wait_max);
  PETRI_TRY(check_reload_policy(policy));
  return policy;
}

Result<std::map<std::string, std::string>> metadata_of(const BoundArguments& arguments) {
  std::map<std::string, std::string> metadata;
  for (const std::string& text : arguments.values("--metadata")) {
    PETRI_TRY(const auto pair, name_and_value("--metadata", text));
    metadata[pair.first] = pair.second;
  }
  return metadata;
}

// 2 is that one or a later one; 2..4 are three.
Result<VersionRange> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto min = parse_count(text.substr(0, dots));
  const auto max =
      dots == std::string::npos ? Result<std::uint64_t>(VersionRange{}.max) : parse_count(text.substr(dots + 2));
  if (min && max && *min > 0 && *min <= *max) return VersionRange{*min, *max};
  return fail(ErrorCode::validation_failed,
              fmt::format("--needs takes MODULE=VERSION or MODULE=FIRST..LAST, not \"{}\"", escape_text(text, 80)));
}

Result<VersionNeeds> needs_of(const BoundArguments& arguments) {
  VersionNeeds needs;
  for (const std::string& text : arguments.values("--needs")) {
    PETRI_TRY(const auto pair, name_and_value("--needs", text, "MODULE=VERSION"));
    PETRI_TRY(needs[pair.first], range_of(pair.second));
  }
  return needs;
}

}  // namespace

Result<ReloadOptions> reload_options(const BoundArguments& arguments) {
  ReloadOptions options{.actor = std::string(kShellActor)};
  PETRI_TRY(options.policy, policy_of(arguments));
  PETRI_TRY(options.metadata, metadata_of(arguments));
  PETRI_TRY(options.needs, needs_of(arguments));
  for (const std::string& text : arguments.values("--rename")) {
    PETRI_TRY(const auto pair, name_and_value("--rename", text, "OLD=NEW"));
    options.renames.push_back({.from = pair.first, .to = pair.second});
  }
  return options;
}

Result<RollbackOptions> rollback_options(const BoundArguments& arguments) {
  RollbackOptions options{.snapshot = arguments.has("--snapshot"), .actor = std::string(kShellActor)};
  PETRI_TRY(options.policy, policy_of(arguments));
  return options;
}

Result<petri::VersionOptions> version_options(const BoundArguments& arguments) {
  petri::VersionOptions options{.actor = std::string(kShellActor)};
  PETRI_TRY(options.metadata, metadata_of(arguments));
  PETRI_TRY(options.needs, needs_of(arguments));
  return options;
}

}  // namespace petri::cli
