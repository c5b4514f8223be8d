#include "bench/versioned_guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "bench/loaded_module.h"

namespace petri::bench {
namespace {

// The constant whose bytes are found again in the module.
constexpr double kVersionedGuestMarker = 1234567.890625;
constexpr std::size_t kFillings = 144;

// A loop with some arithmetic, 64 bytes or so, as compilers write them.
constexpr std::string_view kFilling = R"(
  (func $f{0} (param i32 i32) (result i32) (local $sum i32)
    (loop $next
      (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const {1})) (i32.load offset={2} (local.get 0))))
      (local.set 0 (i32.and (i32.add (local.get 0) (i32.const 4)) (i32.const 1023)))
      (br_if $next (local.tee 1 (i32.sub (local.get 1) (i32.const 1)))))
    (i32.xor (local.get $sum) (i32.const {0}))))";

std::string counter_with(double constant, std::string_view more) {
  return fmt::format(R"((module (memory 1)
  (global $count (export "state.count") (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 16) (global.get $count))
    (global.get $count))
  (func (export "version") (result f64) (f64.const {})){}))",
                     constant, more);
}

std::string fillings() {
  std::string text;
  for (std::size_t i = 0; i < kFillings; ++i) text += fmt::format(fmt::runtime(kFilling), i, 31 + i, 4 * i);
  return text;
}

}  // namespace

Result<ArtifactPtr> counting_version(std::uint64_t number) {
  return Artifact::from_wat(counter_with(static_cast<double>(number), ""), kModuleBytesMax);
}

Result<LargeVersions> LargeVersions::create() {
  PETRI_TRY(const ArtifactPtr artifact,
            Artifact::from_wat(counter_with(kVersionedGuestMarker, fillings()), kModuleBytesMax));
  std::vector<std::uint8_t> wasm(artifact->bytes().begin(), artifact->bytes().end());
  std::array<std::uint8_t, sizeof(kVersionedGuestMarker)> marker{};
  std::memcpy(marker.data(), &kVersionedGuestMarker, sizeof(kVersionedGuestMarker));
  const auto found = std::search(wasm.begin(), wasm.end(), marker.begin(), marker.end());
  if (found == wasm.end()) return fail(ErrorCode::host_fault, "the large module has lost its constant");
  const auto constant = static_cast<std::size_t>(found - wasm.begin());
  return LargeVersions(std::move(wasm), constant);
}

std::vector<std::uint8_t> LargeVersions::numbered(std::uint64_t number) {
  const auto different = static_cast<double>(number);
  std::memcpy(wasm_.data() + constant_, &different, sizeof(different));
  return wasm_;
}

Result<void> must_count(Sandbox& sandbox, std::int32_t expected) {
  PETRI_TRY(const Outcome outcome, sandbox.call("next"));
  if (outcome.kind == OutcomeKind::ok && outcome.values == std::vector{Value(expected)}) return {};
  return fail(ErrorCode::host_fault, fmt::format("a counter is not at {} any longer: its state was lost", expected));
}

}  // namespace petri::bench
