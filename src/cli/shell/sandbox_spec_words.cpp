#include "cli/shell/sandbox_spec_words.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/input_file.h"
#include "cli/shell/limit_words.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

constexpr std::uint64_t kSpecBytesMax = 16ULL << 20;

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

Result<SandboxSpec> spec_of_file(const BoundArguments& arguments) {
  const auto file = arguments.value("--spec");
  if (!file) return SandboxSpec{};
  PETRI_TRY(const std::string text, read_input(*file, kSpecBytesMax));
  return name_file(*file, SandboxSpec::from_json(text));
}

Result<void> add_modules(SandboxSpec& spec, const BoundArguments& arguments) {
  if (arguments.has(1)) spec.modules.push_back({stem_of(arguments.at(1)), Source::file(arguments.at(1))});
  if (const auto text = arguments.value("--wat")) spec.modules.push_back({spec.id, Source::wat(*text)});
  for (const std::string& text : arguments.values("--module")) {
    PETRI_TRY(auto pair, name_and_value("--module", text));
    spec.modules.push_back({std::move(pair.first), Source::file(std::move(pair.second))});
  }
  for (ModuleSpec& module : spec.modules) {
    if (module.source.kind() != Source::Kind::file) continue;
    PETRI_TRY(module.source, read_source(module.source.text(), kShellModuleBytesMax));
  }
  return {};
}

Result<void> add_policy(SandboxSpec& spec, const BoundArguments& arguments) {
  PETRI_TRY(LimitChanges limits, parse_limit_changes(arguments.values("--limit")));
  limits.merge(spec.limits);
  spec.limits = std::move(limits);
  if (const auto name = arguments.value("--profile")) {
    const auto profile = profile_named(*name);
    if (!profile) return no_such("profile", *name, {"high", "medium", "low"});
    spec.profile = *profile;
  }
  if (const auto list = arguments.value("--allow")) {
    PETRI_TRY(spec.permissions, *list == "none" ? Permissions() : Permissions::parse(*list));
  }
  if (const auto name = arguments.value("--audit")) {
    spec.audit = audit_level_named(*name);
    if (!spec.audit) return no_such("audit level", *name, {"none", "basic", "full"});
  }
  for (const std::string& import : arguments.values("--block_import")) spec.imports.block.push_back(import);
  for (const std::string& import : arguments.values("--allow_import")) spec.imports.allow.push_back(import);
  for (const std::string& name : arguments.values("--kill")) spec.on_limit[name] = OnLimit::kill;
  return {};
}

Result<void> add_world(SandboxSpec& spec, const BoundArguments& arguments) {
  if (const auto folder = arguments.value("--folder")) spec.folder = *folder;
  for (const std::string& text : arguments.values("--env")) {
    PETRI_TRY(const auto pair, name_and_value("--env", text));
    spec.environment[pair.first] = pair.second;
  }
  for (const std::string& text : arguments.values("--argument")) spec.arguments.push_back(text);
  for (const std::string& label : arguments.values("--label")) spec.labels.push_back(label);
  return {};
}

Result<void> add_rest(SandboxSpec& spec, const BoundArguments& arguments) {
  if (const auto tree = arguments.value("--tree")) {
    PETRI_TRY(spec.tree, parse_tree(*tree));
  }
  PETRI_TRY(const auto generation, count_option(arguments, "--generation"));
  PETRI_TRY(const auto seed, count_option(arguments, "--seed"));
  PETRI_TRY(const auto tier, tier_option(arguments, "--tier"));
  if (generation) spec.generation = generation;
  if (seed) spec.seed = seed;
  if (tier) spec.tier = tier;
  if (arguments.has("--deterministic")) spec.deterministic = true;
  return {};
}

}  // namespace

Result<SandboxSpec> read_spec(const BoundArguments& arguments) {
  PETRI_TRY(SandboxSpec spec, spec_of_file(arguments));
  if (arguments.has(0)) spec.id = arguments.at(0);
  PETRI_TRY(add_modules(spec, arguments));
  if (spec.modules.empty()) {
    return fail(ErrorCode::validation_failed,
                "there is no code to live in it: name a FILE, or use --wat, --module or --spec; see help create");
  }
  PETRI_TRY(add_policy(spec, arguments));
  PETRI_TRY(add_world(spec, arguments));
  PETRI_TRY(add_rest(spec, arguments));
  return spec;
}

}  // namespace petri::cli
