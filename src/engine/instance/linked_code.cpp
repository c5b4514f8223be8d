#include "engine/instance/linked_code.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"

namespace petri {
namespace {

constexpr std::size_t kSlotsMax = 64;  // the gate's bound of parameters, and of results

std::uint64_t table_bytes(const ModuleFacts& facts) { return facts.table_slots_min * 8; }

}  // namespace

// ---- code -----------------------------------------------------------------------------------------------------

LinkedCode::LinkedCode(LinkedMembers members)
    : Code(members.back().code->tier()), members_(std::make_shared<const LinkedMembers>(std::move(members))) {
  for (const LinkedMember& member : *members_) others_bytes_min_ += member.facts().memory_bytes_min();
  others_bytes_min_ -= members_->back().facts().memory_bytes_min();
}

std::uint64_t LinkedCode::others_value_bytes(std::uint64_t call_depth) const {
  std::uint64_t bytes = 0;
  for (const LinkedMember& member : *members_) bytes += member.facts().value_bytes(call_depth);
  return bytes - members_->back().facts().value_bytes(call_depth);
}

std::uint64_t LinkedCode::others_instance_bytes() const {
  constexpr std::uint64_t kSmallest = 4'400;
  std::uint64_t bytes = 0;
  for (const LinkedMember& member : *members_) bytes += kSmallest + member.facts().instance_bytes;
  return bytes - kSmallest - members_->back().facts().instance_bytes;
}

Result<Instantiated> LinkedCode::instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                                    std::uint64_t memory_bytes_max) const {
  return LinkedInstance::create(members_, time, hooks, memory_bytes_max);
}

// ---- instance -------------------------------------------------------------------------------------------------

Result<Instantiated> LinkedInstance::create(std::shared_ptr<const LinkedMembers> members, const MakingTime* time,
                                            const HostHooks& hooks, std::uint64_t memory_bytes_max) {
  auto linked = std::unique_ptr<LinkedInstance>(new LinkedInstance(std::move(members), hooks, memory_bytes_max));
  for (std::size_t index = 0; index < linked->members_->size(); ++index) {
    PETRI_TRY(Instantiated made, linked->instantiate(index, time));
    if (made.instance == nullptr) return Instantiated{.instance = nullptr, .end = made.end};
    linked->instances_.push_back({std::move(made.instance), linked->members()[index].facts().memory_bytes_min()});
  }
  const End end{.memory_bytes = linked->memory_bytes()};
  return Instantiated{.instance = std::move(linked), .end = end};
}

Result<Instantiated> LinkedInstance::instantiate(std::size_t index, const MakingTime* time) const {
  return members()[index].code->instantiate_within(time, hooks_, memory_bytes_max_);
}

Instance* LinkedInstance::find(std::string_view name, std::size_t place) {
  if (place < instances_.size() && members()[place].name == name) return instances_[place].instance.get();
  const auto found = std::ranges::find(members(), name, &LinkedMember::name);
  return found == members().end() ? nullptr : instances_[found - members().begin()].instance.get();
}

std::uint64_t LinkedInstance::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Member& member : instances_) bytes += member.memory_bytes;
  return bytes;
}

Result<End> LinkedInstance::call_member(std::size_t index, std::uint32_t export_index, const Budget& budget,
                                        void* context, std::span<std::uint64_t> slots) {
  running_ = index;
  trapped_.clear();
  auto end = instances_[index].instance->call(export_index, budget, context, slots);
  if (!end) return end;
  instances_[index].memory_bytes = end->memory_bytes;
  if (end->kind == EndKind::trapped) trapped_.push_back(index);
  end->memory_bytes = memory_bytes();
  return end;
}

// The graph has no rings, so nobody is called who is being called already.
Result<After> LinkedInstance::call_import(std::uint32_t import, Caller& caller, const std::uint64_t* arguments,
                                          std::uint64_t* results) {
  const std::size_t by = running_;
  const LinkedTarget& target = members()[by].targets[import];
  PETRI_ASSERT(target.member < by);
  if (target.once) PETRI_TRY(enter_command(target.member));
  std::array<std::uint64_t, kSlotsMax> slots;
  std::copy_n(arguments, target.params, slots.begin());
  running_ = target.member;
  auto end = caller.call(*instances_[target.member].instance, target.export_number,
                         std::span(slots).first(std::max(target.params, target.results)));
  running_ = by;
  if (!end) return fail(std::move(end.error()));
  instances_[target.member].memory_bytes = end->memory_bytes;
  if (end->kind != EndKind::returned) {
    if (end->kind == EndKind::trapped) trapped_.push_back(target.member);
    return After::stop;
  }
  std::copy_n(slots.begin(), target.results, results);
  return After::resume;
}

// Everything the command has read, closed and allocated stays as it left it.
Result<void> LinkedInstance::enter_command(std::size_t index) {
  Instance& instance = *instances_[index].instance;
  if (instance.command_has_run()) {
    return fail(ErrorCode::rejected, "the _start of a module that is linked with was called twice in one instance");
  }
  instance.set_command_has_run(true);
  return {};
}

Result<void> LinkedInstance::renew(std::size_t index, const MakingTime* time) {
  PETRI_TRY(Instantiated made, instantiate(index, time));
  if (made.end.kind == EndKind::cancelled) return fail(ErrorCode::cancelled, "the guest was ended while it was made");
  if (made.instance == nullptr) {
    return fail(ErrorCode::engine_fault, "a module that was instantiated before cannot be instantiated again");
  }
  instances_[index] = {std::move(made.instance), members()[index].facts().memory_bytes_min()};
  return {};
}

void LinkedInstance::set_memory_bytes_max(std::uint64_t memory_bytes_max) {
  memory_bytes_max_ = memory_bytes_max;
  for (const Member& member : instances_) member.instance->set_memory_bytes_max(memory_bytes_max);
}

Result<void> LinkedInstance::adopt(Instance& from) {
  LinkedInstance* const other = from.linked();
  for (std::size_t index = 0; index < instances_.size(); ++index) {
    Instance* const source = other == nullptr ? nullptr : other->find(members()[index].name, index);
    if (source == nullptr) {
      return fail(ErrorCode::state_incompatible,
                  "the other instance is not linked with a module " + members()[index].name);
    }
    PETRI_TRY(instances_[index].instance->adopt(*source));
    instances_[index].instance->set_command_has_run(source->command_has_run());
  }
  measure();
  return {};
}

void LinkedInstance::measure() {
  for (std::size_t index = 0; index < instances_.size(); ++index) measure(index);
}

void LinkedInstance::measure(std::size_t index) {
  Member& member = instances_[index];
  member.memory_bytes = member.instance->memory().size() + table_bytes(members()[index].facts());
}

// The frames of members that were on the stack; a trap that only passed through a member adds no frames of its own.
std::vector<TracePoint> LinkedInstance::backtrace() {
  std::vector<TracePoint> all;
  for (const std::size_t index : trapped_) {
    for (TracePoint point : instances_[index].instance->backtrace()) {
      if (index + 1 < instances_.size()) point.member = &members()[index];
      all.push_back(point);
    }
  }
  return all;
}

std::uint64_t memory_size_of(Instance& instance) {
  LinkedInstance* const linked = instance.linked();
  if (linked == nullptr) return instance.memory().size();
  std::uint64_t bytes = 0;
  for (std::size_t index = 0; index < linked->members().size(); ++index) bytes += linked->member(index).memory().size();
  return bytes;
}

}  // namespace petri
