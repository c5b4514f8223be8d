// The tables of a population file, version 1; docs/guides/populations.md describes them.
#pragma once

#include <cstdint>
#include <string>

#include "population_file/connection.h"

namespace petri {

constexpr std::int64_t kPopulationFileFormat = 1;         // PRAGMA user_version
constexpr std::int64_t kPopulationFileMark = 0x70657472;  // PRAGMA application_id: "petr"

// Creates the tables in a file that has none. parse_failed for a file of something else, which is left as it is,
// rejected for a newer format.
Result<void> prepare_schema(Connection& writer, const std::string& path);
// The same checks for a file that is only read; one without tables is parse_failed.
Result<void> check_schema(Connection& reader, const std::string& path);

}  // namespace petri
