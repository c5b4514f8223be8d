#include "engine/instance/wasm_instance.h"

#include <array>
#include <cstddef>
#include <type_traits>

#include "base/assert.h"
#include "base/threads/stack.h"
#include "engine/wasm_text.h"

namespace petri {
namespace {

constexpr std::size_t kFramesMax = 64;

static_assert(static_cast<int>(EndKind::returned) == PETRI_END_RETURNED &&
              static_cast<int>(EndKind::trapped) == PETRI_END_TRAPPED &&
              static_cast<int>(EndKind::out_of_fuel) == PETRI_END_OUT_OF_FUEL &&
              static_cast<int>(EndKind::deadline) == PETRI_END_DEADLINE &&
              static_cast<int>(EndKind::memory_limit) == PETRI_END_MEMORY_LIMIT &&
              static_cast<int>(EndKind::stack_overflow) == PETRI_END_STACK_OVERFLOW &&
              static_cast<int>(EndKind::exited) == PETRI_END_EXITED &&
              static_cast<int>(EndKind::cancelled) == PETRI_END_CANCELLED &&
              static_cast<int>(EndKind::refused) == PETRI_END_REFUSED);
static_assert(std::is_standard_layout_v<End> && sizeof(End) == sizeof(petri_end) &&
              offsetof(End, kind) == offsetof(petri_end, kind) && offsetof(End, code) == offsetof(petri_end, code) &&
              offsetof(End, fuel_used) == offsetof(petri_end, fuel_used) &&
              offsetof(End, memory_bytes) == offsetof(petri_end, memory_bytes));
static_assert(std::is_standard_layout_v<Budget> && sizeof(Budget) == sizeof(petri_budget) &&
              offsetof(Budget, fuel) == offsetof(petri_budget, fuel) &&
              offsetof(Budget, deadline_ns) == offsetof(petri_budget, deadline_ns) &&
              offsetof(Budget, turn_ns) == offsetof(petri_budget, turn_ns) &&
              offsetof(Budget, call_depth) == offsetof(petri_budget, call_depth));
static_assert(Instance::kStartFunction == PETRI_START && Budget::kNever == UINT64_MAX);
// The crate reads the flag atomically where the atomic stores it.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
              std::atomic<std::uint32_t>::is_always_lock_free);

End to_end(const petri_end& end) {
  return {.kind = static_cast<EndKind>(end.kind),
          .code = end.code,
          .fuel_used = end.fuel_used,
          .memory_bytes = end.memory_bytes};
}

Value to_value(const petri_number& number) {
  return Value::from_bits(static_cast<ValueType>(number.type), number.slot);
}

petri_number to_number(const Value& value) {
  return {.type = static_cast<std::uint32_t>(value.type()), .slot = value.bits()};
}

}  // namespace

Result<Instantiated> WasmInstance::create(const petri_code& code, StackNeed stack, std::shared_ptr<const void> owner,
                                          const MakingTime* time, const HostHooks& hooks,
                                          std::uint64_t memory_bytes_max) {
  const petri_host host{
      .interrupt = reinterpret_cast<const std::uint32_t*>(hooks.interrupt), .grow = hooks.grow, .turn = hooks.turn};
  petri_instance* instance = nullptr;
  petri_end end{};
  petri_error error;
  const auto* const budget = time == nullptr ? nullptr : reinterpret_cast<const petri_budget*>(&time->budget);
  void* const context = time == nullptr ? nullptr : time->context;
  if (petri_instantiate(&code, &host, memory_bytes_max, budget, context, &instance, &end, &error) != PETRI_OK) {
    return fail(to_error(error));
  }
  Instantiated result{.instance = nullptr, .end = to_end(end)};
  if (instance != nullptr)
    result.instance = std::make_unique<WasmInstance>(InstanceHandle(instance), stack, hooks.stacks, std::move(owner));
  return result;
}

template <typename Call>
auto WasmInstance::with_stack(std::uint64_t needed, Call call) {
  if (stack_bytes_left() < needed + kStackReserveBytes) [[unlikely]]
    return run_with_stack(stacks_, needed, call);
  return call();
}

Result<End> WasmInstance::call(std::uint32_t export_index, const Budget& budget, void* context,
                               std::span<std::uint64_t> slots) {
  const std::uint64_t needed = stack_.bytes(budget.call_depth);
  if (needed > kDeepStackBytes) this_stack_was_deep = true;
  return with_stack(needed, [&] { return enter(export_index, budget, context, slots); });
}

Result<CallSeries> WasmInstance::call_series(std::uint32_t export_index, const Budget& budget, void* context,
                                             std::span<std::uint64_t> slots, std::size_t calls,
                                             std::uint64_t fuel_max) {
  const std::uint64_t needed = stack_.bytes(budget.call_depth);
  if (needed > kDeepStackBytes) this_stack_was_deep = true;
  return with_stack(needed, [&] { return enter_series(export_index, budget, context, slots, calls, fuel_max); });
}

