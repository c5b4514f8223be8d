// Compiles source code for sandboxes. The compilers stand above this module; a runtime wires them.
#pragma once

#include <cstdint>
#include <stop_token>

#include "petri/compile_report.h"
#include "petri/result.h"
#include "petri/source.h"

namespace petri {

// Any thread.
class SourceCompiler {
 public:
  virtual ~SourceCompiler() = default;
  // True for text in a language other than wat, for a file whose ending names one, and for a folder.
  virtual bool compiles(const Source& source) const = 0;
  // As petri::compile().
  virtual Result<CompileReport> compile(const Source& source, std::uint64_t artifact_bytes_max,
                                        const std::stop_token& stop) const = 0;
};

}  // namespace petri
