// Parts of a SandboxSpec inside other JSON documents.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/json_reader.h"
#include "petri/sandbox.h"

namespace petri {

// The fields of a spec without its id and modules, which a runtime has defaults for.
SandboxSpec read_defaults(const nlohmann::json& json, std::string where, Complaints& complaints);
// Both outlive what is answered.
JsonReader::Fields breaker_fields(JsonReader& reader, BreakerOptions& breaker);

}  // namespace petri
