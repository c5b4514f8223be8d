#include "sandbox/code/module_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/file.h"
#include "base/module_size.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "engine/sha256.h"
#include "host/link.h"
#include "petri/scan.h"
#include "sandbox/versions/module_change.h"

namespace petri {
namespace {

AdmittedModule of_compiled(ArtifactPtr artifact, std::string language, std::shared_ptr<const std::string> text) {
  const ArtifactId hash = text == nullptr ? artifact->id() : sha256(as_bytes(*text));
  return {std::move(artifact), {.hash = hash, .text = std::move(text), .language = std::move(language)}};
}

}  // namespace

Version version_of(LoadedModule loaded, VersionOrigin origin, WallTime time) {
  Version version{.artifact = loaded.code->artifact};
  version.code = std::move(loaded.code);
  version.source = std::move(loaded.source);
  version.time = time;
  version.origin = origin;
  return version;
}

// ---- the gate -------------------------------------------------------------------------------------------------

Result<AdmittedModule> ModuleGate::admit(const Source& source) const {
  PETRI_TRY(AdmittedModule admitted, read(source));
  PETRI_TRY(check_policy(*admitted.artifact));
  return admitted;
}

// Limits, permissions and quarantine may be others since; what it is made of is not, so nothing is compiled for it.
Result<void> ModuleGate::admit_again(const ArtifactPtr& artifact) const {
  PETRI_TRY(const AdmittedModule admitted, admit(Source::artifact(artifact)));
  PETRI_TRY(link(loadable(*admitted.artifact), terms_.services.host, terms_.permissions, Neighbours::may_be));
  return {};
}

Result<void> ModuleGate::check_policy(const Artifact& artifact) const {
  if (!terms_.policy.imports.empty()) {
    const LoadableArtifact& module = loadable(artifact);
    for (std::uint32_t index = 0; index < module.facts().imports; ++index) {
      const ImportView import = module.import_at(index);
      const std::string why = terms_.policy.imports.refusal(import.module, import.name);
      if (!why.empty()) return fail(import_error(ErrorCode::rejected, "imports", import, why));
    }
  }
  if (terms_.policy.reject_findings) {
    PETRI_TRY(const ScanReport report, scan(artifact, terms_.services.host));
    PETRI_TRY(check_findings(report, *terms_.policy.reject_findings));
  }
  return check_standing(artifact);
}

Result<void> ModuleGate::check_blocked(const Artifact& artifact) const {
  const auto reason = terms_.services.blocked.find(artifact.id());
  if (!reason) return {};
  std::string message = fmt::format("the artifact {} is blocked", artifact.id().hex().substr(0, 16));
  if (!reason->empty()) message += ": " + escape_text(*reason, BlockList::kReasonBytesMax);
  return fail(Error{.code = ErrorCode::rejected, .message = std::move(message), .details = {}}
                  .with("component", "block-list")
                  .with("artifact", artifact.id().hex())
                  .with("reason", *reason));
}

Result<void> ModuleGate::check_standing(const Artifact& artifact) const {
  PETRI_TRY(check_blocked(artifact));
  const auto sentence = terms_.services.quarantine.find(artifact.id(), terms_.services.clock.now(), terms_.sandbox);
  if (!sentence) return {};
  const auto left = std::chrono::ceil<std::chrono::seconds>(sentence->until - terms_.services.clock.now());
  return fail(Error{.code = ErrorCode::rejected,
                    .message = fmt::format("the artifact {} is in quarantine for another {} s: it met limits {} times, "
                                           "the last was {}",
                                           artifact.id().hex().substr(0, 16), left.count(),
                                           terms_.services.quarantine.options().limits_max, sentence->cause),
                    .details = {}}
                  .with("component", "quarantine")
                  .with("artifact", artifact.id().hex())
                  .with("cause", sentence->cause)
                  .with("seconds_left", std::to_string(left.count())));
}

// ---- reading and loading --------------------------------------------------------------------------------------

Result<AdmittedModule> ModuleGate::read(const Source& source) const {
  const std::uint64_t allowed = bytes_max();
  auto admitted = read_within(source, allowed);
  if (admitted && !source.path().empty()) {
    admitted->source.path = std::make_shared<const std::string>(source.path());
  }
  if (!admitted && admitted.error().code == ErrorCode::module_too_large) {
    const std::uint64_t bytes =
        source.kind() == Source::Kind::artifact ? source.artifact()->bytes().size() : source.text().size();
    terms_.journal.limit_met({},
                             {.limit = "module_bytes_max", .wanted = std::max(bytes, allowed + 1), .allowed = allowed});
  }
  return admitted;
}

Result<AdmittedModule> ModuleGate::read_within(const Source& source, std::uint64_t bytes_max) const {
  if (source.kind() == Source::Kind::artifact && source.artifact() == nullptr) {
    return fail(ErrorCode::not_found,
                fmt::format("its source is not kept any more, because failed sandboxes keep {} bytes of them together; "
                            "create the sandbox again",
                            FailedSources::kBytesMax));
  }
  if (source.kind() == Source::Kind::artifact) {
    PETRI_TRY(check_module_size(source.artifact()->bytes().size(), bytes_max));
    PETRI_TRY(ArtifactPtr artifact, within_bounds(source.artifact(), bytes_max));
    return of_compiled(std::move(artifact), source.language(),
                       source.text().empty() ? nullptr : std::make_shared<const std::string>(source.text()));
  }
  const SourceCompiler* const compiler = terms_.services.compiler;
  if (compiler != nullptr && compiler->compiles(source)) return compile(source, bytes_max);
  if (source.kind() == Source::Kind::folder || (source.kind() == Source::Kind::code && source.language() != "wat")) {
    return fail(ErrorCode::validation_failed, "this runtime has no compilers for source code");
  }
  std::string read;
  std::string_view bytes = source.text();  // not a copy: it may be too large
  if (source.kind() == Source::Kind::file) {
    PETRI_TRY(read, read_file(source.text(), bytes_max));
    bytes = read;
  }
  const bool is_wasm = source.kind() == Source::Kind::wasm ||
                       (source.kind() == Source::Kind::file && bytes.starts_with(std::string_view("\0asm", 4)));
  const std::span data = as_bytes(bytes);
  if (is_wasm) {
    PETRI_TRY(ArtifactPtr artifact, terms_.services.artifacts.from_wasm(data, bytes_max, bounds()));
    const ArtifactId hash = artifact->id();
    return AdmittedModule{std::move(artifact), {.hash = hash}};
  }
  PETRI_TRY(ArtifactPtr artifact, terms_.services.artifacts.from_wat(bytes, bytes_max, bounds()));
  const ArtifactId hash = sha256(data);
  return AdmittedModule{std::move(artifact), {.hash = hash, .text = std::make_shared<const std::string>(bytes)}};
}

// An artifact that was checked by the bounds of programs is checked again where those of candidates hold.
Result<ArtifactPtr> ModuleGate::within_bounds(const ArtifactPtr& artifact, std::uint64_t bytes_max) const {
  const bool fits = artifact->bounds() == bounds() || bounds() == ModuleBounds::program;
  if (fits) return terms_.services.artifacts.share(artifact);
  return terms_.services.artifacts.from_wasm(artifact->bytes(), bytes_max, bounds());
}

// All that is wrong with the code is in the report, which the sandbox shows, and the error of the first module.
Result<CompileReport> ModuleGate::compile_all(const Source& source, std::uint64_t bytes_max) const {
  const Clock::TimePoint started = terms_.services.clock.now();
  terms_.journal.compile_started(source);
  auto report = terms_.services.compiler->compile(source, bytes_max, terms_.stop);
  terms_.journal.compile_ended(source, report, terms_.services.clock.now() - started);
  if (report && terms_.news != nullptr) terms_.news->note(*report);
  if (report && report->error) return fail(*report->error);
  return report;
}

Result<AdmittedModule> ModuleGate::compile(const Source& source, std::uint64_t bytes_max) const {
  PETRI_TRY(const CompileReport report, compile_all(source, bytes_max));
  if (report.modules.size() != 1) {
    return fail(ErrorCode::validation_failed,
                fmt::format("the folder has {} modules where one is wanted; name one of its files or subfolders",
                            report.modules.size()));
  }
  const CompiledSource& module = report.modules.front();
  PETRI_TRY(ArtifactPtr artifact, within_bounds(module.artifact, bytes_max));
  return of_compiled(std::move(artifact), module.language, module.text);
}

Result<std::vector<ModuleSpec>> ModuleGate::compile_folder(const Source& folder,
                                                           const std::vector<ModulePlace>& modules) const {
  if (terms_.services.compiler == nullptr || !terms_.services.compiler->compiles(folder)) {
    return fail(ErrorCode::validation_failed, "only a folder or source code has modules to compile");
  }
  PETRI_TRY(const CompileReport report, compile_all(folder, bytes_max()));
  std::vector<ModuleSpec> specs = modules_for(report, folder, modules);
  if (specs.empty()) return fail(ErrorCode::validation_failed, no_module_sentence(report, folder, modules));
  return specs;
}

Result<LoadedModule> ModuleGate::load(const Source& source) const {
  PETRI_TRY(AdmittedModule admitted, admit(source));
  if (terms_.deterministic) {
    PETRI_TRY(require_deterministic(loadable(*admitted.artifact), terms_.services.host, Asked::embedded,
                                    ", and the sandbox is"));
  }
  PETRI_TRY(ModuleCodePtr code,
            terms_.services.code.load(admitted.artifact, terms_.permissions, terms_.tier, terms_.stop));
  return LoadedModule{std::move(code), std::move(admitted.source)};
}

std::vector<Result<LoadedModule>> ModuleGate::load_all(const std::vector<ModuleSpec>& modules) const {
  constexpr std::size_t kBytesWorthAThread = std::size_t{32} << 10;
  std::size_t bytes = 0;
  for (const ModuleSpec& module : modules) {
    const bool known = module.source.kind() == Source::Kind::wasm || module.source.kind() == Source::Kind::wat;
    bytes += known ? module.source.text().size() : kBytesWorthAThread;
  }
  std::vector<Result<LoadedModule>> loaded(modules.size(), fail(ErrorCode::cancelled, "not loaded yet"));
  const auto load_one = [&](std::size_t index) { loaded[index] = load(modules[index].source); };
  if (modules.size() > 1 && (terms_.tier == Tier::compiled || bytes >= kBytesWorthAThread)) {
    terms_.services.workers.stacks().for_each(modules.size(), load_one);
  } else {
    for (std::size_t index = 0; index < modules.size(); ++index) load_one(index);
  }
  return loaded;
}

Result<LoadedModule> ModuleGate::report_if_rejected(std::string_view module, Result<LoadedModule> loaded,
                                                    WayIn way) const {
  if (loaded) return loaded;
  Error error = of_module(module, std::move(loaded.error()));
  terms_.journal.module_rejected(module, way, error);
  return fail(std::move(error));
}

// A text is held to the limit as when it first came in: the sandbox keeps it beside the code.
Result<LoadedModule> ModuleGate::load_saved_code(const Version& saved) const {
  const std::uint64_t text_bytes = saved.source.text == nullptr ? 0 : saved.source.text->size();
  PETRI_TRY(check_module_size(text_bytes, bytes_max(), "text"));
  return load(Source::artifact(saved.artifact));
}

Result<Version> ModuleGate::load_saved(const std::string& module, Version saved, WayIn way) const {
  PETRI_TRY(LoadedModule loaded, report_if_rejected(module, load_saved_code(saved), way));
  saved.code = std::move(loaded.code);
  return saved;
}

}  // namespace petri
