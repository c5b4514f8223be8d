#include "runtime/runtime_compiler.h"

#include "petri/compile.h"

namespace petri {
bool RuntimeCompiler::compiles(const Source& source) const {
  switch (source.kind()) {
    case Source::Kind::folder: return true;
    case Source::Kind::code: return source.language() != "wat";
    case Source::Kind::file: {
      const SourceLanguage* const language = language_of_file(source.text());
      return language != nullptr && language->name != "wat";
    }
    case Source::Kind::wasm:
    case Source::Kind::wat:
    case Source::Kind::artifact: return false;
  }
  return false;
}

Result<CompileReport> RuntimeCompiler::compile(const Source& source, std::uint64_t artifact_bytes_max,
                                               const std::stop_token& stop) const {
  // The gate of the sandbox checks by its own bounds what comes out.
  return petri::compile(source,
                        {.artifact_bytes_max = artifact_bytes_max, .bounds = ModuleBounds::program, .stop = stop});
}

}  // namespace petri