// The crate reads the budget where it is and writes the end where it is to be: a call copies nothing.
Result<End> WasmInstance::enter(std::uint32_t export_index, const Budget& budget, void* context,
                                std::span<std::uint64_t> slots) {
  Result<End> end(std::in_place);
  petri_error error;
  const petri_status status =
      petri_call(handle_.get(), export_index, reinterpret_cast<const petri_budget*>(&budget), context, slots.data(),
                 slots.size(), reinterpret_cast<petri_end*>(&*end), &error);
  if (status != PETRI_OK) [[unlikely]]
    end = fail(to_error(error));
  return end;
}

Result<CallSeries> WasmInstance::enter_series(std::uint32_t export_index, const Budget& budget, void* context,
                                              std::span<std::uint64_t> slots, std::size_t calls,
                                              std::uint64_t fuel_max) {
  petri_series series{};
  petri_error error;
  const petri_status status =
      petri_call_series(handle_.get(), export_index, reinterpret_cast<const petri_budget*>(&budget), context,
                        slots.data(), calls == 0 ? 0 : slots.size() / calls, calls, fuel_max, &series, &error);
  if (status != PETRI_OK) return fail(to_error(error));
  return CallSeries{.returned = series.returned, .fuel_used = series.fuel_used, .end = to_end(series.end)};
}

Result<End> WasmInstance::call_for(petri_caller* caller, std::uint32_t export_index, std::span<std::uint64_t> slots) {
  const std::uint64_t needed = stack_.bytes(petri_caller_call_depth(caller));
  return with_stack(needed, [&] { return enter_for(caller, export_index, slots); });
}

Result<End> WasmInstance::enter_for(petri_caller* caller, std::uint32_t export_index, std::span<std::uint64_t> slots) {
  petri_end end{};
  petri_error error;
  if (petri_caller_call(caller, handle_.get(), export_index, slots.data(), slots.size(), &end, &error) != PETRI_OK) {
    return fail(to_error(error));
  }
  return to_end(end);
}

std::span<std::uint8_t> WasmInstance::memory() {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  petri_instance_memory(handle_.get(), &data, &size);
  return {data, size};
}

void WasmInstance::set_memory_bytes_max(std::uint64_t memory_bytes_max) {
  petri_instance_set_memory_max(handle_.get(), memory_bytes_max);
}

Result<std::uint64_t> WasmInstance::global(std::uint32_t index) {
  std::uint64_t slot = 0;
  if (petri_instance_global(handle_.get(), index, &slot) != PETRI_OK) {
    return fail(ErrorCode::not_found, "there is no mutable or exported global of number " + std::to_string(index));
  }
  return slot;
}

Result<void> WasmInstance::set_global(std::uint32_t index, std::uint64_t slot) {
  if (petri_instance_set_global(handle_.get(), index, slot) != PETRI_OK) {
    return fail(ErrorCode::not_found, "there is no mutable global of number " + std::to_string(index));
  }
  return {};
}

Result<InstanceShape> WasmInstance::shape() {
  petri_shape native;
  petri_error error;
  if (petri_instance_shape(handle_.get(), &native, &error) != PETRI_OK) return fail(to_error(error));
  InstanceShape shape{.memory_pages_min = native.memory_pages_min,
                      .memory_pages_max = native.memory_pages_max,
                      .memory_pages = native.memory_pages,
                      .globals = {}};
  std::vector<petri_number> globals(native.mutable_globals);
  if (petri_instance_mutable_globals(handle_.get(), globals.data(), globals.size(), &error) != PETRI_OK) {
    return fail(to_error(error));
  }
  shape.globals.reserve(globals.size());
  for (const petri_number& global : globals) shape.globals.push_back(to_value(global));
  return shape;
}

Result<void> WasmInstance::reshape(const InstanceShape& shape) {
  std::vector<petri_number> globals;
  globals.reserve(shape.globals.size());
  for (const Value& global : shape.globals) globals.push_back(to_number(global));
  const petri_shape native{.memory_pages_min = shape.memory_pages_min,
                           .memory_pages_max = shape.memory_pages_max,
                           .memory_pages = shape.memory_pages,
                           .mutable_globals = globals.size()};
  petri_error error;
  if (petri_instance_reshape(handle_.get(), &native, globals.data(), &error) != PETRI_OK) return fail(to_error(error));
  return {};
}

Result<void> WasmInstance::adopt(Instance& from) {
  petri_error error;
  auto* const native = static_cast<WasmInstance&>(from).handle_.get();
  if (petri_instance_adopt(handle_.get(), native, &error) != PETRI_OK) return fail(to_error(error));
  return {};
}

Result<void> WasmInstance::look_while_filled() {
  petri_error error;
  if (petri_instance_look(handle_.get(), &error) != PETRI_OK) return fail(to_error(error));
  return {};
}

std::vector<TracePoint> WasmInstance::backtrace() {
  std::array<petri_frame, kFramesMax> frames;
  const std::size_t count = petri_instance_backtrace(handle_.get(), frames.data(), frames.size());
  std::vector<TracePoint> trace;
  for (std::size_t index = 0; index < std::min(count, frames.size()); ++index) {
    trace.push_back({.function = frames[index].function, .offset = frames[index].offset});
  }
  return trace;
}

}  // namespace petri
