// Checks of a RunSpec that are made before anything is touched.
#pragma once

#include <cstdint>
#include <span>

#include "engine/loadable_artifact.h"
#include "petri/run.h"

namespace petri {

// The function a run is to call.
struct RunTarget {
  std::uint32_t export_number = 0;
  SignatureView signature;  // borrowed from the artifact

  std::size_t slots() const { return std::max(signature.params.size(), signature.results.size()); }
};

// Everything wrong that can be seen without the module, in one validation_failed.
Result<void> check_run_spec(const RunSpec& spec);

// not_found, naming the function and some exports there are; validation_failed when the arguments do not fit it, or
// when it takes or gives references, which never leave an instance.
//
// Arguments fit when Value::converted() gives them the types of the parameters; in evaluations, whose receipts have
// their types, only when they are of them.
enum class ArgumentTypes : std::uint8_t { converted, exact };
Result<RunTarget> find_run_target(const LoadableArtifact& artifact, const RunSpec& spec,
                                  ArgumentTypes types = ArgumentTypes::converted);
// Writes arguments that fit the target into the slots of a call.
void write_arguments(std::span<const Value> arguments, const RunTarget& target, std::span<std::uint64_t> slots);

}  // namespace petri
