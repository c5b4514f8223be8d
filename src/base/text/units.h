// Sizes and durations as people write and read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

inline constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

// Reading: a number, then a unit, with nothing or one space between them. A fraction is fine where the result is whole:
// "1.5GiB". Anything else is validation_failed, in a sentence that quotes the text.

// Bytes: "65536", "64KiB", "16 MiB"; units B, KiB, MiB, GiB, TiB; without a unit the number counts bytes.
Result<std::uint64_t> parse_bytes(std::string_view text);

// "50ms", "2s", "1h"; units ns, us (or µs), ms, s, min, h. Only 0 may stand without a unit.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

// An integer: "10000", "10,000", "10_000", "10k", "1.5M", "2G", "1e6".
Result<std::uint64_t> parse_count(std::string_view text);

// "0 B", "1000 B", "64 KiB", "1.5 MiB": exact where short, else rounded to three digits.
std::string format_bytes(std::uint64_t bytes);

// "0 s", "950 ns", "4.2 µs", "50 ms", "1.5 s", "1 min 59 s", "1 h 30 min".
std::string format_duration(std::chrono::nanoseconds duration);

// "1,000,000"
std::string format_count(std::uint64_t count);

}  // namespace petri
