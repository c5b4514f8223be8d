// The guests that the benchmarks of sandboxes use.
#pragma once

#include <memory>
#include <string>

#include "petri/artifact.h"
#include "petri/runtime.h"

namespace petri::bench {

// A page of memory and a counter: "next" counts on and writes into the page, "crash" traps, "spin" never ends.
Result<ArtifactPtr> counting_guest();

// One permanent process of the artifact, which the caller keeps: what a sandbox is when its module has been seen
// before.
SandboxSpec sandbox_of(std::string id, const ArtifactPtr& artifact, Tier tier = Tier::automatic);

// With a worker for each of two cores, and all else as users get it.
Result<std::unique_ptr<Runtime>> two_worker_runtime();

// Anything but an outcome that is `ok` is a host_fault.
Result<void> must_be_ok(const Result<Outcome>& outcome);

}  // namespace petri::bench
