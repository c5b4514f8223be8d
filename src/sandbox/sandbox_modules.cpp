// The modules of a sandbox: read, checked, linked and loaded.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "host/link.h"
#include "sandbox/sandbox_core.h"

namespace petri {

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
  PETRI_TRY(ArtifactPtr artifact, read_source(module.source));
  if (spec_.deterministic) {
    PETRI_TRY(require_deterministic(loadable(*artifact), services_.host, Asked::embedded, ", and the sandbox is"));
  }
  PETRI_TRY(LinkedCode loaded,
            services_.code.load(artifact, spec_.permissions.value_or(Permissions::medium()), spec_.tier));
  return make_module_code(module.name, std::move(artifact), std::move(loaded.imports), std::move(loaded.code),
                          std::move(loaded.hot));
}

Result<void> SandboxCore::load_modules() {
  for (const ModuleSpec& module : spec_.modules) {
    auto code = load_module(module);
    if (!code) {
      Error error = std::move(code.error());
      error.message = fmt::format("the module {}: {}", module.name, error.message);
      services_.events.publish(EventKind::module_rejected, subject(), [&](Event& event) {
        event.add("module", module.name).add("error", name_of(error.code)).add("message", error.message);
      });
      return fail(std::move(error).with("module", module.name));
    }
    services_.events.publish(EventKind::module_loaded, subject(), [&](Event& event) {
      const Artifact& artifact = *(*code)->artifact;
      event.add("module", module.name).add("artifact", artifact.id().hex()).add("bytes", artifact.bytes().size());
    });
    MutexLock lock(mutex_);
    modules_[module.name] = std::move(*code);
  }
  return {};
}

}  // namespace petri
