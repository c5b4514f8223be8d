#include "developer/verb_tables.h"

#include <fmt/format.h>

#include "cli/shell/verb.h"
#include "developer/reference_pages.h"

namespace petri::developer {
namespace {

std::string options_of(const cli::Verb& verb) {
  Rows rows;
  for (const cli::VerbOption& option : verb.options) {
    rows.push_back({fmt::format("`{}{}{}`", option.name, option.value.empty() ? "" : " ", option.value),
                    option.repeats ? "any number" : "", std::string(option.about)});
  }
  return rows.empty() ? "" : "\n" + markdown_table({"option", "", "meaning"}, rows);
}

std::string section_of(const cli::Verb& verb) {
  return fmt::format("\n## `{}`\n\n```\n{}\n```\n\n{}. Example: `{}`\n{}", verb.name, cli::usage_of(verb), verb.about,
                     verb.example, options_of(verb));
}

}  // namespace

std::string verb_tables() {
  Rows rows;
  for (const cli::Verb& verb : cli::shell_verbs())
    rows.push_back({fmt::format("[`{0}`](#{0})", verb.name), std::string(verb.about)});
  std::string text = markdown_table({"verb", "what it does"}, rows);
  for (const cli::Verb& verb : cli::shell_verbs()) text += section_of(verb);
  return text;
}

}  // namespace petri::developer
