// limits, permissions, quarantine, audit.
#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/permission_words.h"
#include "cli/shell/audit_entry_text.h"
#include "cli/shell/limit_words.h"
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

std::string quarantine_text(const std::vector<QuarantinedArtifact>& artifacts) {
  if (artifacts.empty()) return "nothing is in quarantine\n";
  Rows rows{{"artifact", "refused in", "limit", "time left"}};
  for (const QuarantinedArtifact& one : artifacts) {
    rows.push_back({one.artifact.hex().substr(0, kHashDigitsShown), one.sandbox.empty() ? "all sandboxes" : one.sandbox,
                    one.cause, format_duration(one.time_left)});
  }
  return text_table(rows);
}

Json quarantine_json(const std::vector<QuarantinedArtifact>& artifacts) {
  Json list = Json::array();
  for (const QuarantinedArtifact& one : artifacts) {
    list.push_back({{"artifact", one.artifact.hex()},
                    {"sandbox", one.sandbox},
                    {"cause", one.cause},
                    {"time_left_ns", one.time_left.count()}});
  }
  return list;
}

// The one artifact in quarantine whose hash starts with these digits.
Result<ArtifactId> quarantined_artifact(ShellSession& session, const std::string& digits) {
  if (digits.empty())
    return fail(ErrorCode::validation_failed, "say which artifact: quarantine lift ARTIFACT; quarantine lists them");
  std::optional<ArtifactId> found;
  for (const QuarantinedArtifact& one : session.runtime().quarantined()) {
    if (!one.artifact.hex().starts_with(digits) || found == one.artifact) continue;
    if (found) {
      return fail(ErrorCode::validation_failed,
                  fmt::format("several artifacts in quarantine start with {}; write more digits", in_quotes(digits)));
    }
    found = one.artifact;
  }
  if (found) return *found;
  return fail(ErrorCode::not_found,
              fmt::format("no artifact in quarantine starts with {}; quarantine lists them", in_quotes(digits)));
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

Result<Answer> show_or_lift_quarantine(ShellSession& session, const BoundArguments& arguments) {
  const std::string& action = arguments.at(0);
  if (!action.empty() && action != "lift") return no_such("action", action, {"lift"});
  Answer answer;
  if (action.empty()) {
    answer.text = quarantine_text(session.runtime().quarantined());
    answer.json["quarantined"] = quarantine_json(session.runtime().quarantined());
    return answer;
  }
  PETRI_TRY(const ArtifactId artifact, quarantined_artifact(session, arguments.at(1)));
  PETRI_TRY(session.runtime().lift_quarantine(artifact));
  answer.text = fmt::format("{} may be used again\n", artifact.hex().substr(0, kHashDigitsShown));
  answer.json["lifted"] = artifact.hex();
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
