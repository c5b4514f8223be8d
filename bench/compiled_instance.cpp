#include "bench/compiled_instance.h"

#include "bench/loaded_module.h"
#include "bench/sandbox_guest.h"
#include "engine/loadable_artifact.h"

namespace petri::bench {

Result<CompiledGuest> CompiledGuest::load() {
  PETRI_TRY(ArtifactPtr artifact, counting_guest());
  const auto number = loadable(*artifact).export_number("next");
  if (!number) return fail(ErrorCode::host_fault, "the counting guest does not count");
  PETRI_TRY(CodePtr code, loadable(*artifact).load(Tier::compiled, {}));
  return CompiledGuest(std::move(artifact), std::move(code), *number);
}

Result<std::unique_ptr<Instance>> CompiledGuest::start() const {
  PETRI_TRY(Instantiated made, code_->instantiate({}, kMemoryBytesMax));
  if (made.instance == nullptr) return fail(ErrorCode::host_fault, "the counting guest could not be instantiated");
  std::uint64_t slot = 0;
  PETRI_TRY(const End end, made.instance->call(number_, {.fuel = kPlentyOfFuel}, nullptr, {&slot, 1}));
  if (end.kind != EndKind::returned) return fail(ErrorCode::host_fault, "the counting guest did not return");
  return std::move(made.instance);
}

}  // namespace petri::bench
