// limits, permissions, audit.
#include <fmt/format.h>

#include "base/text/escape.h"
#include "cli/shell/audit_entry_text.h"
#include "cli/shell/limit_words.h"
#include "cli/shell/permission_words.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/text_table.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

// The changed limits with their present values.
std::string changed_text(const LimitChanges& changes, const SandboxLimits& limits) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const LimitRule& rule : sandbox_limit_rules()) {
    if (limit_value(changes, rule)) fields.emplace_back(rule.name, limit_text(rule, limits));
  }
  return text_fields(fields);
}

Result<AuditQuery> audit_query(const BoundArguments& arguments) {
  AuditQuery query{.sandbox = arguments.at(0), .cause = arguments.value("--cause").value_or("")};
  if (const auto name = arguments.value("--kind")) {
    query.kind = audit_kind_named(*name);
    if (!query.kind) {
      std::vector<std::string_view> names;
      for (const AuditKind kind : all_audit_kinds()) names.push_back(name_of(kind));
      return no_such("kind of audit entry", *name, names);
    }
  }
  PETRI_TRY(const auto after, count_option(arguments, "--after"));
  PETRI_TRY(const auto limit, count_option(arguments, "--limit"));
  query.after = after.value_or(query.after);
  query.entries_max = limit.value_or(query.entries_max);
  return query;
}

}  // namespace

Result<Answer> show_or_change_limits(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  PETRI_TRY(const LimitChanges changes, parse_limit_changes(arguments.from(1)));
  if (!changes.empty()) {
    PETRI_TRY(sandbox.update_limits(changes));
  }
  const SandboxLimits limits = sandbox.info().limits;
  Answer answer{.text = changes.empty() ? to_text(limits) : changed_text(changes, limits)};
  answer.json["limits"] = to_json(limits);
  return answer;
}

Result<Answer> show_or_change_permissions(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  if (arguments.has(1)) {
    PETRI_TRY(const Permissions wanted, change_permissions(sandbox.info().permissions, arguments.from(1)));
    PETRI_TRY(sandbox.update_permissions(wanted));
  }
  const Permissions permissions = sandbox.info().permissions;
  Answer answer{.text = (permissions.empty() ? "none" : permissions.to_text()) + "\n"};
  answer.json["permissions"] = to_json(permissions);
  return answer;
}

Result<Answer> show_audit(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const AuditQuery query, audit_query(arguments));
  const AuditPage page = session.runtime().audit(query);
  Answer answer{.text = to_text(page)};
  Json entries = Json::array();
  for (const AuditEntry& entry : page.entries) entries.push_back(to_json(entry));
  answer.json["entries"] = std::move(entries);
  answer.json["next"] = page.next ? Json(*page.next) : Json(nullptr);
  return answer;
}

}  // namespace petri::cli
