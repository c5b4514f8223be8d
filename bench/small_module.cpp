#include "bench/small_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "bench/loaded_module.h"
#include "petri/artifact.h"

namespace petri::bench {
namespace {

// The constant whose bytes are found again in the module.
constexpr double kMarker = 1234567.890625;

constexpr std::string_view kTextBefore = R"((module
  (func (export "f") (param f64) (result f64) (local f64)
    (local.set 1 (f64.mul (local.get 0) (local.get 0)))
    (f64.add
      (f64.mul (f64.const )";
constexpr std::string_view kTextAfter = R"() (local.get 1))
      (f64.sub
        (f64.mul (local.get 1) (f64.const 0.375))
        (f64.div (local.get 0) (f64.add (local.get 1) (f64.const 1.25))))))))";

std::string text_with(double constant) { return fmt::format("{}{}{}", kTextBefore, constant, kTextAfter); }

// Numbers that differ become constants that do.
double constant_of(std::uint64_t number) { return 1 + static_cast<double>(number) * 0x1p-30; }

}  // namespace

Result<SmallModule> SmallModule::create() {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(text_with(kMarker), kModuleBytesMax));
  std::vector<std::uint8_t> wasm(artifact->bytes().begin(), artifact->bytes().end());
  std::array<std::uint8_t, sizeof(kMarker)> marker{};
  std::memcpy(marker.data(), &kMarker, sizeof(kMarker));
  const auto found = std::search(wasm.begin(), wasm.end(), marker.begin(), marker.end());
  if (found == wasm.end()) return fail(ErrorCode::host_fault, "the small module has lost its constant");
  const auto constant = static_cast<std::size_t>(found - wasm.begin());
  return SmallModule(std::move(wasm), constant);
}

std::span<const std::uint8_t> SmallModule::numbered(std::uint64_t number) {
  const double different = constant_of(number);
  std::memcpy(wasm_.data() + constant_, &different, sizeof(different));
  return wasm_;
}

std::string SmallModule::text(std::uint64_t number) { return text_with(constant_of(number)); }

}  // namespace petri::bench
