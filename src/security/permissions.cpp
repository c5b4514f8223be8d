#include "petri/policy.h"

#include <fmt/format.h>

#include "base/name_table.h"
#include "base/text/escape.h"

namespace petri {
namespace {

constexpr NameTable<kPermissionCount> kPermissions{"messages", "timers", "spawn",     "log",
                                                   "clock",    "random", "file_read", "file_write"};
static_assert(static_cast<std::size_t>(Permission::file_write) + 1 == kPermissions.size());

std::vector<Permission> list_permissions() {
  std::vector<Permission> permissions;
  for (std::size_t i = 0; i < kPermissions.size(); ++i) permissions.push_back(static_cast<Permission>(i));
  return permissions;
}

std::string text_of(const auto& permissions, std::string_view separator) {
  std::string text;
  for (const Permission permission : permissions)
    text.append(text.empty() ? "" : separator).append(name_of(permission));
  return text;
}

Result<Permission> parse_one(std::string_view name) {
  if (const auto permission = permission_named(name)) return *permission;
  return fail(ErrorCode::validation_failed, fmt::format("there is no permission \"{}\"; the permissions are {}",
                                                        escape_text(name, 80), text_of(all_permissions(), ", ")));
}

}  // namespace

std::string_view name_of(Permission permission) { return name_in(kPermissions, permission); }

std::optional<Permission> permission_named(std::string_view name) { return find_name<Permission>(kPermissions, name); }

const std::vector<Permission>& all_permissions() {
  static const std::vector<Permission> permissions = list_permissions();
  return permissions;
}

Result<Permissions> Permissions::parse(std::string_view comma_separated) {
  Permissions permissions;
  if (comma_separated.empty()) return permissions;
  while (true) {
    const std::size_t comma = comma_separated.find(',');
    PETRI_TRY(const Permission permission, parse_one(comma_separated.substr(0, comma)));
    permissions = permissions.with(permission);
    if (comma == std::string_view::npos) return permissions;
    comma_separated.remove_prefix(comma + 1);
  }
}

std::string Permissions::to_text() const {
  std::vector<Permission> granted;
  for (const Permission permission : all_permissions()) {
    if (has(permission)) granted.push_back(permission);
  }
  return text_of(granted, " ");
}

}  // namespace petri
