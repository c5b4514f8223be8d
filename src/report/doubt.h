// Faults that can be seen in a record without running anything.
#pragma once

#include <optional>
#include <string>

#include "petri/records.h"

namespace petri {

// Why a record is not to be believed before it is verified, as a part of a sentence: "it has no receipt". nullopt when
// it has the receipt that its file promises and does not contradict itself; it may be forged all the same.
std::optional<std::string> doubt_about(const StoredRecord& stored, const RecordsHeader& header);

// The doubt about the first line, likewise.
std::optional<std::string> doubt_about(const RecordsHeader& header);

}  // namespace petri
