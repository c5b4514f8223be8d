#include "sandbox/spec_check.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "base/ids.h"

namespace petri {
namespace {

class Complaints {
 public:
  void add(std::string field, std::string what) { error_.details.push_back({std::move(field), std::move(what)}); }
  void add(std::string field, const Result<void>& result) {
    if (!result) add(std::move(field), result.error().message);
  }
  // What another check has found, with the places it named.
  void add_all(const Error& error) {
    if (error.details.empty()) add("spec", error.message);
    for (const ErrorDetail& detail : error.details) error_.details.push_back(detail);
  }
  bool empty() const { return error_.details.empty(); }
  Error take() {
    for (const ErrorDetail& detail : error_.details) {
      error_.message.append(error_.message.empty() ? "" : "; ").append(detail.key + ": " + detail.value);
    }
    return std::move(error_);
  }

 private:
  Error error_{.code = ErrorCode::validation_failed, .message = {}, .details = {}};
};

// `kind` as in a mode: S_IFREG or S_IFDIR.
void check_path(const std::string& field, const std::string& path, mode_t kind, Complaints& complaints) {
  const std::string_view noun = kind == S_IFDIR ? "folder" : "file";
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    complaints.add(field, fmt::format("there is no {} {}", noun, escape_text(path, 200)));
  } else if ((status.st_mode & S_IFMT) != kind) {
    complaints.add(field, fmt::format("{} is not a {}", escape_text(path, 200), noun));
  }
}

void check_modules(const SandboxSpec& spec, Complaints& complaints) {
  if (spec.modules.empty()) complaints.add("modules", "a sandbox needs at least one module");
  std::set<std::string> names;
  for (const ModuleSpec& module : spec.modules) {
    const std::string field = "modules." + escape_text(module.name, kSandboxIdBytesMax);
    complaints.add(field, check_sandbox_id(module.name));
    if (!names.insert(module.name).second) complaints.add(field, "there are two modules of this name");
    if (module.source.kind() == Source::Kind::file) check_path(field, module.source.text(), S_IFREG, complaints);
    if (module.source.kind() == Source::Kind::artifact && module.source.artifact() == nullptr) {
      complaints.add(field, "there is no artifact");
    }
  }
}

void check_tree(const SandboxSpec& spec, Complaints& complaints) {
  if (!spec.tree) return;
  std::vector<std::string> names;
  for (const ModuleSpec& module : spec.modules) names.push_back(module.name);
  if (auto valid = validate(*spec.tree, names); !valid) complaints.add("tree", valid.error().message);
}

LimitChanges merged(const LimitChanges& defaults, const LimitChanges& own) {
  LimitChanges all = own;
  all.insert(defaults.begin(), defaults.end());
  return all;
}

}  // namespace

Result<SandboxLimits> check_spec(const SandboxSpec& spec, const LimitChanges& defaults) {
  Complaints complaints;
  complaints.add("id", check_sandbox_id(spec.id));
  check_modules(spec, complaints);
  check_tree(spec, complaints);
  if (!spec.folder.empty()) check_path("folder", spec.folder, S_IFDIR, complaints);
  for (const std::string& label : spec.labels) complaints.add("labels", check_sandbox_id(label));
  auto limits = with_changes(SandboxLimits::of(spec.profile), merged(defaults, spec.limits));
  if (!limits) complaints.add_all(limits.error());
  if (auto actions = check_actions(spec.on_limit); !actions) complaints.add_all(actions.error());
  if (!complaints.empty()) return fail(complaints.take());
  return limits;
}

}  // namespace petri
