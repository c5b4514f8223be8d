// A command of petri as data, read from its grammar: what manual pages and completion scripts are made from.
#pragma once

#include <string>
#include <vector>

#include "cli/manual/value_words.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ArgumentDescription {
  std::string name;  // "FILE"
  std::string about;
  ValueWords value;
  bool required = false;
  bool repeats = false;
};

struct OptionDescription {
  std::vector<std::string> names;  // "--memory", "--memory_bytes_max"
  std::string placeholder;         // "SIZE"; empty: a flag
  std::string about;
  std::string group;  // "Options", "Limits"
  ValueWords value;
  bool required = false;
  bool repeats = false;
};

struct CommandDescription {
  std::string words;  // "petri audit verify"
  std::string about;  // one line
  std::vector<ArgumentDescription> arguments;
  std::vector<OptionDescription> options;
  std::vector<std::string> commands;  // the names of its subcommands
  std::vector<std::string> notes;     // paragraphs
  std::vector<std::string> examples;  // command lines

  // Without the program's name: "audit verify"; empty for petri itself.
  std::string path() const;
  bool takes_program_arguments() const { return path() == "run"; }
};

CommandDescription describe(const CLI::App& command);

// "petri run [OPTIONS] FILE [-- ARGUMENT...]"
std::string usage_of(const CommandDescription& command);

// The first clause of a description, for lists where a line has little room.
std::string first_clause(const std::string& about);

}  // namespace petri::cli
