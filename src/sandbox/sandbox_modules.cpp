// The modules of a sandbox: read, checked, linked and loaded.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/heap_bytes.h"
#include "base/in_parallel.h"
#include "engine/sha256.h"
#include "host/link.h"
#include "petri/scan.h"
#include "sandbox/sandbox_core.h"

namespace petri {

// ---- the gate -------------------------------------------------------------------------------------------------

Result<SandboxCore::Admitted> SandboxCore::admit(const Source& source) {
  PETRI_TRY(Admitted admitted, read_source(source));
  PETRI_TRY(check_policy(*admitted.artifact));
  return admitted;
}

// Limits, permissions and quarantine may be others since; what it is made of is not, so nothing is compiled for it.
Result<void> SandboxCore::admit_again(const ArtifactPtr& artifact) {
  PETRI_TRY(const Admitted admitted, admit(Source::artifact(artifact)));
  PETRI_TRY(link(loadable(*admitted.artifact), services_.host, permissions(), Neighbours::may_be));
  return {};
}

Result<void> SandboxCore::check_policy(const Artifact& artifact) {
  if (!traits_->policy.imports.empty()) {
    const LoadableArtifact& module = loadable(artifact);
    for (std::uint32_t index = 0; index < module.facts().imports; ++index) {
      const ImportView import = module.import_at(index);
      const std::string why = traits_->policy.imports.refusal(import.module, import.name);
      if (!why.empty()) return fail(import_error(ErrorCode::rejected, "imports", import, why));
    }
  }
  if (traits_->policy.reject_findings) {
    PETRI_TRY(const ScanReport report, scan(artifact, services_.host));
    PETRI_TRY(check_findings(report, *traits_->policy.reject_findings));
  }
  return check_quarantine(artifact);
}

Result<void> SandboxCore::check_quarantine(const Artifact& artifact) {
  const auto sentence = services_.quarantine.find(artifact.id(), services_.clock.now(), id());
  if (!sentence) return {};
  const auto left = std::chrono::ceil<std::chrono::seconds>(sentence->until - services_.clock.now());
  return fail(Error{.code = ErrorCode::rejected,
                    .message = fmt::format("the artifact {} is in quarantine for another {} s: it met limits {} times, "
                                           "the last was {}",
                                           artifact.id().hex().substr(0, 16), left.count(),
                                           services_.quarantine.options().limits_max, sentence->cause),
                    .details = {}}
                  .with("component", "quarantine")
                  .with("artifact", artifact.id().hex())
                  .with("cause", sentence->cause)
                  .with("seconds_left", std::to_string(left.count())));
}

// ---- reading and loading --------------------------------------------------------------------------------------

Result<SandboxCore::Admitted> SandboxCore::read_source(const Source& source) {
  const std::uint64_t bytes_max = account_.limits()->module_bytes_max;
  auto admitted = read_source_within(source, bytes_max);
  if (admitted && !source.path().empty()) {
    admitted->source.path = std::make_shared<const std::string>(source.path());
  }
  if (!admitted && admitted.error().code == ErrorCode::module_too_large) {
    const std::uint64_t bytes =
        source.kind() == Source::Kind::artifact ? source.artifact()->bytes().size() : source.text().size();
    limit_met({}, {.limit = "module_bytes_max", .wanted = std::max(bytes, bytes_max + 1), .allowed = bytes_max});
  }
  return admitted;
}

Result<SandboxCore::Admitted> SandboxCore::read_source_within(const Source& source, std::uint64_t bytes_max) const {
  if (source.kind() == Source::Kind::artifact && source.artifact() == nullptr) {
    return fail(ErrorCode::not_found,
                fmt::format("its source is not kept any more, because failed sandboxes keep {} bytes of them together; "
                            "create the sandbox again",
                            FailedSources::kBytesMax));
  }
  if (source.kind() == Source::Kind::artifact) {
    if (source.artifact()->bytes().size() > bytes_max) {
      return fail(ErrorCode::module_too_large, fmt::format("the module has {} bytes and module_bytes_max allows {}",
                                                           source.artifact()->bytes().size(), bytes_max));
    }
    return Admitted{services_.artifacts.share(source.artifact()), {.hash = source.artifact()->id()}};
  }
  std::string read;
  std::string_view bytes = source.text();  // not a copy: it may be too large
  if (source.kind() == Source::Kind::file) {
    PETRI_TRY(read, read_file(source.text(), bytes_max));
    bytes = read;
  }
  const bool is_wasm = source.kind() == Source::Kind::wasm ||
                       (source.kind() == Source::Kind::file && bytes.starts_with(std::string_view("\0asm", 4)));
  const std::span data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (is_wasm) {
    PETRI_TRY(ArtifactPtr artifact, services_.artifacts.from_wasm(data, bytes_max));
    const ArtifactId hash = artifact->id();
    return Admitted{std::move(artifact), {.hash = hash}};
  }
  PETRI_TRY(ArtifactPtr artifact, services_.artifacts.from_wat(bytes, bytes_max));
  const ArtifactId hash{.sha256 = sha256(data)};
  return Admitted{std::move(artifact), {.hash = hash, .text = std::make_shared<const std::string>(bytes)}};
}

Result<SandboxCore::Loaded> SandboxCore::load_module(const Source& source) {
  PETRI_TRY(Admitted admitted, admit(source));
  if (spec_.deterministic) {
    PETRI_TRY(
        require_deterministic(loadable(*admitted.artifact), services_.host, Asked::embedded, ", and the sandbox is"));
  }
  PETRI_TRY(ModuleCodePtr code, services_.code.load(admitted.artifact, permissions(), spec_.tier, loading()));
  return Loaded{std::move(code), std::move(admitted.source)};
}

std::vector<Result<SandboxCore::Loaded>> SandboxCore::load_side_by_side(const std::vector<ModuleSpec>& modules) {
  constexpr std::size_t kBytesWorthAThread = std::size_t{32} << 10;
  std::size_t bytes = 0;
  for (const ModuleSpec& module : modules) {
    const bool known = module.source.kind() == Source::Kind::wasm || module.source.kind() == Source::Kind::wat;
    bytes += known ? module.source.text().size() : kBytesWorthAThread;
  }
  std::vector<Result<Loaded>> loaded(modules.size(), fail(ErrorCode::cancelled, "not loaded yet"));
  const auto load = [&](std::size_t index) { loaded[index] = load_module(modules[index].source); };
  if (modules.size() > 1 && (spec_.tier == Tier::compiled || bytes >= kBytesWorthAThread)) {
    in_parallel(modules.size(), load);
  } else {
    for (std::size_t index = 0; index < modules.size(); ++index) load(index);
  }
  return loaded;
}

Result<SandboxCore::Loaded> SandboxCore::admit_and_report(std::string_view name, const Source& source, WayIn way) {
  return report_if_rejected(name, load_module(source), way);
}

Result<SandboxCore::Loaded> SandboxCore::report_if_rejected(std::string_view name, Result<Loaded> loaded, WayIn way) {
  if (loaded) return loaded;
  Error error = of_module(name, std::move(loaded.error()));
  journal_.module_rejected(name, way, error);
  return fail(std::move(error));
}

// What is loaded needs its source no more; what is not may be asked for again.
Result<void> SandboxCore::load_modules() {
  std::shared_ptr<const std::vector<ModuleSpec>> sources;
  {
    MutexLock lock(mutex_);
    sources = sources_;
  }
  auto loaded = load_sources(*sources);
  if (!loaded) keep_failed_sources();
  if (loaded) services_.failed_sources.remove(this);
  if (loaded) drop_sources();
  return loaded;
}

void SandboxCore::keep_failed_sources() {
  std::uint64_t bytes = 0;
  {
    MutexLock lock(mutex_);
    if (failed_bytes_ > 0) return;  // it failed before
    for (const ModuleSpec& spec : *sources_) bytes += heap_bytes(spec.source.text());
    failed_bytes_ = bytes;
  }
  if (bytes == 0) return;
  account_.hold_anyway(bytes);
  services_.failed_sources.add(this, bytes, [self = weak_from_this()] {
    if (const auto core = self.lock()) core->drop_sources();
  });
}

// The names stay.
void SandboxCore::drop_sources() {
  auto names = std::make_shared<std::vector<ModuleSpec>>();
  MutexLock lock(mutex_);
  for (const ModuleSpec& spec : *sources_) names->push_back({spec.name, Source::artifact(nullptr)});
  sources_ = std::move(names);
  account_.let_go(std::exchange(failed_bytes_, 0));
}

Result<void> SandboxCore::load_sources(const std::vector<ModuleSpec>& sources) {
  auto all = load_side_by_side(sources);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const ModuleSpec& spec = sources[index];
    PETRI_TRY(Loaded loaded, report_if_rejected(spec.name, std::move(all[index]), WayIn::create));
    journal_.module_loaded(spec.name, *loaded.code->artifact, WayIn::create);
    modules_.put(spec.name, loaded.code, std::move(loaded.source), spec.needs);
  }
  return link_or_forget(WayIn::create);
}

// Modules that import from one another have the tree that they came with, whatever they import later.
Result<void> SandboxCore::check_all_links() {
  PETRI_TRY(const bool linked, modules_.check_all_links());
  MutexLock lock(mutex_);
  if (linked && tree_spec_ == nullptr) tree_spec_ = std::make_unique<SupervisorSpec>(tree_spec());
  return {};
}

// What cannot be linked does not stay: a restart loads it again.
Result<void> SandboxCore::link_or_forget(WayIn way) {
  auto linked = check_all_links();
  if (linked) return linked;
  modules_.clear();
  journal_.module_rejected(linked.error().detail("importer"), way, linked.error());
  return linked;
}

}  // namespace petri
