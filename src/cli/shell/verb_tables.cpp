#include "cli/shell/verb_tables.h"

#include <fmt/format.h>

#include "cli/reference_pages.h"
#include "cli/shell/verb.h"

namespace petri::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string options_of(const Verb& verb) {
  Rows rows;
  for (const VerbOption& option : verb.options) {
    rows.push_back({fmt::format("`{}{}{}`", option.name, option.value.empty() ? "" : " ", option.value),
                    option.repeats ? "any number" : "", std::string(option.about)});
  }
  return rows.empty() ? "" : "\n" + markdown_table({"option", "", "meaning"}, rows);
}

std::string section_of(const Verb& verb) {
  return fmt::format("\n## `{}`\n\n```\n{}\n```\n\n{}. Example: `{}`\n{}", verb.name, usage_of(verb), verb.about,
                     verb.example, options_of(verb));
}

}  // namespace

std::string verb_tables() {
  Rows rows;
  for (const Verb& verb : shell_verbs())
    rows.push_back({fmt::format("[`{0}`](#{0})", verb.name), std::string(verb.about)});
  std::string text = markdown_table({"verb", "what it does"}, rows);
  for (const Verb& verb : shell_verbs()) text += section_of(verb);
  return text;
}

}  // namespace petri::cli
