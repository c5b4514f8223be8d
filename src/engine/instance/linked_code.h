// Modules that import one another's functions, as one guest: several instances on one budget.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/caller.h"
#include "engine/instance/instance.h"
#include "engine/loadable_artifact.h"

namespace petri {

// The function that an import of a member is bound to.
struct LinkedTarget {
  static constexpr std::uint32_t kHost = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t member = kHost;  // or the one that exports it
  std::uint32_t export_number = 0;
  std::uint32_t params = 0, results = 0;
  bool once = false;  // a WASI command: it runs once in an instance
};

// One module of a group.
struct LinkedMember {
  std::string name;
  ArtifactPtr artifact;
  CodePtr code;
  std::vector<LinkedTarget> targets;  // of each import, in order

  const ModuleFacts& facts() const { return loadable(*artifact).facts(); }
};

// A module comes after those it imports from; the last is the one that is called from outside.
using LinkedMembers = std::vector<LinkedMember>;

// Between calls it is like an instance of its last member; that one's memory and globals are what is seen of it.
class LinkedInstance final : public Instance {
 public:
  static Result<Instantiated> create(std::shared_ptr<const LinkedMembers> members, const MakingTime* time,
                                     const HostHooks& hooks, std::uint64_t memory_bytes_max);

  LinkedInstance* linked() override { return this; }

  const LinkedMembers& members() const { return *members_; }
  Instance& member(std::size_t index) { return *instances_[index].instance; }
  // The member of this name, nullptr if there is none; `place` is looked at first.
  Instance* find(std::string_view name, std::size_t place = 0);

  Result<End> call(std::uint32_t export_index, const Budget& budget, void* context,
                   std::span<std::uint64_t> slots) override {
    return call_member(instances_.size() - 1, export_index, budget, context, slots);
  }
  Result<End> call_member(std::size_t index, std::uint32_t export_index, const Budget& budget, void* context,
                          std::span<std::uint64_t> slots);
  // For the member that is running and calls its import of this number. `rejected`: a command has run already; another
  // Error is the engines', not the guest's.
  Result<After> call_import(std::uint32_t import, Caller& caller, const std::uint64_t* arguments,
                            std::uint64_t* results);

  // Replaces this member by a new instance, of which nothing has run. Its old one must not be on the stack.
  Result<void> renew(std::size_t index, const MakingTime* time);
  std::uint64_t memory_bytes_of(std::size_t index) const { return instances_[index].memory_bytes; }
  // Counts the memory of all members again, or of one, after it was changed from outside.
  void measure();
  void measure(std::size_t index);

  std::span<std::uint8_t> memory() override { return last().memory(); }
  void set_memory_bytes_max(std::uint64_t memory_bytes_max) override;
  Result<std::uint64_t> global(std::uint32_t index) override { return last().global(index); }
  Result<void> set_global(std::uint32_t index, std::uint64_t slot) override { return last().set_global(index, slot); }
  // The shape of the last member alone; InstanceImage asks the others one by one.
  Result<InstanceShape> shape() override { return last().shape(); }
  Result<void> reshape(const InstanceShape& shape) override { return last().reshape(shape); }
  // All members, each from the one of its name.
  Result<void> adopt(Instance& from) override;
  Result<void> look_while_filled() override { return last().look_while_filled(); }
  std::vector<TracePoint> backtrace() override;

 private:
  struct Member {
    std::unique_ptr<Instance> instance;
    std::uint64_t memory_bytes = 0;  // as petri counts them
  };

  LinkedInstance(std::shared_ptr<const LinkedMembers> members, const HostHooks& hooks, std::uint64_t memory_bytes_max)
      : members_(std::move(members)), hooks_(hooks), memory_bytes_max_(memory_bytes_max) {}
  Result<Instantiated> instantiate(std::size_t index, const MakingTime* time) const;
  Result<void> enter_command(std::size_t index);
  Instance& last() { return *instances_.back().instance; }
  std::uint64_t memory_bytes() const;

  std::shared_ptr<const LinkedMembers> members_;
  HostHooks hooks_;
  std::uint64_t memory_bytes_max_;
  std::vector<Member> instances_;
  std::size_t running_ = 0;           // which of them
  std::vector<std::size_t> trapped_;  // those whose frames were on the stack, innermost first
};

// All members are of one tier.
class LinkedCode final : public Code {
 public:
  explicit LinkedCode(LinkedMembers members);

  Result<Instantiated> instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                          std::uint64_t memory_bytes_max) const override;
  std::uint64_t others_bytes_min() const override { return others_bytes_min_; }
  std::uint64_t others_value_bytes(std::uint64_t call_depth) const override;
  std::uint64_t others_instance_bytes() const override;

 private:
  std::shared_ptr<const LinkedMembers> members_;
  std::uint64_t others_bytes_min_ = 0;
};

// The memory of an instance and of all it is linked with, without tables.
std::uint64_t memory_size_of(Instance& instance);

}  // namespace petri
