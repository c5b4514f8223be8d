#include <fmt/format.h>

#include <atomic>

#include "base/module_size.h"
#include "engine/engine.h"
#include "engine/wasm_artifact.h"
#include "engine/wasm_text.h"

namespace petri {
namespace {

Result<void> check_not_blank(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) return {};
  Error error{.code = ErrorCode::parse_failed,
              .message = "the text does not parse at line 1, column 1: it is empty, and a module starts with (module",
              .details = {}};
  return fail(std::move(error).with("line", "1").with("column", "1").with("component", "wat"));
}

class WasmEngine final : public Engine {
 public:
  Result<ArtifactPtr> prepare(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                              ModuleBounds bounds) override {
    PETRI_TRY(check_module_size(wasm.size(), bytes_max, "module"));
    return WasmArtifact::create(wasm, bounds, nullptr, fallbacks_);
  }

  Result<ArtifactPtr> prepare_hashed(std::span<const std::uint8_t> wasm, const ArtifactId& id,
                                     std::uint64_t bytes_max) override {
    PETRI_TRY(check_module_size(wasm.size(), bytes_max, "module"));
    return WasmArtifact::create(wasm, ModuleBounds::candidate, &id, fallbacks_);
  }

  Result<ArtifactPtr> prepare_wat(std::string_view text, std::uint64_t bytes_max, ModuleBounds bounds) override {
    PETRI_TRY(check_module_size(text.size(), bytes_max, "text"));
    PETRI_TRY(check_not_blank(text));
    OwnedBytes wasm;
    petri_error error;
    if (petri_wat(text.data(), text.size(), to_native(bounds), &wasm.bytes, &error) != PETRI_OK)
      return fail(to_error(error));
    return prepare({wasm.bytes.data, wasm.bytes.size}, bytes_max, bounds);
  }

  EngineStatistics statistics() const override { return {.fallbacks = fallbacks_.load()}; }

 private:
  std::atomic<std::uint64_t> fallbacks_{0};
};

}  // namespace

// Never destroyed: artifacts may outlive every static object.
Engine& wasm_engine() {
  static auto* const engine = new WasmEngine;
  return *engine;
}

Result<ArtifactPtr> Artifact::from_wasm(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                                        ModuleBounds bounds) {
  return wasm_engine().prepare(wasm, bytes_max, bounds);
}

Result<ArtifactPtr> Artifact::from_wat(std::string_view text, std::uint64_t bytes_max, ModuleBounds bounds) {
  return wasm_engine().prepare_wat(text, bytes_max, bounds);
}

}  // namespace petri

#ifdef __SANITIZE_THREAD__
// The crate is not instrumented, and its allocator passes memory between threads in ways the sanitizer cannot see. What
// the crate itself writes is left to its own tests; C++ called from it is looked at all the same.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT: the sanitizer's name for it
  return "race:/rustc/\nrace:/rust/deps/\nrace:/.cargo/registry/\nrace:c_src/mimalloc\nrace:engine/src/\n";
}
#endif
