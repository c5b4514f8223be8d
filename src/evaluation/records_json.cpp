#include "evaluation/records_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/utf8.h"
#include "evaluation/json_text.h"

namespace petri {
namespace {

// Room for all fixed words and single numbers of a line.
constexpr std::size_t kLineBytesMax = 1'024;
constexpr std::size_t kKindBytesMax = 20;

// Appends what `write` writes to a JsonText; it may write `bytes_max`.
template <typename Write>
void append(std::string& out, std::size_t bytes_max, Write write) {
  const std::size_t before = out.size();
  // Grows by doubling: asking for exactly what is needed would copy the whole again and again.
  if (out.capacity() < before + bytes_max) out.reserve(std::max(2 * out.capacity(), before + bytes_max));
  out.resize_and_overwrite(before + bytes_max, [&](char* start, std::size_t) {
    JsonText text(start + before);
    write(text);
    return static_cast<std::size_t>(text.cursor() - start);
  });
}

void write_types(JsonText& text, std::span<const ValueType> types) {
  text.raw("[");
  for (std::size_t index = 0; index < types.size(); ++index) {
    if (index > 0) text.raw(",");
    text.quoted(name_of(types[index]));
  }
  text.raw("]");
}

void write_values(JsonText& text, const Record& record) {
  text.key("types");
  write_types(text, record.value_types);
  text.key("values");
  text.raw("[");
  std::size_t index = 0;
  for (const OutcomeKind kind : record.kinds) {
    for (const ValueType type : record.value_types) {
      if (index > 0) text.raw(",");
      if (kind == OutcomeKind::ok) text.value(Value::from_bits(type, record.value_bits[index]));
      if (kind != OutcomeKind::ok) text.raw("null");
      ++index;
    }
  }
  text.raw("]");
}

// A file of candidates that are ok need not say so for each case.
void write_kinds(JsonText& text, std::span<const OutcomeKind> kinds) {
  text.integer_field("cases", kinds.size());
  if (std::ranges::all_of(kinds, [](OutcomeKind kind) { return kind == OutcomeKind::ok; })) return;
  text.key("kinds");
  text.raw("[");
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    if (index > 0) text.raw(",");
    text.quoted(name_of(kinds[index]));
  }
  text.raw("]");
}

void write_outcome(JsonText& text, const Record& record) {
  text.quoted_field("outcome", name_of(*record.outcome));
  if (record.trap) text.quoted_field("trap", name_of(*record.trap));
  if (record.exit_code) text.integer_field("exit_code", *record.exit_code);
  if (record.first_failure) text.integer_field("first_failure", *record.first_failure);
  write_kinds(text, record.kinds);
  write_values(text, record);
  if (record.output) text.hex_field("output", *record.output);
  text.integer_field("fuel", record.fuel_used);
  text.integer_field("memory_peak", record.memory_peak_bytes);
  if (record.score) {
    text.key("score");
    text.real(*record.score);
  }
}

void write_place(JsonText& text, const Record& record, const LinePlace& place) {
  text.raw("{\"row\":");
  text.integer(place.row_base + record.row);
  if (place.cancelled_before > 0) text.integer_field("cancelled_before", place.cancelled_before);
  if (record.repeats_row) text.integer_field("repeats_row", place.row_base + *record.repeats_row);
  if (record.artifact) text.hex_field("artifact", record.artifact->sha256);
}

std::size_t outcome_bytes_max(const Record& record) {
  return kLineBytesMax + record.kinds.size() * kKindBytesMax +
         (record.value_types.size() + record.value_bits.size()) * JsonText::kNumberBytesMax;
}

void append_error(std::string& out, const Record& record) {
  fmt::format_to(std::back_inserter(out), ",\"error\":\"{}\",\"message\":{}", name_of(*record.error),
                 json_string(record.message));
}

void append_origin(std::string& out, const Origin& origin) {
  if (!origin.name.empty()) out += ",\"name\":" + json_string(origin.name);
  if (origin.generation) fmt::format_to(std::back_inserter(out), ",\"generation\":{}", *origin.generation);
  if (!origin.mutation.empty()) out += ",\"mutation\":" + json_string(origin.mutation);
  if (origin.parents.empty()) return;
  std::vector<std::string> parents;
  for (const ArtifactId& parent : origin.parents) parents.push_back('"' + parent.hex() + '"');
  fmt::format_to(std::back_inserter(out), ",\"parents\":[{}]", fmt::join(parents, ","));
}

void append_bytes(std::string& out, std::string_view name, std::span<const std::uint8_t> bytes) {
  append(out, base64_size(bytes.size()) + kKindBytesMax, [&](JsonText& text) {
    text.key(name);
    text.base64(bytes);
  });
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// JSON text is UTF-8; a candidate's need not be.
void append_content(std::string& out, const CandidateContent& content) {
  if (content.wasm) append_bytes(out, "wasm", *content.wasm);
  if (!content.wat) return;
  if (is_utf8(*content.wat)) out += ",\"wat\":" + json_string(*content.wat);
  if (!is_utf8(*content.wat)) append_bytes(out, "wat_base64", bytes_of(*content.wat));
}

void append_case(std::string& out, const Case& one) {
  append(out, kLineBytesMax + one.arguments.size() * JsonText::kNumberBytesMax + base64_size(one.input.size()),
         [&](JsonText& text) {
           text.raw("{\"arguments\":[");
           for (std::size_t index = 0; index < one.arguments.size(); ++index) {
             if (index > 0) text.raw(",");
             text.value(one.arguments[index]);
           }
           text.raw("]");
           if (!one.input.empty()) {
             text.key("input");
             text.base64(bytes_of(one.input));
           }
           text.raw("}");
         });
}

void append_cases(std::string& out, std::span<const Case> cases) {
  std::vector<ValueType> types;
  if (!cases.empty()) {
    for (const Value& value : cases.front().arguments) types.push_back(value.type());
  }
  append(out, kLineBytesMax + types.size() * kKindBytesMax, [&](JsonText& text) {
    text.key("argument_types");
    write_types(text, types);
  });
  out += ",\"cases\":[";
  for (std::size_t index = 0; index < cases.size(); ++index) {
    if (index > 0) out += ',';
    append_case(out, cases[index]);
  }
  out += ']';
}

void append_targets(std::string& out, std::span<const double> targets) {
  append(out, kLineBytesMax + targets.size() * JsonText::kNumberBytesMax, [&](JsonText& text) {
    text.key("targets");
    text.raw("[");
    for (std::size_t index = 0; index < targets.size(); ++index) {
      if (index > 0) text.raw(",");
      text.real(targets[index]);
    }
    text.raw("]");
  });
}

void append_harness(std::string& out, const Artifact& harness) {
  append(out, base64_size(harness.bytes().size()) + kLineBytesMax, [&](JsonText& text) {
    text.key("harness");
    text.raw("{\"artifact\":");
    text.hex(harness.id().sha256);
    text.key("wasm");
    text.base64(harness.bytes());
    text.raw("}");
  });
}

void append_spec(std::string& out, const EvaluationSpec& spec) {
  fmt::format_to(
      std::back_inserter(out),
      ",\"function\":{},\"fuel_max\":{},\"memory_bytes_max\":{},\"output_bytes_max\":{},\"call_depth_max\":{},"
      "\"module_bytes_max\":{},\"seed\":{},\"instances\":\"{}\",\"stop_at_first_failure\":{}",
      json_string(spec.function), spec.fuel_max, spec.memory_bytes_max, spec.output_bytes_max, spec.call_depth_max,
      spec.module_bytes_max, spec.seed, name_of(spec.instances), spec.stop_at_first_failure);
  if (!spec.targets.empty()) append_targets(out, spec.targets);
  if (spec.harness) append_harness(out, *spec.harness.artifact());
}

void append_host_functions(std::string& out, std::span<const HostFunctionUsed> functions) {
  if (functions.empty()) return;
  std::vector<std::string> rows;
  for (const HostFunctionUsed& function : functions) {
    rows.push_back(fmt::format("{{\"module\":{},\"name\":{},\"type\":\"{}\",\"version\":{},\"fuel\":{}}}",
                               json_string(function.module), json_string(function.name), function.type,
                               function.version, function.fuel));
  }
  fmt::format_to(std::back_inserter(out), ",\"host_functions\":[{}]", fmt::join(rows, ","));
}

}  // namespace

void append_header(std::string& out, const RecordsHeader& header) {
  fmt::format_to(std::back_inserter(out), "{{\"petri_records\":{},\"spec\":\"{}\",\"abi\":{},\"fuel_table\":{}",
                 kRecordsFormat, hex(header.digest), header.abi, header.fuel_table);
  append_host_functions(out, header.host_functions);
  append_spec(out, header.spec);
  fmt::format_to(std::back_inserter(out), ",\"scored_by\":\"{}\",\"receipts\":{}", name_of(header.scored_by),
                 header.receipts);
  append_cases(out, header.cases);
  out += "}\n";
}

void append_record(std::string& out, const Record& record, const LinePlace& place, const CandidateContent& content,
                   const Origin* origin) {
  append(out, outcome_bytes_max(record), [&](JsonText& text) {
    write_place(text, record, place);
    if (record.outcome) write_outcome(text, record);
    if (!record.repeatable) text.raw(",\"repeatable\":false");
    if (record.receipt) text.hex_field("receipt", *record.receipt);
  });
  if (record.error) append_error(out, record);
  if (origin != nullptr) append_origin(out, *origin);
  append_content(out, content);
  out += "}\n";
}

void append_ending(std::string& out, const RecordsEnding& ending) {
  fmt::format_to(std::back_inserter(out), "{}{},\"sha256\":\"{}\"", kEndingStart, ending.records, hex(ending.sha256));
  if (ending.cancelled > 0) fmt::format_to(std::back_inserter(out), ",\"cancelled_before\":{}", ending.cancelled);
  out += "}\n";
}

void append_timing(std::string& out, std::size_t row, const Timing& timing) {
  fmt::format_to(std::back_inserter(out), "{{\"row\":{},\"tier\":\"{}\",\"wall_ns\":{},\"cache_hit\":{}}}\n", row,
                 name_of(timing.tier), timing.wall_time.count(), timing.cache_hit);
}

}  // namespace petri
