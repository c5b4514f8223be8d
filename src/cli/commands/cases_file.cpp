#include "cli/commands/cases_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/bounded_json.h"
#include "base/escape.h"
#include "evaluation/base64.h"

namespace petri::cli {
namespace {

constexpr std::array kNumberTypes{ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64};
constexpr std::array<std::string_view, 3> kFileKeys{"types", "cases", "targets"};
constexpr std::array<std::string_view, 3> kCaseKeys{"arguments", "input", "input_base64"};
constexpr JsonBounds kCasesBounds{.bytes_max = std::size_t{256} << 20, .values_max = std::size_t{16} << 20};

// Thrown and caught in this file: a number may lie many lists deep.
struct BadCases {
  ErrorCode code = ErrorCode::validation_failed;
  std::string what;
};
[[noreturn]] void refuse_cases(std::string what) { throw BadCases{.what = std::move(what)}; }

nlohmann::json read_json(std::string_view text) {
  auto parsed = petri::parse_json(text, kCasesBounds);
  if (parsed) return *std::move(parsed);
  const JsonFault& fault = parsed.error();
  if (fault.kind == JsonFaultKind::syntax) throw BadCases{.code = ErrorCode::parse_failed, .what = "this " + fault.why};
  if (fault.kind == JsonFaultKind::number_range)
    throw BadCases{.code = ErrorCode::parse_failed, .what = "a number in it is larger than any type of argument holds"};
  throw BadCases{.code = fault.code(), .what = "it " + fault.why};
}

// A key nobody knows is a misspelt one.
void check_keys(const nlohmann::json& object, std::span<const std::string_view> known, std::string_view where) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    refuse_cases(fmt::format("{} has an unknown key {}; known are {}", where, in_quotes(key), fmt::join(known, ", ")));
  }
}

const nlohmann::json::array_t& list_of(const nlohmann::json& value, std::string_view what) {
  if (!value.is_array()) refuse_cases(fmt::format("{} is not a list", what));
  return value.get_ref<const nlohmann::json::array_t&>();
}

const std::string& text_of(const nlohmann::json& value, std::string_view what) {
  if (!value.is_string()) refuse_cases(fmt::format("{} is not a text", what));
  return value.get_ref<const std::string&>();
}

// JSON has no infinities, no NaNs and, for many programs, no integers beyond 2^53: these are written as strings.
std::string number_text(const nlohmann::json& value, std::string_view what) {
  if (value.is_number()) return value.dump();
  if (value.is_string()) return value.get<std::string>();
  refuse_cases(fmt::format("{} is neither a number nor the text of one", what));
}

ValueType type_of(const nlohmann::json& value) {
  const std::string& name = text_of(value, "an entry of \"types\"");
  const auto type = std::ranges::find(kNumberTypes, name, [](ValueType known) { return name_of(known); });
  if (type == kNumberTypes.end())
    refuse_cases(fmt::format("\"types\" holds {}; the types are i32, i64, f32, f64", in_quotes(name)));
  return *type;
}

std::vector<std::string> arguments_of(const nlohmann::json& list, const std::string& where) {
  std::vector<std::string> arguments;
  for (const nlohmann::json& value : list_of(list, fmt::format("\"arguments\" of {}", where))) {
    arguments.push_back(number_text(value, fmt::format("argument {} of {}", arguments.size(), where)));
  }
  return arguments;
}

std::string input_of(const nlohmann::json& object, const std::string& where) {
  const auto text = object.find("input");
  const auto base64 = object.find("input_base64");
  if (text != object.end() && base64 != object.end()) {
    refuse_cases(fmt::format("{} has both \"input\" and \"input_base64\"", where));
  }
  if (text != object.end()) return text_of(*text, fmt::format("\"input\" of {}", where));
  if (base64 == object.end()) return "";
  const std::string what = fmt::format("\"input_base64\" of {}", where);
  const auto bytes = read_base64(text_of(*base64, what));
  if (!bytes) refuse_cases(fmt::format("{} is not base64", what));
  return {bytes->begin(), bytes->end()};
}

CaseText case_of(const nlohmann::json& one, std::size_t number) {
  const std::string where = fmt::format("case {}", number);
  if (one.is_array()) return {.arguments = arguments_of(one, where), .input = {}};
  if (one.is_number() || one.is_string()) return {.arguments = {number_text(one, where)}, .input = {}};
  if (!one.is_object()) refuse_cases(fmt::format("{} is neither a list of arguments, nor one, nor an object", where));
  check_keys(one, kCaseKeys, where);
  const auto arguments = one.find("arguments");
  return {.arguments = arguments == one.end() ? std::vector<std::string>() : arguments_of(*arguments, where),
          .input = input_of(one, where)};
}

std::string counted(std::size_t arguments) {
  return arguments == 1 ? "1 argument" : fmt::format("{} arguments", arguments);
}

void check_arity(const CasesFile& file) {
  const std::size_t expected = file.arguments_per_case();
  for (std::size_t number = 0; number < file.cases.size(); ++number) {
    const std::size_t found = file.cases[number].arguments.size();
    if (found == expected) continue;
    refuse_cases(fmt::format("case {} has {} and case 0 has {}; all cases call the same function", number,
                             counted(found), expected));
  }
  if (file.types && file.types->size() != expected) {
    refuse_cases(fmt::format("\"types\" has {} and a case has {}", file.types->size(), counted(expected)));
  }
}

double target_of(const nlohmann::json& value, std::size_t number) {
  const std::string what = fmt::format("target {}", number);
  const auto target = parse_value(number_text(value, what), ValueType::f64);
  if (!target) refuse_cases(fmt::format("{}: {}", what, target.error().message));
  return target->f64();
}

void read_lists(const nlohmann::json& object, CasesFile& file) {
  check_keys(object, kFileKeys, "the file");
  const auto cases = object.find("cases");
  if (cases == object.end()) refuse_cases("the file has no \"cases\"");
  for (const nlohmann::json& one : list_of(*cases, "\"cases\"")) file.cases.push_back(case_of(one, file.cases.size()));
  if (const auto types = object.find("types"); types != object.end()) {
    file.types.emplace();
    for (const nlohmann::json& type : list_of(*types, "\"types\"")) file.types->push_back(type_of(type));
  }
  if (const auto targets = object.find("targets"); targets != object.end()) {
    for (const nlohmann::json& target : list_of(*targets, "\"targets\""))
      file.targets.push_back(target_of(target, file.targets.size()));
  }
}

}  // namespace

Result<CasesFile> parse_cases(std::string_view text) {
  try {
    const nlohmann::json parsed = read_json(text);
    if (!parsed.is_object()) refuse_cases("this is not an object with \"cases\"");
    CasesFile file;
    read_lists(parsed, file);
    check_arity(file);
    return file;
  } catch (BadCases& bad) {
    return fail(bad.code, std::move(bad.what));
  }
}

Result<std::vector<Case>> with_types(const CasesFile& file, std::span<const ValueType> types) {
  std::vector<Case> cases;
  cases.reserve(file.cases.size());
  for (std::size_t number = 0; number < file.cases.size(); ++number) {
    Case one{.arguments = {}, .input = file.cases[number].input};
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
