// Runs in a sandbox: a fresh instance of a module, one call, gone; while the caller waits, or later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "petri/sandbox.h"
#include "process/process.h"
#include "sandbox/calls/completions.h"
#include "sandbox/calls/run_table.h"
#include "sandbox/code/module_gate.h"
#include "sandbox/journal/operation.h"
#include "sandbox/limits/containment.h"
#include "sandbox/sandbox_traits.h"
#include "sandbox/standing.h"
#include "sandbox/structural_control.h"

namespace petri {

// A run has the limits, permissions, folder and share of the processors that processes have, and none of their state.
// Any thread, with no lock of the sandbox held. It has no state of its own, for most sandboxes never run anything: it
// is made where it is asked for, and a run that waits keeps a copy.
class SandboxRuns {
 public:
  // All of it outlives the runs, which keep the owner alive.
  struct Parts {
    const std::string& sandbox;
    const SandboxServices& services;
    const SandboxTraits& traits;
    Tier tier;
    ProcessOwner& owner;
    const std::shared_ptr<TreeAccount>& account;
    const Standing& standing;
    const StructuralControl& control;
    GateSource& gates;
    const ModuleTable& modules;
    Containment& containment;
    Journal& journal;
    CurrentOperation& operation;
    Completions& completions;
    RunTable& table;
  };
  explicit SandboxRuns(const Parts& parts) : parts_(parts) {}

  // As Sandbox has them (petri/sandbox.h): of an active version, or of code that comes with the run.
  Result<Outcome> run(std::string_view module, std::string_view function, std::vector<Value> arguments,
                      const RunOptions& options) const;
  Result<Outcome> run(const Source& source, std::string_view function, std::vector<Value> arguments,
                      const RunOptions& options) const;
  // A run that waits is charged to the sandbox, and counts with the others that wait: limit_exceeded, queue_full.
  Result<std::uint64_t> run_async(std::string_view module, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion) const;
  Result<std::uint64_t> run_async(const Source& source, std::string_view function, std::vector<Value> arguments,
                                  RunOptions options, Completion completion) const;

 private:
  // Code to be run, and how.
  struct Job {
    std::string module;  // empty: the code came with the run
    ArtifactPtr artifact;
    std::uint64_t version = 0;  // the artifact's among those of the module
    RunSpec spec;
    HostSettings host;  // as the sandbox has it for its guests
  };
  using RunWork = std::function<Result<Outcome>(SandboxRun&)>;
  using Loader = std::function<Result<CodePtr>(Tier, const LoadOptions&)>;

  Result<Outcome> run_now(const RunWork& work) const;
  Result<std::uint64_t> run_later(std::uint64_t bytes, Completion completion, RunWork work) const;
  void finish(const SandboxRunPtr& run, const RunWork& work) const;
  Result<Outcome> carry_out(const RunWork& work, SandboxRun& run) const;
  // They report what the gate refuses.
  Result<Outcome> run_module(std::string_view module, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options, SandboxRun& run) const;
  Result<Outcome> run_source(const Source& source, std::string_view function, std::vector<Value> arguments,
                             const RunOptions& options, SandboxRun& run) const;
  void prepare(Job& job, std::string_view function, std::vector<Value> arguments, const RunOptions& options) const;
  Result<Outcome> run_and_report(const Job& job, SandboxRun& run, const std::stop_token& stop) const;
  Result<Outcome> run_here(const Job& job, SandboxRun& run, const std::stop_token& stop) const;
  SandboxLimits limits_of(const RunSpec& run) const;
  Loader loader_of(const Job& job) const;
  Result<CodePtr> load_linked(const Job& job, Tier tier, const LoadOptions& options) const;

  Parts parts_;
};

}  // namespace petri
