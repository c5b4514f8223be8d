// The verbs of the shell as a table: help, completion, the reference page and the reading of arguments all follow from
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/answer.h"
#include "petri/result.h"

namespace petri::cli {

class ShellSession;
class BoundArguments;

// The kind of word that stands in a place, as far as completion can know: `word` is anything.
enum class ShellArgument {
  word,
  verb,
  sandbox,
  process,
  module_address,
  module,
  version,
  state_way,
  function,
  background_call,
  file,
  limit,
  permission_change,
  permission_list,
  profile,
  tier,
  status,
  event_kind,
  audit_kind,
  audit_level,
  restart_type,
  events_action,
  events_subject,
  quarantine_action,
};

struct VerbArgument {
  std::string_view name;  // as usage shows it: "ID"
  ShellArgument kind = ShellArgument::word;
  bool required = true;
  bool repeats = false;  // only the last one may
};

struct VerbOption {
  std::string_view name;   // "--limit"
  std::string_view value;  // as usage shows it: "NAME=VALUE"; empty: a flag
  ShellArgument kind = ShellArgument::word;
  std::string_view about;
  bool repeats = false;
};

struct Verb {
  std::string_view name;
  std::string_view about;  // one line
  std::string_view example;
  std::vector<VerbArgument> arguments;
  std::vector<VerbOption> options;
  Result<Answer> (*act)(ShellSession& session, const BoundArguments& arguments);
};

// In the order in which help lists them.
const std::vector<Verb>& shell_verbs();
// The verb of this name, or nullptr.
const Verb* find_verb(std::string_view name);
// Finds a verb by its name; validation_failed with the nearest one when there is none.
Result<const Verb*> verb_named(const std::string& name);

// "call ID[/PROCESS] [FUNCTION] [NUMBER]... [--input TEXT]"
std::string usage_of(const Verb& verb);
// Usage, what it does, its options and an example.
std::string help_of(const Verb& verb);
// All verbs, a line each.
std::string help_of_verbs();

}  // namespace petri::cli
