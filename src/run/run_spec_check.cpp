#include "run/run_spec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::size_t kExportsShownMax = 5;
constexpr std::uint64_t kInputBytesMax = std::numeric_limits<std::int32_t>::max();

std::string shown(std::string_view text) { return escape_text(text, kNameShownBytesMax); }

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

void check_arguments(const RunSpec& spec, std::vector<std::string>& problems) {
  for (const std::string& argument : spec.program_arguments) {
    if (has_zero(argument))
      problems.push_back(fmt::format("the program argument \"{}\" holds a zero byte", shown(argument)));
  }
  for (const auto& [name, value] : spec.environment) {
    const bool good = !name.empty() && name.find('=') == std::string::npos && !has_zero(name) && !has_zero(value);
    if (good) continue;
    problems.push_back(
        fmt::format("the environment variable \"{}\" is empty, or holds \"=\" or a zero byte", shown(name)));
  }
}

std::vector<std::string> problems_of(const RunSpec& spec) {
  std::vector<std::string> problems;
  if (auto limits = validate(spec.limits); !limits) problems.push_back(limits.error().message);
  if (spec.input.size() > kInputBytesMax) {
    problems.push_back(fmt::format("the input has {} bytes and guests can read {}", spec.input.size(), kInputBytesMax));
  }
  if (has_zero(spec.folder)) problems.push_back(fmt::format("the folder \"{}\" holds a zero byte", shown(spec.folder)));
  check_arguments(spec, problems);
  return problems;
}

// "add", "sub" and 3 more
std::string exported_functions(const LoadableArtifact& artifact) {
  std::vector<std::string> names;
  std::size_t count = 0;
  for (std::uint32_t index = 0; index < artifact.facts().exports; ++index) {
    const ExportView view = artifact.export_at(index);
    if (view.kind != ExternKind::function) continue;
    if (++count <= kExportsShownMax) names.push_back(fmt::format("\"{}\"", shown(view.name)));
  }
  if (count == 0) return "exports no function";
  const std::string more = count > names.size() ? fmt::format(" and {} more", count - names.size()) : "";
  return fmt::format("exports {}{}", fmt::join(names, ", "), more);
}

std::unexpected<Error> no_such_function(const LoadableArtifact& artifact, std::string_view name) {
  Error error{
      .code = ErrorCode::not_found,
      .message = fmt::format("the module has no function \"{}\"; it {}", shown(name), exported_functions(artifact)),
      .details = {}};
  return fail(std::move(error).with("component", "run").with("function", shown(name)));
}

std::unexpected<Error> wrong_arguments(const RunSpec& spec, const SignatureView& signature, std::string_view why) {
  Error error{.code = ErrorCode::validation_failed,
              .message = fmt::format("the function \"{}\" of type {} cannot be called like this: {}",
                                     shown(spec.function), to_text(to_signature(signature)), why),
              .details = {}};
  return fail(std::move(error).with("component", "run").with("function", shown(spec.function)));
}

bool is_reference(ValueType type) { return type == ValueType::funcref || type == ValueType::externref; }

bool is_integer(ValueType type) { return type == ValueType::i32 || type == ValueType::i64; }

Result<void> check_arguments(const RunSpec& spec, const SignatureView& signature, ArgumentTypes types) {
  if (std::ranges::any_of(signature.params, is_reference) || std::ranges::any_of(signature.results, is_reference)) {
    return wrong_arguments(spec, signature, "references do not leave their instance");
  }
  if (spec.arguments.size() != signature.params.size()) {
    return wrong_arguments(
        spec, signature,
        fmt::format("{} arguments are given and {} expected", spec.arguments.size(), signature.params.size()));
  }
  for (std::size_t index = 0; index < spec.arguments.size(); ++index) {
    const Value& given = spec.arguments[index];
    const ValueType wanted = signature.params[index];
    if (given.type() == wanted) continue;
    if (types == ArgumentTypes::converted && given.converted(wanted)) continue;
    if (types == ArgumentTypes::converted && is_integer(given.type())) {
      return wrong_arguments(spec, signature,
                             fmt::format("argument {} is {}, which no {} is exactly", index + 1,
                                         to_text(given.converted(ValueType::i64).value_or(given)), name_of(wanted)));
    }
    return wrong_arguments(spec, signature,
                           fmt::format("argument {} is given as {} and {} is expected", index + 1,
                                       name_of(given.type()), name_of(wanted)));
  }
  return {};
}

}  // namespace

Result<void> check_run_spec(const RunSpec& spec) {
  const std::vector<std::string> problems = problems_of(spec);
  if (problems.empty()) return {};
  return fail(Error{
      .code = ErrorCode::validation_failed, .message = fmt::format("{}", fmt::join(problems, "; ")), .details = {}}
                  .with("component", "run"));
}

Result<RunTarget> find_run_target(const LoadableArtifact& artifact, const RunSpec& spec, ArgumentTypes types) {
  const auto number = artifact.export_number(spec.function);
  if (!number) return no_such_function(artifact, spec.function);
  const ExportView view = artifact.export_at(*number);
  if (view.kind != ExternKind::function) return no_such_function(artifact, spec.function);
  PETRI_TRY(check_arguments(spec, view.signature, types));
  return RunTarget{.export_number = *number, .signature = view.signature};
}

void write_arguments(std::span<const Value> arguments, const RunTarget& target, std::span<std::uint64_t> slots) {
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const Value& given = arguments[index];
    const ValueType wanted = target.signature.params[index];
    slots[index] = given.type() == wanted ? given.bits() : given.converted(wanted)->bits();
  }
}

}  // namespace petri
