#include "cli/commands/record_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/input_file.h"
#include "engine/wat_printer.h"

namespace petri::cli {
namespace {

constexpr std::size_t kShownBytesMax = 4'096;
constexpr std::size_t kNameBytesMax = 200;

// The text in the file that the record names, if it is this program still.
std::optional<std::string> source_in_file(const StoredRecord& stored, const RecordsHeader& header) {
  if (!stored.origin || !stored.record.artifact || !stored.origin->name.ends_with(".wat")) return std::nullopt;
  const auto text = read_module_bytes(stored.origin->name, header.spec.module_bytes_max);
  if (!text || starts_like_wasm(*text)) return std::nullopt;
  const auto artifact = Artifact::from_wat(*text, header.spec.module_bytes_max);
  if (!artifact || (*artifact)->id() != stored.record.artifact) return std::nullopt;
  return *text;
}

// Each line by itself, so that the text keeps its lines and nothing else of it reaches the terminal.
std::string escape_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    shown += std::string(indent, ' ') + escape_text(line.substr(indent)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shown;
}

// One case of the record: the question, the right answer and the one that was given.
struct ShownCase {
  const Case& asked;
  std::optional<double> target;
  std::string_view verdict;
  std::vector<Value> values;
  const KeptOutput* output = nullptr;
};

bool is_wrong(const Record& record, std::size_t number) {
  return std::ranges::binary_search(record.wrong, std::uint64_t{number});
}

std::string_view verdict_of(const Record& record, std::size_t number, const EvaluationSpec& spec) {
  if (number >= record.kinds.size()) return "not run";
  if (record.kinds[number] != OutcomeKind::ok && is_wrong(record, number)) return name_of(record.kinds[number]);
  if (is_wrong(record, number)) return "wrong";
  const bool compared = spec.scorer == Scorer::exact || spec.scorer == Scorer::tolerance;
  return compared ? "right" : name_of(record.kinds[number]);
}

ShownCase shown_case(const Record& record, const RecordsHeader& header, std::size_t number) {
  ShownCase shown{.asked = header.cases[number],
                  .target = std::nullopt,
                  .verdict = verdict_of(record, number, header.spec),
                  .values = {}};
  if (!header.spec.targets.empty()) shown.target = header.spec.targets[number];
  for (std::size_t result = 0; result < record.values_per_case(); ++result) {
    if (const auto value = record.value(number, result)) shown.values.push_back(*value);
  }
  if (number < record.outputs.size()) shown.output = &record.outputs[number];
  return shown;
}

std::string list_text(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(to_text(value));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string field_line(std::string_view name, std::string_view text) { return fmt::format("  {:<10}{}\n", name, text); }

std::string output_text(const KeptOutput& output) {
  const std::string cut =
      output.bytes == output.text.size() ? "" : fmt::format(" and more, {} in all", format_bytes(output.bytes));
  return in_quotes(output.text, kShownBytesMax) + cut;
}

std::string case_text(const ShownCase& one, std::size_t number) {
  std::string text = fmt::format("case {}: {}\n", number, one.verdict);
  if (!one.asked.arguments.empty()) text += field_line("arguments", list_text(one.asked.arguments));
  if (!one.asked.input.empty()) text += field_line("input", in_quotes(one.asked.input, kShownBytesMax));
  if (one.asked.expected) text += field_line("expected", in_quotes(*one.asked.expected, kShownBytesMax));
  if (one.output != nullptr) text += field_line("output", output_text(*one.output));
  if (one.target) text += field_line("target", to_text(Value(*one.target)));
  if (!one.values.empty()) text += field_line("values", list_text(one.values));
  return text;
}

std::string how_it_ended(const Record& record) {
  if (record.error) return fmt::format("{}: {}", name_of(*record.error), escape_text(record.message, kShownBytesMax));
  std::string text(name_of(*record.outcome));
  if (record.trap) text += fmt::format(" ({})", name_of(*record.trap));
  if (record.exit_code) text += fmt::format(" ({})", *record.exit_code);
  if (record.score) text += fmt::format(", score {}", to_text(Value(*record.score)));
  return text + fmt::format(", {} fuel, {} peak memory", format_count(record.fuel_used),
                            format_bytes(record.memory_peak_bytes));
}

std::string metrics_text(const Record& record, const EvaluationSpec& spec) {
  std::string text;
  for (std::size_t index = 0; index < std::min(record.metrics.size(), spec.metrics.size()); ++index) {
    text += field_line("metric", fmt::format("{} {}", escape_text(spec.metrics[index], kNameBytesMax),
                                             to_text(Value(record.metrics[index]))));
  }
  return text;
}

Json case_json(const ShownCase& one) {
  Json object;
  object["verdict"] = one.verdict;
  Json arguments = Json::array();
  for (const Value& value : one.asked.arguments) arguments.push_back(to_json(value));
  object["arguments"] = std::move(arguments);
  add_bytes(object, "input", one.asked.input);
  if (one.asked.expected) add_bytes(object, "expected", *one.asked.expected);
  if (one.output != nullptr) add_bytes(object, "output", one.output->text);
  if (one.output != nullptr) object["output_bytes"] = one.output->bytes;
  if (one.target) object["target"] = to_json(Value(*one.target));
  Json values = Json::array();
  for (const Value& value : one.values) values.push_back(to_json(value));
  object["values"] = std::move(values);
  return object;
}

}  // namespace

ProgramText program_of(const StoredRecord& stored, const RecordsHeader& header) {
  if (stored.wat) return {.text = *stored.wat, .why_not = {}};
  if (auto source = source_in_file(stored, header)) return {.text = *std::move(source), .why_not = {}};
  if (!stored.wasm) return {.text = {}, .why_not = "the candidate is not in the file"};
  const auto artifact = Artifact::from_wasm(*stored.wasm, header.spec.module_bytes_max);
  if (!artifact) return {.text = {}, .why_not = "the candidate is no module: " + artifact.error().message};
  auto text = wasm_to_wat((*artifact)->bytes());
  if (!text) return {.text = {}, .why_not = text.error().message};
  return {.text = *std::move(text), .why_not = {}};
}

std::string to_text(const StoredRecord& stored, const RecordsHeader& header, const ProgramText& program) {
  const Record& record = stored.record;
  const std::string name =
      stored.origin && !stored.origin->name.empty() ? escape_text(stored.origin->name, kNameBytesMax) + ", " : "";
  std::string text = fmt::format("row {}: {}{}\n", record.row, name, how_it_ended(record));
  text += metrics_text(record, header.spec);
  text += "\n" + (program.why_not.empty() ? escape_lines(program.text) : program.why_not + "\n");
  if (record.error) return text;
  for (std::size_t number = 0; number < header.cases.size(); ++number) {
    text += "\n" + case_text(shown_case(record, header, number), number);
  }
  return text;
}

Json to_json(const StoredRecord& stored, const RecordsHeader& header, const ProgramText& program) {
  const Record& record = stored.record;
  Json object{{"row", record.row}};
  if (stored.origin && !stored.origin->name.empty()) add_bytes(object, "name", stored.origin->name);
  if (record.artifact) object["artifact"] = record.artifact->hex();
  if (record.outcome) object["outcome"] = name_of(*record.outcome);
  if (record.error) object["error"] = {{"code", name_of(*record.error)}, {"message", record.message}};
  if (record.exit_code) object["exit_code"] = *record.exit_code;
  if (record.trap) object["trap"] = name_of(*record.trap);
  if (record.score) object["score"] = to_json(Value(*record.score));
  for (std::size_t index = 0; index < std::min(record.metrics.size(), header.spec.metrics.size()); ++index)
    object["metrics"][header.spec.metrics[index]] = to_json(Value(record.metrics[index]));
  object["fuel_used"] = record.fuel_used;
  if (program.why_not.empty()) add_bytes(object, "program", program.text);
  if (!program.why_not.empty()) object["no_program"] = program.why_not;
  object["cases"] = Json::array();
  for (std::size_t number = 0; !record.error && number < header.cases.size(); ++number)
    object["cases"].push_back(case_json(shown_case(record, header, number)));
  return object;
}

}  // namespace petri::cli
