// The compilers of source code, as sandboxes and watches use them.
#pragma once

#include "sandbox/code/source_compiler.h"

namespace petri {

// Any thread; has no state of its own.
class RuntimeCompiler final : public SourceCompiler {
 public:
  bool compiles(const Source& source) const override;
  Result<CompileReport> compile(const Source& source, std::uint64_t artifact_bytes_max,
                                const std::stop_token& stop) const override;
};

}  // namespace petri
