#include "evaluation/records/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "base/text/utf8.h"
#include "evaluation/records/json_line.h"

namespace petri {
namespace {

void write_types(JsonLine& line, std::span<const ValueType> types) {
  line.list(types, [&](ValueType type) { line.quoted(name_of(type)); });
}

void write_values(JsonLine& line, const Record& record) {
  line.key("types");
  write_types(line, record.value_types);
  line.key("values");
  const std::size_t each = record.value_types.size();
  line.list(std::views::iota(std::size_t{0}, record.kinds.size() * each), [&](std::size_t index) {
    if (record.kinds[index / each] != OutcomeKind::ok) return line.raw("null");
    line.value(Value::from_bits(record.value_types[index % each], record.value_bits[index]));
  });
}

// A file of candidates that are ok need not say so for each case.
void write_kinds(JsonLine& line, std::span<const OutcomeKind> kinds) {
  line.integer_field("cases", kinds.size());
  if (std::ranges::all_of(kinds, [](OutcomeKind kind) { return kind == OutcomeKind::ok; })) return;
  line.key("kinds");
  line.list(kinds, [&](OutcomeKind kind) { line.quoted(name_of(kind)); });
}

void write_output(JsonLine& line, const KeptOutput& output) {
  line.raw(is_utf8(output.text) ? "{\"text\":" : "{\"base64\":");
  if (is_utf8(output.text)) line.raw(json_string(output.text));
  if (!is_utf8(output.text)) line.base64(as_bytes(output.text));
  if (output.bytes != output.text.size()) line.integer_field("bytes", output.bytes);
  line.raw("}");
}

void write_more(JsonLine& line, const Record& record) {
  if (!record.wrong.empty()) {
    line.key("wrong");
    line.list(record.wrong, [&](std::uint64_t number) { line.number(number); });
  }
  if (!record.metrics.empty()) {
    line.key("metrics");
    line.list(record.metrics, [&](double metric) { line.real(metric); });
  }
  if (record.outputs.empty()) return;
  line.key("outputs");
  line.list(record.outputs, [&](const KeptOutput& output) { write_output(line, output); });
}

void write_outcome(JsonLine& line, const Record& record) {
  line.quoted_field("outcome", name_of(*record.outcome));
  if (record.trap) line.quoted_field("trap", name_of(*record.trap));
  if (record.exit_code) line.integer_field("exit_code", *record.exit_code);
  if (record.first_failure) line.integer_field("first_failure", *record.first_failure);
  write_kinds(line, record.kinds);
  write_values(line, record);
  if (record.output) line.hex_field("output", record.output->bytes);
  line.integer_field("fuel", record.fuel_used);
  line.integer_field("memory_peak", record.memory_peak_bytes);
  if (record.score) {
    line.key("score");
    line.real(*record.score);
  }
  write_more(line, record);
}

void write_place(JsonLine& line, const Record& record, const LinePlace& place) {
  line.raw("{\"row\":");
  line.number(place.row_base + record.row);
  if (place.cancelled_before > 0) line.integer_field("cancelled_before", place.cancelled_before);
  if (record.repeats_row) line.integer_field("repeats_row", place.row_base + *record.repeats_row);
  if (record.artifact) line.hex_field("artifact", record.artifact->bytes);
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

// JSON text is UTF-8; a candidate's need not be.
void append_content(std::string& out, const CandidateContent& content) {
  if (content.wasm) JsonLine(out).base64_field("wasm", *content.wasm);
  if (!content.wat) return;
  if (is_utf8(*content.wat)) out += ",\"wat\":" + json_string(*content.wat);
  if (!is_utf8(*content.wat)) JsonLine(out).base64_field("wat_base64", as_bytes(*content.wat));
}

void write_cases(JsonLine& line, std::span<const Case> cases) {
  std::vector<ValueType> types;
  if (!cases.empty()) {
    for (const Value& value : cases.front().arguments) types.push_back(value.type());
  }
  line.key("argument_types");
  write_types(line, types);
  line.key("cases");
  line.list(cases, [&](const Case& one) {
    line.raw("{\"arguments\":");
    line.list(one.arguments, [&](Value value) { line.value(value); });
    if (!one.input.empty()) line.base64_field("input", as_bytes(one.input));
    if (one.expected) line.base64_field("expected", as_bytes(*one.expected));
    line.raw("}");
  });
}

void write_targets(JsonLine& line, std::span<const double> targets) {
  line.key("targets");
  line.list(targets, [&](double target) { line.real(target); });
}

void write_harness(JsonLine& line, const Artifact& harness) {
  line.key("harness");
  line.raw("{\"artifact\":");
  line.hex(harness.id().bytes);
  line.base64_field("wasm", harness.bytes());
  line.raw("}");
}

// An evaluation that does not use them has the line of a petri that did not know them.
void write_scorer(JsonLine& line, const EvaluationSpec& spec) {
  const EvaluationSpec plain;
  if (spec.scorer != plain.scorer) line.quoted_field("scorer", name_of(spec.scorer));
  if (spec.tolerance != plain.tolerance) {
    line.key("tolerance");
    line.real(spec.tolerance);
  }
  if (!spec.metrics.empty()) {
    line.key("metrics");
    line.list(spec.metrics, [&](const std::string& metric) { line.raw(json_string(metric)); });
  }
  if (spec.keep_output_bytes > 0) line.integer_field("keep_output_bytes", spec.keep_output_bytes);
}

void append_spec(std::string& out, const EvaluationSpec& spec) {
  fmt::format_to(
      std::back_inserter(out),
      ",\"function\":{},\"fuel_max\":{},\"memory_bytes_max\":{},\"output_bytes_max\":{},\"call_depth_max\":{},"
      "\"module_bytes_max\":{},\"seed\":{},\"instances\":\"{}\",\"stop_at_first_failure\":{}",
      json_string(spec.function), spec.fuel_max, spec.memory_bytes_max, spec.output_bytes_max, spec.call_depth_max,
      spec.module_bytes_max, spec.seed, name_of(spec.instances), spec.stop_at_first_failure);
  JsonLine line(out);
  if (!spec.targets.empty()) write_targets(line, spec.targets);
  write_scorer(line, spec);
  if (spec.harness) write_harness(line, *spec.harness.artifact());
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
                 kRecordsFormat, header.digest.hex(), header.abi, header.fuel_table);
  append_host_functions(out, header.host_functions);
  append_spec(out, header.spec);
  fmt::format_to(std::back_inserter(out), ",\"scored_by\":\"{}\",\"receipts\":{}", name_of(header.scored_by),
                 header.receipts);
  JsonLine line(out);
  write_cases(line, header.cases);
  out += "}\n";
}

void append_record(std::string& out, const Record& record, const LinePlace& place, const CandidateContent& content,
                   const Origin* origin) {
  JsonLine line(out);
  write_place(line, record, place);
  if (record.outcome) write_outcome(line, record);
  if (!record.repeatable) line.raw(",\"repeatable\":false");
  if (record.receipt) line.hex_field("receipt", record.receipt->bytes);
  if (record.error) append_error(out, record);
  if (origin != nullptr) append_origin(out, *origin);
  append_content(out, content);
  out += "}\n";
}

void append_ending(std::string& out, const RecordsEnding& ending) {
  fmt::format_to(std::back_inserter(out), "{}{},\"sha256\":\"{}\"", kEndingStart, ending.records, ending.sha256.hex());
  if (ending.cancelled > 0) fmt::format_to(std::back_inserter(out), ",\"cancelled_before\":{}", ending.cancelled);
  out += "}\n";
}

void append_timing(std::string& out, std::size_t row, const Timing& timing) {
  fmt::format_to(std::back_inserter(out), "{{\"row\":{},\"tier\":\"{}\",\"wall_ns\":{},\"cache_hit\":{}}}\n", row,
                 name_of(timing.tier), timing.wall_time.count(), timing.cache_hit);
}

}  // namespace petri
