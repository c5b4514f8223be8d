#include "bench/candidate_cycle.h"

#include <bit>

#include "bench/loaded_module.h"
#include "host/guest/guest.h"
#include "host/link.h"

namespace petri::bench {
namespace {

constexpr Allowance kAllowance{.fuel = 10'000};

}  // namespace

CandidateCycle::CandidateCycle() : context_({.deterministic = true, .clock = &clock_}, 7) {}

Result<void> CandidateCycle::run(std::span<const std::uint8_t> wasm, std::uint32_t calls) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wasm(wasm, kModuleBytesMax));
  const LoadableArtifact& module = loadable(*artifact);
  PETRI_TRY(Linked linked, link(module, host_, {}));
  PETRI_TRY(const CodePtr code,
            module.load(Tier::interpreted, std::move(linked.imports), {.compile = {}, .stop = {}, .brief = true}));
  const std::uint32_t function = module.export_number("f").value_or(0);
  Guest guest(module, context_);
  guest.begin(kAllowance, {});
  PETRI_TRY(End end, guest.instantiate(*code, Initialize::yes));
  for (std::uint32_t i = 0; i < calls && end.kind == EndKind::returned; ++i) {
    std::uint64_t slot = std::bit_cast<std::uint64_t>(static_cast<double>(i));
    guest.begin(kAllowance, {});
    PETRI_TRY(end, guest.call(function, {&slot, 1}));
  }
  if (end.kind == EndKind::returned) return {};
  return fail(ErrorCode::host_fault, "a candidate of the benchmark did not return");
}

}  // namespace petri::bench
