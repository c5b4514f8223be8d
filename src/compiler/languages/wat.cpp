#include <charconv>

#include "compiler/language.h"

namespace petri {
namespace {

std::uint32_t number_of(std::string_view digits) {
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// "the text does not parse at line 3, column 5: unexpected token": the place has fields of its own.
std::string message_without_place(const Error& error) {
  const std::size_t colon = error.detail("line").empty() ? std::string::npos : error.message.find(": ");
  return colon == std::string::npos ? error.message : error.message.substr(colon + 2);
}

class Wat final : public Language {
 public:
  const SourceLanguage& facts() const override {
    static const SourceLanguage kFacts{.name = "wat", .endings = {".wat"}};
    return kFacts;
  }

  Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const override {
    if (plan.sources.size() != 1) {
      return fail(ErrorCode::validation_failed,
                  "the module \"" + plan.module + "\" has " + std::to_string(plan.sources.size()) +
                      " wat files; wat has no linker, so put each into a module of its own");
    }
    const std::string& file = plan.sources.front();
    ModuleBuild build{.files = {file}, .rebuilt = {file}};
    auto artifact =
        Artifact::from_wat(*context.files.find(file), context.options.artifact_bytes_max, context.options.bounds);
    if (artifact) {
      build.artifact = std::move(*artifact);
    } else {
      const Error& error = artifact.error();
      const bool syntax = error.code == ErrorCode::parse_failed;
      build.diagnostics.push_back({.file = file,
                                   .line = number_of(error.detail("line")),
                                   .column = number_of(error.detail("column")),
                                   .severity = DiagnosticSeverity::error,
                                   .kind = syntax ? DiagnosticKind::syntax : DiagnosticKind::compile,
                                   .message = message_without_place(error)});
      build.error = error;
    }
    return build;
  }
};

}  // namespace

const Language& wat_language() {
  static const Wat kWat;
  return kWat;
}

}  // namespace petri
