#include "evaluation/records/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"
#include "base/text/byte_text.h"
#include "evaluation/records/lines.h"

namespace petri {
namespace {

constexpr std::size_t kLineDepthMax = 8;

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
                                             "scorer",
                                             "tolerance",
                                             "metrics",
                                             "keep_output_bytes",
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
                                             "wat",   "wat_base64",       "wrong",         "metrics",  "outputs"};

constexpr std::string_view kEndingNames[] = {"records", "sha256", "cancelled_before"};
constexpr std::uint64_t kHarnessBytesMax = std::uint64_t{100} << 20;  // as much as module_bytes_max can allow

template <typename Float>
std::optional<Value> real_of(const JsonReader& value, ValueType type) {
  if (!value.is_there()) return std::nullopt;
  if (value.json().is_number()) return Value(static_cast<Float>(value.json().get<double>()));
  if (value.json().is_string()) {
    if (auto parsed = parse_value(value.json().get_ref<const std::string&>(), type)) return *parsed;
  }
  value.refuse("is not a number");
  return std::nullopt;
}

template <typename Integer>
std::optional<Value> integer_of(const JsonReader& value) {
  using Limits = std::numeric_limits<Integer>;
  const auto number = value.signed_integer(Limits::min(), Limits::max());
  return number ? std::optional(Value(static_cast<Integer>(*number))) : std::nullopt;
}

// A number of this type, or the string that stands for what JSON has no number for.
std::optional<Value> value_of(const JsonReader& value, ValueType type) {
  switch (type) {
    case ValueType::i32: return integer_of<std::int32_t>(value);
    case ValueType::i64: return integer_of<std::int64_t>(value);
    case ValueType::f32: return real_of<float>(value, type);
    case ValueType::f64: return real_of<double>(value, type);
    default: value.refuse("is of a type that no number has"); return std::nullopt;
  }
}

std::optional<Sha256> digest_of(const JsonReader& value) {
  const auto text = value.string();
  if (!text) return std::nullopt;
  const auto digest = Sha256::from_hex(*text);
  if (!digest) value.refuse("is not 64 hexadecimal digits");
  return digest;
}

std::vector<ValueType> types_of(const JsonReader& list) {
  std::vector<ValueType> types;
  list.required().elements(
      [&](const JsonReader& type) { types.push_back(type.one_of<ValueType>(kValueTypes).value_or(ValueType::i32)); });
  return types;
}

// A record with a name that is not understood cannot be verified: whether it is true nobody knows, so the complaint is
// about the line and not about a field that differs.
void check_names(const JsonReader& line, std::span<const std::string_view> known) {
  line.members([&](const std::string& name, const JsonReader& member) {
    if (std::ranges::find(known, name) == known.end())
      line.complaints().add_clause({}, member.where() + " is no field that this petri knows; a newer one may");
  });
}

std::optional<BadLine> format_fault(const JsonReader& line) {
  std::uint64_t format = 0;
  line["petri_records"].read(format);
  if (format == kRecordsFormat) return std::nullopt;
  if (format == 0) return BadLine{.what = "it does not begin a records file"};
  const std::string_view advice =
      format < kRecordsFormat ? "evaluate the candidates again to get them" : "a newer petri wrote them";
  return BadLine{.code = ErrorCode::validation_failed,
                 .what = fmt::format("these are records of format {}, and this petri reads format {}; {}", format,
                                     kRecordsFormat, advice)};
}

Case case_of(const JsonReader& one, const std::vector<ValueType>& types) {
  Case result;
  const JsonReader arguments = one["arguments"];
  if (arguments.required().is_there() && (!arguments.is_list() || arguments.size() != types.size())) {
    arguments.refuse("is not a list of as many arguments as there are types");
    return result;
  }
  arguments.elements([&](const JsonReader& argument) {
    const ValueType type = types[result.arguments.size()];
    result.arguments.push_back(value_of(argument, type).value_or(Value(0)));
  });
  if (const auto input = one["input"].base64()) result.input.assign(input->begin(), input->end());
  if (const auto expected = one["expected"].base64()) result.expected.emplace(expected->begin(), expected->end());
  return result;
}

// The module itself, which has to be the one that the line names.
void read_harness(const JsonReader& harness, EvaluationSpec& spec) {
  if (!harness.is_there()) return;
  const auto wasm = harness["wasm"].required().base64();
  if (!wasm) return harness.refuse("is not an object with the \"wasm\" of a module");
  auto artifact = Artifact::from_wasm(*wasm, std::min(spec.module_bytes_max, kHarnessBytesMax));
  if (!artifact) return harness.refuse("is no module: " + artifact.error().message);
  if (digest_of(harness["artifact"]) != (*artifact)->id())
    return harness.refuse("is not the module that its \"artifact\" names");
  spec.harness = *std::move(artifact);
}

EvaluationSpec spec_of(const JsonReader& line) {
  EvaluationSpec spec;
  line["function"].required().read(spec.function);
  line["fuel_max"].required().read(spec.fuel_max);
  line["memory_bytes_max"].required().read(spec.memory_bytes_max);
  line["output_bytes_max"].required().read(spec.output_bytes_max);
  line["call_depth_max"].required().read(spec.call_depth_max);
  line["module_bytes_max"].required().read(spec.module_bytes_max);
  line["seed"].required().read(spec.seed);
  JsonReader::assign(spec.instances, line["instances"].required().one_of<Instances>(2));
  line["stop_at_first_failure"].read(spec.stop_at_first_failure);
  line["targets"].elements([&](const JsonReader& target) {
    spec.targets.push_back(value_of(target, ValueType::f64).value_or(Value(0.0)).f64());
  });
  JsonReader::assign(spec.scorer, line["scorer"].one_of<Scorer>(4));
  if (const auto tolerance = value_of(line["tolerance"], ValueType::f64)) spec.tolerance = tolerance->f64();
  line["metrics"].read(spec.metrics);
  line["keep_output_bytes"].read(spec.keep_output_bytes);
  read_harness(line["harness"], spec);
  return spec;
}

std::vector<HostFunctionUsed> host_functions_of(const JsonReader& list) {
  std::vector<HostFunctionUsed> functions;
  list.elements([&](const JsonReader& one) {
    HostFunctionUsed& function = functions.emplace_back();
    one["module"].required().read(function.module);
    one["name"].required().read(function.name);
    one["type"].required().read(function.type);
    one["version"].required().read(function.version);
    one["fuel"].required().read(function.fuel);
  });
  return functions;
}

RecordsHeader header_of(const JsonReader& line) {
  check_names(line, kHeaderNames);
  RecordsHeader header;
  header.spec = spec_of(line);
  header.host_functions = host_functions_of(line["host_functions"]);
  JsonReader::assign(header.scored_by, line["scored_by"].required().one_of<ScoredBy>(4));
  line["receipts"].read(header.receipts);
  line["fuel_table"].required().read(header.fuel_table);
  line["abi"].required().read(header.abi);
  JsonReader::assign(header.digest, digest_of(line["spec"].required()));
  const std::vector<ValueType> types = types_of(line["argument_types"]);
  line["cases"].required().elements([&](const JsonReader& one) { header.cases.push_back(case_of(one, types)); });
  return header;
}

std::vector<OutcomeKind> kinds_of(const JsonReader& line, std::size_t cases_max) {
  const std::uint64_t cases = line["cases"].required().integer().value_or(0);
  if (cases > cases_max) {
    line["cases"].refuse("is more than the first line has");
    return {};
  }
  std::vector<OutcomeKind> kinds(cases, OutcomeKind::ok);
  const JsonReader list = line["kinds"];
  if (list.is_there() && (!list.is_list() || list.size() != cases)) {
    list.refuse("is not a list with a kind for each case");
    return kinds;
  }
  std::size_t index = 0;
  list.elements(
      [&](const JsonReader& kind) { JsonReader::assign(kinds[index++], kind.one_of<OutcomeKind>(kOutcomeKinds)); });
  return kinds;
}

void read_values(const JsonReader& line, Record& record) {
  record.value_types = types_of(line["types"]);
  const JsonReader values = line["values"];
  const std::size_t each = record.values_per_case();
  if (!values.required().is_list() || values.size() != record.kinds.size() * each)
    return values.refuse("is not a list of as many values as the cases give");
  record.value_bits.resize(values.size());
  std::size_t index = 0;
  values.elements([&](const JsonReader& value) {
    const std::size_t at = index++;
    const bool is_ok = record.kinds[at / each] == OutcomeKind::ok;
    if (is_ok == value.is_null()) return value.refuse("does not fit the kind of its case");
    if (is_ok) {
      record.value_bits[at] = value_of(value, record.value_types[at % each]).value_or(Value(0)).bits();
    }
  });
}

KeptOutput output_of(const JsonReader& one) {
  KeptOutput output;
  one["text"].read(output.text);
  if (const auto bytes = one["base64"].base64()) output.text.assign(bytes->begin(), bytes->end());
  if (one["text"].is_there() == one["base64"].is_there()) one.refuse("must have a \"text\" or a \"base64\"");
  output.bytes = one["bytes"].integer().value_or(output.text.size());
  return output;
}

void read_more(const JsonReader& line, Record& record) {
  line["wrong"].elements([&](const JsonReader& number) { record.wrong.push_back(number.integer().value_or(0)); });
  line["metrics"].elements([&](const JsonReader& metric) {
    record.metrics.push_back(value_of(metric, ValueType::f64).value_or(Value(0.0)).f64());
  });
  line["outputs"].elements([&](const JsonReader& output) { record.outputs.push_back(output_of(output)); });
}

void read_outcome(const JsonReader& line, std::size_t cases_max, Record& record) {
  record.outcome = line["outcome"].one_of<OutcomeKind>(kOutcomeKinds);
  record.trap = line["trap"].one_of<TrapCode>(kTrapCodes);
  if (const auto code = value_of(line["exit_code"], ValueType::i32)) record.exit_code = code->i32();
  line["first_failure"].read(record.first_failure);
  record.kinds = kinds_of(line, cases_max);
  read_values(line, record);
  record.output = digest_of(line["output"]);
  line["fuel"].required().read(record.fuel_used);
  line["memory_peak"].required().read(record.memory_peak_bytes);
  if (const auto score = value_of(line["score"], ValueType::f64)) record.score = score->f64();
  read_more(line, record);
}

// A program that reads the file may use results beside an error, but nothing compares them with a run.
void check_no_results(const JsonReader& line) {
  constexpr std::string_view kOfOutcomes[] = {"score",       "values", "types",   "cases",         "kinds",
                                              "trap",        "output", "fuel",    "first_failure", "exit_code",
                                              "memory_peak", "wrong",  "metrics", "outputs"};
  for (const std::string_view name : kOfOutcomes) {
    if (line[name].is_there())
      line.complaints().add_clause(std::string(name), fmt::format("it has \"{}\" beside its \"error\"", name));
  }
}

Record record_of(const JsonReader& line, std::size_t cases_max) {
  Record record;
  line["row"].required().read(record.row);
  line["repeats_row"].read(record.repeats_row);
  if (const auto artifact = digest_of(line["artifact"])) record.artifact = *artifact;
  const bool has_error = line["error"].is_there();
  if (has_error == line["outcome"].is_there())
    line.complaints().add_clause("outcome", "it must have an \"outcome\" or an \"error\"");
  if (!has_error) read_outcome(line, cases_max, record);
  if (has_error) {
    check_no_results(line);
    record.error = line["error"].one_of<ErrorCode>(kErrorCodes);
    line["message"].required().read(record.message);
  }
  line["repeatable"].read(record.repeatable);
  record.receipt = digest_of(line["receipt"]);
  return record;
}

std::optional<Origin> origin_of(const JsonReader& line) {
  Origin origin;
  line["name"].read(origin.name);
  line["generation"].read(origin.generation);
  line["mutation"].read(origin.mutation);
  line["parents"].elements(
      [&](const JsonReader& parent) { origin.parents.push_back(digest_of(parent).value_or(Sha256{})); });
  if (origin == Origin{}) return std::nullopt;
  return origin;
}

ParsedRecord parsed_of(const JsonReader& line, std::size_t cases_max) {
  check_names(line, kRecordNames);
  ParsedRecord result;
  result.stored.record = record_of(line, cases_max);
  result.stored.origin = origin_of(line);
  result.stored.wasm = line["wasm"].base64();
  line["wat"].read(result.stored.wat);
  if (const auto wat = line["wat_base64"].base64()) result.stored.wat.emplace(wat->begin(), wat->end());
  line["cancelled_before"].read(result.cancelled_before);
  return result;
}

RecordsEnding ending_of(const JsonReader& line) {
  check_names(line, kEndingNames);
  RecordsEnding ending;
  line["records"].required().read(ending.records);
  JsonReader::assign(ending.sha256, digest_of(line["sha256"].required()));
  line["cancelled_before"].read(ending.cancelled);
  return ending;
}

// Only the first thing that is wrong with a line is reported: what comes after may follow from it.
template <typename Read>
auto read_line(std::string_view text, const RecordsBounds& bounds, Read read)
    -> LineResult<decltype(read(std::declval<const JsonReader&>()))> {
  const auto parsed = parse_json(
      text, {.bytes_max = kRecordsLineBytesMax, .depth_max = kLineDepthMax, .values_max = bounds.values_max});
  if (!parsed) {
    const JsonFault& fault = parsed.error();
    const bool syntax = fault.kind == JsonFaultKind::syntax;  // which line it is stands before this
    return std::unexpected(BadLine{.code = fault.code(), .what = syntax ? "it is not JSON" : "it " + fault.why});
  }
  if (!parsed->is_object()) return std::unexpected(BadLine{.what = "it is not a JSON object"});
  Complaints complaints;
  auto result = read(JsonReader(*parsed, complaints));
  if (complaints.empty()) return result;
  const Complaints::Complaint& first = complaints.kept().front();
  return std::unexpected(BadLine{.field = first.where, .what = first.text});
}

}  // namespace

LineResult<RecordsHeader> parse_header(std::string_view line, const RecordsBounds& bounds) {
  std::optional<BadLine> bad;
  auto header = read_line(line, bounds, [&](const JsonReader& fields) {
    bad = format_fault(fields);
    return bad ? RecordsHeader{} : header_of(fields);
  });
  if (bad) return std::unexpected(*std::move(bad));
  return header;
}

LineResult<ParsedRecord> parse_record(std::string_view line, const RecordsHeader& header, const RecordsBounds& bounds) {
  return read_line(line, bounds, [&](const JsonReader& fields) { return parsed_of(fields, header.cases.size()); });
}

bool is_ending(std::string_view line) { return line.starts_with(kEndingStart); }

LineResult<RecordsEnding> parse_ending(std::string_view line) { return read_line(line, {}, ending_of); }

}  // namespace petri
