// The only way in for JSON and CBOR that comes from outside: files, options, guests.
//
// Length, depth and number of values are bounded while the text is read, nothing recurses over the input, and no
// exception leaves. What is read is no deeper than `depth_max`, so that copying, comparing and writing it, which do
// recurse, are safe too.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

struct JsonBounds {
  std::size_t bytes_max = std::size_t{64} << 20;
  std::size_t depth_max = 64;  // of lists and objects within one another
  // Numbers, texts, lists, objects and names of fields: each takes some ten bytes of memory, however few it has in the
  // text.
  std::size_t values_max = std::size_t{4} << 20;
};

enum class JsonFaultKind : std::uint8_t {
  syntax,
  number_range,
  repeated_name,
  too_long,
  too_deep,
  too_many_values,
  stopped  // by may_continue
};

// Why it was not read, as the end of a sentence that starts with what it is: "is not JSON from line 1, column 4 on",
// "has more than 64 lists and objects within one another".
struct JsonFault {
  JsonFaultKind kind = JsonFaultKind::syntax;
  std::string why;
  std::size_t byte = 0;  // how far it was read

  // too_large when a bound refused it, cancelled when it was stopped, else parse_failed.
  ErrorCode code() const;
  // "the spec of a sandbox is not JSON from line 1, column 4 on"
  Error error(std::string_view what) const;
};

using JsonResult = std::expected<nlohmann::json, JsonFault>;

// One JSON value and nothing behind it. A name that an object has twice is a fault: readers differ in which one counts.
// `may_continue`, if given, is asked about every four thousand bytes, and false stops: for the text of a guest, which
// is parsed on the guest's clock.
JsonResult parse_json(std::string_view text, const JsonBounds& bounds = {},
                      const std::function<bool()>& may_continue = {});

// The part of CBOR (RFC 8949) that petri writes: known lengths, integers, byte and text strings, arrays, maps with text
// for names, false, true and null. Anything else is a fault. Texts need not be UTF-8.
JsonResult parse_cbor(std::span<const std::uint8_t> bytes, const JsonBounds& bounds = {});
// Writes at the end of `out` what parse_cbor() reads; names come in the order of their bytes. No floats.
void append_cbor(std::string& out, const nlohmann::json& value);

}  // namespace petri
