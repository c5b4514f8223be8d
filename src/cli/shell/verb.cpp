#include "cli/shell/verb.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "cli/nearest.h"
#include "cli/shell/text_table.h"
#include "cli/shell/verb_handlers.h"

namespace petri::cli {
namespace {

Json verb_json(const Verb& verb) {
  Json options = Json::array();
  for (const VerbOption& option : verb.options) {
    options.push_back({{"name", option.name}, {"value", option.value}, {"about", option.about}});
  }
  return {{"name", verb.name},
          {"usage", usage_of(verb)},
          {"about", verb.about},
          {"options", std::move(options)},
          {"example", verb.example}};
}

}  // namespace

const Verb* find_verb(std::string_view name) {
  std::string known(name == "exit" ? "quit" : name);
  std::ranges::replace(known, '-', '_');  // start-child is start_child
  const auto found = std::ranges::find(shell_verbs(), known, &Verb::name);
  return found == shell_verbs().end() ? nullptr : &*found;
}

std::string usage_of(const Verb& verb) {
  std::string usage(verb.name);
  for (const VerbArgument& argument : verb.arguments) {
    usage += argument.required ? fmt::format(" {}", argument.name) : fmt::format(" [{}]", argument.name);
    if (argument.repeats) usage += "...";
  }
  return usage + (verb.options.empty() ? "" : " [OPTION]...");
}

std::string help_of(const Verb& verb) {
  std::string text = fmt::format("{}\n{}\n", usage_of(verb), verb.about);
  std::vector<std::pair<std::string, std::string>> fields;
  for (const VerbOption& option : verb.options) {
    fields.emplace_back(fmt::format("{}{}{}", option.name, option.value.empty() ? "" : " ", option.value),
                        std::string(option.about) + (option.repeats ? "; may be repeated" : ""));
  }
  return text + text_fields(fields) + fmt::format("Example: {}\n", verb.example);
}

std::string help_of_verbs() {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const Verb& verb : shell_verbs()) fields.emplace_back(verb.name, verb.about);
  return text_fields(fields) +
         "help VERB explains one. Words are quoted as in other shells; ; separates commands, and # starts a comment.\n";
}

Result<Answer> show_help(ShellSession&, const BoundArguments& arguments) {
  Answer answer;
  if (!arguments.has(0)) {
    answer.text = help_of_verbs();
    Json verbs = Json::array();
    for (const Verb& verb : shell_verbs()) verbs.push_back(verb_json(verb));
    answer.json["verbs"] = std::move(verbs);
    return answer;
  }
  PETRI_TRY(const Verb* verb, verb_named(arguments.at(0)));
  answer.text = help_of(*verb);
  answer.json["verbs"] = Json::array({verb_json(*verb)});
  return answer;
}

Result<const Verb*> verb_named(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return verb;
  std::vector<std::string_view> names;
  for (const Verb& verb : shell_verbs()) names.push_back(verb.name);
  const std::string nearest = did_you_mean(name, names);
  return fail(ErrorCode::validation_failed, fmt::format("there is no verb \"{}\"{}", escape_text(name, 80),
                                                        nearest.empty() ? "; help lists them" : nearest));
}

Result<Answer> quit(ShellSession&, const BoundArguments&) { return Answer{.quits = true}; }

}  // namespace petri::cli
