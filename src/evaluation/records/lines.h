// The lines of records and timings files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "petri/records.h"

namespace petri {

// The candidate itself as a line keeps it: its wasm as sent, or the text that did not parse, or neither.
struct CandidateContent {
  std::optional<std::span<const std::uint8_t>> wasm;
  std::optional<std::string_view> wat;
};

// Where a record stands in its file, which may hold several evaluations.
struct LinePlace {
  std::size_t row_base = 0;          // the file's number of the evaluation's row 0
  std::size_t cancelled_before = 0;  // rows left out just before this one
};

// The final line starts with this, and no other line does.
constexpr std::string_view kEndingStart = "{\"records\":";

// Each appends one whole line.
void append_header(std::string& out, const RecordsHeader& header);
void append_record(std::string& out, const Record& record, const LinePlace& place, const CandidateContent& content,
                   const Origin* origin);
void append_ending(std::string& out, const RecordsEnding& ending);
void append_timing(std::string& out, std::size_t row, const Timing& timing);

}  // namespace petri
