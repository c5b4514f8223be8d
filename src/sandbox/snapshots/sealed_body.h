// Snapshots and module archives as bytes: a line that names kind and format, a body in CBOR, and a checksum over both.
// The checksum finds damage, not forgery: anybody can make one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/text/byte_text.h"
#include "petri/result.h"

namespace petri {

constexpr std::uint64_t kSealedBytesMax = std::uint64_t{4} << 30;

std::string seal(std::string_view kind, const nlohmann::json& body);

// parse_failed for what is no whole `kind`, too_large beyond the bounds of a body, rejected for another format.
Result<nlohmann::json> unseal(std::string_view kind, std::string_view bytes);

// parse_failed: "this is not a whole snapshot of petri's: why".
std::unexpected<Error> not_whole(std::string_view kind, std::string_view why);

}  // namespace petri
