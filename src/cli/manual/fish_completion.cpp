#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/completion_script.h"

namespace petri::cli {
namespace {

constexpr std::string_view kFishBegin = R"(# fish completion for petri, written by "petri completion fish".

function __petri_command
    set -l command
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case {}
                set command (string trim -- "$command $word")
        end
    end
    echo "$command"
end

function __petri_is
    set -l command (__petri_command)
    test "$command" = "$argv"
end

complete -c petri -f
)";

// In single quotes, where a backslash and a quote need one before them.
std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_commands(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> patterns;
  for (const CommandDescription& command : commands) {
    const std::string path = command.path();
    if (!path.empty()) patterns.push_back(fish_quoted(path.find(' ') == std::string::npos ? " " + path : path));
  }
  return fmt::format("{}", fmt::join(patterns, " "));
}

std::string fish_condition(const CommandDescription& command) {
  return fmt::format("complete -c petri -n \"__petri_is {}\"", fish_quoted(command.path()));
}

// The values that may follow an option, or stand as an argument. `-k` keeps the order of the list.
std::string fish_values(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::anything: return "";
    case ValueKind::file: return " -F";
    case ValueKind::folder: return " -f -a '(__fish_complete_directories)'";
    case ValueKind::word: return fmt::format(" -f -k -a '{}'", fmt::join(value.words, " "));
    case ValueKind::word_list:
      return fmt::format(" -f -a '(__fish_complete_list , \"printf %s\\\\n {}\")'", fmt::join(value.words, " "));
  }
  return "";
}

std::string fish_option(const CommandDescription& command, const OptionDescription& option) {
  std::string text = fish_condition(command);
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.placeholder.empty())
    text += " -r" + (option.value.kind == ValueKind::anything ? " -f" : fish_values(option.value));
  return text + " -d " + fish_quoted(first_clause(option.about)) + "\n";
}

std::string fish_arguments(const CommandDescription& command) {
  if (command.arguments.empty() || command.arguments.back().value.kind == ValueKind::anything) return "";
  return fish_condition(command) + fish_values(command.arguments.back().value) + "\n";
}

// The command in the list of what its parent offers.
std::string fish_command(const CommandDescription& command) {
  const std::string path = command.path();
  const std::size_t space = path.rfind(' ');
  const std::string parent = space == std::string::npos ? "" : path.substr(0, space);
  const std::string name = space == std::string::npos ? path : path.substr(space + 1);
  return fmt::format("complete -c petri -n \"__petri_is {}\" -a {} -d {}\n", fish_quoted(parent), name,
                     fish_quoted(first_clause(command.about)));
}

}  // namespace

std::string fish_completion(const std::vector<CommandDescription>& commands) {
  std::string text = fmt::format(kFishBegin, fish_commands(commands));
  for (const CommandDescription& command : commands) {
    text += "\n" + (command.path().empty() ? "" : fish_command(command)) + fish_arguments(command);
    for (const OptionDescription& option : command.options) text += fish_option(command, option);
  }
  return text;
}

}  // namespace petri::cli
