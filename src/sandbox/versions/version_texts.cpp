#include "sandbox/versions/version_texts.h"

#include <fmt/format.h>

#include "base/text/escape.h"

namespace petri {
namespace {

Result<void> check_at_most(std::string_view what, std::size_t seen, std::string_view unit, std::size_t allowed) {
  if (seen <= allowed) return {};
  return fail(ErrorCode::validation_failed, fmt::format("{} has {} {}, and {} are allowed", what, seen, unit, allowed));
}

}  // namespace

Result<void> check_metadata(const std::map<std::string, std::string>& metadata) {
  PETRI_TRY(check_at_most("the metadata of a version", metadata.size(), "keys", kVersionNamesMax));
  std::size_t bytes = 0;
  for (const auto& [key, value] : metadata) {
    PETRI_TRY(check_at_most("a key of the metadata of a version", key.size(), "bytes", kVersionNameBytesMax));
    bytes += key.size() + value.size();
  }
  return check_at_most("the metadata of a version", bytes, "bytes", kMetadataBytesMax);
}

Result<void> check_needed_range(std::string_view module, const VersionRange& range) {
  if (range.min > 0 && range.min <= range.max) return {};
  return fail(Error{.code = ErrorCode::validation_failed,
                    .message = fmt::format(
                        "no version of {} lies between its min {} and its max {}: min is 1 or more, and at most max",
                        escape_text(module, kWordShownBytesMax), range.min, range.max),
                    .details = {}}
                  .with("component", "range"));
}

Result<void> check_needed_names(const VersionNeeds& needs) {
  PETRI_TRY(check_at_most("the list of modules that a version needs", needs.size(), "names", kVersionNamesMax));
  for (const auto& [module, range] : needs) {
    PETRI_TRY(check_at_most("the name of a module that a version needs", module.size(), "bytes", kVersionNameBytesMax));
    PETRI_TRY(check_needed_range(module, range));
  }
  return {};
}

Result<void> check_actor(std::string_view actor) {
  return check_at_most("the actor of a change", actor.size(), "bytes", kVersionNameBytesMax);
}

}  // namespace petri
