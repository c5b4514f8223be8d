#include "cli/manual/command_description.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/assert.h"
#include "cli/parsing.h"

namespace petri::cli {
namespace {

constexpr std::string_view kExample = "Example: ";

ValueWords words_of_value(std::string_view placeholder) {
  if (placeholder.empty()) return {};
  const ValueWords* words = find_value_words(placeholder);
  PETRI_ASSERT(words != nullptr);  // add the placeholder to value_words.cpp
  return *words;
}

bool takes_many(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

ArgumentDescription describe_argument(const CLI::Option& option) {
  const std::string name = option.get_name(true);
  return {.name = name,
          .about = option.get_description(),
          .value = words_of_value(name),
          .required = option.get_required(),
          .repeats = takes_many(option)};
}

std::vector<std::string> option_words(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

OptionDescription describe_option(const CLI::Option& option) {
  const std::string placeholder = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  return {.names = option_words(option),
          .placeholder = placeholder,
          .about = option.get_description(),
          .group = option.get_group(),
          .value = words_of_value(placeholder),
          .required = option.get_required(),
          .repeats = takes_many(option)};
}

// The candidates of `evaluate` are the words left over; the grammar has no argument for them.
ArgumentDescription candidates() {
  return {.name = "CANDIDATE",
          .about = "A .wat or .wasm file, or a folder of them",
          .value = words_of_value("CANDIDATE"),
          .required = true,
          .repeats = true};
}

std::vector<std::string> split_text(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The text below the options: paragraphs, then the examples.
void add_footer(CommandDescription& description, const std::string& footer) {
  for (const std::string& paragraph : split_text(footer, "\n\n")) {
    if (!paragraph.starts_with(kExample)) {
      description.notes.push_back(on_one_line(paragraph));
      continue;
    }
    for (const std::string& line : split_text(paragraph, "\n"))
      description.examples.push_back(line.substr(kExample.size()));
  }
}

}  // namespace

std::string CommandDescription::path() const {
  const std::size_t space = words.find(' ');
  return space == std::string::npos ? "" : words.substr(space + 1);
}

CommandDescription describe(const CLI::App& command) {
  CommandDescription description{.words = words_for(command), .about = command.get_description()};
  if (command.get_allow_extras()) description.arguments.push_back(candidates());
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      description.arguments.push_back(describe_argument(*option));
    } else {
      description.options.push_back(describe_option(*option));
    }
  }
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    description.commands.push_back(one->get_name());
  add_footer(description, command.get_footer());
  return description;
}

std::string usage_of(const CommandDescription& command) {
  std::string text = command.words + " [OPTIONS]";
  if (!command.commands.empty()) text += " COMMAND ...";
  for (const ArgumentDescription& argument : command.arguments) {
    const std::string name = argument.name + (argument.repeats ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return command.takes_program_arguments() ? text + " [-- ARGUMENT...]" : text;
}

std::string first_clause(const std::string& about) { return about.substr(0, about.find(';')); }

}  // namespace petri::cli
