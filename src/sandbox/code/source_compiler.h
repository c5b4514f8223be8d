// Compiles source code for sandboxes. The compilers stand above this module; a runtime wires them.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "petri/artifact.h"
#include "petri/result.h"
#include "petri/source.h"

namespace petri {

struct CompiledCode {
  ArtifactPtr artifact;
  std::string language;
  std::shared_ptr<const std::string> text;  // the source, if it is one file
};

// Any thread.
class SourceCompiler {
 public:
  virtual ~SourceCompiler() = default;
  // True for text in a language other than wat, for a file whose ending names one, and for a folder.
  virtual bool compiles(const Source& source) const = 0;
  // The one module of this source. compilation_failed and parse_failed name the first thing that is wrong.
  virtual Result<CompiledCode> compile(const Source& source, std::uint64_t bytes_max,
                                       const std::stop_token& stop) const = 0;
};

}  // namespace petri
