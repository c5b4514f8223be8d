#include "engine/wasm_code.h"

#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/threads/stack.h"
#include "compiling/compile_workers.h"
#include "engine/code_cache.h"
#include "engine/instance/wasm_instance.h"
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
    return petri_caller_charge(caller_, fuel) == PETRI_CONTINUE ? After::resume : After::stop;
  }
  void stop(EndKind kind, std::int32_t code) override {
    petri_caller_stop(caller_, static_cast<std::uint32_t>(kind), code);
  }
  Result<Allocated> allocate(std::uint32_t bytes) override {
    std::uint32_t address = 0;
    petri_after after = PETRI_CONTINUE;
    petri_error error;
    if (petri_caller_allocate(caller_, bytes, &address, &after, &error) != PETRI_OK) return fail(to_error(error));
    return Allocated{.after = after == PETRI_CONTINUE ? After::resume : After::stop, .address = address};
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
  return import.callback(import.data, caller, arguments, results) == After::resume ? PETRI_CONTINUE : PETRI_STOP;
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

Result<CodeHandle> interpret(const petri_artifact& artifact, std::span<const petri_host_function> imports,
                             bool is_brief) {
  if (!is_brief) return translate(artifact, Tier::interpreted, imports);
  petri_code* handle = nullptr;
  petri_error error;
  if (petri_load_brief(&artifact, imports.data(), imports.size(), &handle, &error) != PETRI_OK) {
    return fail(to_error(error));
  }
  return CodeHandle(handle);
}

// Machine code from a compile worker. Code whose frames are too large is compiled once more, frugally, on what is left
// of the time.
class WorkerLoad {
 public:
  WorkerLoad(const petri_artifact& artifact, std::span<const petri_host_function> imports, const LoadOptions& options)
      : artifact_(artifact), imports_(imports), options_(options) {}

  Result<CodeHandle> load() {
    if (petri_artifact_metered(&artifact_, &metered_.bytes, &error_) != PETRI_OK) return fail(to_error(error_));
    if (!options_.compile.cache.empty() && module().size() >= CodeCache::kModuleBytesMin) {
      // A folder that cannot be made or opened keeps nothing; one that others could write must not go unnoticed.
      auto cache = CodeCache::open(options_.compile.cache);
      if (!cache && cache.error().code == ErrorCode::validation_failed) return fail(std::move(cache.error()));
      if (cache) cache_.emplace(std::move(*cache));
    }
    PETRI_TRY(CodeHandle code, load(false));
    if (code == nullptr) {
      PETRI_TRY(code, load(true));
    }
    if (code == nullptr) return fail(to_error(error_));
    return code;
  }

 private:
  std::span<const std::uint8_t> module() const { return {metered_.bytes.data, metered_.bytes.size}; }

  // Nothing when the frames are too large.
  Result<CodeHandle> load(bool frugal) {
    const Sha256 name = cache_ ? code_name(module(), frugal) : Sha256{};
    if (const auto kept = cache_ ? cache_->find(name) : std::nullopt) {
      // Code for another processor or of another Wasmtime is as good as none.
      if (auto code = load_machine_code(*kept, frugal)) return code;
    }
    PETRI_TRY(const auto machine_code, compile_in_worker(module(), frugal, options_.compile, deadline_, options_.stop));
    auto code = load_machine_code(machine_code, frugal);
    if (code && cache_) cache_->put(name, machine_code);
    return code;
  }

  Result<CodeHandle> load_machine_code(std::span<const std::uint8_t> machine_code, bool frugal) {
    petri_code* handle = nullptr;
    const petri_status status =
        petri_load_precompiled(&artifact_, machine_code.data(), machine_code.size(), frugal ? 1 : 0, imports_.data(),
                               imports_.size(), &handle, &error_);
    if (status == PETRI_OK || status == PETRI_FRAMES_TOO_LARGE) return CodeHandle(handle);
    return fail(to_error(error_));
  }

  const petri_artifact& artifact_;
  const std::span<const petri_host_function> imports_;
  const LoadOptions& options_;
  const SteadyTime deadline_ = std::chrono::steady_clock::now() + options_.compile.time_max;
  OwnedBytes metered_;
  std::optional<CodeCache> cache_;
  petri_error error_;
};

Result<CodeHandle> load_compiled(const petri_artifact& artifact, std::span<const petri_host_function> imports,
                                 const LoadOptions& options) {
  if (!options.compile.in_process) return WorkerLoad(artifact, imports, options).load();
  return run_with_stack(nullptr, kCompilerStackBytes, [&] { return translate(artifact, Tier::compiled, imports); });
}

}  // namespace

Result<CodePtr> WasmCode::create(const petri_artifact& artifact, const ModuleFacts& facts, Tier tier,
                                 const BoundImports& imports, const LoadOptions& options) {
  PETRI_ASSERT(imports.functions.size() == facts.imports);
  std::vector<petri_host_function> native;
  native.reserve(imports.functions.size());
  for (const HostImport* import : imports.functions) native.push_back(to_native(*import));

  PETRI_TRY(auto handle, tier == Tier::compiled ? load_compiled(artifact, native, options)
                                                : interpret(artifact, native, options.brief));
  const StackNeed stack{.bytes_fixed = facts.stack_bytes_fixed, .bytes_per_depth = facts.stack_bytes_per_depth};
  return std::make_shared<const WasmCode>(tier, std::move(handle), stack, imports.owner);
}

Result<Instantiated> WasmCode::instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                                  std::uint64_t memory_bytes_max) const {
  return WasmInstance::create(*handle_, stack_, owner_, time, hooks, memory_bytes_max);
}

}  // namespace petri
