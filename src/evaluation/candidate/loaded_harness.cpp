#include "evaluation/candidate/loaded_harness.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "evaluation/spec_check.h"
#include "host/guest/guest.h"
#include "host/module_target.h"

namespace petri {
namespace {

constexpr std::string_view kHarnessName = "harness";
constexpr std::uint32_t kCandidateMember = 0;  // a module comes after those it imports from

// It becomes hot by what it burns alone.
constexpr std::uint64_t kAnyInstances = std::numeric_limits<std::uint64_t>::max();

}  // namespace

LoadedHarness::LoadedHarness(ArtifactPtr artifact, Linked linked, Promoter& promoter, MachineCodeOptions compile)
    : artifact_(std::move(artifact)),
      linked_(std::move(linked)),
      hot_(promoter, artifact_, linked_.imports, kAnyInstances),
      compile_(std::move(compile)) {}

bool LoadedHarness::calls_command() const {
  return std::ranges::any_of(linked_.from_modules, [this](const ModuleImport& from) {
    return module().import_at(from.index).name == kCommandStart;
  });
}

Result<HarnessedCandidate> LoadedHarness::join(ArtifactPtr candidate) const {
  std::vector<LinkedTarget> targets(module().facts().imports);
  for (const ModuleImport& from : linked_.from_modules) {
    auto target = find_target(module().import_at(from.index), loadable(*candidate), kCandidateMember);
    if (!target) return fail(name_importer(kHarnessName, std::move(target.error())));
    targets[from.index] = *target;
  }
  return HarnessedCandidate{.artifact = std::move(candidate), .targets = std::move(targets)};
}

Result<CodePtr> LoadedHarness::link(const HarnessedCandidate& candidate, CodePtr code) {
  PETRI_TRY(CodePtr harness, load(code->tier()));
  return linked(candidate, std::move(code), std::move(harness));
}

CodePtr LoadedHarness::link_if_compiled(const HarnessedCandidate& candidate, CodePtr code) {
  CodePtr harness = compiled();
  return harness == nullptr ? nullptr : linked(candidate, std::move(code), std::move(harness));
}

Result<CodePtr> LoadedHarness::load(Tier tier) {
  if (tier == Tier::compiled) {
    if (CodePtr known = compiled()) return known;
  }
  MutexLock lock(mutex_);
  CodePtr& code = tier == Tier::compiled ? compiled_ : interpreted_;
  if (code == nullptr) {
    PETRI_TRY(code, tier == Tier::compiled ? compile() : module().load(tier, linked_.imports));
  }
  return code;
}

Result<CodePtr> LoadedHarness::compile() {
  if (not_compiled_) return fail(*not_compiled_);
  auto code = module().load(Tier::compiled, linked_.imports, {.compile = compile_, .stop = {}});
  if (!code) not_compiled_ = code.error();
  return code;
}

CodePtr LoadedHarness::compiled() {
  if (CodePtr hot = hot_.compiled()) return hot;
  MutexLock lock(mutex_);
  return compiled_;
}

CodePtr LoadedHarness::linked(const HarnessedCandidate& candidate, CodePtr code, CodePtr harness) const {
  LinkedMembers members;
  members.reserve(2);
  members.push_back({std::string(kCandidateModule), candidate.artifact, std::move(code), {}});
  members.back().targets.resize(members.back().facts().imports);  // all of them the host's
  members.push_back({std::string(kHarnessName), artifact_, std::move(harness), candidate.targets});
  return std::make_shared<const LinkedCode>(std::move(members));
}

Result<LoadedHarnessPtr> Harnesses::of(const EvaluationSpec& spec) {
  PETRI_TRY(Linked linked, link_harness(spec, host_));
  const ArtifactPtr& artifact = spec.harness.artifact();
  MutexLock lock(mutex_);
  if (const LoadedHarnessPtr* known = loaded_.find(artifact->id())) return *known;
  auto loaded = std::make_shared<LoadedHarness>(artifact, std::move(linked), promoter_, compile_);
  loaded_.insert(artifact->id(), loaded);
  return loaded;
}

}  // namespace petri
