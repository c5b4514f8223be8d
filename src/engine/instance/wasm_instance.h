// A live instance in one of the crate's engines.
#pragma once

#include <memory>

#include "engine/instance/instance.h"
#include "engine/wasm_code.h"
#include "petri_engine.h"

namespace petri {

struct DropInstance {
  void operator()(petri_instance* instance) const { petri_instance_drop(instance); }
};
using InstanceHandle = std::unique_ptr<petri_instance, DropInstance>;

// One thread at a time. A call runs on this thread if it has the stack that the guest may need, else on a pooled one.
class WasmInstance final : public Instance {
 public:
  static Result<Instantiated> create(const petri_code& code, StackNeed stack, std::shared_ptr<const void> owner,
                                     const MakingTime* time, const HostHooks& hooks, std::uint64_t memory_bytes_max);

  WasmInstance(InstanceHandle handle, StackNeed stack, ThreadPool* stacks, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), stacks_(stacks), stack_(stack), handle_(std::move(handle)) {}

  Result<End> call(std::uint32_t export_index, const Budget& budget, void* context,
                   std::span<std::uint64_t> slots) override;
  Result<CallSeries> call_series(std::uint32_t export_index, const Budget& budget, void* context,
                                 std::span<std::uint64_t> slots, std::size_t calls, std::uint64_t fuel_max) override;
  // As call() for a guest that is in a host function, on what it has left.
  Result<End> call_for(petri_caller* caller, std::uint32_t export_index, std::span<std::uint64_t> slots);
  std::span<std::uint8_t> memory() override;
  void set_memory_bytes_max(std::uint64_t memory_bytes_max) override;
  Result<std::uint64_t> global(std::uint32_t index) override;
  Result<void> set_global(std::uint32_t index, std::uint64_t slot) override;
  Result<InstanceShape> shape() override;
  Result<void> reshape(const InstanceShape& shape) override;
  Result<void> adopt(Instance& from) override;
  Result<void> look_while_filled() override;
  std::vector<TracePoint> backtrace() override;

 private:
  Result<End> enter(std::uint32_t export_index, const Budget& budget, void* context, std::span<std::uint64_t> slots);
  Result<CallSeries> enter_series(std::uint32_t export_index, const Budget& budget, void* context,
                                  std::span<std::uint64_t> slots, std::size_t calls, std::uint64_t fuel_max);
  // Runs the call here, or where there is stack for it.
  template <typename Call>
  auto with_stack(std::uint64_t needed, Call call);
  Result<End> enter_for(petri_caller* caller, std::uint32_t export_index, std::span<std::uint64_t> slots);

  std::shared_ptr<const void> owner_;  // of what the imports point to: outlives the handle
  ThreadPool* stacks_;                 // as HostHooks::stacks
  StackNeed stack_;
  InstanceHandle handle_;
};

}  // namespace petri
