#include "engine/wasm_code.h"

#include <vector>

#include "base/assert.h"
#include "base/stack.h"
#include "engine/wasm_instance.h"
#include "engine/wasm_text.h"

namespace petri {
namespace {

// Compilers recurse over the code they are given; the gate bounds its nesting.
constexpr std::size_t kCompilerStackBytes = std::size_t{4} << 20;

class WasmCaller final : public Caller {
 public:
  explicit WasmCaller(petri_caller* caller) : Caller(petri_caller_context(caller)), caller_(caller) {}

  std::span<std::uint8_t> memory() override {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;
    petri_caller_memory(caller_, &data, &size);
    return {data, size};
  }
  std::uint64_t fuel_used() override { return petri_caller_fuel_used(caller_); }
  After charge(std::uint64_t fuel) override {
    return petri_caller_charge(caller_, fuel) == PETRI_CONTINUE ? After::go_on : After::stop;
  }
  void stop(EndKind kind, std::int32_t code) override {
    petri_caller_stop(caller_, static_cast<std::uint32_t>(kind), code);
  }
  Result<End> call(Instance& callee, std::uint32_t export_index, std::span<std::uint64_t> slots) override {
    return static_cast<WasmInstance&>(callee).call_for(caller_, export_index, slots);
  }

 private:
  petri_caller* caller_;
};

petri_after enter_host(void* data, petri_caller* native, const std::uint64_t* arguments, std::uint64_t* results) {
  const auto& import = *static_cast<const HostImport*>(data);
  WasmCaller caller(native);
  return import.callback(import.data, caller, arguments, results) == After::go_on ? PETRI_CONTINUE : PETRI_STOP;
}

petri_host_function to_native(const HostImport& import) {
  return {.callback = import.callback == nullptr ? nullptr : enter_host,
          .data = const_cast<HostImport*>(&import),
          .fuel = import.fuel,
          .intrinsic = import.intrinsic};
}

Result<CodeHandle> translate(const petri_artifact& artifact, Tier tier, std::span<const petri_host_function> imports) {
  petri_code* handle = nullptr;
  petri_error error;
  const auto native = tier == Tier::compiled ? PETRI_COMPILED : PETRI_INTERPRETED;
  if (petri_load(&artifact, native, imports.data(), imports.size(), &handle, &error) != PETRI_OK) {
    return fail(to_error(error));
  }
  return CodeHandle(handle);
}

}  // namespace

Result<CodePtr> WasmCode::create(const petri_artifact& artifact, const ModuleFacts& facts, Tier tier,
                                 const BoundImports& imports) {
  PETRI_ASSERT(imports.functions.size() == facts.imports);
  std::vector<petri_host_function> native;
  native.reserve(imports.functions.size());
  for (const HostImport* import : imports.functions) native.push_back(to_native(*import));

  const auto load = [&] { return translate(artifact, tier, native); };
  PETRI_TRY(auto handle, tier == Tier::compiled ? run_with_stack(kCompilerStackBytes, load) : load());
  const StackNeed stack{.bytes_fixed = facts.stack_bytes_fixed, .bytes_per_depth = facts.stack_bytes_per_depth};
  return std::make_shared<const WasmCode>(tier, std::move(handle), stack, imports.owner);
}

Result<Instantiated> WasmCode::instantiate(const HostHooks& hooks, std::uint64_t memory_bytes_max) const {
  return WasmInstance::create(*handle_, stack_, owner_, hooks, memory_bytes_max);
}

}  // namespace petri
