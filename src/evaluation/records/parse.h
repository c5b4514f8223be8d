// Reads the lines of a records file.
#pragma once

#include <string>
#include <string_view>

#include "petri/records.h"

namespace petri {

// How many enumerators there are: no other is in a line.
constexpr std::size_t kValueTypes = static_cast<std::size_t>(ValueType::f64) + 1;
constexpr std::size_t kOutcomeKinds = static_cast<std::size_t>(OutcomeKind::cancelled) + 1;
constexpr std::size_t kTrapCodes = static_cast<std::size_t>(TrapCode::bad_signature) + 1;
constexpr std::size_t kErrorCodes = static_cast<std::size_t>(ErrorCode::start_failed) + 1;

// The fault of a line, in a few words that end a sentence: 'it has no "fuel"'.
struct BadLine {
  ErrorCode code = ErrorCode::parse_failed;
  std::string field;  // the one it is about, when it is one
  std::string what;
};
template <typename T>
using LineResult = std::expected<T, BadLine>;

// Every line may come from anywhere: it is parsed within bounds, and no exception leaves.

// A first line of another format is validation_failed.
LineResult<RecordsHeader> parse_header(std::string_view line, const RecordsBounds& bounds = {});

struct ParsedRecord {
  StoredRecord stored;
  std::size_t cancelled_before = 0;
};
// The header says how many cases there are and whether scores are the host's.
LineResult<ParsedRecord> parse_record(std::string_view line, const RecordsHeader& header,
                                      const RecordsBounds& bounds = {});

// Its start shows whether it is one.
bool is_ending(std::string_view line);
LineResult<RecordsEnding> parse_ending(std::string_view line);

}  // namespace petri
