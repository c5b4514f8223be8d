#include "cli/commands/cases_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json/bounded_json.h"
#include "base/json/json_reader.h"

namespace petri::cli {
namespace {

constexpr std::string_view kFileKeys[] = {"types", "cases", "targets"};
constexpr std::string_view kCaseKeys[] = {"arguments", "input", "input_base64", "expected", "expected_base64"};
constexpr std::size_t kNumberTypes = static_cast<std::size_t>(ValueType::f64) + 1;
constexpr JsonBounds kCasesBounds{.bytes_max = std::size_t{256} << 20, .values_max = std::size_t{16} << 20};

// The sentence about a file that no JSON can be read from.
std::string sentence_of(const JsonFault& fault) {
  if (fault.kind == JsonFaultKind::syntax) return "this " + fault.why;
  if (fault.kind == JsonFaultKind::number_range) return "a number in it is larger than any type of argument holds";
  return "it " + fault.why;
}

// JSON has no infinities, no NaNs and, for many programs, no integers beyond 2^53: these are written as strings.
std::optional<std::string> number_text(const JsonReader& value) {
  if (value.json().is_number()) return value.json().dump();
  if (value.json().is_string()) return value.string();
  value.refuse("is neither a number nor the text of one");
  return std::nullopt;
}

void read_arguments(const JsonReader& list, CaseText& one) {
  list.elements([&](const JsonReader& value) { one.arguments.push_back(number_text(value).value_or("")); });
}

void read_expected(const JsonReader& one, CaseText& result) {
  one["expected"].read(result.expected);
  const JsonReader base64 = one["expected_base64"];
  if (const auto bytes = base64.base64()) result.expected.emplace(bytes->begin(), bytes->end());
  if (one["expected"].is_there()) base64.refuse("stands beside expected, and only one of them can be");
}

CaseText case_of(const JsonReader& one) {
  CaseText result;
  if (one.is_list()) {
    read_arguments(one, result);
  } else if (one.json().is_number() || one.json().is_string()) {
    result.arguments.push_back(number_text(one).value_or(""));
  } else if (!one.is_object()) {
    one.refuse("is neither a list of arguments, nor one, nor an object");
  } else {
    one.check_names(kCaseKeys);
    read_arguments(one["arguments"], result);
    one["input"].read(result.input);
    const JsonReader base64 = one["input_base64"];
    if (const auto bytes = base64.base64()) result.input.assign(bytes->begin(), bytes->end());
    if (one["input"].is_there()) base64.refuse("stands beside input, and only one of them can be");
    read_expected(one, result);
  }
  return result;
}

std::string counted(std::size_t arguments) {
  return arguments == 1 ? "1 argument" : fmt::format("{} arguments", arguments);
}

Result<void> check_arity(const CasesFile& file) {
  const std::size_t expected = file.arguments_per_case();
  for (std::size_t number = 0; number < file.cases.size(); ++number) {
    const std::size_t found = file.cases[number].arguments.size();
    if (found == expected) continue;
    return fail(ErrorCode::validation_failed,
                fmt::format("case {} has {} and case 0 has {}; all cases call the same function", number,
                            counted(found), expected));
  }
  if (file.types && file.types->size() != expected) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"types\" has {} and a case has {}", file.types->size(), counted(expected)));
  }
  return {};
}

double target_of(const JsonReader& value) {
  const auto text = number_text(value);
  if (!text) return 0;
  const auto target = parse_value(*text, ValueType::f64);
  if (target) return target->f64();
  value.complaints().add_sentence(value.where(), target.error().message);
  return 0;
}

CasesFile file_of(const JsonReader& document) {
  CasesFile file;
  document.check_names(kFileKeys);
  document["cases"].required().elements([&](const JsonReader& one) { file.cases.push_back(case_of(one)); });
  if (document["types"].is_there()) file.types.emplace();
  document["types"].elements([&](const JsonReader& type) {
    file.types->push_back(type.one_of<ValueType>(kNumberTypes).value_or(ValueType::i32));
  });
  document["targets"].elements([&](const JsonReader& target) { file.targets.push_back(target_of(target)); });
  return file;
}

}  // namespace

bool CasesFile::expects_output() const {
  return std::ranges::any_of(cases, [](const CaseText& one) { return one.expected.has_value(); });
}

Result<CasesFile> parse_cases(std::string_view text) {
  const auto parsed = petri::parse_json(text, kCasesBounds);
  if (!parsed) return fail(parsed.error().code(), sentence_of(parsed.error()));
  if (!parsed->is_object()) return fail(ErrorCode::validation_failed, "this is not an object with \"cases\"");
  Complaints complaints;
  CasesFile file = file_of(JsonReader(*parsed, complaints));
  PETRI_TRY(complaints.result());
  PETRI_TRY(check_arity(file));
  return file;
}

Result<std::vector<Case>> with_types(const CasesFile& file, std::span<const ValueType> types) {
  std::vector<Case> cases;
  cases.reserve(file.cases.size());
  for (std::size_t number = 0; number < file.cases.size(); ++number) {
    Case one{.arguments = {}, .input = file.cases[number].input, .expected = file.cases[number].expected};
    for (std::size_t index = 0; index < types.size(); ++index) {
      auto value = parse_value(file.cases[number].arguments[index], types[index]);
      if (!value) {
        return fail(ErrorCode::validation_failed,
                    fmt::format("argument {} of case {}: {}", index, number, value.error().message));
      }
      one.arguments.push_back(*value);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace petri::cli
