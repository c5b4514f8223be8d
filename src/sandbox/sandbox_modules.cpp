// The modules of a sandbox: read, checked, linked and loaded.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/name_table.h"
#include "host/link.h"
#include "petri/scan.h"
#include "sandbox/sandbox_core.h"

namespace petri {

namespace {

constexpr NameTable<2> kWaysIn{"create", "run"};

}  // namespace

// ---- the gate -------------------------------------------------------------------------------------------------

Result<ArtifactPtr> SandboxCore::admit(const Source& source) {
  PETRI_TRY(ArtifactPtr artifact, read_source(source));
  PETRI_TRY(check_policy(*artifact));
  return artifact;
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
  const auto sentence = services_.quarantine.find(artifact.id(), services_.clock.now());
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

void SandboxCore::tell_rejected(std::string_view module, WayIn way, const Error& error) {
  services_.metrics.module_rejected();
  services_.events.publish(EventKind::module_rejected, subject(), [&](Event& event) {
    event.add("module", module).add("error", name_of(error.code)).add("message", error.message);
  });
  const std::string_view permission = error.detail("permission");
  if (!permission.empty()) {
    services_.events.publish(EventKind::security_denied, subject(), [&](Event& event) {
      event.add("permission", permission).add("module", module).add("message", error.message);
    });
    services_.metrics.denied(permission);
    MutexLock lock(mutex_);
    ++trouble().denied[std::string(permission)];
  }
  tell_audit({.kind = AuditKind::module_rejected, .sandbox = id(), .cause = name_of(error.code)},
             {{"module", module},
              {"way", name_in(kWaysIn, way)},
              {"class", name_of(error.category())},
              {"permission", permission},
              {"message", error.message}});
}

// ---- reading and loading --------------------------------------------------------------------------------------

Result<ArtifactPtr> SandboxCore::read_source(const Source& source) {
  const std::uint64_t bytes_max = account_.limits()->module_bytes_max;
  auto artifact = read_source_within(source, bytes_max);
  if (!artifact && artifact.error().code == ErrorCode::module_too_large) {
    const std::uint64_t bytes =
        source.kind() == Source::Kind::artifact ? source.artifact()->bytes().size() : source.text().size();
    limit_met({}, {.limit = "module_bytes_max", .wanted = std::max(bytes, bytes_max + 1), .allowed = bytes_max});
  }
  return artifact;
}

Result<ArtifactPtr> SandboxCore::read_source_within(const Source& source, std::uint64_t bytes_max) const {
  std::string bytes = source.text();
  if (source.kind() == Source::Kind::artifact) {
    if (source.artifact()->bytes().size() > bytes_max) {
      return fail(ErrorCode::module_too_large, fmt::format("the module has {} bytes and module_bytes_max allows {}",
                                                           source.artifact()->bytes().size(), bytes_max));
    }
    return services_.artifacts.share(source.artifact());
  }
  if (source.kind() == Source::Kind::file) {
    PETRI_TRY(bytes, read_file(source.text(), bytes_max));
  }
  const bool is_wasm = source.kind() == Source::Kind::wasm ||
                       (source.kind() == Source::Kind::file && bytes.starts_with(std::string_view("\0asm", 4)));
  if (!is_wasm) return services_.artifacts.from_wat(bytes, bytes_max);
  return services_.artifacts.from_wasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, bytes_max);
}

Result<ModuleCodePtr> SandboxCore::load_module(const ModuleSpec& module) {
  PETRI_TRY(ArtifactPtr artifact, admit(module.source));
  if (spec_.deterministic) {
    PETRI_TRY(require_deterministic(loadable(*artifact), services_.host, Asked::embedded, ", and the sandbox is"));
  }
  PETRI_TRY(LinkedCode loaded, services_.code.load(artifact, permissions(), spec_.tier));
  return make_module_code(module.name, std::move(artifact), std::move(loaded.imports), std::move(loaded.code),
                          std::move(loaded.hot));
}

Result<void> SandboxCore::load_modules() {
  for (const ModuleSpec& module : spec_.modules) {
    auto code = load_module(module);
    if (!code) {
      Error error = std::move(code.error());
      error.message = fmt::format("the module {}: {}", module.name, error.message);
      tell_rejected(module.name, WayIn::create, error);
      return fail(std::move(error).with("module", module.name));
    }
    const Artifact& artifact = *(*code)->artifact;
    services_.metrics.module_loaded();
    services_.events.publish(EventKind::module_loaded, subject(), [&](Event& event) {
      event.add("module", module.name).add("artifact", artifact.id().hex()).add("bytes", artifact.bytes().size());
    });
    if (keeps(traits_->policy.audit, AuditKind::module_loaded)) {
      tell_audit({.kind = AuditKind::module_loaded, .sandbox = id(), .cause = "create"},
                 {{"module", module.name}, {"artifact", artifact.id().hex()}});
    }
    MutexLock lock(mutex_);
    modules_[module.name] = std::move(*code);
  }
  return {};
}

}  // namespace petri
