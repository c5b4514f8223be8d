// How much text a version carries that is its owner's: metadata, needs, and who switched to it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "petri/result.h"
#include "petri/versions.h"

namespace petri {

constexpr std::size_t kVersionNameBytesMax = 4'096;   // of an actor, a key of metadata or a module that is needed
constexpr std::size_t kVersionNamesMax = 1'000;       // keys of metadata, and modules that are needed
constexpr std::size_t kMetadataBytesMax = 1'048'576;  // of all keys and values

// validation_failed in one sentence; of callers, and of snapshots and archives that come from anywhere.
Result<void> check_metadata(const std::map<std::string, std::string>& metadata);
Result<void> check_needed_range(std::string_view module, const VersionRange& range);
Result<void> check_needed_names(const VersionNeeds& needs);  // and their ranges
Result<void> check_actor(std::string_view actor);

// All three of `options`.
template <typename Options>
Result<void> check_version_texts(const Options& options) {
  PETRI_TRY(check_metadata(options.metadata));
  PETRI_TRY(check_needed_names(options.needs));
  return check_actor(options.actor);
}

}  // namespace petri
