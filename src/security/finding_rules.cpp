#include "security/finding_rules.h"

#include <array>

#include "base/assert.h"

namespace petri {
namespace {

// In the order of FindingKind. The sizes are those of engine/src/scan.rs; engine/tests/scan.rs meets each of them.
constexpr std::array kFindingRules{
    FindingRule{FindingKind::memory_minimum, "memory_minimum", "info; low from 16 MiB, medium from 32 MiB",
                "The memory it starts with. `number`: bytes."},
    FindingRule{FindingKind::memory_unbounded, "memory_unbounded", "info",
                "Its memory has no maximum of its own: only limits hold it. `number`: bytes at the start."},
    FindingRule{FindingKind::table_minimum, "table_minimum", "info; low from 4,096 slots, medium from 32,768",
                "The slots a table starts with. `number`: slots."},
    FindingRule{FindingKind::start_function, "start_function", "low",
                "A start function: it runs when the module is instantiated, before anybody calls it."},
    FindingRule{FindingKind::endless_loop, "endless_loop",
                "high; medium when something in it can trap, low when something in it calls",
                "A loop no way leads out of, once entered: no branch, no `return`, no `unreachable`, no end."},
    FindingRule{FindingKind::indirect_calls, "indirect_calls", "info",
                "A function that calls through a table. `number`: how many such calls it has; `offset`: of the first."},
    FindingRule{FindingKind::large_function, "large_function", "low",
                "A function of 16 KiB of code or more. `number`: bytes."},
    FindingRule{FindingKind::custom_section, "custom_section", "info; low from 64 KiB",
                "A section no engine reads. `name`, `producers` and `target_features` are told only when they are that "
                "large. `number`: bytes."},
    FindingRule{FindingKind::debug_information, "debug_information", "info; low from 64 KiB",
                "A section for debuggers. `number`: bytes."},
    FindingRule{FindingKind::large_data, "large_data", "low",
                "A data segment of 64 KiB or more, whatever it holds. `number`: bytes."},
    FindingRule{FindingKind::hook_export, "hook_export", "info", "An export that petri calls, or reads, by its name."},
    FindingRule{FindingKind::imports_messages, "imports_messages", "info", "It can send messages and call processes."},
    FindingRule{FindingKind::imports_timers, "imports_timers", "info", "It can ask for timers."},
    FindingRule{FindingKind::imports_spawn, "imports_spawn", "low", "It can start and stop children."},
    FindingRule{FindingKind::imports_log, "imports_log", "info", "It can write log lines."},
    FindingRule{FindingKind::imports_clock, "imports_clock", "info", "It can read the time."},
    FindingRule{FindingKind::imports_random, "imports_random", "info", "It can draw random numbers."},
    FindingRule{FindingKind::imports_file_read, "imports_file_read", "low",
                "It can read files inside the granted folder."},
    FindingRule{FindingKind::imports_file_write, "imports_file_write", "medium",
                "It can make, change and remove files inside the granted folder."},
    FindingRule{FindingKind::imports_embedder, "imports_embedder", "low, or that of its permission if it is more",
                "It can call a function of the embedding program's."},
    FindingRule{FindingKind::imports_unknown, "imports_unknown", "medium",
                "It imports what nobody offers as it asks for it: no such function, another type, or no function. It "
                "cannot be linked."},
};
static_assert(kFindingRules.size() == static_cast<std::size_t>(FindingKind::imports_unknown) + 1);
static_assert([] {
  for (std::size_t i = 0; i < kFindingRules.size(); ++i) {
    if (static_cast<std::size_t>(kFindingRules[i].kind) != i) return false;
  }
  return true;
}());

}  // namespace

std::span<const FindingRule> finding_rules() { return kFindingRules; }

const FindingRule& rule_of(FindingKind kind) { return kFindingRules.at(static_cast<std::size_t>(kind)); }

FindingKind family_of(Permission permission) {
  return static_cast<FindingKind>(static_cast<int>(FindingKind::imports_messages) + static_cast<int>(permission));
}

Severity severity_of(Permission permission) {
  switch (permission) {
    case Permission::messages:
    case Permission::timers:
    case Permission::log:
    case Permission::clock:
    case Permission::random: return Severity::info;
    case Permission::spawn:
    case Permission::file_read: return Severity::low;
    case Permission::file_write: return Severity::medium;
  }
  PETRI_UNREACHABLE();
}

}  // namespace petri
