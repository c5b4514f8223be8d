#include "sandbox/spec/spec_check.h"

#include <utility>

namespace petri {
namespace {

template <typename Field>
void take(std::optional<Field>& field, const std::optional<Field>& otherwise) {
  if (!field) field = otherwise;
}

// Texts and lists, of which an empty one says nothing.
template <typename Field>
void take_unless_empty(Field& field, const Field& otherwise) {
  if (field.empty()) field = otherwise;
}

// A profile decides what is granted and reported; the runtime's defaults for both are for specs without a profile.
void take_profile(SandboxSpec& spec, const SandboxSpec& defaults) {
  if (spec.profile) return;
  spec.profile = defaults.profile;
  take(spec.permissions, defaults.permissions);
  take(spec.reject_findings, defaults.reject_findings);
  take(spec.audit, defaults.audit);
  take(spec.bounds, defaults.bounds);
}

void take_world(SandboxSpec& spec, const SandboxSpec& defaults) {
  take_unless_empty(spec.folder, defaults.folder);
  take_unless_empty(spec.arguments, defaults.arguments);
  take_unless_empty(spec.environment, defaults.environment);
  take_unless_empty(spec.labels, defaults.labels);
  if (!spec.on_log) spec.on_log = defaults.on_log;
}

bool is_about_identity(std::string_view where) {
  return where == "id" || where == "modules" || (where.starts_with("tree") && where.ends_with(".module"));
}

}  // namespace

SandboxSpec with_defaults(SandboxSpec spec, const SandboxSpec& defaults) {
  take_profile(spec, defaults);
  take_world(spec, defaults);
  if (spec.imports == ImportRules{}) spec.imports = defaults.imports;
  spec.on_limit.insert(defaults.on_limit.begin(), defaults.on_limit.end());
  take(spec.tree, defaults.tree);
  take(spec.breaker, defaults.breaker);
  take(spec.recovery, defaults.recovery);
  take(spec.reload, defaults.reload);
  take(spec.generation, defaults.generation);
  take(spec.idle_keep, defaults.idle_keep);
  take(spec.dead_keep, defaults.dead_keep);
  take(spec.seed, defaults.seed);
  take(spec.deterministic, defaults.deterministic);
  take(spec.tier, defaults.tier);
  take(spec.auto_reload, defaults.auto_reload);
  return spec;
}

// Modules are not checked: which there are is not known yet.
void check_defaults(const SandboxSpec& defaults, const std::string& where, Complaints& complaints) {
  const std::string above = where.empty() ? "" : where + ".";
  if (!defaults.id.empty()) complaints.add(above + "id", "is of one sandbox alone and has no default: leave it empty");
  if (!defaults.parents.empty()) complaints.add(above + "parents", "are of one sandbox alone: leave them empty");
  if (!defaults.mutation.empty()) complaints.add(above + "mutation", "is of one sandbox alone: leave it empty");
  if (!defaults.modules.empty()) complaints.add(above + "modules", "have no default: leave them empty");
  Complaints found;
  check_spec_alone(defaults, found);
  for (Complaints::Complaint complaint : found.kept()) {
    if (is_about_identity(complaint.where)) continue;
    complaint.where = above + complaint.where;
    complaint.text = above + complaint.text;
    complaints.add(std::move(complaint));
  }
}

}  // namespace petri
