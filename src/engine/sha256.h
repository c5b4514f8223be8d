// SHA-256, as the crate has it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace petri {

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> bytes);

}  // namespace petri
