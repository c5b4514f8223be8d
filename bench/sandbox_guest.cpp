#include "bench/sandbox_guest.h"

#include <fmt/format.h>

#include "bench/loaded_module.h"

namespace petri::bench {
namespace {

constexpr std::string_view kCounter = R"((module
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (i32.store (i32.const 16) (global.get $count))
    (global.get $count))
  (func (export "crash") unreachable)
  (func (export "spin") (loop $again (br $again)))))";

}  // namespace

Result<ArtifactPtr> counting_guest() { return Artifact::from_wat(kCounter, kModuleBytesMax); }

SandboxSpec sandbox_of(std::string id, const ArtifactPtr& artifact, Tier tier) {
  return {.id = std::move(id), .modules = {{"counter", Source::artifact(artifact)}}, .tier = tier};
}

Result<std::unique_ptr<Runtime>> two_worker_runtime() { return Runtime::create({.workers = 2}); }

Result<void> must_be_ok(const Result<Outcome>& outcome) {
  if (!outcome) return fail(outcome.error());
  if (outcome->kind == OutcomeKind::ok) return {};
  return fail(ErrorCode::host_fault, fmt::format("a call ended as {}", name_of(outcome->kind)));
}

}  // namespace petri::bench
