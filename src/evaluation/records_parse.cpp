#include "evaluation/records_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/escape.h"
#include "evaluation/json_fields.h"
#include "evaluation/records_json.h"

namespace petri {
namespace {

using nlohmann::json;

constexpr std::string_view kHeaderNames[] = {"petri_records",
                                             "spec",
                                             "abi",
                                             "fuel_table",
                                             "host_functions",
                                             "function",
                                             "fuel_max",
                                             "memory_bytes_max",
                                             "output_bytes_max",
                                             "call_depth_max",
                                             "module_bytes_max",
                                             "seed",
                                             "instances",
                                             "stop_at_first_failure",
                                             "targets",
                                             "harness",
                                             "scored_by",
                                             "receipts",
                                             "argument_types",
                                             "cases"};
constexpr std::string_view kRecordNames[] = {"row",   "cancelled_before", "repeats_row",   "artifact", "outcome",
                                             "trap",  "exit_code",        "first_failure", "cases",    "kinds",
                                             "types", "values",           "output",        "fuel",     "memory_peak",
                                             "score", "repeatable",       "receipt",       "error",    "message",
                                             "name",  "generation",       "mutation",      "parents",  "wasm",
                                             "wat",   "wat_base64"};

constexpr std::string_view kEndingNames[] = {"records", "sha256", "cancelled_before"};
constexpr std::uint64_t kHarnessBytesMax = std::uint64_t{100} << 20;  // as much as module_bytes_max can allow

std::uint32_t small_number(const JsonFields& fields, std::string_view name) {
  const std::uint64_t number = fields.number(name);
  if (number > std::numeric_limits<std::uint32_t>::max())
    throw BadLine{.field = std::string(name), .what = fmt::format("its \"{}\" is too large", name)};
  return static_cast<std::uint32_t>(number);
}

std::vector<ValueType> types_of(const JsonFields& fields, std::string_view name) {
  std::vector<ValueType> types;
  for (const json& type : to_list(fields.get(name), name)) {
    types.push_back(to_enum<ValueType>(text_of(type, name), kValueTypes, name));
  }
  return types;
}

void check_format(const JsonFields& fields) {
  const std::uint64_t format = fields.find("petri_records") == nullptr ? 0 : fields.number("petri_records");
  if (format == kRecordsFormat) return;
  if (format == 0) throw BadLine{.what = "it does not begin a records file"};
  const std::string_view advice =
      format < kRecordsFormat ? "evaluate the candidates again to get them" : "a newer petri wrote them";
  throw BadLine{.code = ErrorCode::validation_failed,
                .what = fmt::format("these are records of format {}, and this petri reads format {}; {}", format,
                                    kRecordsFormat, advice)};
}

Case case_of(const json& one, const std::vector<ValueType>& types) {
  const JsonFields fields(one);
  Case result;
  const auto& arguments = to_list(fields.get("arguments"), "arguments");
  if (arguments.size() != types.size())
    throw BadLine{.what = "one of its cases has another number of arguments than its types"};
  for (std::size_t index = 0; index < types.size(); ++index) {
    result.arguments.push_back(to_value(arguments[index], types[index], "arguments"));
  }
  if (const auto input = fields.bytes_if("input")) result.input.assign(input->begin(), input->end());
  return result;
}

// The module itself, which has to be the one that the line names.
Harness harness_of(const JsonFields& fields, std::uint64_t bytes_max) {
  const auto wasm = fields.bytes_if("wasm");
  if (!wasm) throw BadLine{.field = "harness", .what = "its \"harness\" has no \"wasm\""};
  auto artifact = Artifact::from_wasm(*wasm, std::min(bytes_max, kHarnessBytesMax));
  if (!artifact) throw BadLine{.field = "harness", .what = "its \"harness\" is no module: " + artifact.error().message};
  if (fields.digest_if("artifact") != (*artifact)->id().sha256)
    throw BadLine{.field = "harness", .what = "its \"harness\" is not the module that its \"artifact\" names"};
  return *std::move(artifact);
}

EvaluationSpec spec_of(const JsonFields& fields) {
  EvaluationSpec spec{.function = fields.text("function"),
                      .fuel_max = fields.number("fuel_max"),
                      .memory_bytes_max = fields.number("memory_bytes_max"),
                      .output_bytes_max = fields.number("output_bytes_max"),
                      .call_depth_max = fields.number("call_depth_max"),
                      .module_bytes_max = fields.number("module_bytes_max"),
                      .seed = fields.number("seed"),
                      .instances = to_enum<Instances>(fields.text("instances"), 2, "instances"),
                      .stop_at_first_failure = fields.flag("stop_at_first_failure", false)};
  if (const json* targets = fields.find("targets")) {
    for (const json& target : to_list(*targets, "targets"))
      spec.targets.push_back(to_value(target, ValueType::f64, "targets").f64());
  }
  if (const json* harness = fields.find("harness"))
    spec.harness = harness_of(JsonFields(*harness), spec.module_bytes_max);
  return spec;
}

std::vector<HostFunctionUsed> host_functions_of(const JsonFields& fields) {
  std::vector<HostFunctionUsed> functions;
  const json* const list = fields.find("host_functions");
  if (list == nullptr) return functions;
  for (const json& one : to_list(*list, "host_functions")) {
    const JsonFields function(one);
    functions.push_back({.module = function.text("module"),
                         .name = function.text("name"),
                         .type = function.text("type"),
                         .version = small_number(function, "version"),
                         .fuel = small_number(function, "fuel")});
  }
  return functions;
}

RecordsHeader header_of(std::string_view line, const RecordsBounds& bounds) {
  const json parsed = JsonFields::parse(line, bounds);
  const JsonFields fields(parsed);
  check_format(fields);
  fields.check_names(kHeaderNames);
  RecordsHeader header{.spec = spec_of(fields),
                       .scored_by = to_enum<ScoredBy>(fields.text("scored_by"), 3, "scored_by"),
                       .receipts = fields.flag("receipts", true),
                       .fuel_table = small_number(fields, "fuel_table"),
                       .abi = small_number(fields, "abi"),
                       .host_functions = host_functions_of(fields),
                       .digest = to_digest(fields.get("spec"), "spec")};
  const std::vector<ValueType> types = types_of(fields, "argument_types");
  for (const json& one : to_list(fields.get("cases"), "cases")) header.cases.push_back(case_of(one, types));
  return header;
}

std::vector<OutcomeKind> kinds_of(const JsonFields& fields, std::size_t cases_max) {
  const std::uint64_t cases = fields.number("cases");
  if (cases > cases_max) throw BadLine{.field = "cases", .what = "its \"cases\" are more than the first line has"};
  std::vector<OutcomeKind> kinds(cases, OutcomeKind::ok);
  const json* const list = fields.find("kinds");
  if (list == nullptr) return kinds;
  const auto& names = to_list(*list, "kinds");
  if (names.size() != cases)
    throw BadLine{.field = "kinds", .what = "it has another number of \"kinds\" than of \"cases\""};
  for (std::size_t index = 0; index < names.size(); ++index) {
    kinds[index] = to_enum<OutcomeKind>(text_of(names[index], "kinds"), kOutcomeKinds, "kinds");
  }
  return kinds;
}

void read_values(const JsonFields& fields, Record& record) {
  record.value_types = types_of(fields, "types");
  const auto& values = to_list(fields.get("values"), "values");
  const std::size_t each = record.values_per_case();
  if (values.size() != record.kinds.size() * each)
    throw BadLine{.field = "values", .what = "it has another number of \"values\" than its cases give"};
  record.value_bits.resize(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) {
    const bool is_ok = record.kinds[index / each] == OutcomeKind::ok;
    if (is_ok == values[index].is_null())
      throw BadLine{.field = "values", .what = "its \"values\" do not fit its \"kinds\""};
    if (is_ok) record.value_bits[index] = to_value(values[index], record.value_types[index % each], "values").bits();
  }
}

void read_outcome(const JsonFields& fields, std::size_t cases_max, Record& record) {
  record.outcome = to_enum<OutcomeKind>(fields.text("outcome"), kOutcomeKinds, "outcome");
  if (const auto trap = fields.text_if("trap")) record.trap = to_enum<TrapCode>(*trap, kTrapCodes, "trap");
  if (const json* code = fields.find("exit_code"))
    record.exit_code = to_value(*code, ValueType::i32, "exit_code").i32();
  record.first_failure = fields.number_if("first_failure");
  record.kinds = kinds_of(fields, cases_max);
  read_values(fields, record);
  record.output = fields.digest_if("output");
  record.fuel_used = fields.number("fuel");
  record.memory_peak_bytes = fields.number("memory_peak");
  if (const json* score = fields.find("score")) record.score = to_value(*score, ValueType::f64, "score").f64();
}

Record record_of(const JsonFields& fields, std::size_t cases_max) {
  Record record{.row = fields.number("row")};
  record.repeats_row = fields.number_if("repeats_row");
  if (const auto artifact = fields.digest_if("artifact")) record.artifact = ArtifactId{.sha256 = *artifact};
  const bool has_error = fields.find("error") != nullptr;
  if (has_error == (fields.find("outcome") != nullptr))
    throw BadLine{.field = "outcome", .what = "it must have an \"outcome\" or an \"error\""};
  if (!has_error) read_outcome(fields, cases_max, record);
  if (has_error) {
    record.error = to_enum<ErrorCode>(fields.text("error"), kErrorCodes, "error");
    record.message = fields.text("message");
  }
  record.repeatable = fields.flag("repeatable", true);
  record.receipt = fields.digest_if("receipt");
  return record;
}

std::optional<Origin> origin_of(const JsonFields& fields) {
  Origin origin{.name = fields.text_if("name").value_or(""),
                .generation = fields.number_if("generation"),
                .mutation = fields.text_if("mutation").value_or("")};
  if (const json* parents = fields.find("parents")) {
    for (const json& parent : to_list(*parents, "parents"))
      origin.parents.push_back({.sha256 = to_digest(parent, "parents")});
  }
  if (origin == Origin{}) return std::nullopt;
  return origin;
}

ParsedRecord parsed_of(std::string_view line, const RecordsHeader& header, const RecordsBounds& bounds) {
  const json parsed = JsonFields::parse(line, bounds);
  const JsonFields fields(parsed);
  fields.check_names(kRecordNames);
  ParsedRecord result{.stored = {.record = record_of(fields, header.cases.size()),
                                 .wasm = fields.bytes_if("wasm"),
                                 .wat = fields.text_if("wat"),
                                 .origin = origin_of(fields)},
                      .cancelled_before = fields.number_if("cancelled_before").value_or(0)};
  if (const auto wat = fields.bytes_if("wat_base64")) result.stored.wat.emplace(wat->begin(), wat->end());
  return result;
}

RecordsEnding ending_of(std::string_view line) {
  const json parsed = JsonFields::parse(line);
  const JsonFields fields(parsed);
  fields.check_names(kEndingNames);
  return {.records = fields.number("records"),
          .sha256 = to_digest(fields.get("sha256"), "sha256"),
          .cancelled = fields.number_if("cancelled_before").value_or(0)};
}

template <typename Parse>
auto caught(Parse parse) -> LineResult<decltype(parse())> {
  try {
    return parse();
  } catch (BadLine& bad) {
    return std::unexpected(std::move(bad));
  }
}

}  // namespace

LineResult<RecordsHeader> parse_header(std::string_view line, const RecordsBounds& bounds) {
  return caught([&] { return header_of(line, bounds); });
}

LineResult<ParsedRecord> parse_record(std::string_view line, const RecordsHeader& header, const RecordsBounds& bounds) {
  return caught([&] { return parsed_of(line, header, bounds); });
}

bool is_ending(std::string_view line) { return line.starts_with(kEndingStart); }

LineResult<RecordsEnding> parse_ending(std::string_view line) {
  return caught([&] { return ending_of(line); });
}

}  // namespace petri
