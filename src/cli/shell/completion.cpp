#include "cli/shell/completion.h"

#include <algorithm>
#include <filesystem>

#include "cli/shell/session.h"
#include "cli/shell/verb.h"
#include "cli/shell/verb_values.h"
#include "cli/shell/words.h"
#include "petri/audit.h"
#include "petri/events.h"
#include "petri/policy.h"
#include "petri/tree.h"

namespace petri::cli {
namespace {

using Names = std::vector<std::string>;

template <typename Enums>
Names names_of(const Enums& all) {
  Names names;
  for (const auto value : all) names.emplace_back(name_of(value));
  return names;
}

Names verb_names() {
  Names names;
  for (const Verb& verb : shell_verbs()) names.emplace_back(verb.name);
  return names;
}

Names sandbox_names(const KnownNames& known) {
  Names names;
  for (const auto& [id, inside] : known.sandboxes) names.push_back(id);
  return names;
}

// "orders", and "orders/store" for each of these once a slash was typed.
Names addresses(const KnownNames& known, std::string_view prefix, Names KnownNames::OfSandbox::* inside) {
  if (prefix.find('/') == std::string_view::npos) return sandbox_names(known);
  Names names;
  for (const auto& [id, sandbox] : known.sandboxes) {
    for (const std::string& name : sandbox.*inside) names.push_back(id + "/" + name);
  }
  return names;
}

Names permission_changes() {
  Names names{"none"};
  for (const Permission permission : all_permissions()) {
    names.push_back("+" + std::string(name_of(permission)));
    names.push_back("-" + std::string(name_of(permission)));
  }
  return names;
}

Names limit_changes() {
  Names names;
  for (const LimitRule& rule : sandbox_limit_rules()) names.push_back(std::string(rule.name) + "=");
  return names;
}

// The sandbox that was named first in the line, if it is known.
const KnownNames::OfSandbox* named_sandbox(const KnownNames& known, const std::vector<ShellWord>& words) {
  if (words.size() < 2) return nullptr;
  const auto found = known.sandboxes.find(Address::parse(words[1].text).sandbox);
  return found == known.sandboxes.end() ? nullptr : &found->second;
}

// The versions of the module in the address before, "orders/tax", or of all modules where none is named.
Names version_numbers(const KnownNames::OfSandbox* sandbox, const std::vector<ShellWord>& before) {
  Names numbers;
  if (sandbox == nullptr) return numbers;
  const std::string named = Address::parse(before[1].text).inside;
  for (const auto& [module, versions] : sandbox->versions) {
    if (named.empty() || named == module) numbers.insert(numbers.end(), versions.begin(), versions.end());
  }
  return numbers;
}

struct Place {
  ShellArgument kind = ShellArgument::word;
  const std::vector<ShellWord>& before;
  std::string_view prefix;
};

Names candidates_for(const Place& place, const KnownNames& known) {
  const KnownNames::OfSandbox* sandbox = named_sandbox(known, place.before);
  switch (place.kind) {
    case ShellArgument::word:
    case ShellArgument::file: return {};
    case ShellArgument::verb: return verb_names();
    case ShellArgument::sandbox: return sandbox_names(known);
    case ShellArgument::process: return addresses(known, place.prefix, &KnownNames::OfSandbox::processes);
    case ShellArgument::module_address: return addresses(known, place.prefix, &KnownNames::OfSandbox::modules);
    case ShellArgument::module: return sandbox == nullptr ? Names{} : sandbox->modules;
    case ShellArgument::version: return version_numbers(sandbox, place.before);
    case ShellArgument::state_way: {
      using enum StateWay;
      return names_of(std::vector{best, described, hooks, memory, none});
    }
    case ShellArgument::function: return sandbox == nullptr ? Names{} : sandbox->functions;
    case ShellArgument::background_call: return known.background_calls;
    case ShellArgument::limit: return limit_changes();
    case ShellArgument::permission_change: return permission_changes();
    case ShellArgument::permission_list: return names_of(all_permissions());
    case ShellArgument::profile: return names_of(std::vector{Profile::strict, Profile::standard, Profile::trusted});
    case ShellArgument::tier: return names_of(std::vector{Tier::interpreted, Tier::compiled, Tier::automatic});
    case ShellArgument::status: return {all_status_names().begin(), all_status_names().end()};
    case ShellArgument::event_kind: return names_of(all_event_kinds());
    case ShellArgument::audit_kind: return names_of(all_audit_kinds());
    case ShellArgument::restart_type: return names_of(all_restart_types());
    case ShellArgument::audit_level:
      return names_of(std::vector{AuditLevel::none, AuditLevel::basic, AuditLevel::full});
    case ShellArgument::events_action: return {"on", "off", "wait"};
    case ShellArgument::quarantine_action: return {"lift"};
    case ShellArgument::events_subject:
      return place.before.back().text == "wait" ? names_of(all_event_kinds()) : sandbox_names(known);
  }
  return {};
}

const VerbOption* option_named(const Verb& verb, std::string_view name) {
  const auto found = std::ranges::find(verb.options, name, &VerbOption::name);
  return found == verb.options.end() ? nullptr : &*found;
}

// The kind of the next word after these; option names are offered as well where they could come.
ShellArgument kind_of_next(const Verb& verb, const std::vector<ShellWord>& before) {
  std::size_t place = 0;
  for (std::size_t i = 1; i < before.size(); ++i) {
    const VerbOption* option = option_named(verb, before[i].text);
    const bool takes_next = option != nullptr && !option->value.empty();
    if (takes_next && i + 1 == before.size()) return option->kind;
    if (takes_next) ++i;
    if (option == nullptr && !before[i].text.starts_with("--")) ++place;
  }
  if (verb.arguments.empty()) return ShellArgument::word;
  if (place < verb.arguments.size()) return verb.arguments[place].kind;
  return verb.arguments.back().repeats ? verb.arguments.back().kind : ShellArgument::word;
}

void keep_starting_with(Names& names, std::string_view prefix) {
  std::erase_if(names, [prefix](const std::string& name) { return !name.starts_with(prefix); });
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

}  // namespace

Completion complete(std::string_view line, std::size_t cursor, const KnownNames& known) {
  const std::string_view typed = line.substr(0, std::min(cursor, line.size()));
  WordScan scan = scan_words(typed);
  Completion completion{.begin = typed.size()};
  const bool unreadable = scan.wrong && scan.quote == 0;
  const std::size_t comment = scan.words.empty() ? 0 : scan.words.back().end;
  if (unreadable || (!scan.open && typed.find('#', comment) != std::string_view::npos)) return completion;
  if (scan.open) {
    completion.begin = scan.words.back().begin;
    completion.prefix = scan.words.back().text;
    scan.words.pop_back();
  }
  const auto last = std::ranges::find(scan.words.rbegin(), scan.words.rend(), true, &ShellWord::separates);
  scan.words.erase(scan.words.begin(), last.base());
  if (scan.words.empty()) {
    completion.candidates = verb_names();
  } else if (const Verb* verb = find_verb(scan.words.front().text)) {
    const ShellArgument kind = kind_of_next(*verb, scan.words);
    completion.files = kind == ShellArgument::file;
    completion.candidates = candidates_for({kind, scan.words, completion.prefix}, known);
    if (completion.prefix.starts_with('-')) {
      for (const VerbOption& option : verb->options) completion.candidates.emplace_back(option.name);
    }
  }
  keep_starting_with(completion.candidates, completion.prefix);
  return completion;
}

std::vector<std::string> complete_path(const std::string& path, std::size_t names_max) {
  namespace fs = std::filesystem;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string typed = path.substr(folder.size());
  std::error_code failed;
  Names names;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end;
       !failed && entry != end && names.size() < names_max; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const bool hidden = name.starts_with('.') && typed.empty();
    if (hidden || !name.starts_with(typed)) continue;
    std::error_code unknown;
    names.push_back(folder + name + (entry->is_directory(unknown) ? "/" : ""));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace petri::cli
