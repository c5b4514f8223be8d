// A record in words, and as JSON: the program, its cases, their outcomes.
#pragma once

#include <string>
#include <string_view>

#include "cli/json.h"
#include "petri/records.h"

namespace petri::cli {

// The program of a record, for people: the file it came from, if that still holds it; the text in the record; or its
// wasm as wat. Not escaped.
struct ProgramText {
  std::string text;
  std::string why_not;  // in place of a text, where there is none
};
ProgramText program_of(const StoredRecord& stored, const RecordsHeader& header);

std::string to_text(const StoredRecord& stored, const RecordsHeader& header, const ProgramText& program);
Json to_json(const StoredRecord& stored, const RecordsHeader& header, const ProgramText& program);

}  // namespace petri::cli
