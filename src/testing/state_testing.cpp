// For tests of what crosses from version to version.
#include <fmt/format.h>

#include <cstring>
#include <ranges>

#include "petri/testing/testing.h"
#include "state/state_table.h"
#include "state/state_type.h"

namespace petri::testing {
namespace {

std::string shown(const StateValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return fmt::format("\"{}\"", held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string shown(const std::vector<StateValue>& values) {
  std::string text;
  for (const StateValue& value : values) text.append(text.empty() ? "" : ", ").append(shown(value));
  return text;
}

void add(std::string& text, std::string_view what) { text.append(text.empty() ? "" : "; ").append(what); }

// Field by field; both have the same ones.
std::string differences(const StateDocument& found, const StateDocument& wanted) {
  std::string text;
  const auto there = found.entries(), then = wanted.entries();
  for (std::size_t field = 0; field < there.size(); ++field) {
    if (there[field] == then[field]) continue;
    add(text, fmt::format("{} is {} where {} was wanted", there[field].field.name, shown(there[field].values),
                          shown(then[field].values)));
  }
  return text;
}

// Carrying the old values over into the present ones must change nothing there.
std::string changes_between(const StateDocument& before, const StateDocument& now, const StateHints& renames) {
  const auto plan = StatePlan::create(before.shared_schema(), now.shared_schema(), renames);
  if (!plan) return plan.error().message;
  const auto carried = plan->apply(before, now);
  return carried ? differences(now, *carried) : carried.error().message;
}

// ---- the text of a guest --------------------------------------------------------------------------------------

constexpr std::uint32_t kTable = 16;
constexpr std::uint64_t kPageBytes = 65'536;

void put_words(std::string& bytes, std::initializer_list<std::uint64_t> words) {
  for (const std::uint64_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 0xff));
  }
}

// Header, entries, names, values: one block from kTable on, and where the values begin.
std::pair<std::string, std::uint64_t> state_block(const StateDocument& document) {
  const auto& fields = document.schema().fields();
  const std::uint64_t names_at = kTable + kStateHeaderBytes + fields.size() * kStateEntryBytes;
  std::string names;
  for (const StateField& field : fields) names += field.name;
  const std::uint64_t values_at = (names_at + names.size() + 7) / 8 * 8;
  std::string bytes;
  put_words(bytes, {kStateTableMagic, kStateTableVersion, fields.size(), kStateEntryBytes});
  std::uint64_t name_at = names_at;
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const StateField& field = fields[index];
    const auto& rule = rule_of(field.type);
    put_words(bytes, {name_at, field.name.size(), rule.code, values_at + document.schema().offset(index), field.count,
                      rule.bytes});
    name_at += field.name.size();
  }
  bytes += names;
  bytes.resize(values_at - kTable);
  bytes.append(document.bytes().begin(), document.bytes().end());
  return {std::move(bytes), values_at};
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string not_version(const Sandbox& sandbox, std::string_view module, std::uint64_t wanted) {
  const auto history = sandbox.history(module);
  if (!history) return fmt::format("{} where version {} was wanted", history.error().message, wanted);
  if (history->active == wanted) return {};
  return fmt::format("{} of {} is version {} where {} was wanted", module, sandbox.id(), history->active, wanted);
}

std::string not_state(Sandbox& sandbox, const StateWanted& wanted) {
  const auto state = sandbox.state(wanted.process);
  const auto found = state ? state->get(wanted.field, wanted.index) : fail(state.error());
  if (!found) return fmt::format("{} where {} was wanted", found.error().message, shown(wanted.value));
  if (*found == wanted.value) return {};
  return fmt::format("{} is {} where {} was wanted", wanted.field, shown(*found), shown(wanted.value));
}

Result<Source> state_guest(std::span<const StateEntry> fields, std::string_view more) {
  PETRI_TRY(const StateDocument document, StateDocument::create(fields));
  const auto [bytes, values_at] = state_block(document);
  const std::uint64_t pages = (kTable + bytes.size() + kPageBytes - 1) / kPageBytes;
  return Source::wat(fmt::format(R"((module {}
  (memory $memory (export "memory") {})
  (global (export "petri_state") i32 (i32.const {}))
  (global $state i32 (i32.const {}))
  (data (i32.const {}) "{}")))",
                                 more, pages, kTable, values_at, kTable, escaped(bytes)));
}

StateCheck::StateCheck(Sandbox sandbox) : sandbox_(std::move(sandbox)) {
  for (const ChildInfo& child : sandbox_.children()) {
    if (!child.module.empty()) before_.emplace(child.address, sandbox_.state(child.address));
  }
}

std::string StateCheck::changes(const StateHints& renames) const {
  std::string text;
  for (const auto& [process, before] : before_) {
    const auto now = sandbox_.state(process);
    std::string changed;
    if (!before) changed = "it could not be read: " + before.error().message;
    if (before && !now) changed = now.error().message;
    if (before && now) changed = changes_between(*before, *now, renames);
    if (!changed.empty()) add(text, fmt::format("{}: {}", process, changed));
  }
  return text;
}

std::string lost_on_the_way(const StatePlan& plan, const StateDocument& document, const StateDocument& initial) {
  const auto there = plan.apply(document, initial);
  if (!there) return there.error().message;
  const auto back = plan.reversed({.drop = true}).apply(*there, StateDocument(document.shared_schema()));
  return back ? differences(*back, document) : back.error().message;
}

}  // namespace petri::testing
