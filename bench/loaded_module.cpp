#include "bench/loaded_module.h"

#include <fmt/format.h>

#include "engine/loadable_artifact.h"
#include "host/link.h"
#include "petri/host_functions.h"

namespace petri::bench {

Result<LoadedModule> load_module(std::span<const std::uint8_t> wasm, Tier tier) {
  static const HostFunctions host;
  PETRI_TRY(ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  const LoadableArtifact& module = loadable(*artifact);
  PETRI_TRY(Linked linked, link(module, host, Permissions::standard()));
  PETRI_TRY(CodePtr code, module.load(tier, std::move(linked.imports), {.compile = {.in_process = true}}));
  return LoadedModule{.artifact = std::move(artifact), .code = std::move(code)};
}

Result<LiveFunction> LiveFunction::open(const LoadedModule& module, std::string_view function) {
  const auto number = loadable(*module.artifact).export_number(function);
  if (!number) return fail(ErrorCode::not_found, fmt::format("the module has no export \"{}\"", function));
  PETRI_TRY(Instantiated made, module.code->instantiate({}, kMemoryBytesMax));
  if (made.instance == nullptr) return fail(ErrorCode::host_fault, "the module could not be instantiated");
  return LiveFunction(module.artifact, std::move(made.instance), *number);
}

Result<void> LiveFunction::call(std::span<std::uint64_t> slots) {
  PETRI_TRY(const End end, call_until({.fuel = kPlentyOfFuel}, slots));
  if (end.kind == EndKind::returned) return {};
  return fail(ErrorCode::host_fault,
              fmt::format("the guest ended in way {} instead of returning", static_cast<int>(end.kind)));
}

Result<End> LiveFunction::call_until(const Budget& budget, std::span<std::uint64_t> slots) {
  return instance_->call(number_, budget, nullptr, slots);
}

}  // namespace petri::bench
