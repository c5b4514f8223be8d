#include "cli/json.h"

#include <cmath>
#include <cstdlib>
#include <span>

#include "base/text/byte_text.h"
#include "base/text/utf8.h"

namespace petri::cli {
namespace {

Json frames_of(const std::vector<Frame>& backtrace) {
  Json frames = Json::array();
  for (const Frame& frame : backtrace) {
    Json row{{"function", frame.function}, {"offset", frame.offset}};
    if (!frame.name.empty()) row["name"] = frame.name;
    if (frame.line > 0) {
      row["file"] = frame.file;
      row["line"] = frame.line;
    }
    frames.push_back(std::move(row));
  }
  return frames;
}

// A key that occurs once has a text, one that repeats a list of them.
void add_detail(Json& details, const ErrorDetail& detail) {
  if (!details.contains(detail.key)) {
    details[detail.key] = detail.value;
    return;
  }
  Json& present = details[detail.key];
  if (!present.is_array()) present = Json::array({present});
  present.push_back(detail.value);
}

// How it ended, in the order a reader asks: kind, why, where.
void add_end(Json& object, const Outcome& outcome) {
  object["kind"] = name_of(outcome.kind);
  object["place"] = name_of(outcome.place);
  if (outcome.trap) object["trap"] = name_of(*outcome.trap);
  if (outcome.exit_code) object["exit_code"] = *outcome.exit_code;
  if (!outcome.cause.empty()) object["cause"] = outcome.cause;
  if (!outcome.backtrace.empty()) object["backtrace"] = frames_of(outcome.backtrace);
}

void add_result(Json& object, const Outcome& outcome) {
  Json values = Json::array();
  for (const Value& value : outcome.values) values.push_back(to_json(value));
  object["values"] = std::move(values);
  if (!outcome.output.empty()) add_bytes(object, "output", outcome.output);
  if (outcome.output_bytes_cut != 0) object["output_bytes_cut"] = outcome.output_bytes_cut;
}

void add_usage(Json& object, const Outcome& outcome) {
  object["fuel_used"] = outcome.fuel_used;
  object["memory_peak_bytes"] = outcome.memory_peak_bytes;
  object["wall_time_ns"] = outcome.wall_time.count();
  object["queue_time_ns"] = outcome.queue_time.count();
  object["artifact"] = outcome.artifact.hex();
  if (outcome.version != 0) object["version"] = outcome.version;
  object["tier"] = name_of(outcome.tier);
  if (outcome.seed) object["seed"] = *outcome.seed;
  object["repeatable"] = outcome.repeatable;
}

}  // namespace

Json to_json(const Value& value) {
  switch (value.type()) {
    case ValueType::i32: return value.i32();
    case ValueType::i64: return value.i64();
    case ValueType::f32:
    case ValueType::f64: {
      // The shortest text of an f32 read as a double prints as that text again; the f32 widened would not.
      const std::string text = to_text(value);
      const double number = std::strtod(text.c_str(), nullptr);
      return std::isfinite(number) ? Json(number) : Json(text);
    }
    case ValueType::funcref:
    case ValueType::externref: return to_text(value);
  }
  return nullptr;
}

Json to_json(const Outcome& outcome) {
  Json object;
  add_end(object, outcome);
  add_result(object, outcome);
  add_usage(object, outcome);
  return object;
}

Json to_json(const Error& error) {
  Json details = Json::object();
  for (const ErrorDetail& detail : error.details) add_detail(details, detail);
  return {{"code", name_of(error.code)},
          {"category", name_of(error.category())},
          {"message", error.message},
          {"details", std::move(details)}};
}

void add_bytes(Json& object, const std::string& key, std::string_view bytes) {
  if (is_utf8(bytes)) {
    object[key] = bytes;
  } else {
    object[key + "_hex"] = to_hex(as_bytes(bytes));
  }
}

std::string to_line(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"; }

}  // namespace petri::cli
