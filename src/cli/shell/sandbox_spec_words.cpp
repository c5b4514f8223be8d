#include "cli/shell/sandbox_spec_words.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text/escape.h"
#include "cli/input_file.h"
#include "cli/permission_words.h"
#include "cli/shell/limit_words.h"
#include "cli/shell/problems.h"
#include "cli/shell/verb_values.h"
#include "sandbox/spec/spec_check.h"

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

// An id has neither dots nor slashes, so that a file that stands in its place is seen.
bool looks_like_a_file(const std::string& word) { return word.find_first_of("./") != std::string::npos; }

// A sentence about what `create` was not given.
std::string missing_text(const std::string& id) {
  if (id.empty()) return "create needs an ID and a FILE, or --spec; see help create";
  if (looks_like_a_file(id))
    return fmt::format("the id is missing before {0}; write create ID {0}", escape_text(id, kPathShownBytesMax));
  return fmt::format("create {} needs a FILE, or --wat, --module or --spec; see help create", escape_text(id, 80));
}

void add_modules(SandboxSpec& spec, const BoundArguments& arguments, Problems& problems) {
  if (arguments.has(1)) spec.modules.push_back({stem_of(arguments.at(1)), Source::file(arguments.at(1))});
  if (const auto text = arguments.value("--wat")) spec.modules.push_back({spec.id, Source::wat(*text)});
  for (const std::string& text : arguments.values("--module")) {
    auto pair = problems.take(name_and_value("--module", text));
    if (pair) spec.modules.push_back({std::move(pair->first), Source::file(std::move(pair->second))});
  }
  for (ModuleSpec& module : spec.modules) {
    if (module.source.kind() != Source::Kind::file) continue;
    auto source = problems.take(read_source(module.source.text(), kShellModuleBytesMax));
    if (source) module.source = *std::move(source);
  }
  if (!spec.modules.empty() || !problems.empty()) return;
  problems.add(Error{.code = ErrorCode::validation_failed, .message = missing_text(spec.id), .details = {}});
}

// The permissions that +clock and -clock change.
Permissions default_permissions(const SandboxSpec& spec) {
  if (spec.permissions) return *spec.permissions;
  if (!spec.profile) return rule_of(Profile::standard).permissions;
  const Permissions base = rule_of(spec.profile->base.value_or(Profile::standard)).permissions;
  return base.with(spec.profile->grant).without(spec.profile->deny);
}

void add_profile(SandboxSpec& spec, const BoundArguments& arguments, Problems& problems) {
  if (const auto name = arguments.value("--profile")) {
    const auto profile = profile_named(*name);
    if (profile) spec.profile = *profile;
    if (!profile) problems.add(no_such("profile", *name, {"strict", "standard", "trusted"}).error());
  }
  if (const auto list = arguments.value("--allow")) {
    spec.permissions = problems.take(permissions_of_list(default_permissions(spec), *list));
  }
  if (const auto name = arguments.value("--audit")) {
    spec.audit = audit_level_named(*name);
    if (!spec.audit) problems.add(no_such("audit level", *name, {"none", "basic", "full"}).error());
  }
}

void add_policy(SandboxSpec& spec, const BoundArguments& arguments, Problems& problems) {
  LimitChanges limits = parse_limit_changes(arguments.values("--limit"), problems);
  fill_in(limits, spec.limits);
  spec.limits = limits;
  add_profile(spec, arguments, problems);
  for (const std::string& import : arguments.values("--block-import")) spec.imports.block.push_back(import);
  for (const std::string& import : arguments.values("--allow-import")) spec.imports.allow.push_back(import);
  for (const std::string& name : arguments.values("--kill")) spec.on_limit[name] = OnLimit::kill;
}

void add_world(SandboxSpec& spec, const BoundArguments& arguments, Problems& problems) {
  if (const auto folder = arguments.value("--folder")) spec.folder = *folder;
  for (const std::string& text : arguments.values("--env")) {
    if (const auto pair = problems.take(name_and_value("--env", text))) spec.environment[pair->first] = pair->second;
  }
  for (const std::string& text : arguments.values("--argument")) spec.arguments.push_back(text);
  for (const std::string& label : arguments.values("--label")) spec.labels.push_back(label);
}

void add_rest(SandboxSpec& spec, const BoundArguments& arguments, Problems& problems) {
  if (const auto tree = arguments.value("--tree")) spec.tree = problems.take(parse_tree(*tree));
  const auto generation = problems.take(count_option(arguments, "--generation"));
  const auto seed = problems.take(count_option(arguments, "--seed"));
  const auto tier = problems.take(tier_option(arguments, "--tier"));
  if (generation && *generation) spec.generation = *generation;
  for (const std::string& parent : arguments.values("--parent")) spec.parents.push_back(parent);
  if (const auto mutation = arguments.value("--mutation")) spec.mutation = *mutation;
  if (seed && *seed) spec.seed = *seed;
  if (tier && *tier) spec.tier = *tier;
  if (arguments.has("--deterministic")) spec.deterministic = true;
  if (arguments.has("--auto-reload")) spec.auto_reload = true;
}

// Adds the problems that the runtime would find in the rest. It knows more of modules than can be said here.
void add_what_the_runtime_finds(const SandboxSpec& spec, Problems& problems) {
  Complaints found;
  check_spec_alone(spec, found);
  for (const Complaints::Complaint& complaint : found.kept()) {
    if (complaint.where == "id" && (spec.id.empty() || looks_like_a_file(spec.id))) continue;
    if (complaint.where.starts_with("modules") || complaint.where.ends_with(".module")) continue;
    problems.add(Error{.code = ErrorCode::validation_failed, .message = complaint.text, .details = {}});
  }
}

}  // namespace

Result<SandboxSpec> read_spec(const BoundArguments& arguments) {
  Problems problems;
  SandboxSpec spec = problems.take(spec_of_file(arguments)).value_or(SandboxSpec{});
  if (arguments.has(0)) spec.id = arguments.at(0);
  add_modules(spec, arguments, problems);
  add_policy(spec, arguments, problems);
  add_world(spec, arguments, problems);
  add_rest(spec, arguments, problems);
  if (!problems.empty()) add_what_the_runtime_finds(spec, problems);
  PETRI_TRY(problems.result());
  return spec;
}

}  // namespace petri::cli
