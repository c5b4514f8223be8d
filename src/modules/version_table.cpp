#include "modules/version_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<2> kDependencyKinds{"import", "declared"};
constexpr NameTable<5> kOrigins{"create", "load", "stage", "reload", "copy"};
constexpr NameTable<8> kCauses{"create", "load", "reload", "activate", "rollback", "trial", "recovery", "restore"};

}  // namespace

std::string_view name_of(DependencyKind kind) { return name_in(kDependencyKinds, kind); }

std::string_view name_of(VersionOrigin origin) { return name_in(kOrigins, origin); }
std::string_view name_of(SwitchCause cause) { return name_in(kCauses, cause); }

VersionTable::VersionTable(Version first, SwitchCause cause, std::string actor) {
  const Version& added = add(std::move(first));
  activate(added.number, added.time, cause, std::move(actor));
}

const Version* VersionTable::find(std::uint64_t number) const {
  const auto found = std::ranges::find(versions_, number, &Version::number);
  return found == versions_.end() ? nullptr : &*found;
}

const Version* VersionTable::find(const ArtifactId& artifact) const {
  const auto found =
      std::ranges::find(versions_, artifact, [](const Version& version) { return version.artifact->id(); });
  return found == versions_.end() ? nullptr : &*found;
}

Result<const Version*> VersionTable::require(std::string_view module, std::uint64_t number) const {
  if (const Version* version = find(number)) return version;
  std::string kept;
  for (const Version& version : versions_) kept += fmt::format("{}{}", kept.empty() ? "" : ", ", version.number);
  return fail(ErrorCode::version_not_found,
              fmt::format("the module {} has no version {}: it keeps {}", module, number, kept));
}

std::uint64_t VersionTable::number_before() const {
  for (const VersionSwitch& change : std::ranges::reverse_view(switches_)) {
    if (change.to == active_ && change.from != active_ && find(change.from) != nullptr) return change.from;
  }
  return 0;
}

const Version& VersionTable::add(Version version) {
  version.number = ++total_;
  return versions_.emplace_back(std::move(version));
}

void VersionTable::activate(std::uint64_t number, WallTime time, SwitchCause cause, std::string actor) {
  switches_.push_back({.from = active_, .to = number, .time = time, .cause = cause, .actor = std::move(actor)});
  if (switches_.size() > kSwitchesKept) switches_.erase(switches_.begin());
  active_ = number;
}

// One that the other comes from stays the first of the two: the way from one to the other has no ring.
void VersionTable::note_crossing(std::uint64_t from, std::uint64_t to, const StateHints& renames) {
  const auto found = std::ranges::find(versions_, to, &Version::number);
  if (found == versions_.end() || found->before != 0) return;
  if (std::ranges::any_of(way_up(from), [&](const Version* version) { return version->number == to; })) return;
  found->before = from;
  found->renames = renames;
}

void VersionTable::prune(std::uint64_t versions_max) {
  for (auto next = versions_.begin(); versions_.size() > versions_max && next != versions_.end();) {
    next = next->number == active_ ? next + 1 : versions_.erase(next);
  }
}

// ---- renames --------------------------------------------------------------------------------------------------

StateHints turned_round(const StateHints& renames) {
  StateHints back;
  for (const StateRename& rename : renames) back.push_back({.from = rename.to, .to = rename.from});
  return back;
}

// When a name is renamed several times, the first rename counts, as long as there is something to rename.
void JoinedRenames::add(const StateHints& next) {
  const std::size_t before = all_.size();
  std::unordered_map<std::string_view, const StateRename*> again;
  std::vector<std::size_t> changed;
  for (const StateRename& rename : next) {
    const auto [first, last] = by_to_.equal_range(rename.from);
    if (first == last) all_.push_back(rename);
    if (first == last || !again.try_emplace(rename.from, &rename).second) continue;
    for (auto known = first; known != last; ++known) changed.push_back(known->second);
  }
  for (const auto& [name, rename] : again) by_to_.erase(rename->from);  // all of them, before others take the names
  for (const std::size_t index : changed) all_[index].to = again.at(all_[index].to)->to;
  for (std::size_t index = before; index < all_.size(); ++index) changed.push_back(index);
  for (const std::size_t index : changed) {
    if (all_[index].from != all_[index].to) by_to_.emplace(all_[index].to, index);
  }
}

StateHints JoinedRenames::take() && {
  std::erase_if(all_, [](const StateRename& rename) { return rename.from == rename.to; });
  return std::move(all_);
}

// A version, the one its state came from, and so on.
std::vector<const Version*> VersionTable::way_up(std::uint64_t number) const {
  std::vector<const Version*> way;
  for (const Version* version = find(number); version != nullptr; version = find(version->before)) {
    way.push_back(version);
  }
  return way;
}

// Up to the version both come from, and down from there.
StateHints VersionTable::renames_between(std::uint64_t from, std::uint64_t to) const {
  const auto up = way_up(from);
  const auto down = way_up(to);
  const auto meeting = std::ranges::find_first_of(up, down);
  if (meeting == up.end()) return {};
  JoinedRenames all;
  for (auto step = up.begin(); step != meeting; ++step) all.add(turned_round((*step)->renames));
  auto step = std::ranges::find(down, *meeting);
  while (step != down.begin()) all.add((*--step)->renames);
  return std::move(all).take();
}

}  // namespace petri
