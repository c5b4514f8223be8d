#include "cli/commands/function_choice.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/escape.h"

namespace petri::cli {
namespace {

constexpr std::size_t kNamesListedMax = 20;
constexpr std::string_view kCommand = "_start";
constexpr std::string_view kInitialize = "_initialize";

std::string quoted_name(std::string_view name) { return in_quotes(name, kNameShownBytesMax); }

std::vector<const ExportInfo*> callable(const Artifact& artifact) {
  std::vector<const ExportInfo*> functions;
  for (const ExportInfo& candidate : artifact.exports()) {
    if (candidate.kind == ExternKind::function && candidate.name != kInitialize) functions.push_back(&candidate);
  }
  return functions;
}

// "add", "sub" and 3 more
std::string list_of(const std::vector<const ExportInfo*>& functions) {
  std::string text;
  for (std::size_t i = 0; i < functions.size() && i < kNamesListedMax; ++i) {
    text += (i == 0 ? "" : ", ") + quoted_name(functions[i]->name);
  }
  if (functions.size() > kNamesListedMax) text += fmt::format(" and {} more", functions.size() - kNamesListedMax);
  return text;
}

Result<const ExportInfo*> find_function(const Artifact& artifact, const std::string& name) {
  const ExportInfo* found = artifact.find_export(name);
  if (found != nullptr && found->kind == ExternKind::function) return found;
  if (found != nullptr) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the export {} is a {}, not a function; only functions can be called", quoted_name(name),
                            name_of(found->kind)));
  }
  const auto functions = callable(artifact);
  const std::string choices =
      functions.empty() ? "the module exports no function" : fmt::format("the module exports {}", list_of(functions));
  return fail(Error{.code = ErrorCode::not_found,
                    .message = fmt::format("there is no exported function {}; {}", quoted_name(name), choices),
                    .details = {}}
                  .with("function", name));
}

}  // namespace

Result<const ExportInfo*> choose_function(const Artifact& artifact, const std::optional<std::string>& name) {
  if (name) return find_function(artifact, *name);
  const ExportInfo* command = artifact.find_export(kCommand);
  if (command != nullptr && command->kind == ExternKind::function) return command;
  const auto functions = callable(artifact);
  if (functions.size() == 1) return functions.front();
  if (functions.empty()) return fail(ErrorCode::not_found, "the module exports no function that could be called");
  return fail(ErrorCode::validation_failed, fmt::format("the module exports {} functions; choose one with --call: {}",
                                                        functions.size(), list_of(functions)));
}

Result<std::vector<Value>> parse_arguments(const ExportInfo& function, const std::vector<std::string>& texts) {
  const std::vector<ValueType>& types = function.signature.params;
  if (texts.size() != types.size()) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the function {} {} takes {} argument{}, and {} {} given", quoted_name(function.name),
                            to_text(function.signature), types.size(), types.size() == 1 ? "" : "s", texts.size(),
                            texts.size() == 1 ? "was" : "were"));
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto value = parse_value(texts[i], types[i]);
    if (!value) {
      value.error().message =
          fmt::format("argument {} of {}: {}", i + 1, quoted_name(function.name), value.error().message);
      return fail(std::move(value.error()));
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace petri::cli
