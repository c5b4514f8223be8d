// The JSON that commands print with --json: one object, keys in a fixed order, text in ASCII so that no terminal is
// harmed by it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "petri/outcome.h"
#include "petri/result.h"

namespace petri::cli {

using Json = nlohmann::ordered_json;

// {"kind": ..., "values": [...], ...}. Absent things (no trap, no cause, no output) have no key.
Json to_json(const Outcome& outcome);
// {"code": ..., "category": ..., "message": ..., "details": {...}}
Json to_json(const Error& error);

// A number, or the text of one where JSON has none: "inf", "-inf", "nan", "nan:0x1".
Json to_json(const Value& value);

// Bytes under `key` when they are UTF-8, else as hexadecimal digits under key + "_hex".
void add_bytes(Json& object, const std::string& key, std::string_view bytes);

// The object on one line, with a line end.
std::string to_line(const Json& json);

}  // namespace petri::cli
