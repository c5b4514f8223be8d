#include "cli/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/exit_code.h"
#include "cli/manual/roff.h"
#include "cli/shell/verb.h"

namespace petri::cli {
namespace {

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string with_full_stop(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

// "\fB--memory\fR, \fB--memory_bytes_max\fR \fISIZE\fR"
std::string term_of(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + roff_bold(name);
  if (!option.placeholder.empty()) text += " " + roff_italic(option.placeholder);
  return option.repeats ? text + " ..." : text;
}

std::string synopsis_of(const ArgumentDescription& argument) {
  const std::string name = roff_italic(argument.name) + (argument.repeats ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string synopsis_of(const CommandDescription& command) {
  std::string text = fmt::format("{} [{}]", roff_bold(command.words), roff_italic("OPTIONS"));
  if (!command.commands.empty()) text += " " + roff_italic("COMMAND") + " ...";
  for (const ArgumentDescription& argument : command.arguments) text += " " + synopsis_of(argument);
  return command.takes_program_arguments() ? text + fmt::format(" [{} {}...]", roff_bold("--"), roff_italic("ARGUMENT"))
                                           : text;
}

void add_description(RoffPage& page, const CommandDescription& command) {
  page.section("DESCRIPTION");
  page.paragraph(roff_escape(with_full_stop(command.about)));
  for (const std::string& note : command.notes) page.paragraph(roff_escape(note));
}

void add_arguments(RoffPage& page, const CommandDescription& command) {
  if (!command.arguments.empty()) page.section("ARGUMENTS");
  for (const ArgumentDescription& argument : command.arguments)
    page.item(roff_italic(argument.name), roff_escape(with_full_stop(argument.about)));
}

// In the order in which help shows them.
std::vector<std::string> groups_of(const CommandDescription& command) {
  std::vector<std::string> groups;
  for (const OptionDescription& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

// One section for each group: OPTIONS, LIMITS.
void add_options(RoffPage& page, const CommandDescription& command) {
  for (const std::string& group : groups_of(command)) {
    page.section(in_capitals(group));
    for (const OptionDescription& option : command.options) {
      if (option.group != group) continue;
      const std::string required = option.required ? "Required. " : "";
      page.item(term_of(option), roff_escape(required + with_full_stop(option.about)));
    }
  }
}

void add_commands(RoffPage& page, const CommandDescription& parent, const std::vector<CommandDescription>& all) {
  if (parent.commands.empty()) return;
  page.section("COMMANDS");
  for (const CommandDescription& command : all) {
    if (!command.words.starts_with(parent.words + " ")) continue;
    page.item(roff_bold(command.words), roff_escape(with_full_stop(command.about)));
  }
}

std::string options_of(const Verb& verb) {
  std::string text;
  for (const VerbOption& option : verb.options) {
    text += fmt::format("\n.br\n{}{}: {}.", roff_bold(option.name),
                        option.value.empty() ? "" : " " + roff_italic(option.value), roff_escape(option.about));
  }
  return text;
}

// The verbs of `petri shell`.
void add_verbs(RoffPage& page) {
  page.section("VERBS");
  for (const Verb& verb : shell_verbs()) {
    page.item(roff_bold(usage_of(verb)),
              fmt::format("{} Example: {}{}", roff_escape(with_full_stop(std::string(verb.about))),
                          roff_bold(verb.example), options_of(verb)));
  }
}

void add_exit_codes(RoffPage& page) {
  page.section("EXIT STATUS");
  for (const ExitCodeRule& rule : exit_code_rules())
    page.item(roff_bold(fmt::format("{}", static_cast<int>(rule.code))), roff_escape(rule.meaning));
}

void add_files(RoffPage& page) {
  page.section("FILES");
  page.item(roff_escape("$XDG_STATE_HOME/petri/history"),
            roff_escape("The lines typed at petri shell; without $XDG_STATE_HOME in ~/.local/state."));
}

void add_examples(RoffPage& page, const CommandDescription& command) {
  page.section("EXAMPLES");
  page.lines(command.examples);
}

// The page of petri refers to all others, theirs to it and to their own commands.
void add_references(RoffPage& page, const CommandDescription& command, const std::vector<CommandDescription>& all) {
  std::vector<std::string> pages;
  for (const CommandDescription& other : all) {
    const bool below = other.words.starts_with(command.words + " ");
    if (below || command.words.starts_with(other.words + " ")) pages.push_back(page_name(other.words));
  }
  page.section("SEE ALSO");
  page.references(pages);
}

ManPage page_of(const CommandDescription& command, const std::vector<CommandDescription>& all,
                std::string_view version) {
  const bool is_shell = command.path() == "shell";
  RoffPage page(in_capitals(page_name(command.words)), fmt::format("petri {}", version));
  page.section("NAME");
  page.paragraph(fmt::format("{} \\- {}", roff_escape(page_name(command.words)), roff_escape(command.about)));
  page.section("SYNOPSIS");
  page.paragraph(synopsis_of(command));
  add_description(page, command);
  add_commands(page, command, all);
  add_arguments(page, command);
  add_options(page, command);
  if (is_shell) add_verbs(page);
  add_exit_codes(page);
  if (is_shell || command.path().empty()) add_files(page);
  add_examples(page, command);
  add_references(page, command, all);
  return {page_name(command.words), page.text()};
}

}  // namespace

std::string page_name(std::string_view words) {
  std::string name(words);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::vector<ManPage> man_pages(const std::vector<CommandDescription>& commands, std::string_view version) {
  std::vector<ManPage> pages;
  for (const CommandDescription& command : commands) pages.push_back(page_of(command, commands, version));
  return pages;
}

}  // namespace petri::cli
