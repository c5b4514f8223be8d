#include "engine/bare_engine.h"

#include "base/assert.h"
#include "base/threads/stack.h"
#include "engine/wasm_text.h"
#include "petri_engine.h"

namespace petri {
namespace {

// As much as petri's own way of loading asks for.
constexpr std::size_t kBareCompilerStackBytes = std::size_t{4} << 20;

}  // namespace

void BareEngine::Drop::operator()(petri_bare* bare) const { petri_bare_drop(bare); }

Result<BareEngine> BareEngine::open(std::span<const std::uint8_t> wasm, const Options& options) {
  PETRI_ASSERT(options.tier != Tier::automatic);
  const bool compiled = options.tier == Tier::compiled;
  const auto load = [&]() -> Result<BareEngine> {
    petri_bare* bare = nullptr;
    petri_error error;
    if (petri_bare_open(wasm.data(), wasm.size(), compiled ? PETRI_COMPILED : PETRI_INTERPRETED,
                        options.own_fuel ? 1 : 0, options.function.data(), options.function.size(), &bare,
                        &error) != PETRI_OK) {
      return fail(to_error(error));
    }
    return BareEngine(bare);
  };
  return compiled ? run_with_stack(nullptr, kBareCompilerStackBytes, load) : load();
}

Result<void> BareEngine::call(std::span<std::uint64_t> slots) {
  petri_error error;
  if (petri_bare_call(bare_.get(), slots.data(), slots.size(), &error) != PETRI_OK) return fail(to_error(error));
  return {};
}

Result<double> BareEngine::call_typed(std::uint32_t times) {
  double sum = 0;
  petri_error error;
  if (petri_bare_call_typed(bare_.get(), times, &sum, &error) != PETRI_OK) return fail(to_error(error));
  return sum;
}

}  // namespace petri
