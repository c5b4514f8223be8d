#include <fmt/format.h>

#include "base/text/escape.h"
#include "compiler/language.h"

namespace petri {

const Language* language_named(std::string_view name) {
  for (const Language* const language : languages()) {
    if (language->facts().name == name) return language;
  }
  return nullptr;
}

Result<const Language*> find_language(std::string_view name) {
  if (const Language* const language = language_named(name)) return language;
  std::string known;
  for (const SourceLanguage& language : source_languages()) known += (known.empty() ? "" : ", ") + language.name;
  return fail(Error{.code = ErrorCode::validation_failed,
                    .message = fmt::format("there is no language {}; the languages are {}", in_quotes(name), known),
                    .details = {{"language", std::string(name)}}});
}

const std::vector<SourceLanguage>& source_languages() {
  static const std::vector<SourceLanguage> kAll = [] {
    std::vector<SourceLanguage> all;
    for (const Language* const language : languages()) all.push_back(language->facts());
    return all;
  }();
  return kAll;
}

const SourceLanguage* language_of_file(std::string_view path) {
  for (const SourceLanguage& language : source_languages()) {
    for (const std::string& ending : language.endings) {
      if (path.ends_with(ending)) return &language;
    }
  }
  return nullptr;
}

}  // namespace petri
