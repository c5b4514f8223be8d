#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cli/manual/completion_script.h"

namespace petri::cli {
namespace {

// The part that does not depend on the commands. Bash splits --tier=compiled into three words.
constexpr std::string_view kBashBegin = R"(# bash completion for petri, written by "petri completion bash".

_petri_words() {
  local word=$1
  shift
  mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
}

_petri_list() {
  local word=$1 begin=
  shift
  [[ $word == *,* ]] && begin=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$begin" -W "$*" -- "${word##*,}")
  compopt -o nospace 2>/dev/null
}

_petri_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_petri_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

_petri() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= ended= one
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = && COMP_CWORD -ge 2 ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $one == -- ]] && ended=yes
    case "$command $one" in
)";

constexpr std::string_view kBashMiddle = R"( command="${command:+$command }$one" ;;
    esac
  done
  if [[ $ended ]]; then
    _petri_files "$word"
    return
  fi
  case "$command $before" in
)";

// "    'a' | 'b') action; return ;;"
std::string bash_branch(const std::vector<std::string>& patterns, std::string_view action) {
  return fmt::format("    '{}') {} ;;\n", fmt::join(patterns, "' | '"), action);
}

std::string bash_action(const ValueWords& value) {
  switch (value.kind) {
    case ValueKind::anything: return ":";
    case ValueKind::file: return "_petri_files \"$word\"";
    case ValueKind::folder: return "_petri_folders \"$word\"";
    case ValueKind::word: return fmt::format("_petri_words \"$word\" {}", fmt::join(value.words, " "));
    case ValueKind::word_list: return fmt::format("_petri_list \"$word\" {}", fmt::join(value.words, " "));
  }
  return ":";
}

// "run", "audit verify" as they are met word by word: " run", "audit verify".
std::string bash_commands(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> patterns;
  for (const CommandDescription& command : commands) {
    const std::string path = command.path();
    if (!path.empty()) patterns.push_back(path.find(' ') == std::string::npos ? " " + path : path);
  }
  return fmt::format("      '{}')", fmt::join(patterns, "' | '"));
}

// After an option its value, of those that take one; options with the same values share a branch.
std::string bash_values(const std::vector<CommandDescription>& commands) {
  std::map<std::string, std::vector<std::string>> patterns_of;
  for (const CommandDescription& command : commands) {
    for (const OptionDescription& option : command.options) {
      if (option.placeholder.empty()) continue;
      for (const std::string& name : option.names)
        patterns_of[bash_action(option.value)].push_back(command.path() + " " + name);
    }
  }
  std::string text;
  for (const auto& [action, patterns] : patterns_of) text += bash_branch(patterns, action + "; return");
  return text;
}

std::string bash_options(const std::vector<CommandDescription>& commands) {
  std::string text;
  for (const CommandDescription& command : commands) {
    std::vector<std::string> names;
    for (const OptionDescription& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    text +=
        bash_branch({command.path() + " -*"}, fmt::format("_petri_words \"$word\" {}; return", fmt::join(names, " ")));
  }
  return text;
}

std::string bash_arguments(const std::vector<CommandDescription>& commands) {
  std::string text;
  for (const CommandDescription& command : commands) {
    if (!command.commands.empty()) {
      text += bash_branch({command.path()}, bash_action({ValueKind::word, command.commands}));
    } else if (!command.arguments.empty()) {
      text += bash_branch({command.path()}, bash_action(command.arguments.back().value));
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<CommandDescription>& commands) {
  std::string options = bash_options(commands);
  // The star is a pattern: it stands outside the quotes.
  for (std::size_t at = options.find("-*'"); at != std::string::npos; at = options.find("-*'"))
    options.replace(at, 3, "-'*");
  return fmt::format(
      "{}{}{}{}  esac\n  case \"$command $word\" in\n{}  esac\n  case $command in\n{}  esac\n}}\ncomplete -F _petri "
      "petri\n",
      kBashBegin, bash_commands(commands), kBashMiddle, bash_values(commands), options, bash_arguments(commands));
}

}  // namespace petri::cli
