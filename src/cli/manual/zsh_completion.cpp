#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/manual/completion_script.h"

namespace petri::cli {
namespace {

// "audit verify" -> "_petri_audit_verify"
std::string zsh_function_name(const CommandDescription& command) {
  std::string name = "_" + command.words;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Inside '...': a quote ends it, stands for itself, and starts it again. `special` are the marks of _arguments.
std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result;
}

std::string zsh_action(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::anything: return " ";
    case ValueKind::file: return "_files";
    case ValueKind::folder: return "_files -/";
    case ValueKind::word: return fmt::format("({})", fmt::join(value.words, " "));
    case ValueKind::word_list: return fmt::format("_sequence compadd - {}", fmt::join(value.words, " "));
  }
  return " ";
}

// '(-h --help)'{-h,--help}'[about]:VALUE:action'; without exclusion where it may be repeated.
std::string zsh_option(const OptionDescription& option) {
  std::vector<std::string> names = option.names;
  if (!option.placeholder.empty())
    for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
  const std::string value = option.placeholder.empty()
                                ? ""
                                : fmt::format(":{}:{}", zsh_escaped(option.placeholder, ":"), zsh_action(option.value));
  const std::string exclusion = option.repeats ? "'*'" : fmt::format("'({})'", fmt::join(option.names, " "));
  const std::string name = names.size() == 1 ? names[0] : fmt::format("{{{}}}", fmt::join(names, ","));
  return fmt::format("{}{}'[{}]{}'", exclusion, name, zsh_escaped(first_clause(option.about), "[]:\\"), value);
}

std::string zsh_argument(const ArgumentDescription& argument) {
  return fmt::format("'{}:{}:{}'",
                     argument.repeats    ? "*"
                     : argument.required ? "1"
                                         : "1:",
                     argument.name, zsh_action(argument.value));
}

std::string zsh_specs(const CommandDescription& command) {
  std::string text;
  for (const OptionDescription& option : command.options) text += fmt::format(" \\\n    {}", zsh_option(option));
  for (const ArgumentDescription& argument : command.arguments)
    text += fmt::format(" \\\n    {}", zsh_argument(argument));
  if (command.takes_program_arguments()) text += " \\\n    '*:argument:_files'";
  return text;
}

const CommandDescription* find_command(const std::vector<CommandDescription>& commands, const std::string& words) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.words == words; });
  return found == commands.end() ? nullptr : &*found;
}

constexpr std::string_view kZshGroup = R"({}() {{
  local context state line curcontext=$curcontext
  typeset -A opt_args
  _arguments -C{} \
    '1: :->command' '*:: :->arguments'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe -t commands '{} command' commands ;;
    arguments)
      case $words[1] in
{}      esac ;;
  esac
}}
)";

// A command that has commands.
std::string zsh_group(const CommandDescription& command, const std::vector<CommandDescription>& all) {
  std::string list;
  std::string branches;
  for (const std::string& name : command.commands) {
    const CommandDescription* one = find_command(all, command.words + " " + name);
    if (one == nullptr) continue;
    list += fmt::format("        '{}:{}'\n", name, zsh_escaped(first_clause(one->about), ":\\"));
    branches += fmt::format("        {}) {} ;;\n", name, zsh_function_name(*one));
  }
  return fmt::format(kZshGroup, zsh_function_name(command), zsh_specs(command), list, command.words, branches);
}

std::string zsh_function(const CommandDescription& command, const std::vector<CommandDescription>& all) {
  if (!command.commands.empty()) return zsh_group(command, all);
  return fmt::format("{}() {{\n  _arguments -S{}\n}}\n", zsh_function_name(command), zsh_specs(command));
}

}  // namespace

std::string zsh_completion(const std::vector<CommandDescription>& commands) {
  std::string text = "#compdef petri\n# zsh completion for petri, written by \"petri completion zsh\".\n";
  for (const CommandDescription& command : commands) text += "\n" + zsh_function(command, commands);
  // In a folder of $fpath the file is the function's body; elsewhere it is sourced.
  return text + "\nif [[ $funcstack[1] == _petri ]]; then\n  _petri \"$@\"\nelse\n  compdef _petri petri\nfi\n";
}

}  // namespace petri::cli
